// Two processes send a word to and fro.
//
//	ping-pong [ROUNDS]
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "troupe.h"

enum { PING = 1, PONG, DONE };

typedef struct task {
  troupe_pid main;
  uint64_t rounds;
} task;

// pong answers each ping until its partner ends: the two are linked.
static void pong(const uint8_t *args) {
  (void)args;
  troupe_msg msg;
  while (troupe_receive_tag(&msg, PING, TROUPE_FOREVER) == TROUPE_OK) {
    troupe_send_word(*(const troupe_pid *)msg.data, PONG, 0);
  }
}

static void ping(const uint8_t *args) {
  task t = *(const task *)args;
  troupe_pid partner = troupe_spawn_link(pong, NULL, 0, TROUPE_NORMAL);
  troupe_msg msg;
  for (uint64_t i = 0; i < t.rounds; i++) {
    troupe_send_word(partner, PING, troupe_self());
    troupe_receive_tag(&msg, PONG, TROUPE_FOREVER);
  }
  troupe_send_word(t.main, DONE, t.rounds);
  troupe_kill(partner);
}

int main(int argc, char **argv) {
  if (troupe_init(NULL) != TROUPE_OK) {
    return 1;
  }
  task t = {troupe_self(), argc > 1 ? strtoull(argv[1], NULL, 10) : 100000};
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  if (troupe_spawn(ping, &t, sizeof(t), TROUPE_NORMAL) == 0) {
    return 1;
  }
  troupe_msg msg;
  if (troupe_receive_tag(&msg, DONE, TROUPE_FOREVER) != TROUPE_OK) {
    return 1;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  double ns = (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
  fprintf(stderr, "%.0f ns a message\n", ns / (2.0 * (double)t.rounds));
  printf("%" PRIu64 " rounds\n", *(const uint64_t *)msg.data);
  return troupe_shutdown(5000) == TROUPE_OK ? 0 : 1;
}
