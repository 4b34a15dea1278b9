// The workloads with libtroupe, for processes with a stack and for light ones. They print what external.go reads.
//
//	troupe_bench stack|light WORKLOAD N SIZE
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "troupe.h"

enum { BALL = 1, NEXT, REPORT, DONE, NUMBER, VALUE, TELL };

// MUST ends the program if a call returns an error.
#define MUST(call)                                                             \
  do {                                                                         \
    int rc_ = (call);                                                          \
    if (rc_ != TROUPE_OK) {                                                    \
      fprintf(stderr, "%s: %s\n", #call, troupe_strerror(rc_));                \
      _exit(1);                                                                \
    }                                                                          \
  } while (0)

static int light;

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void elapsed(uint64_t ns) { printf("elapsed %" PRIu64 "\n", ns); }

static uint64_t word_of(const troupe_msg *msg) { return *(const uint64_t *)msg->data; }

// await takes the next message of a tag and returns its word.
static uint64_t await(uint64_t tag) {
  troupe_msg msg;
  MUST(troupe_receive_tag(&msg, tag, TROUPE_FOREVER));
  return word_of(&msg);
}

static uint64_t await_sum(uint64_t messages) {
  uint64_t sum = 0;
  for (; messages > 0; messages--) {
    sum += await(VALUE);
  }
  return sum;
}

// An actor is a state and what a message does to it. Both kinds of processes do the same.
typedef struct actor {
  int (*act)(struct actor *self, const troupe_msg *msg); // Not 0 is the end.
  troupe_pid driver, next;
  uint64_t count, sum;
} actor;

static void with_stack(const uint8_t *args) {
  actor self = *(const actor *)args;
  troupe_msg msg;
  do {
    MUST(troupe_receive(&msg, TROUPE_FOREVER));
  } while (self.act(&self, &msg) == 0);
}

static int without_stack(void *state, const troupe_msg *msg) {
  actor *self = state;
  if (self->act(self, msg) != 0) {
    MUST(troupe_exit(TROUPE_EXIT_NORMAL, 0));
  }
  return 0;
}

static troupe_pid start(int (*act)(actor *, const troupe_msg *), uint64_t count) {
  actor a = {.act = act, .driver = troupe_self(), .count = count};
  troupe_pid pid = light ? troupe_spawn_light(without_stack, &a, sizeof(a), TROUPE_NORMAL)
                         : troupe_spawn(with_stack, &a, sizeof(a), TROUPE_NORMAL);
  if (pid == 0) {
    MUST(troupe_last_error());
  }
  return pid;
}

// Processes in a ring pass a number on, which counts down.
static int place(actor *self, const troupe_msg *msg) {
  uint64_t word = word_of(msg);
  switch (msg->tag) {
  case NEXT:
    self->next = word;
    return 0;
  case BALL:
    self->count++;
    if (word == 0) {
      MUST(troupe_send_word(self->driver, DONE, 0));
    } else {
      MUST(troupe_send_word(self->next, BALL, word - 1));
    }
    return 0;
  default:
    MUST(troupe_send_word(self->driver, VALUE, self->count));
    return 1;
  }
}

static uint64_t pass_on(uint64_t n, uint64_t size) {
  troupe_pid *pids = calloc(size, sizeof(*pids));
  for (uint64_t i = 0; i < size; i++) {
    pids[i] = start(place, 0);
  }
  for (uint64_t i = 0; i < size; i++) {
    MUST(troupe_send_word(pids[i], NEXT, pids[(i + 1) % size]));
  }
  uint64_t begin = now_ns();
  MUST(troupe_send_word(pids[0], BALL, n - 1));
  await(DONE);
  elapsed(now_ns() - begin);
  for (uint64_t i = 0; i < size; i++) {
    MUST(troupe_send_word(pids[i], REPORT, 0));
  }
  free(pids);
  return await_sum(size);
}

// One process adds up the numbers that others send.
static int adder(actor *self, const troupe_msg *msg) {
  self->sum += word_of(msg);
  if (--self->count > 0) {
    return 0;
  }
  MUST(troupe_send_word(self->driver, VALUE, self->sum));
  return 1;
}

typedef struct share {
  troupe_pid to;
  uint64_t from, end;
} share;

static void produce(const uint8_t *args) {
  const share *s = (const share *)args;
  for (uint64_t i = s->from; i < s->end; i++) {
    MUST(troupe_send_word(s->to, NUMBER, i));
  }
}

static uint64_t tell(uint64_t n, uint64_t producers) {
  troupe_pid to = start(adder, n);
  uint64_t begin = now_ns();
  for (uint64_t p = 0; p < producers; p++) {
    share s = {to, n / producers * p, n / producers * (p + 1)};
    if (producers == 1) {
      produce((const uint8_t *)&s);
    } else if (troupe_spawn(produce, &s, sizeof(s), TROUPE_NORMAL) == 0) {
      MUST(troupe_last_error());
    }
  }
  uint64_t sum = await_sum(1);
  elapsed(now_ns() - begin);
  return sum;
}

// Processes are started and send their first message on.
static int idle(actor *self, const troupe_msg *msg) {
  MUST(troupe_send_word(self->driver, VALUE, word_of(msg)));
  return 0;
}

static uint64_t alive(void) {
  troupe_runtime_counts counts = {.size = sizeof(counts)};
  MUST(troupe_counts(&counts));
  return counts.processes;
}

static uint64_t spawn(uint64_t n, uint64_t size) {
  troupe_pid *pids = calloc(size, sizeof(*pids));
  uint64_t sum = 0, before = alive();
  for (uint64_t left = n, k; left > 0; left -= k) {
    k = left < size ? left : size;
    uint64_t begin = now_ns();
    for (uint64_t i = 0; i < k; i++) {
      pids[i] = start(idle, 0);
      MUST(troupe_send_word(pids[i], TELL, 1));
    }
    sum += await_sum(k);
    elapsed(now_ns() - begin);
    for (uint64_t i = 0; i < k; i++) {
      MUST(troupe_kill(pids[i]));
    }
    while (alive() > before) {
      MUST(troupe_yield());
    }
  }
  free(pids);
  return sum;
}

// Loops that count, without and with a check. A compiler may not shorten them.
static void bare(uint64_t n) {
  for (; n > 0; n--) {
    __asm__ volatile("" : "+r"(n));
  }
}

static void checked(uint64_t n) {
  int32_t *counter = troupe_reductions();
  for (; n > 0; n--) {
    __asm__ volatile("" : "+r"(n));
    TROUPE_CHECK_AT(counter);
  }
}

static void checked_by_call(uint64_t n) {
  for (; n > 0; n--) {
    __asm__ volatile("" : "+r"(n));
    troupe_check();
  }
}

// check prints what the checks take beyond the bare loop. The two take turns, so that both see the same weather.
static uint64_t check(uint64_t n, void (*loop)(uint64_t)) {
  enum { TURNS = 10 };
  uint64_t share = (n + TURNS - 1) / TURNS, with = 0, without = 0;
  for (int i = 0; i < TURNS; i++) {
    uint64_t begin = now_ns();
    bare(share);
    uint64_t middle = now_ns();
    loop(share);
    without += middle - begin;
    with += now_ns() - middle;
  }
  uint64_t least = n / 100 + 1; // Less than 0.01 ns a check is lost in the noise of the clock.
  elapsed(with > without + least ? with - without : least);
  return n;
}

static uint64_t run(const char *name, uint64_t n, uint64_t size) {
  if (strcmp(name, "ping-pong") == 0) {
    return pass_on(n, 2);
  }
  if (strcmp(name, "ring") == 0) {
    return pass_on(n, size);
  }
  if (strcmp(name, "tell") == 0) {
    return tell(n, 1);
  }
  if (strcmp(name, "tell4") == 0) {
    return tell(n, 4);
  }
  if (strcmp(name, "spawn") == 0 || strcmp(name, "spawn-new") == 0) {
    return spawn(n, size);
  }
  if (strcmp(name, "check") == 0) {
    return check(n, checked);
  }
  if (strcmp(name, "check-call") == 0) {
    return check(n, checked_by_call);
  }
  fprintf(stderr, "unknown workload %s\n", name);
  _exit(2);
}

static char **arguments;

// driver does what a shell, or a test, does with the processes. It is a process, too, as in Erlang.
static void driver(const uint8_t *args) {
  uint64_t result = run(arguments[2], strtoull(arguments[3], NULL, 10), strtoull(arguments[4], NULL, 10));
  MUST(troupe_send_word(*(const troupe_pid *)args, DONE, result));
}

static void *end_with_parent(void *unused) {
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  _exit(1);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t reader;
  if (argc != 5) {
    fprintf(stderr, "usage: troupe_bench stack|light WORKLOAD N SIZE\n");
    return 2;
  }
  arguments = argv;
  light = strcmp(argv[1], "light") == 0;
  if (pthread_create(&reader, NULL, end_with_parent, NULL) != 0) {
    return 1;
  }
  MUST(troupe_init(NULL));
  troupe_pid self = troupe_self();
  if (troupe_spawn(driver, &self, sizeof(self), TROUPE_NORMAL) == 0) {
    MUST(troupe_last_error());
  }
  printf("result %" PRIu64 "\n", await(DONE));
  MUST(troupe_shutdown(TROUPE_FOREVER));
  return 0;
}
