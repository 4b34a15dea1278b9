//go:build cgo && (linux || darwin) && (amd64 || arm64)

#include <stdlib.h>
#include <string.h>

#include "internal.h"

_Atomic int troupe_phase;
uint64_t troupe_stack_size = 64 << 10, troupe_max_message = 64 << 20;
int32_t troupe_budget = 4000;

// The table of slots grows by chunks, which are never freed.
static _Atomic(slot *) chunks[MAX_CHUNKS];

slot *slot_at(uint32_t index) {
  return atomic_load_explicit(&chunks[index / SLOTS_PER_CHUNK], memory_order_acquire) + index % SLOTS_PER_CHUNK;
}

slot *slot_of(uint64_t pid) {
  uint32_t index = (uint32_t)pid;
  if (pid == 0 || index / SLOTS_PER_CHUNK >= MAX_CHUNKS) {
    return NULL;
  }
  slot *chunk = atomic_load_explicit(&chunks[index / SLOTS_PER_CHUNK], memory_order_acquire);
  if (chunk == NULL) {
    return NULL;
  }
  slot *s = chunk + index % SLOTS_PER_CHUNK;
  return atomic_load_explicit(&s->pid, memory_order_acquire) == pid ? s : NULL;
}

// new_chunk is called by Go's spawn alone, which holds a lock.
static int new_chunk(uint32_t number) {
  if (atomic_load(&chunks[number]) != NULL) {
    return TROUPE_OK;
  }
  slot *chunk = calloc(SLOTS_PER_CHUNK, sizeof(slot));
  if (chunk == NULL) {
    return TROUPE_ENOMEM;
  }
  for (uint32_t i = 0; i < SLOTS_PER_CHUNK; i++) {
    chunk[i].index = number * SLOTS_PER_CHUNK + i;
  }
  atomic_store_explicit(&chunks[number], chunk, memory_order_release);
  return TROUPE_OK;
}

// copy_args puts the arguments at the top of the stack if they are small, and returns where the
// stack then begins.
static int copy_args(slot *s, const void *args, uint64_t size, char **top) {
  enum { SMALL = 1024 };
  s->owns_args = 0;
  s->args = *top;
  if (size == 0) {
    return TROUPE_OK;
  }
  if (s->kind == STACKFUL && size <= SMALL) {
    *top -= (size + 15) / 16 * 16;
    s->args = *top;
  } else {
    s->args = malloc(size);
    s->owns_args = 1;
    if (s->args == NULL) {
      return TROUPE_ENOMEM;
    }
  }
  memcpy(s->args, args, size);
  return TROUPE_OK;
}

// troupe__prepare makes a process of a free slot. Go's spawn alone calls it.
int troupe__prepare(uint32_t index, uint64_t pid, int kind, int priority, const void *fn, const void *args, uint64_t size) {
  if (new_chunk(index / SLOTS_PER_CHUNK) != TROUPE_OK) {
    return TROUPE_ENOMEM;
  }
  slot *s = slot_at(index);
  char *top = NULL;
  if (kind == STACKFUL) {
    int rc = stack_take(&s->stack);
    if (rc != TROUPE_OK) {
      return rc;
    }
    top = s->stack.base + s->stack.size - 64; // The list of free stacks has its link there.
  }
  atomic_store(&s->kind, (uint32_t)kind);
  s->priority = (int8_t)priority;
  s->blocking = s->choosing = s->leaving = s->tired = 0;
  s->error = 0;
  s->fn = fn;
  s->fake = NULL;
  s->exit_kind = TROUPE_EXIT_NORMAL;
  s->exit_code = 0;
  s->reductions = s->given = troupe_budget;
  if (copy_args(s, args, size, &top) != TROUPE_OK) {
    stack_give(&s->stack);
    return TROUPE_ENOMEM;
  }
  if (kind == STACKFUL) {
    s->sp = stack_begin(top, s);
#ifdef TROUPE_TSAN
    s->fiber = __tsan_create_fiber(0);
#endif
  }
  atomic_store(&s->doomed, 0);
  atomic_store(&s->expired, 0);
  atomic_store(&s->sent, 0);
  atomic_store(&s->taken, 0);
  atomic_store(&s->used, 0);
  atomic_store(&s->state, kind == THREAD ? RUNNING : kind == LIGHT ? WAITING : READY);
  atomic_store_explicit(&s->pid, pid, memory_order_release);
  return TROUPE_OK;
}

// troupe__release takes the slot from its process, which runs no more.
void troupe__release(uint32_t index) {
  slot *s = slot_at(index);
  atomic_store(&s->pid, 0);
  atomic_store(&s->state, FREE);
  discard(s);
  stack_give(&s->stack);
#ifdef TROUPE_TSAN
  if (s->fiber != NULL) {
    __tsan_destroy_fiber(s->fiber);
    s->fiber = NULL;
  }
#endif
  if (s->owns_args) {
    free(s->args);
  }
  s->args = NULL;
  s->owns_args = 0;
}

void discard(slot *s) {
  free(s->held);
  s->held = NULL;
  for (node *n = s->first, *next; n != NULL; n = next) {
    next = n->next;
    free(n);
  }
  s->first = s->last = NULL;
  for (node *n = atomic_exchange(&s->inbox, NULL), *next; n != NULL; n = next) {
    next = n->next;
    free(n);
  }
}

node *new_node(uint64_t to, uint64_t tag, const void *data, size_t size) {
  node *n = malloc(sizeof(node) + size);
  if (n == NULL) {
    return NULL;
  }
  n->to = to;
  n->tag = tag;
  n->size = size;
  if (size > 0) {
    memcpy(n + 1, data, size);
  }
  return n;
}

int claim(slot *t) {
  uint32_t waiting = WAITING;
  return atomic_load(&t->state) == WAITING && atomic_compare_exchange_strong(&t->state, &waiting, READY);
}

int push(slot *t, node *n) {
  atomic_fetch_add_explicit(&t->sent, 1, memory_order_relaxed);
  node *top = atomic_load_explicit(&t->inbox, memory_order_relaxed);
  do {
    n->next = top;
  } while (!atomic_compare_exchange_weak(&t->inbox, &top, n));
  if (t->kind == THREAD) {
    main_ring();
  }
  return claim(t);
}
