// The inside of the library: what its C files and the Go code share.
//
// Who runs what. A Go worker calls troupe__step, which runs a process on the process's
// own stack until that waits, yields or needs the Go code. No Go code runs on the stack of a
// process: the Go runtime would end the program. A process that needs it switches back to
// the step, which returns to Go on the stack it came with.
//
// The life of a slot. A slot belongs to one process at a time and is never freed, so a
// sender may always touch it. Its state says who may run it:
//
//	FREE --prepare--> READY --step--> RUNNING --step, off the stack--> WAITING --claim--> READY
//	                                  RUNNING --yield--> READY, RUNNING --release--> FREE
//
// A sender pushes to the inbox and then looks at the state; a step stores WAITING and then
// looks at the inbox. Both are sequentially consistent, so one of them sees the other,
// and the exchange of WAITING says who queues the process: exactly one.
#ifndef TROUPE_RUNTIME_H
#define TROUPE_RUNTIME_H

#include "include/troupe.h"

// A message. The data follow it.
typedef struct node {
  struct node *next;
  uint64_t to; // Nobody but this process takes it: the slot may have a new one.
  uint64_t tag;
  uint64_t size;
} node;

// What the Go code is asked for, and its answer.
typedef struct request {
  int32_t op, rc;
  uint64_t a, b, c, d;
  const void *p, *q;
  uint64_t out;
} request;

enum {
  OP_SPAWN = 1, // a: kind, b: priority, c: size, d: linked, p: function, q: arguments.
  OP_KILL,
  OP_LINK,
  OP_UNLINK,
  OP_MONITOR,
  OP_DEMONITOR,
  OP_TRAP,
  OP_AFTER, // a: pid, b: tag, c: size, d: milliseconds, q: data.
  OP_CANCEL,
  OP_REGISTER,
  OP_UNREGISTER,
  OP_WHEREIS,
  OP_INFO,
  OP_COUNTS,
  OP_ARM, // a: milliseconds until the wait of the caller is over.
  OP_DISARM,
};

enum { FREE, READY, RUNNING, WAITING }; // As in troupe_process_info.
enum { STACKFUL = 1, LIGHT, THREAD };   // Kinds of processes. The main one is a THREAD.

// Why a process came back to its step, and the step to Go.
enum { WHY_WAIT = 1, WHY_YIELD, WHY_FLUSH, WHY_REQUEST, WHY_EXIT, WHY_BLOCK, WHY_UNBLOCK };

// What a step returns: the process it ran last, and the processes to queue, linked by wake.
typedef struct outcome {
  uint32_t why, slot, wakes, second; // second is the next of wakes.
} outcome;

// What a process gave as the reason of its end.
typedef struct reason {
  int64_t code;
  int32_t kind;
} reason;

// The phases of the runtime. STOPPING lets processes finish and takes no other calls.
enum { DOWN, UP, STOPPING, FORKED };

#define NO_SLOT UINT32_MAX
#define SLOTS_PER_CHUNK 1024u
#define MAX_CHUNKS 16384u

struct slot;

// For the Go code.
int troupe__prepare(uint32_t index, uint64_t pid, int kind, int priority, const void *fn, const void *args, uint64_t size);
void troupe__release(uint32_t index);
outcome troupe__step(uint32_t index, int32_t budget);
int troupe__deliver(uint64_t pid, uint64_t tag, const void *data, uint64_t size);
int troupe__doom(uint32_t index);
int troupe__expire(uint32_t index);
void troupe__unexpire(uint32_t index);
uint32_t troupe__next_wake(uint32_t index);
request *troupe__request(uint32_t index);
reason troupe__exit_reason(uint32_t index);
void troupe__look(uint32_t index, troupe_process_info *info);
void troupe__phase(int phase);
void troupe__configure(uint64_t stack_size, uint64_t max_message, int32_t reductions);
void troupe__wake_main(uint32_t index);

#endif
