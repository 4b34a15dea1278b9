// Very many processes, and what they cost. Prints bytes for each process and threads that ran them.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "suite.h"

static uint64_t resident(void) {
  FILE *f = fopen("/proc/self/statm", "r");
  unsigned long long all, here;
  CHECK(f != NULL && fscanf(f, "%llu %llu", &all, &here) == 2);
  fclose(f);
  return here * (uint64_t)sysconf(_SC_PAGESIZE);
}

// The threads that have run a process, each counted once.
static _Atomic int threads;
static __thread int counted;

__attribute__((noinline)) static void count_thread(void) {
  if (!counted) {
    counted = 1;
    threads++;
  }
}

static void waits(const uint8_t *args) {
  troupe_msg msg;
  count_thread();
  OK(troupe_send_word(arg(args), 1, 0));
  OK(troupe_receive(&msg, TROUPE_FOREVER));
  count_thread();
  OK(troupe_send_word(arg(args), 2, word_of(&msg)));
}

static int answers(void *state, const troupe_msg *msg) {
  uint64_t *a = state;
  return ++a[1] == 1 ? 0 : troupe_send_word(a[0], 2, word_of(msg)) == TROUPE_OK ? 1 : 2;
}

// exchange has each process get a word and answer it, and prints what they took before.
static void exchange(troupe_pid *pids, uint64_t n, uint64_t before) {
  uint64_t sum = 0, after = resident();
  void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  int guards = madvise(page, (size_t)sysconf(_SC_PAGESIZE), 102) == 0; // MADV_GUARD_INSTALL
  printf("%" PRIu64 " bytes for each, %s guards\n", (after - before) / n, guards ? "with" : "without");
  for (uint64_t i = 0; i < n; i++) {
    OK(troupe_send_word(pids[i], 2, i));
  }
  for (uint64_t i = 0; i < n; i++) {
    sum += await(2);
  }
  CHECK(sum == n * (n - 1) / 2);
  free(pids);
}

void test_many(void) {
  enum { MANY = 100000 };
  troupe_config c = {.size = sizeof(c), .workers = 4};
  OK(troupe_init(&c));
  troupe_pid *pids = calloc(MANY, sizeof(*pids));
  uint64_t before = resident();
  for (int i = 0; i < MANY; i++) {
    pids[i] = start(waits, troupe_self());
  }
  for (int i = 0; i < MANY; i++) {
    await(1); // It waits, or is about to.
  }
  exchange(pids, MANY, before);
  printf("%d threads\n", threads);
  CHECK(threads > 1);
}

void test_many_light(void) {
  enum { MANY = 1000000 };
  OK(troupe_init(NULL));
  troupe_pid *pids = calloc(MANY, sizeof(*pids));
  memset(pids, 1, MANY * sizeof(*pids));
  uint64_t before = resident();
  for (int i = 0; i < MANY; i++) {
    uint64_t state[2] = {troupe_self(), 0};
    pids[i] = troupe_spawn_light(answers, state, sizeof(state), TROUPE_NORMAL);
    CHECK(pids[i] != 0);
    OK(troupe_send_word(pids[i], 1, 0));
  }
  exchange(pids, MANY, before);
}
