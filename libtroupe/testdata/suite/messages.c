// Mailboxes, selective receive, time limits, timers, names, the doorbell.
#include <poll.h>
#include <pthread.h>
#include <sched.h>

#include "suite.h"

enum { SENDERS = 8, EACH = 5000 };

typedef struct sender {
  troupe_pid to;
  uint64_t number;
} sender;

static void send_many(const uint8_t *args) {
  const sender *s = (const sender *)args;
  for (uint64_t i = 0; i < EACH; i++) {
    OK(troupe_send_word(s->to, s->number, i));
  }
}

static void *send_many_outside(void *arg) {
  send_many(arg);
  return NULL;
}

// count_in_order receives all messages and checks that each sender's come in order.
static void count_in_order(const uint8_t *args) {
  uint64_t next[2 * SENDERS] = {0};
  troupe_msg msg;
  for (int i = 0; i < 2 * SENDERS * EACH; i++) {
    OK(troupe_receive(&msg, TROUPE_FOREVER));
    CHECK(msg.tag < 2 * SENDERS && word_of(&msg) == next[msg.tag]++);
  }
  IS(troupe_receive(&msg, 0), TROUPE_ETIMEDOUT);
  OK(troupe_send_word(arg(args), 1, 1));
}

// Messages of processes and of threads arrive, once and in order.
void test_order(void) {
  OK(troupe_init(NULL));
  troupe_pid counter = start(count_in_order, troupe_self());
  pthread_t threads[SENDERS];
  sender s[2 * SENDERS];
  for (uint64_t i = 0; i < 2 * SENDERS; i++) {
    s[i] = (sender){counter, i};
    if (i < SENDERS) {
      CHECK(troupe_spawn(send_many, &s[i], sizeof(sender), TROUPE_NORMAL) != 0);
    } else {
      CHECK(pthread_create(&threads[i - SENDERS], NULL, send_many_outside, &s[i]) == 0);
    }
  }
  CHECK(await(1) == 1);
  for (int i = 0; i < SENDERS; i++) {
    pthread_join(threads[i], NULL);
  }
}

static void echo(const uint8_t *args) {
  troupe_msg msg;
  for (;;) {
    OK(troupe_receive(&msg, TROUPE_FOREVER));
    CHECK((uintptr_t)msg.data % 16 == 0);
    OK(troupe_send(arg(args), msg.tag, msg.data, msg.size));
  }
}

// No wake-up is lost: each message comes just when its receiver, which has taken the one before, is about
// to wait.
static _Atomic uint64_t took;

static void takes(const uint8_t *args) {
  troupe_msg msg;
  for (uint64_t i = 0; i < arg(args); i++) {
    OK(troupe_receive(&msg, i % 2 == 0 ? TROUPE_FOREVER : 1000000));
    took++;
  }
}

void test_wakes(void) {
  enum { WAKES = 20000 };
  OK(troupe_init(NULL));
  troupe_pid taker = start(takes, WAKES);
  for (uint64_t i = 0; i < WAKES; i++) {
    OK(troupe_send_word(taker, 1, i));
    for (uint64_t looks = 0; took <= i; looks++) {
      if (looks > 1000 + i % 64) {
        sched_yield();
      }
    }
    for (volatile uint64_t spin = i % 64; spin > 0; spin--) {
    }
  }
}

// Bytes of all sizes are copied: the sender may change its own at once.
void test_bytes(void) {
  OK(troupe_init(NULL));
  troupe_pid peer = start(echo, troupe_self());
  static unsigned char buffer[1 << 20], want[1 << 20];
  for (size_t size = 0; size <= sizeof(buffer); size = size * 2 + 1) {
    for (size_t i = 0; i < size; i++) {
      buffer[i] = want[i] = (unsigned char)(i * 31 + size);
    }
    OK(troupe_send(peer, size, size > 0 ? buffer : NULL, size));
    memset(buffer, 0, sizeof(buffer));
    troupe_msg msg;
    OK(troupe_receive(&msg, TROUPE_FOREVER));
    CHECK(msg.tag == size && msg.size == size && memcmp(msg.data, want, size) == 0);
  }
}

static int is_even(const troupe_msg *msg, void *arg) {
  ++*(int *)arg;
  return *(const uint64_t *)msg->data % 2 == 0;
}

static void selects(const uint8_t *args) {
  troupe_msg msg;
  int looks = 0;
  await(100); // All others wait in the mailbox.
  OK(troupe_receive_tag(&msg, 3, 0));
  CHECK(word_of(&msg) == 3);
  OK(troupe_receive_match(&msg, is_even, &looks, TROUPE_FOREVER));
  CHECK(word_of(&msg) == 2 && looks == 2); // 1, 2
  OK(troupe_receive_match(&msg, is_even, &looks, TROUPE_FOREVER));
  CHECK(word_of(&msg) == 4);
  IS(troupe_receive_tag(&msg, 4, 0), TROUPE_ETIMEDOUT);
  OK(troupe_receive(&msg, 0));
  CHECK(word_of(&msg) == 1);
  OK(troupe_receive(&msg, 0));
  CHECK(word_of(&msg) == 5);
  IS(troupe_receive(&msg, 0), TROUPE_ETIMEDOUT);
  OK(troupe_send_word(arg(args), 1, 1));
}

void test_selective(void) {
  OK(troupe_init(NULL));
  troupe_pid p = start(selects, troupe_self());
  for (uint64_t i = 1; i <= 5; i++) {
    OK(troupe_send_word(p, i, i));
  }
  OK(troupe_send_word(p, 100, 0));
  CHECK(await(1) == 1);
  for (uint64_t i = 1; i <= 5; i++) { // The main process selects, too.
    OK(troupe_send_word(troupe_self(), i, i));
  }
  CHECK(await(5) == 5 && await(1) == 1 && await(4) == 4);
}

static void waits_in_time(const uint8_t *args) {
  troupe_msg msg;
  IS(troupe_receive(&msg, 1), TROUPE_ETIMEDOUT);
  OK(troupe_send_word(troupe_self(), 9, 9)); // In the way of the next wait, which it must not end.
  IS(troupe_receive_tag(&msg, 8, 5), TROUPE_ETIMEDOUT);
  OK(troupe_receive(&msg, 0));
  troupe_pid main = arg(args);
  for (uint64_t i = 0; i < 200; i++) { // A wait that is over does not end the next.
    OK(troupe_send_after(troupe_self(), 1, &i, sizeof(i), (int64_t)(i % 3), NULL));
    int rc = troupe_receive_tag(&msg, 1, 1);
    if (rc == TROUPE_ETIMEDOUT) {
      OK(troupe_receive_tag(&msg, 1, 1000000)); // A quarter of an hour: the last wait must not end it.
    } else {
      OK(rc);
    }
    CHECK(word_of(&msg) == i);
  }
  OK(troupe_send_word(main, 1, 1));
}

void test_timeouts(void) {
  OK(troupe_init(NULL));
  troupe_msg msg;
  IS(troupe_receive(&msg, 0), TROUPE_ETIMEDOUT);
  IS(troupe_receive(&msg, 2), TROUPE_ETIMEDOUT);
  start(waits_in_time, troupe_self());
  CHECK(await(1) == 1);
}

// A timer that fires late, when its wait is over already, does not end the next wait. Many processes take part, so that
// timers have to wait for each other; each message is due when its wait is over.
enum { LATE = 64, LATE_ROUNDS = 40 };

static void waits_twice(const uint8_t *args) {
  troupe_msg msg;
  troupe_pid self = troupe_self();
  for (int i = 0; i < LATE_ROUNDS; i++) {
    OK(troupe_send_after(self, 1, NULL, 0, 1, NULL));
    OK(troupe_send_after(self, 2, NULL, 0, 3, NULL));
    int rc = troupe_receive_tag(&msg, 1, 1);
    OK(troupe_receive_tag(&msg, 2, 1000000)); // A quarter of an hour.
    if (rc == TROUPE_ETIMEDOUT) {
      OK(troupe_receive_tag(&msg, 1, 1000000));
    } else {
      OK(rc);
    }
  }
  OK(troupe_send_word(arg(args), 1, 1));
}

void test_late(void) {
  OK(troupe_init(NULL));
  for (int i = 0; i < LATE; i++) {
    start(waits_twice, troupe_self());
  }
  for (int i = 0; i < LATE; i++) {
    await(1);
  }
}

void test_timers(void) {
  OK(troupe_init(NULL));
  troupe_pid self = troupe_self();
  troupe_ref never, soon;
  uint64_t word = 42;
  OK(troupe_send_after(self, 2, &word, sizeof(word), 1000000000, &never));
  OK(troupe_send_after(self, 1, &word, sizeof(word), 1, &soon));
  word = 0; // It was copied.
  CHECK(await(1) == 42);
  IS(troupe_cancel_timer(soon), TROUPE_ENOENT);
  troupe_runtime_counts counts = {.size = sizeof(counts)};
  OK(troupe_counts(&counts));
  CHECK(counts.timers == 1);
  OK(troupe_cancel_timer(never));
  IS(troupe_cancel_timer(never), TROUPE_ENOENT);
  OK(troupe_send_after(self, 3, NULL, 0, 0, NULL));
  troupe_msg msg;
  OK(troupe_receive_tag(&msg, 3, TROUPE_FOREVER));
  CHECK(msg.size == 0);
  OK(troupe_send_after(self, 2, NULL, 0, 1000000000, NULL)); // The shutdown does not wait for it.
}

static void until_told(const uint8_t *args) {
  (void)args;
  troupe_msg msg;
  OK(troupe_receive(&msg, TROUPE_FOREVER));
}

void test_names(void) {
  OK(troupe_init(NULL));
  troupe_pid found, a = start(until_told, 0), b = start(until_told, 0);
  troupe_ref ref;
  OK(troupe_register("clerk", a));
  IS(troupe_register("clerk", b), TROUPE_EEXIST);
  IS(troupe_register("other", a), TROUPE_EEXIST);
  OK(troupe_whereis("clerk", &found));
  CHECK(found == a);
  troupe_process_info info = {.size = sizeof(info)};
  OK(troupe_info(a, &info));
  CHECK(strcmp(info.name, "clerk") == 0);
  OK(troupe_monitor(a, &ref));
  OK(troupe_send(a, 1, NULL, 0));
  CHECK(await_end(TROUPE_TAG_DOWN).kind == TROUPE_EXIT_NORMAL);
  IS(troupe_whereis("clerk", &found), TROUPE_ENOENT); // Its end freed the name.
  OK(troupe_register("clerk", b));
  OK(troupe_unregister("clerk"));
  IS(troupe_whereis("clerk", &found), TROUPE_ENOENT);
}

static void rings(const uint8_t *args) {
  for (uint64_t i = 0; i < 100; i++) {
    OK(troupe_send_word(arg(args), 1, i));
    OK(troupe_yield());
  }
}

// An event loop waits on the doorbell, and takes all there is when it rings.
void test_doorbell(void) {
  OK(troupe_init(NULL));
  int fd;
  troupe_msg msg;
  OK(troupe_send(troupe_self(), 2, NULL, 0)); // Before it has a bell.
  OK(troupe_doorbell(&fd));
  struct pollfd p = {.fd = fd, .events = POLLIN};
  CHECK(poll(&p, 1, -1) == 1);
  OK(troupe_receive(&msg, 0));
  IS(troupe_receive(&msg, 0), TROUPE_ETIMEDOUT);
  CHECK(poll(&p, 1, 0) == 0); // Quiet again.
  start(rings, troupe_self());
  for (uint64_t next = 0; next < 100;) {
    CHECK(poll(&p, 1, -1) == 1);
    int rc;
    while ((rc = troupe_receive(&msg, 0)) == TROUPE_OK) {
      CHECK(word_of(&msg) == next++);
    }
    IS(rc, TROUPE_ETIMEDOUT);
  }
}
