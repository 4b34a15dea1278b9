//go:build cgo && (linux || darwin) && (amd64 || arm64)

#include "internal.h"

// The process that the thread runs. The functions are not inlined: a compiler may keep the
// address of a thread-local variable, and a process goes on on another thread.
#ifdef __linux__
#define THREAD_LOCAL static __thread __attribute__((tls_model("initial-exec")))
#else
#define THREAD_LOCAL static __thread
#endif

THREAD_LOCAL slot *here;
THREAD_LOCAL int32_t idle;
THREAD_LOCAL int last_error;

__attribute__((noinline)) slot *current(void) {
  __asm__ volatile("" ::: "memory");
  return here;
}

__attribute__((noinline)) void set_current(slot *s) {
  __asm__ volatile("" ::: "memory");
  here = s;
}

__attribute__((noinline)) int *thread_error(void) {
  __asm__ volatile("" ::: "memory");
  return &last_error;
}

// idle_counter is what checks count where there is no process.
__attribute__((noinline)) int32_t *idle_counter(void) {
  __asm__ volatile("" ::: "memory");
  return &idle;
}

__attribute__((noinline)) int32_t *troupe_reductions(void) {
  __asm__ volatile("" ::: "memory");
  slot *s = here;
  return s != NULL ? &s->reductions : &idle;
}

__attribute__((noinline)) void troupe_check(void) {
  __asm__ volatile("" ::: "memory");
  slot *s = here;
  int32_t *counter = s != NULL ? &s->reductions : &idle;
  if (--*counter <= 0) {
    troupe_refill();
  }
}

troupe_pid troupe_self(void) {
  slot *s = current();
  return s != NULL ? atomic_load_explicit(&s->pid, memory_order_relaxed) : 0;
}
