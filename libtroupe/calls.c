//go:build cgo && (linux || darwin) && (amd64 || arm64)

#include <string.h>

#include "internal.h"

// The calls that Go serves.

enum { MAX_ARGS = 1 << 20 };

// fail notes the error of a call that returns a pid.
static troupe_pid fail(int rc) {
  slot *s = current();
  *(s != NULL ? &s->error : thread_error()) = rc;
  return 0;
}

int troupe_last_error(void) {
  slot *s = current();
  return s != NULL ? s->error : *thread_error();
}

static troupe_pid spawn(int kind, const void *fn, const void *args, size_t size, int priority, int linked) {
  if (fn == NULL || size > MAX_ARGS || (args == NULL && size > 0) || priority < TROUPE_NORMAL || priority > TROUPE_LOW) {
    return fail(TROUPE_EINVAL);
  }
  request q = {.op = OP_SPAWN, .a = (uint64_t)kind, .b = (uint64_t)priority, .c = size, .d = (uint64_t)linked, .p = fn, .q = args};
  int rc = ask(&q);
  return rc == TROUPE_OK ? q.out : fail(rc);
}

troupe_pid troupe_spawn(troupe_entry entry, const void *args, size_t size, int priority) {
  return spawn(STACKFUL, (const void *)(uintptr_t)entry, args, size, priority, 0);
}

troupe_pid troupe_spawn_link(troupe_entry entry, const void *args, size_t size, int priority) {
  return spawn(STACKFUL, (const void *)(uintptr_t)entry, args, size, priority, 1);
}

troupe_pid troupe_spawn_light(troupe_handler handler, const void *state, size_t size, int priority) {
  return spawn(LIGHT, (const void *)(uintptr_t)handler, state, size, priority, 0);
}

int troupe_exit(int kind, int64_t code) {
  slot *s = current();
  int rc = may_call(s);
  if (rc != TROUPE_OK) {
    return rc;
  }
  if (kind < TROUPE_EXIT_NORMAL || kind > TROUPE_EXIT_KILLED) {
    return TROUPE_EINVAL;
  }
  if (s == NULL) {
    return TROUPE_ECONTEXT;
  }
  if (s->leaving) {
    return TROUPE_EALREADY;
  }
  s->exit_kind = kind;
  s->exit_code = kind == TROUPE_EXIT_ERROR ? code : 0;
  if (s->kind == STACKFUL) {
    leave(s);
  }
  s->leaving = 1;
  return s->kind == THREAD ? troupe_shutdown(exit_limit()) : TROUPE_OK;
}

int troupe_kill(troupe_pid pid) {
  request q = {.op = OP_KILL, .a = pid};
  return ask(&q);
}

int troupe_link(troupe_pid pid) {
  request q = {.op = OP_LINK, .a = pid};
  return ask(&q);
}

int troupe_unlink(troupe_pid pid) {
  request q = {.op = OP_UNLINK, .a = pid};
  return ask(&q);
}

int troupe_monitor(troupe_pid pid, troupe_ref *ref) {
  request q = {.op = OP_MONITOR, .a = pid};
  int rc = ref == NULL ? TROUPE_EINVAL : ask(&q);
  if (rc == TROUPE_OK) {
    *ref = q.out;
  }
  return rc;
}

int troupe_demonitor(troupe_ref ref) {
  request q = {.op = OP_DEMONITOR, .a = ref};
  return ask(&q);
}

int troupe_trap(int on) {
  request q = {.op = OP_TRAP, .a = on != 0};
  return ask(&q);
}

int troupe_send_after(troupe_pid pid, uint64_t tag, const void *data, size_t size, int64_t delay, troupe_ref *ref) {
  request q = {.op = OP_AFTER, .a = pid, .b = tag, .c = size, .d = (uint64_t)delay, .q = data};
  if (tag >= TROUPE_TAG_RESERVED || size > troupe_max_message || (data == NULL && size > 0) || delay < 0 || delay > INT64_MAX / 2000000) {
    return TROUPE_EINVAL;
  }
  int rc = ask(&q);
  if (rc == TROUPE_OK && ref != NULL) {
    *ref = q.out;
  }
  return rc;
}

int troupe_cancel_timer(troupe_ref ref) {
  request q = {.op = OP_CANCEL, .a = ref};
  return ask(&q);
}

// named asks for something with a name.
static int named(request *q, const char *name) {
  size_t size = name != NULL ? strnlen(name, 256) : 0;
  if (size < 1 || size > 255) {
    return TROUPE_EINVAL;
  }
  q->q = name;
  q->c = size;
  return ask(q);
}

int troupe_register(const char *name, troupe_pid pid) {
  request q = {.op = OP_REGISTER, .a = pid};
  return named(&q, name);
}

int troupe_unregister(const char *name) {
  request q = {.op = OP_UNREGISTER};
  return named(&q, name);
}

int troupe_whereis(const char *name, troupe_pid *pid) {
  request q = {.op = OP_WHEREIS};
  int rc = pid == NULL ? TROUPE_EINVAL : named(&q, name);
  if (rc == TROUPE_OK) {
    *pid = q.out;
  }
  return rc;
}

int troupe_info(troupe_pid pid, troupe_process_info *info) {
  if (info == NULL || info->size != sizeof(*info)) {
    return TROUPE_EINVAL;
  }
  request q = {.op = OP_INFO, .a = pid, .p = info};
  return ask(&q);
}

int troupe_counts(troupe_runtime_counts *counts) {
  if (counts == NULL || counts->size != sizeof(*counts)) {
    return TROUPE_EINVAL;
  }
  request q = {.op = OP_COUNTS, .p = counts};
  return ask(&q);
}

int troupe_abi(void) { return TROUPE_ABI; }

const char *troupe_strerror(int code) {
  static const char *const texts[] = {
      "no error",
      "an argument is null, too large or unknown",
      "the runtime is not running; call troupe_init first, and nothing after the shutdown began",
      "the runtime runs, or the section was entered, already",
      "there is no such process, or it has ended",
      "the time is over",
      "the call is not possible from here; its comment in troupe.h says who may call it",
      "the system gives no more memory",
      "a limit of troupe_config is reached",
      "the name is taken, or the process has a name",
      "there is no such name, link, monitor or timer",
      "the process was forked; the runtime is not in the child",
      "the main process was ended; it can only shut down",
      "the system refused",
  };
  int n = (int)(sizeof(texts) / sizeof(texts[0]));
  return code <= 0 && code > -n ? texts[-code] : "not a code of troupe.h";
}
