// The workloads with oneTBB, one function each. They print what external.go reads.
#include <oneapi/tbb.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

static int64_t elapsed;

template <class F> static void measure(F f) {
	auto begin = Clock::now();
	f();
	elapsed += std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
}

static int64_t fib(int n) {
	if (n < 2) return n;
	int64_t a, b;
	tbb::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
	return a + b;
}

static int64_t run_fib(int64_t n, int size) {
	int64_t sum = 0;
	measure([&] { for (int64_t i = 0; i < n; i++) sum += fib(size); });
	return sum;
}

static int64_t flat(int64_t n, int64_t size) {
	std::atomic<int64_t> sum{0};
	for (int64_t left = n; left > 0; left -= size) {
		measure([&] {
			tbb::task_group group;
			for (int64_t i = std::min(left, size); i > 0; i--) group.run([&] { sum++; });
			group.wait();
		});
	}
	return sum;
}

static int64_t spawn_join(int64_t n, int64_t size) {
	std::vector<int64_t> values(size);
	int64_t there = 0;
	for (int64_t left = n; left > 0; left -= size) {
		int64_t k = std::min(left, size);
		std::fill(values.begin(), values.end(), 0);
		measure([&] {
			tbb::task_group group;
			for (int64_t i = 0; i < k; i++) group.run([&values, i] { values[i] = i + 1; });
			group.wait();
			for (int64_t i = 0; i < k; i++) there += values[i] == i + 1;
		});
	}
	return there;
}

// spin does the work of a job as internal/bench/jobs has it, about 10 µs.
static void spin() {
	uint64_t x = 10000;
	for (int i = 0; i < 10000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		asm volatile("" : "+r"(x));
	}
}

static int64_t one_flooded(int64_t n, int64_t size) {
	std::atomic<int64_t> sum{0};
	for (int64_t i = 0; i < n; i++) {
		measure([&] {
			tbb::task_group outer, inner;
			outer.run([&] { for (int64_t j = 0; j < size; j++) inner.run([&] { spin(); sum++; }); });
			outer.wait();
			inner.wait();
		});
	}
	return sum;
}

int main(int argc, char **argv) {
	if (argc != 4) return 2;
	std::thread([] { while (getchar() != EOF); std::_Exit(1); }).detach(); // The parent is gone.
	int64_t n = std::atoll(argv[2]), size = std::atoll(argv[3]), result;
	tbb::parallel_for(0, 1000, [](int) {}); // Its threads are there now.
	if (!std::strcmp(argv[1], "fib")) result = run_fib(n, size);
	else if (!std::strcmp(argv[1], "flat")) result = flat(n, size);
	else if (!std::strcmp(argv[1], "spawn-join")) result = spawn_join(n, size);
	else if (!std::strcmp(argv[1], "one-flooded")) result = one_flooded(n, size);
	else return 2;
	std::printf("elapsed %lld\nresult %lld\n", (long long)elapsed, (long long)result);
	std::fflush(stdout);
	std::_Exit(0);
}
