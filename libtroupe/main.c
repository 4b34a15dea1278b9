//go:build cgo && (linux || darwin) && (amd64 || arm64)

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

// The main process is the thread that called troupe_init. It waits as threads do.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int64_t exit_timeout;

int64_t exit_limit(void) { return exit_timeout; }

// The doorbell is a pipe that holds at most one byte. rung says that the byte is there, or on
// its way. It is cleared after the byte is read and before the inbox is looked at again.
static _Atomic int bell_open, rung;
static int bell[2];

int64_t main_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void wait_until(int64_t deadline) {
#ifdef __APPLE__
  int64_t left = deadline - main_now();
  struct timespec t = {left > 0 ? left / 1000000000 : 0, left > 0 ? left % 1000000000 : 0};
  pthread_cond_timedwait_relative_np(&woken, &lock, &t);
#else
  struct timespec t = {deadline / 1000000000, deadline % 1000000000};
  pthread_cond_timedwait(&woken, &lock, &t);
#endif
}

// main_wait returns when there is a message, the time is over, or the runtime stops.
void main_wait(slot *s, int64_t deadline) {
  pthread_mutex_lock(&lock);
  atomic_store(&s->state, WAITING);
  if (atomic_load(&s->inbox) != NULL || atomic_load(&s->doomed) || atomic_load(&troupe_phase) != UP) {
    claim(s);
  }
  while (atomic_load(&s->state) == WAITING) {
    if (deadline < 0) {
      pthread_cond_wait(&woken, &lock);
    } else if (main_now() < deadline) {
      wait_until(deadline);
    } else {
      claim(s);
    }
  }
  atomic_store(&s->state, RUNNING);
  pthread_mutex_unlock(&lock);
}

// main_wake is called after a claim of the main process, so that it finds the new state.
void main_wake(slot *s) {
  (void)s;
  pthread_mutex_lock(&lock);
  pthread_cond_signal(&woken);
  pthread_mutex_unlock(&lock);
}

void main_ring(void) {
  if (atomic_load(&bell_open) && !atomic_exchange(&rung, 1)) {
    while (write(bell[1], "!", 1) < 0 && errno == EINTR) {
    }
  }
}

void main_hush(void) {
  if (atomic_load(&bell_open) && atomic_load(&rung)) {
    char byte;
    while (read(bell[0], &byte, 1) < 0 && errno == EINTR) {
    }
    atomic_store(&rung, 0);
  }
}

int troupe_doorbell(int *fd) {
  slot *s = current();
  int rc = may_call(s);
  if (rc != TROUPE_OK) {
    return rc;
  }
  if (s == NULL || s->kind != THREAD) {
    return TROUPE_ECONTEXT;
  }
  if (fd == NULL) {
    return TROUPE_EINVAL;
  }
  if (!atomic_load(&bell_open)) {
    if (pipe(bell) != 0) {
      return TROUPE_ESYSTEM;
    }
    for (int i = 0; i < 2; i++) {
      fcntl(bell[i], F_SETFD, FD_CLOEXEC);
      fcntl(bell[i], F_SETFL, O_NONBLOCK);
    }
    atomic_store(&bell_open, 1);
    main_ring(); // For what is there already.
  }
  *fd = bell[0];
  return TROUPE_OK;
}

// at_end shuts the runtime down when the main process ends the program. Another thread, or a process
// on its own stack, that calls exit leaves the rest to the system.
static void at_end(void) {
  slot *s = current();
  if (s != NULL && s->kind == THREAD && troupe_phase != DOWN && troupe_phase != FORKED) {
    troupe_shutdown(exit_timeout);
  }
}

// in_child makes the runtime unusable in a forked child, which has one thread of it.
static void in_child(void) {
  set_current(NULL);
  if (atomic_load(&troupe_phase) != DOWN) {
    atomic_store(&troupe_phase, FORKED);
  }
}

static void prepare_once(void) {
  pthread_condattr_t attr;
  pthread_condattr_init(&attr);
#ifndef __APPLE__
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
#endif
  pthread_cond_init(&woken, &attr);
  pthread_condattr_destroy(&attr);
  atexit(at_end);
  pthread_atfork(NULL, NULL, in_child);
}

int troupe_init(const troupe_config *config) {
  troupe_config c = {0};
  uint32_t index = NO_SLOT;
  if (troupe_phase == FORKED) {
    return TROUPE_EFORKED;
  }
  if (troupe_phase != DOWN || current() != NULL) {
    return TROUPE_EALREADY;
  }
  if (config != NULL) {
    if (config->size != sizeof(c)) {
      return TROUPE_EINVAL;
    }
    c = *config;
  }
  pthread_once(&once, prepare_once);
  int rc = troupeStart(&c, &index);
  if (rc == TROUPE_OK) {
    exit_timeout = c.exit_timeout;
    set_current(slot_at(index));
  }
  return rc;
}

int troupe_shutdown(int64_t timeout) {
  slot *s = current();
  if (troupe_phase == FORKED) {
    return TROUPE_EFORKED;
  }
  if (troupe_phase == DOWN) {
    return TROUPE_ENOTRUNNING;
  }
  if (s == NULL || s->kind != THREAD) {
    return TROUPE_ECONTEXT;
  }
  if (timeout < TROUPE_FOREVER || timeout > INT64_MAX / 2000000) {
    return TROUPE_EINVAL;
  }
  int rc = troupeShutdown(timeout);
  if (rc == TROUPE_OK) {
    set_current(NULL);
  }
  return rc;
}

// troupe__wake_main has the main process look at its state, if it waits.
void troupe__wake_main(uint32_t index) {
  slot *s = slot_at(index);
  if (claim(s)) {
    main_wake(s);
  }
}
