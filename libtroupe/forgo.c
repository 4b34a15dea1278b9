//go:build cgo && (linux || darwin) && (amd64 || arm64)

#include "internal.h"

// What the Go code calls, beside the step. It runs on stacks of Go.

// troupe__deliver sends as troupe_send does, with any tag. It returns 1 if the caller must queue
// the process.
int troupe__deliver(uint64_t pid, uint64_t tag, const void *data, uint64_t size) {
  slot *t = slot_of(pid);
  if (t == NULL) {
    return TROUPE_ENOPROC;
  }
  node *n = new_node(pid, tag, data, size);
  if (n == NULL) {
    return TROUPE_ENOMEM;
  }
  if (!push(t, n)) {
    return TROUPE_OK;
  }
  if (t->kind != THREAD) {
    return 1;
  }
  main_wake(t);
  return TROUPE_OK;
}

// wake_after reports whether Go must queue the process, after a flag was set.
static int wake_after(slot *s) {
  if (!claim(s)) {
    return 0;
  }
  if (s->kind == THREAD) {
    main_wake(s);
    return 0;
  }
  return 1;
}

int troupe__doom(uint32_t index) {
  slot *s = slot_at(index);
  atomic_store(&s->doomed, 1);
  return wake_after(s);
}

int troupe__expire(uint32_t index) {
  slot *s = slot_at(index);
  atomic_store(&s->expired, 1);
  return wake_after(s);
}

void troupe__unexpire(uint32_t index) { atomic_store(&slot_at(index)->expired, 0); }

uint32_t troupe__next_wake(uint32_t index) { return slot_at(index)->wake; }

request *troupe__request(uint32_t index) { return slot_at(index)->req; }

reason troupe__exit_reason(uint32_t index) {
  slot *s = slot_at(index);
  reason r = {s->exit_code, s->exit_kind};
  return r;
}

void troupe__look(uint32_t index, troupe_process_info *info) {
  slot *s = slot_at(index);
  uint64_t taken = atomic_load(&s->taken), sent = atomic_load(&s->sent);
  info->state = (int32_t)atomic_load(&s->state);
  info->priority = s->priority;
  info->reductions = atomic_load(&s->used);
  info->messages = sent > taken ? sent - taken : 0;
}

void troupe__phase(int phase) { atomic_store(&troupe_phase, phase); }

void troupe__configure(uint64_t stack_size, uint64_t max_message, int32_t reductions) {
  troupe_stack_size = stack_size;
  troupe_max_message = max_message;
  troupe_budget = reductions;
}
