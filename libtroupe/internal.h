// What the C files share among themselves.
#ifndef TROUPE_INTERNAL_H
#define TROUPE_INTERNAL_H

#include <stdatomic.h>

#include "runtime.h"

#if defined(__SANITIZE_ADDRESS__)
#define TROUPE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TROUPE_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define TROUPE_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif

#ifdef TROUPE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

typedef struct stack {
  char *base; // The lowest byte, where the guard is.
  size_t size;
} stack;

// step_state is a step that is under way, on the stack that Go called it on.
typedef struct step_state {
  void *sp;             // Where the step goes on when the process switches back.
  struct slot *next;    // A process that was woken, to be run next without a way through Go.
  uint32_t wakes;       // Others, for Go to queue; the first one.
  int32_t left;         // Reductions for all that the step runs.
  const void *bottom;   // Of the step's own stack, for the address sanitizer.
  size_t size;
  void *fake;
  void *fiber;
} step_state;

typedef struct slot {
  int32_t reductions; // Counted down by the process. First, so that its address is the slot's.
  uint32_t index;
  _Atomic uint64_t pid; // 0 if there is none. Written by prepare and release, read by senders.
  _Atomic(node *) inbox; // Pushed by senders, newest first; emptied by the process.
  _Atomic uint64_t sent; // Messages pushed. Written by senders.
  _Atomic uint32_t state;
  _Atomic uint32_t doomed;  // The process shall end. Written by Go, read by the process.
  _Atomic uint32_t expired; // Its timed wait is over. Written by Go, read by the process.
  _Atomic uint64_t taken;   // Messages taken. Written by the process.
  _Atomic uint64_t used;    // Reductions. Written by the step.
  _Atomic uint32_t kind;    // Written by prepare, read by senders.

  // What follows belongs to the code that runs the process.
  uint8_t blocking, choosing, leaving, tired;
  int8_t priority;
  uint32_t why;
  int32_t given; // Reductions at the begin of its turn.
  int32_t error; // Of its last call that returned a pid.
  uint32_t wake; // The next slot of a list of processes to queue.
  node *first, *last, *held;
  void *sp;
  step_state *step;
  request *req;
  stack stack;
  const void *fn;
  void *args; // Freed with the process, if large.
  int owns_args;
  int32_t exit_kind;
  int64_t exit_code;
  void *fake;
  void *fiber; // For the thread sanitizer.
} slot;

extern _Atomic int troupe_phase;
extern uint64_t troupe_stack_size, troupe_max_message;
extern int32_t troupe_budget;

// slot.c
slot *slot_at(uint32_t index);
slot *slot_of(uint64_t pid); // Null if there is no such process.
node *new_node(uint64_t to, uint64_t tag, const void *data, size_t size);
int push(slot *t, node *n); // 1 if the caller must queue t.
int claim(slot *t);
void discard(slot *s); // All messages.

// current.c: never inlined, since a process may have changed its thread.
slot *current(void);
void set_current(slot *s);
int32_t *idle_counter(void);
int *thread_error(void);

// stack.c
int stack_take(stack *k);
void stack_give(stack *k);
void stack_check(const slot *s);

// switch.c
void stack_switch(void **save, void *to);
void *stack_begin(void *top, slot *s);

// message.c
node *next_message(slot *s); // Taken, or null.
void drop_held(slot *s);

// step.c
void pause_process(slot *s, uint32_t why);
void leave(slot *s) __attribute__((noreturn));
void make_ready(slot *caller, slot *t);

// turns.c
int ask(request *q);
int may_call(const slot *s);

// main.c
void main_wait(slot *s, int64_t deadline); // In nanoseconds of main_now, or -1.
void main_wake(slot *s);
void main_ring(void);
void main_hush(void);
int64_t main_now(void);
int64_t exit_limit(void); // Milliseconds that the end of the program waits.

// Exported by Go.
extern int troupeServe(uint32_t caller, request *q);
extern void troupeReady(uint32_t index);
extern int troupeStart(troupe_config *config, uint32_t *index);
extern int troupeShutdown(int64_t timeout);

#endif
