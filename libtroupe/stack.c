//go:build cgo && (linux || darwin) && (amd64 || arm64)

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

// Stacks are cut from slabs of 64, whose memory is committed when it is touched. 100,000
// stacks with a mapped guard each would need more mappings than the 65,530 that Linux
// allows by default. So the guard of a stack is installed in its page table where the kernel
// can do that (MADV_GUARD_INSTALL, Linux 6.13). Elsewhere the slab alone has a guard, below
// its lowest stack, and each stack has a canary at its lowest word, which is checked at
// each switch; that costs each stack a second page of memory.
enum { PER_SLAB = 64, HOT = 64 };

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

#define CANARY UINT64_C(0x7472312e75706521)

typedef struct free_stack {
  struct free_stack *next; // Lies at the top of the free stack.
} free_stack;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static free_stack *hot, *cold; // Those in hot keep their pages.
static int hots;
static uint64_t made_for; // The size of the stacks in the lists.
static int guarded = -1;  // Whether stacks have guards in the page table; -1 until it is tried.

static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

// link_of is at the top, in the page that every stack touches.
static free_stack *link_of(char *base, size_t size) { return (free_stack *)(base + size - sizeof(free_stack)); }

static void forget(free_stack *f, char **base, size_t size) { *base = (char *)f + sizeof(free_stack) - size; }

// install_guards makes the lowest page of each stack a guard. TROUPE_NO_GUARDS in the environment
// has it fail, as on an older kernel.
static int install_guards(char *stacks, size_t size) {
#ifdef __linux__
  if (getenv("TROUPE_NO_GUARDS") != NULL) {
    return 0;
  }
  for (int i = 0; i < PER_SLAB; i++) {
    if (madvise(stacks + (size_t)i * size, page(), MADV_GUARD_INSTALL) != 0) {
      return 0;
    }
  }
  return 1;
#else
  (void)stacks, (void)size;
  return 0;
#endif
}

static int new_slab(size_t size) {
  size_t pg = page();
  char *slab = mmap(NULL, pg + PER_SLAB * size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (slab == MAP_FAILED) {
    return TROUPE_ENOMEM;
  }
#ifdef MADV_NOHUGEPAGE
  madvise(slab, pg + PER_SLAB * size, MADV_NOHUGEPAGE); // A huge page would commit 32 stacks.
#endif
  int ok = guarded != 0 && install_guards(slab + pg, size);
  if (guarded < 0) {
    guarded = ok;
  }
  if (!guarded) {
    ok = mprotect(slab, pg, PROT_NONE) == 0;
  }
  if (!ok) {
    munmap(slab, pg + PER_SLAB * size);
    return TROUPE_ENOMEM;
  }
  for (int i = PER_SLAB - 1; i >= 0; i--) {
    free_stack *f = link_of(slab + pg + (size_t)i * size, size);
    f->next = cold;
    cold = f;
  }
  return TROUPE_OK;
}

int stack_take(stack *k) {
  size_t size = troupe_stack_size;
  int rc = TROUPE_OK;
  pthread_mutex_lock(&lock);
  if (made_for != size) { // After a shutdown with another size: what is free is given up.
    hot = cold = NULL;
    hots = 0;
    made_for = size;
  }
  if (hot == NULL && cold == NULL) {
    rc = new_slab(size);
  }
  free_stack *f = NULL;
  if (hot != NULL) {
    f = hot;
    hot = f->next;
    hots--;
  } else if (cold != NULL) {
    f = cold;
    cold = f->next;
  }
  int canary = !guarded;
  pthread_mutex_unlock(&lock);
  if (f == NULL) {
    return rc;
  }
  forget(f, &k->base, size);
  k->size = size;
#ifdef TROUPE_ASAN
  __asan_unpoison_memory_region(k->base + page(), size - page());
#endif
  if (canary) {
    *(uint64_t *)k->base = CANARY;
  }
  return TROUPE_OK;
}

void stack_give(stack *k) {
  if (k->base == NULL) {
    return;
  }
  size_t pg = page();
#ifdef TROUPE_ASAN
  __asan_unpoison_memory_region(k->base + pg, k->size - pg);
#endif
  pthread_mutex_lock(&lock);
  int keep = hots < HOT;
  pthread_mutex_unlock(&lock);
  if (!keep) {
    madvise(k->base + pg, k->size - 2 * pg, MADV_DONTNEED); // All but the guard and the top page.
  }
  free_stack *f = link_of(k->base, k->size);
  pthread_mutex_lock(&lock);
  if (made_for == k->size) {
    f->next = keep ? hot : cold;
    if (keep) {
      hot = f;
      hots++;
    } else {
      cold = f;
    }
  }
  pthread_mutex_unlock(&lock);
  k->base = NULL;
}

// stack_check ends the program if a process has left its stack, which is found late where the
// kernel has no guards.
void stack_check(const slot *s) {
  if ((char *)s->sp < s->stack.base + 512 || (!guarded && *(uint64_t *)s->stack.base != CANARY)) {
    fprintf(stderr, "troupe: process %llu has overflowed its stack of %zu bytes; raise stack_size\n",
            (unsigned long long)atomic_load(&s->pid), s->stack.size);
    abort();
  }
}
