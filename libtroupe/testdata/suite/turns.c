// Who runs when: fairness, priorities, blocking sections, stacks that change their thread.
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "suite.h"

// One worker: loops that only check let each other, and one that answers, go on.
static void counts_up(const uint8_t *args) {
  int32_t *counter = troupe_reductions();
  for (uint64_t i = 0;; i++) {
    TROUPE_CHECK_AT(counter);
    if (i % 100000 == 0) {
      OK(troupe_send_word(arg(args), 1, troupe_self()));
    }
  }
}

static int echoes(void *state, const troupe_msg *msg) {
  return troupe_send(*(troupe_pid *)state, msg->tag, msg->data, msg->size);
}

void test_fair(void) {
  troupe_config c = {.size = sizeof(c), .workers = 1, .max_spares = TROUPE_NONE};
  OK(troupe_init(&c));
  troupe_pid self = troupe_self(), loops[4];
  for (int i = 0; i < 4; i++) {
    loops[i] = start(counts_up, self);
  }
  troupe_pid light = troupe_spawn_light(echoes, &self, sizeof(self), TROUPE_NORMAL);
  int seen[4] = {0}, all = 0;
  for (uint64_t i = 0; i < 100; i++) {
    OK(troupe_send_word(light, 2, i));
    CHECK(await(2) == i);
  }
  while (all < 4) { // Each of the loops gets on, three times.
    troupe_pid p = await(1);
    for (int i = 0; i < 4; i++) {
      all += loops[i] == p && ++seen[i] == 3;
    }
  }
  troupe_process_info info = {.size = sizeof(info)};
  OK(troupe_info(loops[0], &info));
  CHECK(info.reductions >= 100000 && info.priority == TROUPE_NORMAL && info.state != TROUPE_WAITING);
}

// A process that was woken waits for the turn of its waker, and no longer.
static _Atomic int checks;

static void counts_checks(const uint8_t *args) {
  (void)args;
  troupe_msg msg;
  OK(troupe_receive_tag(&msg, 1, TROUPE_FOREVER));
  int seen = checks;
  CHECK(seen > 0 && seen <= 4000);
  OK(troupe_send_word(word_of(&msg), 2, 1));
}

static void wakes_and_checks(const uint8_t *args) {
  troupe_pid woken = start(counts_checks, 0);
  troupe_process_info info = {.size = sizeof(info)};
  do {
    OK(troupe_yield());
    OK(troupe_info(woken, &info));
  } while (info.state != TROUPE_WAITING);
  OK(troupe_send_word(woken, 1, arg(args)));
  for (;;) {
    checks++;
    TROUPE_CHECK();
  }
}

void test_woken(void) {
  troupe_config c = {.size = sizeof(c), .workers = 1, .max_spares = TROUPE_NONE};
  OK(troupe_init(&c));
  start(wakes_and_checks, troupe_self());
  CHECK(await(2) == 1);
}

// With one worker, all that is ready with a higher priority runs first.
static void tells(const uint8_t *args) {
  const uint64_t *a = (const uint64_t *)args;
  OK(troupe_send_word(a[0], 1, a[1]));
}

static void starts_all(const uint8_t *args) {
  uint64_t a[2] = {arg(args), 0};
  const int order[] = {TROUPE_NORMAL, TROUPE_HIGH, TROUPE_HIGH, TROUPE_NORMAL, TROUPE_LOW, TROUPE_LOW};
  for (int i = 0; i < 6; i++) {
    a[1] = (uint64_t)order[i];
    troupe_pid p = troupe_spawn(tells, a, sizeof(a), order[i]);
    troupe_process_info info = {.size = sizeof(info)};
    CHECK(p != 0);
    OK(troupe_info(p, &info)); // Alive, and not begun: this process has the worker.
    CHECK(info.priority == order[i] && info.state == TROUPE_READY);
  }
}

void test_priorities(void) {
  troupe_config c = {.size = sizeof(c), .workers = 1, .max_spares = TROUPE_NONE};
  OK(troupe_init(&c));
  start(starts_all, troupe_self());
  const uint64_t want[] = {TROUPE_HIGH, TROUPE_HIGH, TROUPE_NORMAL, TROUPE_NORMAL, TROUPE_LOW, TROUPE_LOW};
  for (int i = 0; i < 6; i++) {
    CHECK(await(1) == want[i]);
  }
}

// A process that wakes a more urgent one gives it the worker.
static void urgent(const uint8_t *args) {
  await(1);
  OK(troupe_send_word(arg(args), 1, 1));
}

static void wakes_urgent(const uint8_t *args) {
  uint64_t main = arg(args);
  troupe_pid p = troupe_spawn(urgent, &main, sizeof(main), TROUPE_HIGH);
  troupe_process_info info = {.size = sizeof(info)};
  do {
    OK(troupe_yield());
    OK(troupe_info(p, &info));
  } while (info.state != TROUPE_WAITING);
  OK(troupe_send_word(p, 1, 1));
  OK(troupe_send_word(main, 1, 2));
}

void test_urgent(void) {
  troupe_config c = {.size = sizeof(c), .workers = 1, .max_spares = TROUPE_NONE};
  OK(troupe_init(&c));
  start(wakes_urgent, troupe_self());
  CHECK(await(1) == 1);
  CHECK(await(1) == 2);
}

// More processes than workers block in reads of pipes, and others go on meanwhile.
enum { BLOCKED = 20 };

static void reads(const uint8_t *args) {
  const uint64_t *a = (const uint64_t *)args;
  char byte;
  OK(troupe_enter_blocking());
  OK(troupe_send_word(a[0], 1, 1));
  CHECK(read((int)a[1], &byte, 1) == 1);
  OK(troupe_leave_blocking());
  OK(troupe_send_word(a[0], 3, (uint64_t)byte));
}

void test_blocking(void) {
  troupe_config c = {.size = sizeof(c), .workers = 1, .max_spares = TROUPE_NONE, .max_blocking = BLOCKED};
  OK(troupe_init(&c));
  troupe_pid self = troupe_self();
  int pipes[BLOCKED][2];
  for (int i = 0; i < BLOCKED; i++) {
    CHECK(pipe(pipes[i]) == 0);
    uint64_t a[2] = {self, (uint64_t)pipes[i][0]};
    CHECK(troupe_spawn(reads, a, sizeof(a), TROUPE_NORMAL) != 0);
  }
  for (int i = 0; i < BLOCKED; i++) {
    await(1);
  }
  troupe_runtime_counts counts = {.size = sizeof(counts)};
  OK(troupe_counts(&counts));
  CHECK(counts.blocking == BLOCKED);
  uint64_t a[2] = {self, (uint64_t)pipes[0][0]};
  CHECK(troupe_spawn(reads, a, sizeof(a), TROUPE_NORMAL) != 0); // Waits for a section.
  troupe_pid light = troupe_spawn_light(echoes, &self, sizeof(self), TROUPE_NORMAL);
  OK(troupe_send_word(light, 2, 7));
  CHECK(await(2) == 7); // The worker is free.
  for (int i = 0; i < BLOCKED; i++) {
    CHECK(write(pipes[i][1], "x", 1) == 1);
    CHECK(await(3) == 'x');
  }
  await(1); // The one that waited is in its section.
  CHECK(write(pipes[0][1], "y", 1) == 1);
  CHECK(await(3) == 'y');
  OK(troupe_enter_blocking()); // In the main process these do nothing.
  OK(troupe_leave_blocking());
}

// A process in a blocking section that is killed ends when it leaves.
void test_killed_while_blocking(void) {
  OK(troupe_init(NULL));
  int p[2];
  troupe_ref ref;
  CHECK(pipe(p) == 0);
  uint64_t a[2] = {troupe_self(), (uint64_t)p[0]};
  troupe_pid pid = troupe_spawn(reads, a, sizeof(a), TROUPE_NORMAL);
  await(1);
  OK(troupe_monitor(pid, &ref));
  OK(troupe_kill(pid));
  CHECK(write(p[1], "x", 1) == 1);
  CHECK(await_end(TROUPE_TAG_DOWN).kind == TROUPE_EXIT_KILLED);
}

// Locals of 20 frames stay intact over yields and waits, a thousand of which end on another thread. The
// counter of reductions is the same memory all the time.
static _Atomic uint64_t moves;
static troupe_pid *main_pid(void) {
  static troupe_pid pid;
  return &pid;
}

enum { MOVES = 1000, MOVERS = 8 };

// this_thread is not inlined: a compiler takes it for granted that pthread_self does not change.
__attribute__((noinline)) static pthread_t this_thread(void) {
  __asm__ volatile("" ::: "memory");
  return pthread_self();
}

// suspend gives the worker up in one of three ways. The main process answers each message, so that
// a worker that is idle goes on with the process.
static void suspend(int way, int32_t *counter) {
  switch (way % 3) {
  case 0:
    OK(troupe_yield());
    break;
  case 1:
    *counter = 1;
    TROUPE_CHECK_AT(counter);
    break;
  default:
    OK(troupe_send_word(*main_pid(), 1, troupe_self()));
    await(2);
  }
}

static uint64_t deep(int depth, const uint64_t *above, int32_t *counter);
static uint64_t (*volatile deeper)(int, const uint64_t *, int32_t *) = deep;

static uint64_t deep(int depth, const uint64_t *above, int32_t *counter) {
  uint64_t locals[8];
  double d = depth + 0.25;
  for (uint64_t i = 0; i < 8; i++) {
    locals[i] = above[i] * 31 + (uint64_t)depth;
  }
  uint64_t sum = 0;
  if (depth > 0) {
    sum = deeper(depth - 1, locals, counter);
  } else {
    for (int i = 0; i < 50; i++) {
      pthread_t before = this_thread();
      suspend(i, counter);
      moves += !pthread_equal(before, this_thread());
      CHECK(troupe_reductions() == counter);
    }
  }
  CHECK(d == depth + 0.25);
  for (uint64_t i = 0; i < 8; i++) {
    CHECK(locals[i] == above[i] * 31 + (uint64_t)depth);
    sum += locals[i];
  }
  return sum;
}

static void goes_deep(const uint8_t *args) {
  uint64_t base[8], want = 0;
  for (uint64_t i = 0; i < 8; i++) {
    base[i] = arg(args) + i;
  }
  for (int round = 0; moves < MOVES; round++) {
    uint64_t sum = deeper(20, base, troupe_reductions());
    CHECK(round == 0 || sum == want);
    want = sum;
  }
}

void test_moves(void) {
  troupe_config c = {.size = sizeof(c), .workers = 4};
  OK(troupe_init(&c));
  OK(troupe_trap(1));
  *main_pid() = troupe_self();
  for (uint64_t i = 0; i < MOVERS; i++) {
    CHECK(troupe_spawn_link(goes_deep, &i, sizeof(i), TROUPE_NORMAL) != 0);
  }
  troupe_msg msg;
  for (int left = MOVERS; left > 0;) {
    OK(troupe_receive(&msg, TROUPE_FOREVER));
    if (msg.tag == TROUPE_TAG_EXIT) {
      CHECK(((const troupe_end *)msg.data)->kind == TROUPE_EXIT_NORMAL);
      left--;
    } else {
      OK(troupe_send_word(word_of(&msg), 2, 0));
    }
  }
  CHECK(moves >= MOVES);
}

// All calls that lead to Go are made where 4 KB of the stack are left (sanitizers need more), while others make
// garbage for Go.
static uint64_t here(void) {
  char c;
  return (uint64_t)(uintptr_t)&c;
}

static _Atomic char sink;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MARGIN = 32 << 10 };
#else
enum { MARGIN = 4 << 10 };
#endif

static void tells_nine(const uint8_t *args) { OK(troupe_send_word(arg(args), 9, 9)); }

static void returns(const uint8_t *args) { (void)args; }

static int ignores(void *state, const troupe_msg *msg) {
  (void)state, (void)msg;
  return 0;
}

static int is_three(const troupe_msg *msg, void *unused) {
  (void)unused;
  return msg->tag == 3;
}

// calls_all calls each function of the header.
static void calls_all(troupe_pid main) {
  troupe_ref ref;
  troupe_pid pid, self = troupe_self(), child, light;
  troupe_msg msg;
  troupe_process_info info = {.size = sizeof(info)};
  troupe_runtime_counts counts = {.size = sizeof(counts)};
  int fd;
  char name[17] = {0};
  for (int i = 0; i < 16; i++) {
    name[i] = (char)('a' + (self >> (4 * i) & 15));
  }
  OK(troupe_trap(1));
  CHECK((child = troupe_spawn(tells_nine, &main, sizeof(main), TROUPE_NORMAL)) != 0);
  if (troupe_monitor(child, &ref) == TROUPE_OK) {
    OK(troupe_receive_tag(&msg, TROUPE_TAG_DOWN, TROUPE_FOREVER));
  }
  IS(troupe_link(child), TROUPE_ENOPROC);
  CHECK(troupe_spawn_link(returns, NULL, 0, TROUPE_NORMAL) != 0);
  OK(troupe_receive_tag(&msg, TROUPE_TAG_EXIT, TROUPE_FOREVER));
  CHECK((light = troupe_spawn_light(ignores, NULL, 0, TROUPE_NORMAL)) != 0);
  OK(troupe_link(light));
  OK(troupe_unlink(light));
  OK(troupe_monitor(light, &ref));
  OK(troupe_demonitor(ref));
  OK(troupe_register(name, light));
  OK(troupe_whereis(name, &pid));
  CHECK(pid == light);
  OK(troupe_unregister(name));
  IS(troupe_whereis("nobody", &pid), TROUPE_ENOENT);
  OK(troupe_kill(light));
  OK(troupe_info(self, &info));
  OK(troupe_counts(&counts));
  OK(troupe_send_after(self, 1, NULL, 0, 0, &ref));
  OK(troupe_receive_tag(&msg, 1, 1000000));
  OK(troupe_send_after(self, 1, NULL, 0, 1000000000, &ref));
  OK(troupe_cancel_timer(ref));
  IS(troupe_receive_tag(&msg, 1, 1), TROUPE_ETIMEDOUT);
  OK(troupe_send(self, 3, "abc", 3));
  OK(troupe_receive_match(&msg, is_three, NULL, TROUPE_FOREVER));
  OK(troupe_send_word(self, 3, 3));
  OK(troupe_receive(&msg, TROUPE_FOREVER));
  OK(troupe_yield());
  int32_t *counter = troupe_reductions();
  *counter = 1;
  troupe_check();
  *counter = 1;
  TROUPE_CHECK_AT(counter);
  troupe_refill();
  OK(troupe_enter_blocking());
  OK(troupe_leave_blocking());
  IS(troupe_doorbell(&fd), TROUPE_ECONTEXT);
  IS(troupe_init(NULL), TROUPE_EALREADY);
  IS(troupe_shutdown(0), TROUPE_ECONTEXT);
  IS(troupe_exit(99, 0), TROUPE_EINVAL);
  CHECK(troupe_abi() == TROUPE_ABI && troupe_strerror(TROUPE_OK) != NULL);
  CHECK(troupe_spawn(NULL, NULL, 0, TROUPE_NORMAL) == 0);
  IS(troupe_last_error(), TROUPE_EINVAL);
  OK(troupe_send_word(main, 1, 1));
}

static void descend(uint64_t bottom, troupe_pid main, int leave) {
  char frame[512];
  memset(frame, 1, sizeof(frame));
  if (here() - bottom > MARGIN) {
    descend(bottom, main, leave);
  } else {
    calls_all(main);
    if (leave) {
      troupe_exit(TROUPE_EXIT_NORMAL, 0);
    }
  }
  sink = frame[here() % sizeof(frame)];
}

static void to_the_limit(const uint8_t *args) {
  const uint64_t *a = (const uint64_t *)args;
  uint64_t bottom = here() - a[1];
  calls_all(a[0]); // So that the dynamic linker has found all functions, which takes a stack of its own size.
  for (int i = 0; i < 5; i++) {
    descend(bottom, a[0], i == 4);
  }
  CHECK(0); // It has exited.
}

void test_deep_calls(void) {
  enum { SIZE = 64 << 10, GUARD = 4096, ABOVE = 1024, PROCESSES = 20 };
  troupe_config c = {.size = sizeof(c), .stack_size = SIZE};
  OK(troupe_init(&c));
  uint64_t a[2] = {troupe_self(), SIZE - GUARD - ABOVE};
  for (int i = 0; i < PROCESSES; i++) {
    CHECK(troupe_spawn(to_the_limit, a, sizeof(a), TROUPE_NORMAL) != 0);
  }
  for (int i = 0; i < 6 * PROCESSES; i++) {
    await(1);
    await(9); // Of tells.
  }
}

// A process that leaves its stack ends the program.
static int overflow(volatile char *above) {
  volatile char frame[1024];
  frame[0] = above[0];
  return above[0] == 99 ? 0 : overflow(frame) + frame[1];
}

static void overflows(const uint8_t *args) {
  volatile char c = (char)args[0];
  sink = (char)overflow(&c);
}

void test_overflow(void) {
  OK(troupe_init(NULL));
  start(overflows, 1);
  troupe_msg msg;
  troupe_receive(&msg, TROUPE_FOREVER);
}

// Without guards, a write to the lowest word is found at the next switch.
static void breaks_canary(const uint8_t *args) {
  (void)args;
  uint64_t lowest = here() - (64 << 10);
  for (uint64_t a = here() & ~UINT64_C(7); a > lowest; a -= 8) {
    if (*(volatile uint64_t *)(uintptr_t)a == UINT64_C(0x7472312e75706521)) {
      *(volatile uint64_t *)(uintptr_t)a = 0;
      troupe_yield();
      return;
    }
  }
}

void test_canary(void) {
  OK(troupe_init(NULL));
  start(breaks_canary, 1);
  troupe_msg msg;
  troupe_receive(&msg, TROUPE_FOREVER);
}
