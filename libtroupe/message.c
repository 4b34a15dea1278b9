//go:build cgo && (linux || darwin) && (amd64 || arm64)

#include <stdlib.h>

#include "internal.h"

// A choice is what a receive takes: everything, a tag, or what a predicate says.
typedef struct choice {
  int by_tag;
  uint64_t tag;
  troupe_predicate predicate;
  void *arg;
} choice;

// collect moves the inbox to the end of the process's own list, oldest first.
static void collect(slot *s) {
  if (atomic_load_explicit(&s->inbox, memory_order_relaxed) == NULL) {
    return;
  }
  node *newest = atomic_exchange_explicit(&s->inbox, NULL, memory_order_acquire), *oldest = NULL, *last = NULL;
  uint64_t pid = atomic_load_explicit(&s->pid, memory_order_relaxed);
  while (newest != NULL) {
    node *n = newest;
    newest = n->next;
    if (n->to != pid) { // For a process that had this slot before.
      free(n);
      continue;
    }
    n->next = oldest;
    oldest = n;
    last = last != NULL ? last : n;
  }
  if (oldest == NULL) {
    return;
  }
  if (s->first == NULL) {
    s->first = oldest;
  } else {
    s->last->next = oldest;
  }
  s->last = last;
}

// take removes the message behind before, or the first one.
static node *take(slot *s, node *before) {
  node *n = before != NULL ? before->next : s->first;
  if (before != NULL) {
    before->next = n->next;
  } else {
    s->first = n->next;
  }
  if (s->last == n) {
    s->last = before;
  }
  uint64_t taken = atomic_load_explicit(&s->taken, memory_order_relaxed);
  atomic_store_explicit(&s->taken, taken + 1, memory_order_relaxed);
  return n;
}

node *next_message(slot *s) {
  if (s->first == NULL) {
    collect(s);
  }
  return s->first != NULL ? take(s, NULL) : NULL;
}

void drop_held(slot *s) {
  free(s->held);
  s->held = NULL;
}

static int chosen(slot *s, const choice *c, const node *n) {
  if (c->by_tag) {
    return n->tag == c->tag;
  }
  if (c->predicate == NULL) {
    return 1;
  }
  troupe_msg msg = {n->tag, n + 1, n->size};
  s->choosing = 1;
  int yes = c->predicate(&msg, c->arg);
  s->choosing = 0;
  return yes;
}

// find takes the first message behind *before that is chosen, and leaves *before at the last
// one that it has looked at.
static node *find(slot *s, const choice *c, node **before) {
  collect(s);
  for (node *n = *before != NULL ? (*before)->next : s->first; n != NULL; n = n->next) {
    if (chosen(s, c, n)) {
      return take(s, *before);
    }
    *before = n;
  }
  return NULL;
}

// await_stackful waits for messages and returns TROUPE_ETIMEDOUT when the time is over. Go is asked
// to end the wait in time once, before the first one.
static int await_stackful(slot *s, int64_t timeout, int *armed) {
  if (timeout >= 0 && !*armed) {
    request q = {.op = OP_ARM, .a = (uint64_t)timeout};
    *armed = 1;
    return ask(&q);
  }
  if (*armed && atomic_load(&s->expired)) {
    return TROUPE_ETIMEDOUT;
  }
  pause_process(s, WHY_WAIT);
  return TROUPE_OK;
}

// await_main does it for the main process, which has a thread. It looks once more when the time
// is over, as a message may have come.
static int await_main(slot *s, int64_t deadline) {
  main_hush();
  if (atomic_load(&s->inbox) != NULL) {
    return TROUPE_OK;
  }
  if (deadline >= 0 && main_now() >= deadline) {
    return TROUPE_ETIMEDOUT;
  }
  main_wait(s, deadline);
  return may_call(s);
}

static int receive(troupe_msg *msg, const choice *c, int64_t timeout) {
  slot *s = current();
  int rc = may_call(s), armed = 0;
  if (rc != TROUPE_OK) {
    return rc;
  }
  if (s == NULL || s->kind == LIGHT || s->blocking) {
    return TROUPE_ECONTEXT;
  }
  if (msg == NULL || timeout < TROUPE_FOREVER || timeout > INT64_MAX / 2000000) {
    return TROUPE_EINVAL;
  }
  int main = s->kind == THREAD;
  if (!main && --s->reductions <= 0) {
    pause_process(s, WHY_YIELD);
  }
  if (!main && atomic_load_explicit(&s->doomed, memory_order_relaxed)) {
    leave(s);
  }
  drop_held(s);
  int64_t deadline = main && timeout >= 0 ? main_now() + timeout * 1000000 : -1;
  node *before = NULL, *n = NULL;
  while (rc == TROUPE_OK && (n = find(s, c, &before)) == NULL) {
    if (main) {
      rc = await_main(s, deadline);
    } else {
      rc = timeout == 0 ? TROUPE_ETIMEDOUT : await_stackful(s, timeout, &armed);
    }
  }
  if (armed) {
    request q = {.op = OP_DISARM};
    ask(&q);
  }
  if (n == NULL) {
    return rc;
  }
  s->held = n;
  *msg = (troupe_msg){n->tag, n + 1, n->size};
  return TROUPE_OK;
}

int troupe_receive(troupe_msg *msg, int64_t timeout) {
  choice c = {0};
  return receive(msg, &c, timeout);
}

int troupe_receive_tag(troupe_msg *msg, uint64_t tag, int64_t timeout) {
  choice c = {.by_tag = 1, .tag = tag};
  return receive(msg, &c, timeout);
}

int troupe_receive_match(troupe_msg *msg, troupe_predicate choose, void *arg, int64_t timeout) {
  choice c = {.predicate = choose, .arg = arg};
  return choose == NULL ? TROUPE_EINVAL : receive(msg, &c, timeout);
}

int troupe_send(troupe_pid pid, uint64_t tag, const void *data, size_t size) {
  slot *s = current();
  int rc = may_call(s);
  if (rc != TROUPE_OK) {
    return rc;
  }
  if (tag >= TROUPE_TAG_RESERVED || size > troupe_max_message || (data == NULL && size > 0)) {
    return TROUPE_EINVAL;
  }
  slot *t = slot_of(pid);
  if (t == NULL) {
    return TROUPE_ENOPROC;
  }
  node *n = new_node(pid, tag, data, size);
  if (n == NULL) {
    return TROUPE_ENOMEM;
  }
  if (push(t, n)) {
    make_ready(s, t);
  }
  if (s != NULL && s->kind == STACKFUL && !s->blocking && --s->reductions <= 0) {
    pause_process(s, WHY_YIELD);
  }
  return TROUPE_OK;
}

int troupe_send_word(troupe_pid pid, uint64_t tag, uint64_t word) {
  return troupe_send(pid, tag, &word, sizeof(word));
}
