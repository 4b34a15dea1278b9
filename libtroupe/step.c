//go:build cgo && (linux || darwin) && (amd64 || arm64)

#include "internal.h"

// A step runs a process until it needs Go, and then processes that this one has woken, as long as
// reductions are left: so two processes that talk to each other need no way through Go. A
// process that wakes a second one goes back to Go at once, so that an idle worker finds it.

// The address sanitizer must be told of each change of the stack. s->fake is the process's.
static void before_switch(void **fake, const void *bottom, size_t size) {
#ifdef TROUPE_ASAN
  __sanitizer_start_switch_fiber(fake, bottom, size);
#else
  (void)fake, (void)bottom, (void)size;
#endif
}

static void after_switch(void *fake, const void **bottom, size_t *size) {
#ifdef TROUPE_ASAN
  __sanitizer_finish_switch_fiber(fake, bottom, size);
#else
  (void)fake, (void)bottom, (void)size;
#endif
}

// The thread sanitizer must be told just before.
static void to_fiber(void *fiber) {
#ifdef TROUPE_TSAN
  __tsan_switch_to_fiber(fiber, 0);
#else
  (void)fiber;
#endif
}

static void *this_fiber(void) {
#ifdef TROUPE_TSAN
  return __tsan_get_current_fiber();
#else
  return NULL;
#endif
}

// process_main is the lowest function on the stack of a process.
__attribute__((noreturn)) void process_main(slot *s) {
  after_switch(NULL, &s->step->bottom, &s->step->size);
  if (!atomic_load(&s->doomed)) {
    ((troupe_entry)(uintptr_t)s->fn)(s->args);
  }
  leave(s);
}

// leave ends the process. Nothing comes back to its stack.
__attribute__((noreturn)) void leave(slot *s) {
  s->why = WHY_EXIT;
  before_switch(NULL, s->step->bottom, s->step->size);
  to_fiber(s->step->fiber);
  stack_switch(&s->sp, s->step->sp);
  __builtin_unreachable();
}

// pause_process goes back to the step, and returns when the process goes on, perhaps on another
// thread. It does not return to a process that shall end.
void pause_process(slot *s, uint32_t why) {
  s->why = why;
  before_switch(&s->fake, s->step->bottom, s->step->size);
  to_fiber(s->step->fiber);
  stack_switch(&s->sp, s->step->sp);
  after_switch(s->fake, &s->step->bottom, &s->step->size);
  if (atomic_load_explicit(&s->doomed, memory_order_relaxed)) {
    leave(s);
  }
}

// run_light has the handler of a light process handle its messages.
static uint32_t run_light(slot *s) {
  for (;;) {
    if (atomic_load_explicit(&s->doomed, memory_order_relaxed)) {
      return WHY_EXIT;
    }
    node *n = next_message(s);
    if (n == NULL) {
      return WHY_WAIT;
    }
    s->held = n;
    troupe_msg msg = {n->tag, n + 1, n->size};
    int rc = ((troupe_handler)(uintptr_t)s->fn)(s->args, &msg);
    drop_held(s);
    if (rc != 0 && !s->leaving) {
      s->exit_kind = TROUPE_EXIT_ERROR;
      s->exit_code = rc;
      s->leaving = 1;
    }
    if (s->leaving) {
      return WHY_EXIT;
    }
    if (--s->reductions <= 0 || s->tired) {
      s->tired = 0;
      return WHY_YIELD;
    }
    if (s->step->wakes != NO_SLOT) {
      return WHY_FLUSH;
    }
  }
}

static uint32_t run(slot *s, step_state *st) {
  uint32_t why;
  s->step = st;
  set_current(s);
  if (s->kind == LIGHT) {
    why = run_light(s);
  } else {
    stack_check(s);
    before_switch(&st->fake, s->stack.base, s->stack.size);
    st->fiber = this_fiber();
    to_fiber(s->fiber);
    stack_switch(&st->sp, s->sp);
    after_switch(st->fake, NULL, NULL);
    why = s->why;
    stack_check(s);
  }
  set_current(NULL);
  return why;
}

// settle has the process wait, and reports whether it has something to do already.
static int settle(slot *s) {
  atomic_store(&s->state, WAITING);
  if (atomic_load(&s->inbox) == NULL && !atomic_load(&s->doomed) && !atomic_load(&s->expired)) {
    return 0;
  }
  return claim(s);
}

static void account(slot *s, step_state *st) {
  uint64_t used = atomic_load_explicit(&s->used, memory_order_relaxed);
  atomic_store_explicit(&s->used, used + (uint64_t)(s->given - s->reductions), memory_order_relaxed);
  st->left = s->reductions;
}

// troupe__step runs a process with a new budget of reductions, or with 0 goes on with the rest of
// its own.
outcome troupe__step(uint32_t index, int32_t budget) {
  step_state st = {.wakes = NO_SLOT};
  slot *s = slot_at(index);
  uint32_t why;
  st.left = budget > 0 ? budget : s->reductions;
  for (;;) {
    atomic_store_explicit(&s->state, RUNNING, memory_order_relaxed); // Nobody changes it meanwhile.
    s->reductions = s->given = st.left > 0 ? st.left : 1;
    why = run(s, &st);
    account(s, &st);
    if (why != WHY_WAIT) {
      break;
    }
    if (settle(s)) {
      if (st.left > 0) {
        continue;
      }
      why = WHY_YIELD;
      break;
    }
    s = NULL; // Another thread may run it already.
    if (st.next == NULL || st.left <= 0) {
      break;
    }
    s = st.next;
    st.next = NULL;
  }
  if (why == WHY_YIELD) {
    atomic_store_explicit(&s->state, READY, memory_order_relaxed);
  }
  if (st.next != NULL) {
    st.next->wake = st.wakes;
    st.wakes = st.next->index;
  }
  uint32_t second = st.wakes != NO_SLOT ? slot_at(st.wakes)->wake : NO_SLOT;
  outcome out = {why, s != NULL ? s->index : NO_SLOT, st.wakes, second};
  return out;
}

// make_ready queues a process that the caller has claimed.
void make_ready(slot *caller, slot *t) {
  if (t->kind == THREAD) {
    main_wake(t);
    return;
  }
  if (caller == NULL || caller->kind == THREAD) {
    troupeReady(t->index);
    return;
  }
  step_state *st = caller->step;
  if (st->next == NULL && t->priority == caller->priority && !caller->blocking) {
    st->next = t;
    return;
  }
  t->wake = st->wakes;
  st->wakes = t->index;
  if (caller->kind == STACKFUL && !caller->choosing) {
    pause_process(caller, WHY_FLUSH);
  }
}
