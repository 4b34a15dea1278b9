//go:build cgo && (linux || darwin) && (amd64 || arm64)

#include "internal.h"

// How a process asks Go for something, gives its worker up, and begins and ends a blocking section.

// may_call says whether a call from s, or from outside if s is null, is possible now.
int may_call(const slot *s) {
  int phase = atomic_load_explicit(&troupe_phase, memory_order_acquire);
  if (phase == FORKED) {
    return TROUPE_EFORKED;
  }
  if (s != NULL && s->kind != THREAD) {
    return s->choosing ? TROUPE_ECONTEXT : TROUPE_OK;
  }
  if (s != NULL && phase != DOWN && atomic_load(&s->doomed)) {
    return TROUPE_EKILLED;
  }
  return phase == UP ? TROUPE_OK : TROUPE_ENOTRUNNING;
}

// ask has the Go code do something for the caller.
int ask(request *q) {
  slot *s = current();
  int rc = may_call(s);
  if (rc != TROUPE_OK) {
    return rc;
  }
  if (s != NULL && s->kind == STACKFUL) {
    s->req = q;
    pause_process(s, WHY_REQUEST);
    return q->rc;
  }
  return troupeServe(s != NULL ? s->index : NO_SLOT, q);
}

void troupe_refill(void) {
  slot *s = current();
  if (s != NULL && s->kind == STACKFUL && !s->blocking && !s->choosing && troupe_phase != FORKED) {
    pause_process(s, WHY_YIELD);
    return;
  }
  if (s == NULL) {
    *idle_counter() = troupe_budget;
    return;
  }
  uint64_t used = atomic_load_explicit(&s->used, memory_order_relaxed);
  atomic_store_explicit(&s->used, used + (uint64_t)(s->given - s->reductions), memory_order_relaxed);
  s->reductions = s->given = troupe_budget;
  s->tired = 1; // A light process yields after this message.
}

int troupe_yield(void) {
  slot *s = current();
  int rc = may_call(s);
  if (rc != TROUPE_OK) {
    return rc;
  }
  if (s == NULL || s->kind != STACKFUL || s->blocking) {
    return TROUPE_ECONTEXT;
  }
  pause_process(s, WHY_YIELD);
  return TROUPE_OK;
}

int troupe_enter_blocking(void) {
  slot *s = current();
  int rc = may_call(s);
  if (rc != TROUPE_OK) {
    return rc;
  }
  if (s == NULL || s->kind == LIGHT) {
    return TROUPE_ECONTEXT;
  }
  if (s->blocking) {
    return TROUPE_EALREADY;
  }
  if (s->kind == STACKFUL) {
    pause_process(s, WHY_BLOCK);
  }
  s->blocking = s->kind == STACKFUL;
  return TROUPE_OK;
}

int troupe_leave_blocking(void) {
  slot *s = current();
  int rc = may_call(s);
  if (rc != TROUPE_OK) {
    return rc;
  }
  if (s == NULL || s->kind == LIGHT || (s->kind == STACKFUL && !s->blocking)) {
    return TROUPE_ECONTEXT;
  }
  s->blocking = 0;
  if (s->kind == STACKFUL) {
    pause_process(s, WHY_UNBLOCK);
  }
  return TROUPE_OK;
}
