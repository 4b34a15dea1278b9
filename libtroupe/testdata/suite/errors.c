// Misuse gets a code, and nothing else happens.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"

static void idle(const uint8_t *args) {
  (void)args;
  troupe_msg msg;
  troupe_receive(&msg, TROUPE_FOREVER);
}

static int ignore(void *state, const troupe_msg *msg) {
  (void)state, (void)msg;
  return 0;
}

static int any(const troupe_msg *msg, void *arg) {
  (void)msg, (void)arg;
  return 1;
}

// calls_return checks that all calls return a code, or nothing, while there is no runtime.
static void calls_return(int want) {
  troupe_msg msg;
  troupe_ref ref;
  troupe_pid pid;
  int fd;
  troupe_process_info info = {.size = sizeof(info)};
  troupe_runtime_counts counts = {.size = sizeof(counts)};
  IS(troupe_send(1, 1, NULL, 0), want);
  IS(troupe_send_word(1, 1, 1), want);
  IS(troupe_receive(&msg, 0), want);
  IS(troupe_receive_tag(&msg, 1, 0), want);
  IS(troupe_receive_match(&msg, any, NULL, 0), want);
  IS(troupe_exit(TROUPE_EXIT_NORMAL, 0), want);
  IS(troupe_kill(1), want);
  IS(troupe_link(1), want);
  IS(troupe_unlink(1), want);
  IS(troupe_monitor(1, &ref), want);
  IS(troupe_demonitor(1), want);
  IS(troupe_trap(1), want);
  IS(troupe_send_after(1, 1, NULL, 0, 1, &ref), want);
  IS(troupe_cancel_timer(1), want);
  IS(troupe_register("a", 1), want);
  IS(troupe_unregister("a"), want);
  IS(troupe_whereis("a", &pid), want);
  IS(troupe_yield(), want);
  IS(troupe_enter_blocking(), want);
  IS(troupe_leave_blocking(), want);
  IS(troupe_doorbell(&fd), want);
  IS(troupe_info(1, &info), want);
  IS(troupe_counts(&counts), want);
  IS(troupe_shutdown(0), want);
  CHECK(troupe_spawn(idle, NULL, 0, TROUPE_NORMAL) == 0);
  IS(troupe_last_error(), want);
  CHECK(troupe_spawn_link(idle, NULL, 0, TROUPE_NORMAL) == 0);
  CHECK(troupe_spawn_light(ignore, NULL, 0, TROUPE_NORMAL) == 0);
  CHECK(troupe_self() == 0);
  for (int i = 0; i < 10000; i++) {
    troupe_check();
    TROUPE_CHECK();
  }
}

void test_not_running(void) {
  calls_return(TROUPE_ENOTRUNNING);
  OK(troupe_init(NULL));
  IS(troupe_init(NULL), TROUPE_EALREADY);
  CHECK(troupe_self() != 0);
  OK(troupe_shutdown(TROUPE_FOREVER));
  calls_return(TROUPE_ENOTRUNNING);
}

void test_configuration(void) {
  troupe_config c = {0};
  IS(troupe_init(&c), TROUPE_EINVAL); // No size.
  c = (troupe_config){.size = sizeof(c), .stack_size = 100};
  IS(troupe_init(&c), TROUPE_EINVAL);
  c = (troupe_config){.size = sizeof(c), .workers = 2, .high_workers = 2};
  IS(troupe_init(&c), TROUPE_EINVAL);
  c = (troupe_config){.size = sizeof(c), .max_spares = 5000};
  IS(troupe_init(&c), TROUPE_EINVAL);
  const troupe_config wrong[] = {
      {.size = sizeof(c) - 8},
      {.size = sizeof(c), .reserved = 1},
      {.size = sizeof(c), .workers = 1025},
      {.size = sizeof(c), .reductions = 1000001},
      {.size = sizeof(c), .max_blocking = 4097},
      {.size = sizeof(c), .max_processes = UINT64_C(1) << 40},
      {.size = sizeof(c), .max_message = (UINT64_C(1) << 30) + 1},
      {.size = sizeof(c), .stack_size = UINT64_C(1) << 30},
      {.size = sizeof(c), .stack_size = UINT64_MAX},
      {.size = sizeof(c), .exit_timeout = -2},
  };
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    IS(troupe_init(&wrong[i]), TROUPE_EINVAL);
    CHECK(troupe_self() == 0);
  }
  c = (troupe_config){.size = sizeof(c), .max_processes = 3, .workers = 3, .max_message = 10};
  OK(troupe_init(&c));
  troupe_runtime_counts counts = {.size = sizeof(counts)};
  OK(troupe_counts(&counts));
  CHECK(counts.workers == 3 && counts.processes == 1 && counts.spawned == 1);
  troupe_pid a = troupe_spawn(idle, NULL, 0, TROUPE_NORMAL);
  CHECK(a != 0 && troupe_spawn(idle, NULL, 0, TROUPE_NORMAL) != 0);
  CHECK(troupe_spawn(idle, NULL, 0, TROUPE_NORMAL) == 0);
  IS(troupe_last_error(), TROUPE_ELIMIT);
  IS(troupe_send(a, 1, "01234567890", 11), TROUPE_EINVAL);
}

// A runtime can be started again, and PIDs of the last one are of nobody.
void test_restart(void) {
  troupe_pid old = 0;
  for (int i = 0; i < 20; i++) {
    troupe_config c = {.size = sizeof(c), .stack_size = (uint64_t)(i % 2 + 1) << 16};
    OK(troupe_init(&c));
    IS(troupe_send_word(old, 1, 1), TROUPE_ENOPROC);
    for (int k = 0; k < 100; k++) {
      old = troupe_spawn(idle, NULL, 0, TROUPE_NORMAL);
      CHECK(old != 0);
    }
    OK(troupe_shutdown(TROUPE_FOREVER));
  }
}

void test_bad_arguments(void) {
  OK(troupe_init(NULL));
  troupe_msg msg;
  troupe_ref ref;
  troupe_process_info info = {0};
  troupe_runtime_counts counts = {0};
  char name[300];
  memset(name, 'x', sizeof(name));
  name[299] = 0;
  troupe_pid self = troupe_self();
  CHECK(troupe_spawn(NULL, NULL, 0, TROUPE_NORMAL) == 0);
  IS(troupe_last_error(), TROUPE_EINVAL);
  CHECK(troupe_spawn(idle, NULL, 8, TROUPE_NORMAL) == 0);
  CHECK(troupe_spawn(idle, NULL, 0, 7) == 0);
  CHECK(troupe_spawn(idle, name, SIZE_MAX, TROUPE_NORMAL) == 0);
  CHECK(troupe_spawn_light(NULL, NULL, 0, TROUPE_NORMAL) == 0);
  CHECK(troupe_spawn_light(ignore, NULL, 8, TROUPE_NORMAL) == 0);
  CHECK(troupe_spawn_light(ignore, NULL, 0, -1) == 0);
  CHECK(troupe_spawn_link(NULL, NULL, 0, TROUPE_NORMAL) == 0);
  CHECK(troupe_spawn_link(idle, NULL, 8, TROUPE_NORMAL) == 0);
  IS(troupe_last_error(), TROUPE_EINVAL);
  IS(troupe_send(self, 1, NULL, 1), TROUPE_EINVAL);
  IS(troupe_send(self, 1, name, SIZE_MAX), TROUPE_EINVAL);
  IS(troupe_send_word(self, TROUPE_TAG_DOWN, 1), TROUPE_EINVAL);
  IS(troupe_send(0, 1, NULL, 0), TROUPE_ENOPROC);
  IS(troupe_send(UINT64_MAX, 1, NULL, 0), TROUPE_ENOPROC);
  IS(troupe_send(UINT64_C(1) << 32 | 0xfffff, 1, NULL, 0), TROUPE_ENOPROC);
  IS(troupe_receive(NULL, 0), TROUPE_EINVAL);
  IS(troupe_receive(&msg, -2), TROUPE_EINVAL);
  IS(troupe_receive(&msg, INT64_MAX), TROUPE_EINVAL);
  IS(troupe_receive_match(&msg, NULL, NULL, 0), TROUPE_EINVAL);
  IS(troupe_receive_tag(NULL, 1, 0), TROUPE_EINVAL);
  IS(troupe_receive_tag(&msg, 1, -2), TROUPE_EINVAL);
  IS(troupe_receive_match(NULL, any, NULL, 0), TROUPE_EINVAL);
  IS(troupe_exit(TROUPE_EXIT_LINKED, 0), TROUPE_EINVAL);
  IS(troupe_exit(99, 0), TROUPE_EINVAL);
  IS(troupe_kill(0), TROUPE_ENOPROC);
  IS(troupe_link(self), TROUPE_EINVAL);
  IS(troupe_link(12345), TROUPE_ENOPROC);
  IS(troupe_unlink(self), TROUPE_ENOENT);
  IS(troupe_monitor(self, NULL), TROUPE_EINVAL);
  IS(troupe_demonitor(77), TROUPE_ENOENT);
  IS(troupe_cancel_timer(77), TROUPE_ENOENT);
  IS(troupe_send_after(self, 1, NULL, 0, -1, NULL), TROUPE_EINVAL);
  IS(troupe_send_after(self, TROUPE_TAG_EXIT, NULL, 0, 0, NULL), TROUPE_EINVAL);
  IS(troupe_send_after(self, 1, NULL, 8, 0, NULL), TROUPE_EINVAL);
  IS(troupe_send_after(self, 1, name, SIZE_MAX, 0, NULL), TROUPE_EINVAL);
  IS(troupe_send_after(self, 1, NULL, 0, INT64_MAX, NULL), TROUPE_EINVAL);
  IS(troupe_send_after(12345, 1, NULL, 0, 0, NULL), TROUPE_ENOPROC);
  IS(troupe_monitor(12345, &ref), TROUPE_ENOPROC);
  IS(troupe_unlink(12345), TROUPE_ENOPROC);
  IS(troupe_register("b", 12345), TROUPE_ENOPROC);
  IS(troupe_unregister(NULL), TROUPE_EINVAL);
  IS(troupe_whereis(NULL, &self), TROUPE_EINVAL);
  IS(troupe_counts(NULL), TROUPE_EINVAL);
  IS(troupe_leave_blocking(), TROUPE_OK); // In the main process it does nothing.
  IS(troupe_register(NULL, self), TROUPE_EINVAL);
  IS(troupe_register("", self), TROUPE_EINVAL);
  IS(troupe_register(name, self), TROUPE_EINVAL);
  IS(troupe_whereis("a", NULL), TROUPE_EINVAL);
  IS(troupe_whereis("a", &self), TROUPE_ENOENT);
  IS(troupe_unregister("a"), TROUPE_ENOENT);
  IS(troupe_doorbell(NULL), TROUPE_EINVAL);
  IS(troupe_info(self, NULL), TROUPE_EINVAL);
  IS(troupe_info(self, &info), TROUPE_EINVAL);
  IS(troupe_counts(&counts), TROUPE_EINVAL);
  IS(troupe_shutdown(-5), TROUPE_EINVAL);
  IS(troupe_yield(), TROUPE_ECONTEXT);
  for (int code = -20; code < 3; code++) {
    CHECK(strlen(troupe_strerror(code)) > 5);
  }
  CHECK(strcmp(troupe_strerror(TROUPE_ESYSTEM), "the system refused") == 0);
  CHECK(strcmp(troupe_strerror(INT32_MIN), "not a code of troupe.h") == 0);
  CHECK(troupe_abi() == TROUPE_ABI);
}

// A thread that is not a process sends, spawns and looks around, and cannot receive.
static void *outside(void *arg) {
  troupe_msg msg;
  troupe_ref ref;
  int fd;
  CHECK(troupe_self() == 0);
  IS(troupe_receive(&msg, 0), TROUPE_ECONTEXT);
  IS(troupe_yield(), TROUPE_ECONTEXT);
  IS(troupe_exit(TROUPE_EXIT_NORMAL, 0), TROUPE_ECONTEXT);
  IS(troupe_link(*(troupe_pid *)arg), TROUPE_ECONTEXT);
  IS(troupe_unlink(*(troupe_pid *)arg), TROUPE_ECONTEXT);
  IS(troupe_monitor(*(troupe_pid *)arg, &ref), TROUPE_ECONTEXT);
  IS(troupe_demonitor(1), TROUPE_ECONTEXT);
  IS(troupe_trap(1), TROUPE_ECONTEXT);
  IS(troupe_enter_blocking(), TROUPE_ECONTEXT);
  IS(troupe_leave_blocking(), TROUPE_ECONTEXT);
  IS(troupe_doorbell(&fd), TROUPE_ECONTEXT);
  IS(troupe_shutdown(0), TROUPE_ECONTEXT);
  IS(troupe_init(NULL), TROUPE_EALREADY);
  CHECK(troupe_spawn_link(idle, NULL, 0, TROUPE_NORMAL) == 0);
  IS(troupe_last_error(), TROUPE_ECONTEXT);
  for (int i = 0; i < 10000; i++) {
    troupe_check();
  }
  troupe_pid p = troupe_spawn(idle, NULL, 0, TROUPE_NORMAL);
  CHECK(p != 0);
  OK(troupe_kill(p));
  OK(troupe_send_word(*(troupe_pid *)arg, 1, 7));
  return NULL;
}

void test_outside(void) {
  OK(troupe_init(NULL));
  pthread_t thread;
  troupe_pid self = troupe_self();
  CHECK(pthread_create(&thread, NULL, outside, &self) == 0);
  CHECK(await(1) == 7);
  pthread_join(thread, NULL);
}

// A process on its own stack may not shut down, nor begin again, nor receive in a predicate.
static int receives(const troupe_msg *msg, void *arg) {
  (void)msg;
  troupe_msg other;
  IS(troupe_receive(&other, 0), TROUPE_ECONTEXT);
  IS(troupe_yield(), TROUPE_ECONTEXT);
  IS(troupe_send_word(troupe_self(), 1, 1), TROUPE_ECONTEXT);
  CHECK(troupe_spawn(idle, NULL, 0, TROUPE_NORMAL) == 0);
  for (int i = 0; i < 10000; i++) {
    troupe_check();
  }
  ++*(int *)arg;
  return 1;
}

static void misuses(const uint8_t *args) {
  troupe_msg msg;
  int fd, calls = 0;
  IS(troupe_shutdown(0), TROUPE_ECONTEXT);
  IS(troupe_init(NULL), TROUPE_EALREADY);
  IS(troupe_doorbell(&fd), TROUPE_ECONTEXT);
  IS(troupe_leave_blocking(), TROUPE_ECONTEXT);
  OK(troupe_send_word(troupe_self(), 5, 5));
  OK(troupe_receive_match(&msg, receives, &calls, TROUPE_FOREVER));
  CHECK(calls == 1 && word_of(&msg) == 5);
  OK(troupe_enter_blocking());
  IS(troupe_enter_blocking(), TROUPE_EALREADY);
  IS(troupe_receive(&msg, 0), TROUPE_ECONTEXT);
  IS(troupe_yield(), TROUPE_ECONTEXT);
  OK(troupe_leave_blocking());
  OK(troupe_send_word(arg(args), 1, 1));
}

static int misuses_lightly(void *state, const troupe_msg *msg) {
  troupe_msg other;
  int fd;
  CHECK(troupe_self() != 0 && word_of(msg) == 3);
  IS(troupe_receive(&other, 0), TROUPE_ECONTEXT);
  IS(troupe_yield(), TROUPE_ECONTEXT);
  IS(troupe_enter_blocking(), TROUPE_ECONTEXT);
  IS(troupe_leave_blocking(), TROUPE_ECONTEXT);
  IS(troupe_doorbell(&fd), TROUPE_ECONTEXT);
  IS(troupe_shutdown(0), TROUPE_ECONTEXT);
  OK(troupe_exit(TROUPE_EXIT_ERROR, 9));
  IS(troupe_exit(TROUPE_EXIT_NORMAL, 0), TROUPE_EALREADY);
  OK(troupe_send_word(*(troupe_pid *)state, 1, 2));
  return 0;
}

void test_inside(void) {
  OK(troupe_init(NULL));
  troupe_pid self = troupe_self();
  troupe_ref ref;
  start(misuses, self);
  CHECK(await(1) == 1);
  troupe_pid light = troupe_spawn_light(misuses_lightly, &self, sizeof(self), TROUPE_NORMAL);
  CHECK(light != 0);
  OK(troupe_monitor(light, &ref));
  OK(troupe_send_word(light, 1, 3));
  CHECK(await(1) == 2);
  troupe_end end = await_end(TROUPE_TAG_DOWN);
  CHECK(end.kind == TROUPE_EXIT_ERROR && end.code == 9 && end.ref == ref);
  IS(troupe_send_word(light, 1, 3), TROUPE_ENOPROC);
}

// After a fork the child has no runtime, and says so.
void test_fork(void) {
  OK(troupe_init(NULL));
  pid_t child = fork();
  if (child == 0) {
    calls_return(TROUPE_EFORKED);
    IS(troupe_init(NULL), TROUPE_EFORKED);
    exit(7); // Not _exit: the handlers of atexit must not wait for threads that are not there.
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}
