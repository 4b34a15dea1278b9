// What the test programs share.
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "troupe.h"

// CHECK ends the program if the condition does not hold.
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      _exit(1);                                                                \
    }                                                                          \
  } while (0)

// IS compares codes of errors, and prints both.
#define IS(call, want)                                                                              \
  do {                                                                                              \
    int got_ = (call);                                                                              \
    if (got_ != (want)) {                                                                           \
      fprintf(stderr, "%s:%d: %s is %d (%s), want %s\n", __FILE__, __LINE__, #call, got_,            \
              troupe_strerror(got_), #want);                                                        \
      _exit(1);                                                                                     \
    }                                                                                               \
  } while (0)

#define OK(call) IS(call, TROUPE_OK)



static inline uint64_t word_of(const troupe_msg *msg) {
  CHECK(msg->size == 8);
  return *(const uint64_t *)msg->data;
}

// await takes the next message of a tag from the mailbox, whenever that comes, and returns its word.
static inline uint64_t await(uint64_t tag) {
  troupe_msg msg;
  OK(troupe_receive_tag(&msg, tag, TROUPE_FOREVER));
  return msg.size == 8 ? word_of(&msg) : 0;
}

// await_end waits for the message about the end of a process.
static inline troupe_end await_end(uint64_t tag) {
  troupe_msg msg;
  troupe_end end;
  OK(troupe_receive_tag(&msg, tag, TROUPE_FOREVER));
  CHECK(msg.size == sizeof(end));
  memcpy(&end, msg.data, sizeof(end));
  return end;
}

// start runs a process with one word as argument.
static inline troupe_pid start(troupe_entry entry, uint64_t word) {
  troupe_pid pid = troupe_spawn(entry, &word, sizeof(word), TROUPE_NORMAL);
  CHECK(pid != 0);
  return pid;
}

static inline uint64_t arg(const uint8_t *args) {
  uint64_t word;
  memcpy(&word, args, sizeof(word));
  return word;
}

#endif
