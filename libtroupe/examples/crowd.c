// Very many processes: each gets a message and answers. They run on several threads.
//
//	crowd [PROCESSES]
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "troupe.h"

enum { ASK = 1, ANSWER };

static _Atomic int threads;
static __thread int seen;

// note_thread is not inlined: the process may be on another thread each time, and the address of a
// thread-local variable must not be kept.
__attribute__((noinline)) static void note_thread(void) {
  if (!seen) {
    seen = 1;
    threads++;
  }
}

static void member(const uint8_t *args) {
  (void)args;
  troupe_msg msg;
  note_thread();
  if (troupe_receive_tag(&msg, ASK, TROUPE_FOREVER) == TROUPE_OK) {
    note_thread();
    troupe_send_word(*(const troupe_pid *)msg.data, ANSWER, troupe_self());
  }
}

int main(int argc, char **argv) {
  size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
  troupe_pid *all = calloc(n, sizeof(*all));
  troupe_config config = {.size = sizeof(config), .workers = 4};
  if (all == NULL || troupe_init(&config) != TROUPE_OK) {
    return 1;
  }
  troupe_msg msg;
  size_t answers = 0;
  do { // Where one worker is faster than the others wake up, once more.
    for (size_t i = 0; i < n; i++) {
      all[i] = troupe_spawn(member, NULL, 0, TROUPE_NORMAL);
      if (all[i] == 0) {
        fprintf(stderr, "spawn: %s\n", troupe_strerror(troupe_last_error()));
        return 1;
      }
    }
    for (size_t i = 0; i < n; i++) {
      troupe_send_word(all[i], ASK, troupe_self());
    }
    for (answers = 0; answers < n; answers++) {
      troupe_receive_tag(&msg, ANSWER, TROUPE_FOREVER);
    }
  } while (threads < 2);
  printf("%zu processes answered, on several threads\n", answers);
  free(all);
  return 0;
}
