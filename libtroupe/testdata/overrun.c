// Writes behind an array on the stack of a process, for the sanitizer to find.
#include "troupe.h"

static volatile int behind = 8;

static void overruns(const uint8_t *args) {
  volatile char array[8];
  array[behind] = (char)args[0];
  behind = array[0];
}

int main(void) {
  troupe_msg msg;
  troupe_init(NULL);
  troupe_spawn(overruns, "x", 1, TROUPE_NORMAL);
  return troupe_receive(&msg, TROUPE_FOREVER);
}
