// A token goes around a ring of processes.
//
//	ring [PROCESSES [HOPS]]
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "troupe.h"

enum { NEXT = 1, TOKEN, DONE };

// member learns who comes next, and hands the token on until no hop is left.
static void member(const uint8_t *args) {
  troupe_pid main = *(const troupe_pid *)args, next;
  troupe_msg msg;
  if (troupe_receive_tag(&msg, NEXT, TROUPE_FOREVER) != TROUPE_OK) {
    return;
  }
  next = *(const troupe_pid *)msg.data;
  while (troupe_receive_tag(&msg, TOKEN, TROUPE_FOREVER) == TROUPE_OK) {
    uint64_t left = *(const uint64_t *)msg.data;
    if (left == 0) {
      troupe_send_word(main, DONE, 0);
    } else {
      troupe_send_word(next, TOKEN, left - 1);
    }
  }
}

int main(int argc, char **argv) {
  size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
  uint64_t hops = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
  troupe_pid *ring = calloc(n, sizeof(*ring));
  if (n == 0 || ring == NULL || troupe_init(NULL) != TROUPE_OK) {
    return 1;
  }
  troupe_pid self = troupe_self();
  for (size_t i = 0; i < n; i++) {
    ring[i] = troupe_spawn(member, &self, sizeof(self), TROUPE_NORMAL);
    if (ring[i] == 0) {
      fprintf(stderr, "spawn: %s\n", troupe_strerror(troupe_last_error()));
      return 1;
    }
  }
  for (size_t i = 0; i < n; i++) {
    troupe_send_word(ring[i], NEXT, ring[(i + 1) % n]);
  }
  troupe_send_word(ring[0], TOKEN, hops);
  troupe_msg msg;
  if (troupe_receive_tag(&msg, DONE, TROUPE_FOREVER) != TROUPE_OK) {
    return 1;
  }
  printf("%" PRIu64 " hops around %zu processes\n", hops, n);
  free(ring);
  return 0; // The end of main shuts the runtime down.
}
