// Tells whether this Go release still does what the library rests on. A failure names the fact, and decision 79 says
// what rests on it. The Go tests run it twice, once under a collector that never rests.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "troupe.h"

enum { DONE = 1, ROUNDS = 100, PROCESSES = 16, DEPTH = 20 };

#define FACT(condition, text)                                                                  \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      fprintf(stderr, "%s:%d: no longer true: %s (%s); see docs/decisions/0079-c-library.md\n", \
              __FILE__, __LINE__, text, #condition);                                           \
      _exit(1);                                                                                \
    }                                                                                          \
  } while (0)

static __thread int own; // Its address names the thread.

__attribute__((noinline)) static int *here(void) {
  __asm__ volatile("" ::: "memory");
  return &own;
}

// on_system_stack says whether a local variable of the caller is on the stack that the system gave to its thread.
static int on_system_stack(const void *local) {
#ifdef __linux__
  pthread_attr_t attr;
  void *base;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attr) != 0 || pthread_attr_getstack(&attr, &base, &size) != 0) {
    return -1;
  }
  pthread_attr_destroy(&attr);
  return (const char *)local >= (char *)base && (const char *)local < (char *)base + size;
#else
  (void)local;
  return -1; // There is no way to ask.
#endif
}

// Go's signals must not be handled on the small stack of a process.
static void signals_are_elsewhere(void) {
  stack_t alternate;
  FACT(sigaltstack(NULL, &alternate) == 0 && (alternate.ss_flags & SS_DISABLE) == 0 && alternate.ss_size >= 16 << 10,
       "a thread of Go has an alternate stack for signals");
  const int signals[] = {SIGURG, SIGSEGV, SIGBUS, SIGFPE};
  for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
    struct sigaction action;
    FACT(sigaction(signals[i], NULL, &action) == 0 && (action.sa_flags & SA_ONSTACK) != 0,
         "the Go runtime handles its signals on the alternate stack");
  }
  char local;
  FACT((char *)alternate.ss_sp > &local || (char *)alternate.ss_sp + alternate.ss_size <= &local,
       "a process does not run on the stack for signals");
}

// goes_to_go has the Go code called in the ways that there are from where the caller is, and makes it garbage.
static void goes_to_go(void) {
  troupe_pid pid;
  troupe_runtime_counts counts = {.size = sizeof(counts)};
  for (int i = 0; i < 20; i++) {
    FACT(troupe_whereis("nobody", &pid) == TROUPE_ENOENT, "Go code can be asked, and its answer arrives");
    FACT(troupe_counts(&counts) == TROUPE_OK && counts.processes >= 1, "Go code can write where a pointer leads");
  }
}

static void done(troupe_pid main) { FACT(troupe_send_word(main, DONE, 1) == TROUPE_OK, "a message is sent"); }

// A process is on a stack that Go does not know, and asks Go by a switch to the stack that Go called on.
static uint64_t descend(int depth, uint64_t above) {
  volatile uint64_t local = above * 31 + (uint64_t)depth;
  uint64_t sum = 0;
  if (depth > 0) {
    sum = descend(depth - 1, local);
  } else {
    for (int i = 0; i < ROUNDS; i++) {
      goes_to_go();
      FACT(on_system_stack(&i) != 1, "a process is not on the stack of its thread");
      signals_are_elsewhere();
      FACT(troupe_yield() == TROUPE_OK, "a process can give its worker up from deep inside");
    }
  }
  FACT(local == above * 31 + (uint64_t)depth, "frames stay as they are when the process changes its thread");
  return sum + local;
}

static void stackful(const uint8_t *args) {
  uint64_t first = descend(DEPTH, 1);
  FACT(descend(DEPTH, 1) == first, "frames stay as they are when the process changes its thread");
  done(*(const troupe_pid *)args);
}

// The handler of a light process is called on the stack of the system, by which C code may call Go back.
static int light(void *state, const troupe_msg *msg) {
  char local;
  int *before = here();
  (void)msg;
  FACT(on_system_stack(&local) != 0, "a call from a worker into C is on the stack of the system");
  for (int i = 0; i < ROUNDS; i++) {
    goes_to_go();
    FACT(here() == before, "a call from Go into C stays on its thread while it calls Go back");
  }
  signals_are_elsewhere();
  done(*(troupe_pid *)state);
  return 1;
}

// A thread that Go has not made calls Go.
static void *foreign(void *main) {
  int *before = here();
  for (int i = 0; i < ROUNDS; i++) {
    goes_to_go();
  }
  FACT(here() == before && troupe_self() == 0, "a foreign thread comes back from Go as it went");
  done(*(troupe_pid *)main);
  return NULL;
}

// A process that computes is interrupted by the signals of Go's preemption, and goes on.
static _Atomic int handled;

static void computes(const uint8_t *args) {
  volatile uint64_t sum = 0;
  while (handled < PROCESSES) {
    sum += 1;
    TROUPE_CHECK();
  }
  done(*(const troupe_pid *)args);
}

static void raises(const uint8_t *args) {
  for (int i = 0; i < ROUNDS; i++) {
    raise(SIGURG); // The signal by which Go preempts; its handler is Go code.
  }
  handled++;
  done(*(const troupe_pid *)args);
}

int main(void) {
  troupe_config config = {.size = sizeof(config), .workers = 3};
  FACT(troupe_init(&config) == TROUPE_OK, "the Go runtime of a library starts in a C program");
  troupe_pid self = troupe_self();
  pthread_t threads[PROCESSES];
  int expected = 0;
  for (int i = 0; i < PROCESSES; i++) {
    troupe_pid pid = troupe_spawn_light(light, &self, sizeof(self), TROUPE_NORMAL);
    FACT(pid != 0 && troupe_send_word(pid, 1, 1) == TROUPE_OK, "a light process starts");
    FACT(troupe_spawn(stackful, &self, sizeof(self), TROUPE_NORMAL) != 0, "a process starts");
    FACT(troupe_spawn(raises, &self, sizeof(self), TROUPE_NORMAL) != 0, "a process starts");
    FACT(troupe_spawn(computes, &self, sizeof(self), TROUPE_NORMAL) != 0, "a process starts");
    FACT(pthread_create(&threads[i], NULL, foreign, &self) == 0, "a thread starts");
    expected += 5;
  }
  goes_to_go(); // The main thread is a foreign one, too.
  for (int i = 0; i < expected; i++) {
    troupe_msg msg;
    FACT(troupe_receive_tag(&msg, DONE, TROUPE_FOREVER) == TROUPE_OK, "a message arrives");
  }
  for (int i = 0; i < PROCESSES; i++) {
    pthread_join(threads[i], NULL);
  }
  FACT(troupe_shutdown(TROUPE_FOREVER) == TROUPE_OK, "the runtime stops");
  puts("all that the library rests on holds");
  return 0;
}
