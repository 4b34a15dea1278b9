// The tests, by name. The Go tests run one a process.
#ifndef SUITE_H
#define SUITE_H

#include "check.h"

#define TESTS(T)                                                                                   \
  T(not_running) T(configuration) T(restart) T(bad_arguments) T(outside) T(inside) T(fork)         \
  T(order) T(wakes) T(bytes) T(selective) T(timeouts) T(late) T(timers) T(names) T(doorbell)                        \
  T(reasons) T(chain) T(survives) T(kill) T(demonitor) T(main_returns) T(shutdown_in_time)         \
  T(main_taken_along) T(main_exits) T(exit_in_process) T(abort) T(killed_at_birth)                                                                \
  T(fair) T(woken) T(priorities) T(urgent) T(blocking) T(killed_while_blocking) T(moves) T(deep_calls)      \
  T(overflow) T(canary) T(many) T(many_light)

#define DECLARE(name) void test_##name(void);
TESTS(DECLARE)

#endif
