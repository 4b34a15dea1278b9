/*
 * troupe.h: processes of the Troupe runtime, for C and for languages that call C.
 *
 * A program calls troupe_init once. The calling thread becomes the main process, and
 * the end of the program shuts the runtime down. troupe_spawn starts further
 * processes: functions with a stack and a mailbox of their own, thousands of which
 * share a few threads. They talk by messages, which are copied.
 *
 * Errors. A function that returns int returns TROUPE_OK, which is 0, or a negative
 * code; troupe_strerror says what it means. A function that returns a troupe_pid
 * returns 0 on failure, and troupe_last_error has the code.
 *
 * Threads. Any thread may call any function, unless its comment names who may. A
 * thread other than the main one is not a process: it can send, spawn, kill and look
 * around, and it cannot receive.
 *
 * What a process must not keep. A process goes on on another thread after a call
 * that can wait or yield: receive, yield, check, spawn and nearly every other call.
 * So it must not keep across a call: an address of a thread-local variable, errno, a
 * lock that belongs to a thread, or a pointer that troupe_reductions returned to
 * another process. A process that has been killed never returns from the call that it
 * is in: its destructors, and what it would have freed or unlocked, do not run.
 *
 * docs/c.md has a guide, the limits, and what fork, signals and atexit do.
 */
#ifndef TROUPE_H
#define TROUPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It grows when a symbol or a structure changes. */
#define TROUPE_ABI 1

/* A process. 0 is no process. A number is used again only after 2^32 others. */
typedef uint64_t troupe_pid;

/* A monitor or a timer. 0 is none. */
typedef uint64_t troupe_ref;

/* What a function returns. */
enum {
  TROUPE_OK = 0,
  TROUPE_EINVAL = -1,      /* An argument is null, too large or unknown. */
  TROUPE_ENOTRUNNING = -2, /* Before troupe_init, or after the shutdown began. */
  TROUPE_EALREADY = -3,    /* troupe_init was called before; the section was entered before. */
  TROUPE_ENOPROC = -4,     /* There is no such process, or it has ended. */
  TROUPE_ETIMEDOUT = -5,   /* The time is over. */
  TROUPE_ECONTEXT = -6,    /* The call is not possible from here; see its comment. */
  TROUPE_ENOMEM = -7,      /* The system gives no more memory. */
  TROUPE_ELIMIT = -8,      /* A limit of troupe_config is reached. */
  TROUPE_EEXIST = -9,      /* The name is taken. */
  TROUPE_ENOENT = -10,     /* There is no such name, monitor or timer. */
  TROUPE_EFORKED = -11,    /* After a fork, in the child. */
  TROUPE_EKILLED = -12,    /* The main process was ended; it can only shut down. */
  TROUPE_ESYSTEM = -13     /* The system refused something else. */
};

/* Priorities. A more urgent process that is ready goes before others. One that has
 * waited for 5 seconds rises by one priority, so none waits for ever. */
enum { TROUPE_NORMAL = 0, TROUPE_HIGH = 1, TROUPE_LOW = 2 };

/* Why a process ended. */
enum {
  TROUPE_EXIT_NORMAL = 0, /* It returned, or called troupe_exit. */
  TROUPE_EXIT_ERROR = 1,  /* It called troupe_exit with an error code. */
  TROUPE_EXIT_KILLED = 2, /* By troupe_kill, or by the shutdown. */
  TROUPE_EXIT_LINKED = 3  /* A process to which it was linked ended not normally. */
};

/* What a process does at the moment; see troupe_info. */
enum { TROUPE_READY = 1, TROUPE_RUNNING = 2, TROUPE_WAITING = 3 };

/* The first tag that programs must not send. */
#define TROUPE_TAG_RESERVED UINT64_C(0xffffffff00000000)
/* The tag of a message about the end of a linked process, to one that traps exits. */
#define TROUPE_TAG_EXIT (TROUPE_TAG_RESERVED + 1)
/* The tag of a message about the end of a monitored process. */
#define TROUPE_TAG_DOWN (TROUPE_TAG_RESERVED + 2)

/* For ever, as a time limit in milliseconds. */
#define TROUPE_FOREVER INT64_C(-1)

/* A message. The data belong to the receiver until it receives again or ends. */
typedef struct troupe_msg {
  uint64_t tag;
  const void *data; /* Aligned for every type. */
  size_t size;      /* Bytes. */
} troupe_msg;

/* The data of messages with TROUPE_TAG_EXIT and TROUPE_TAG_DOWN. */
typedef struct troupe_end {
  troupe_pid pid;   /* The process that has ended. */
  troupe_ref ref;   /* The monitor, or 0 for a link. */
  int64_t code;     /* The error code, if an error began it. */
  troupe_pid linked; /* With TROUPE_EXIT_LINKED, the process that took it along. */
  int32_t kind;     /* TROUPE_EXIT_... */
  int32_t cause;    /* With TROUPE_EXIT_LINKED, the kind of the end that began it. */
} troupe_end;

/* None, where zero means the default. */
#define TROUPE_NONE UINT32_MAX

/* Settings. Zero means the default everywhere. Set size to sizeof(troupe_config). */
typedef struct troupe_config {
  size_t size;
  uint32_t workers;      /* Threads that run processes. Defaults to all processors. */
  uint32_t high_workers; /* Of these, how many take high priority alone. Defaults to none. */
  uint32_t reductions;   /* Checks until a process yields. Defaults to 4000; at most 1000000. */
  uint32_t max_spares;   /* Threads in the place of workers whose process neither calls nor checks for
                            10 ms. Defaults to 256; at most 4096; TROUPE_NONE for none. */
  uint32_t max_blocking; /* Processes in blocking sections at a time. Defaults to 256; at most 4096. */
  uint32_t reserved;     /* 0. */
  uint64_t max_processes; /* Defaults to 16 million, which is the most. */
  uint64_t max_message;  /* Bytes in a message. Defaults to 64 MB; at most 1 GB. */
  uint64_t stack_size;   /* Bytes of address space for each stack. Defaults to 64 KB; 16 KB to 64 MB.
                            Rounded up to pages. One page of it is the guard. */
  int64_t exit_timeout;  /* Milliseconds that the end of the program waits. Defaults to 5000. */
} troupe_config;

/* What troupe_info returns. Set size to sizeof(troupe_process_info). */
typedef struct troupe_process_info {
  size_t size;
  troupe_pid pid;
  int32_t state;    /* TROUPE_READY, TROUPE_RUNNING or TROUPE_WAITING. */
  int32_t priority; /* TROUPE_NORMAL, TROUPE_HIGH or TROUPE_LOW. */
  uint64_t reductions; /* Used, at its last yield or wait. */
  uint64_t messages;   /* In its mailbox. */
  uint64_t links;
  uint64_t monitors; /* That watch it. */
  char name[64];     /* Its name, cut to fit, or "". */
} troupe_process_info;

/* What troupe_counts returns. Set size to sizeof(troupe_runtime_counts). */
typedef struct troupe_runtime_counts {
  size_t size;
  uint64_t processes; /* Alive, with the main process. */
  uint64_t spawned;   /* Since troupe_init, with the main process. */
  uint64_t workers;
  uint64_t blocking; /* Processes in blocking sections. */
  uint64_t timers;   /* Waiting. */
} troupe_runtime_counts;

/* The body of a process. args is the copy of what troupe_spawn was given, aligned for
 * every type, and lives as long as the process. To return is to exit normally. */
typedef void (*troupe_entry)(const uint8_t *args);

/* The body of a light process, called once for each message. state is its copy of what
 * troupe_spawn_light was given, and lives as long as the process. Returning 0 goes on,
 * anything else ends the process with TROUPE_EXIT_ERROR and that code. */
typedef int (*troupe_handler)(void *state, const troupe_msg *msg);

/* Chooses a message: not 0 means this one. It must not call functions of this header. */
typedef int (*troupe_predicate)(const troupe_msg *msg, void *arg);

/* --- The runtime ------------------------------------------------------------------ */

/* Starts the runtime; config may be null. The calling thread becomes the main process.
 * TROUPE_EALREADY if it runs. After a shutdown it can be started again. */
int troupe_init(const troupe_config *config);

/* Ends all processes and stops the runtime. It waits for timeout milliseconds, or
 * TROUPE_FOREVER, for processes that neither call nor check. On TROUPE_ETIMEDOUT the
 * runtime takes no more work, and the call can be repeated. Not for processes
 * other than the main one: TROUPE_ECONTEXT. */
int troupe_shutdown(int64_t timeout);

/* Returns TROUPE_ABI of the library. */
int troupe_abi(void);

/* Returns a text that lives for ever. Never null. */
const char *troupe_strerror(int code);

/* Returns the error of the last call of this process, or thread, that returned a pid. */
int troupe_last_error(void);

/* --- Processes -------------------------------------------------------------------- */

/* Starts a process. size bytes at args are copied; args may be null if size is 0.
 * At most 1 MB. Returns 0 on failure; see troupe_last_error. */
troupe_pid troupe_spawn(troupe_entry entry, const void *args, size_t size, int priority);

/* The same, linked to the calling process from its beginning on. */
troupe_pid troupe_spawn_link(troupe_entry entry, const void *args, size_t size, int priority);

/* Starts a light process, which has no stack: less than 1 KB, of which state is a part.
 * Its handler may call everything but receive, yield, blocking sections and shutdown. */
troupe_pid troupe_spawn_light(troupe_handler handler, const void *state, size_t size, int priority);

/* Returns the calling process, or 0 outside one. */
troupe_pid troupe_self(void);

/* Ends the calling process: with TROUPE_EXIT_NORMAL, TROUPE_EXIT_ERROR and its code, or
 * TROUPE_EXIT_KILLED. It does not return, but for three: in the main process it shuts
 * the runtime down, and returns what troupe_shutdown does; in a light one the end comes
 * when the handler returns; outside a process it is TROUPE_ECONTEXT. */
int troupe_exit(int kind, int64_t code);

/* Ends a process, whether or not it traps exits, at its next call or yield. */
int troupe_kill(troupe_pid pid);

/* Links the calling process with another: each is told of the other's end. If that is
 * not normal, and a process does not trap exits, it ends too. */
int troupe_link(troupe_pid pid);

/* Removes the link. TROUPE_ENOENT if there is none. */
int troupe_unlink(troupe_pid pid);

/* Has the calling process get a message with TROUPE_TAG_DOWN at the end of another. */
int troupe_monitor(troupe_pid pid, troupe_ref *ref);

/* Removes a monitor of the calling process. A message that is on its way still comes. */
int troupe_demonitor(troupe_ref ref);

/* Says whether ends of linked processes come as messages with TROUPE_TAG_EXIT. */
int troupe_trap(int on);

/* --- Messages --------------------------------------------------------------------- */

/* Copies size bytes into the mailbox of a process. Messages of one sender to one
 * receiver arrive in order. TROUPE_ENOPROC if it has ended. */
int troupe_send(troupe_pid pid, uint64_t tag, const void *data, size_t size);

/* Sends a word by value: the data of the message are these 8 bytes. */
int troupe_send_word(troupe_pid pid, uint64_t tag, uint64_t word);

/* Takes the oldest message, and waits for one for timeout milliseconds, 0 for not at
 * all, or TROUPE_FOREVER. Only for processes with a stack, and the main one. */
int troupe_receive(troupe_msg *msg, int64_t timeout);

/* The same with the oldest message of a tag. Others stay where they are. */
int troupe_receive_tag(troupe_msg *msg, uint64_t tag, int64_t timeout);

/* The same with the oldest message that the predicate chooses. */
int troupe_receive_match(troupe_msg *msg, troupe_predicate choose, void *arg, int64_t timeout);

/* Sends a message in delay milliseconds. ref may be null. */
int troupe_send_after(troupe_pid pid, uint64_t tag, const void *data, size_t size, int64_t delay, troupe_ref *ref);

/* Withdraws such a message. TROUPE_ENOENT if it has been sent, or withdrawn. */
int troupe_cancel_timer(troupe_ref ref);

/* --- Names ------------------------------------------------------------------------ */

/* Gives a process a name of 1 to 255 bytes, until it ends. A process has one name. */
int troupe_register(const char *name, troupe_pid pid);

/* Takes a name away. */
int troupe_unregister(const char *name);

/* Looks a name up. */
int troupe_whereis(const char *name, troupe_pid *pid);

/* --- Taking turns ----------------------------------------------------------------- */

/* Lets others run that are ready. */
int troupe_yield(void);

/* The reduction check: counts one, and yields if none is left. Outside a process it does
 * nothing. Loops that call nothing of this header must check, or nobody else runs. */
void troupe_check(void);

/* Returns the counter of the calling process. It stays where it is for the whole life of
 * the process, on all threads. So a function may keep it, and TROUPE_CHECK_AT is cheaper than
 * troupe_check: it counts inline. */
int32_t *troupe_reductions(void);

/* Yields and fills the counter. For TROUPE_CHECK_AT. */
void troupe_refill(void);

#define TROUPE_CHECK_AT(counter)            \
  do {                                      \
    if (--*(counter) <= 0) troupe_refill(); \
  } while (0)

#define TROUPE_CHECK() TROUPE_CHECK_AT(troupe_reductions())

/* Begins a section in which the process may block its thread: file input, locks, other
 * libraries. It waits until less than max_blocking are in one. Others run meanwhile.
 * In it receive and yield are TROUPE_ECONTEXT. In the main process it does nothing. */
int troupe_enter_blocking(void);

/* Ends the section. */
int troupe_leave_blocking(void);

/* --- Looking around --------------------------------------------------------------- */

/* Returns a descriptor that is readable while the main process may have messages, for the
 * event loop of the program. It must not be read or closed. When it is readable, call
 * troupe_receive with a timeout of 0 until that returns TROUPE_ETIMEDOUT. Only for the main
 * process. */
int troupe_doorbell(int *fd);

/* Fills info. */
int troupe_info(troupe_pid pid, troupe_process_info *info);

/* Fills counts. */
int troupe_counts(troupe_runtime_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
