// Ends of processes, links, monitors, and the end of the main process.
#include "suite.h"

static void waits(const uint8_t *args) {
  (void)args;
  troupe_msg msg;
  for (;;) {
    OK(troupe_receive(&msg, TROUPE_FOREVER));
  }
}

typedef struct ending {
  int kind;
  int64_t code;
} ending;

static void ends(const uint8_t *args) {
  const ending *e = (const ending *)args;
  await(1);
  troupe_exit(e->kind, e->code);
  CHECK(0);
}

// Each reason arrives at a monitor and, as a trapped exit, at a link.
void test_reasons(void) {
  OK(troupe_init(NULL));
  OK(troupe_trap(1));
  const ending all[] = {{TROUPE_EXIT_NORMAL, 0}, {TROUPE_EXIT_ERROR, -77}, {TROUPE_EXIT_KILLED, 0}};
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
    troupe_pid p = troupe_spawn_link(ends, &all[i], sizeof(all[i]), TROUPE_NORMAL);
    troupe_ref ref;
    CHECK(p != 0);
    OK(troupe_monitor(p, &ref));
    troupe_process_info info = {.size = sizeof(info)};
    OK(troupe_info(p, &info));
    CHECK(info.links == 1 && info.monitors == 1 && info.pid == p);
    OK(troupe_send_word(p, 1, 1));
    troupe_end down = await_end(TROUPE_TAG_DOWN), exit = await_end(TROUPE_TAG_EXIT);
    CHECK(down.pid == p && down.ref == ref && down.kind == all[i].kind && down.code == all[i].code);
    CHECK(exit.pid == p && exit.ref == 0 && exit.kind == all[i].kind && exit.code == all[i].code);
    IS(troupe_send_word(p, 1, 1), TROUPE_ENOPROC);
    IS(troupe_info(p, &info), TROUPE_ENOPROC);
    IS(troupe_kill(p), TROUPE_ENOPROC);
    IS(troupe_link(p), TROUPE_ENOPROC);
    IS(troupe_monitor(p, &ref), TROUPE_ENOPROC);
  }
}

// A chain of links: each process starts the next, linked, and the last fails.
static void chain(const uint8_t *args) {
  uint64_t left = arg(args);
  if (left == 0) {
    troupe_exit(TROUPE_EXIT_ERROR, 5);
  }
  left--;
  CHECK(troupe_spawn_link(chain, &left, sizeof(left), TROUPE_NORMAL) != 0);
  waits(NULL);
}

void test_chain(void) {
  OK(troupe_init(NULL));
  troupe_ref ref;
  troupe_pid first = start(chain, 50);
  int rc = troupe_monitor(first, &ref);
  if (rc == TROUPE_OK) { // Unless the chain was faster.
    troupe_end end = await_end(TROUPE_TAG_DOWN);
    CHECK(end.kind == TROUPE_EXIT_LINKED && end.cause == TROUPE_EXIT_ERROR && end.code == 5 && end.linked != 0);
  } else {
    IS(rc, TROUPE_ENOPROC);
  }
  troupe_runtime_counts counts = {.size = sizeof(counts)};
  do {
    OK(troupe_counts(&counts));
  } while (counts.processes > 1);
  CHECK(counts.spawned == 52);
}

// A normal end takes nobody along, and an unlinked end neither.
static void links_to(const uint8_t *args) {
  const troupe_pid *p = (const troupe_pid *)args; // main, normal, unlinked
  OK(troupe_link(p[1]));
  OK(troupe_link(p[2]));
  OK(troupe_unlink(p[2]));
  IS(troupe_unlink(p[2]), TROUPE_ENOENT);
  OK(troupe_send_word(p[0], 1, 0));
  await(2);
  OK(troupe_send_word(p[0], 1, 1));
}

void test_survives(void) {
  OK(troupe_init(NULL));
  const ending normal = {TROUPE_EXIT_NORMAL, 0}, failing = {TROUPE_EXIT_ERROR, 1};
  troupe_pid pids[3] = {troupe_self()};
  troupe_ref refs[2];
  pids[1] = troupe_spawn(ends, &normal, sizeof(normal), TROUPE_NORMAL);
  pids[2] = troupe_spawn(ends, &failing, sizeof(failing), TROUPE_NORMAL);
  OK(troupe_monitor(pids[1], &refs[0]));
  OK(troupe_monitor(pids[2], &refs[1]));
  troupe_pid p = troupe_spawn(links_to, pids, sizeof(pids), TROUPE_NORMAL);
  await(1);
  OK(troupe_send_word(pids[1], 1, 0));
  OK(troupe_send_word(pids[2], 1, 0));
  await_end(TROUPE_TAG_DOWN);
  await_end(TROUPE_TAG_DOWN);
  OK(troupe_send_word(p, 2, 0));
  CHECK(await(1) == 1);
}

static void spins(const uint8_t *args) {
  OK(troupe_send_word(arg(args), 1, 1));
  for (;;) {
    TROUPE_CHECK();
  }
}

// A kill ends a process that waits, one that traps exits, and one that only checks.
static void traps(const uint8_t *args) {
  OK(troupe_trap(1));
  OK(troupe_send_word(arg(args), 1, 1));
  waits(args);
}

static int accepts(void *state, const troupe_msg *msg) {
  (void)state, (void)msg;
  return 0;
}

void test_kill(void) {
  OK(troupe_init(NULL));
  troupe_pid victims[] = {start(traps, troupe_self()), start(spins, troupe_self()),
                          troupe_spawn_light(accepts, NULL, 0, TROUPE_NORMAL)};
  await(1);
  await(1);
  for (int i = 0; i < 3; i++) {
    troupe_ref ref;
    OK(troupe_monitor(victims[i], &ref));
    OK(troupe_kill(victims[i]));
    troupe_end end = await_end(TROUPE_TAG_DOWN);
    CHECK(end.pid == victims[i] && end.kind == TROUPE_EXIT_KILLED);
  }
}

// demonitor: no message comes.
void test_demonitor(void) {
  OK(troupe_init(NULL));
  troupe_ref a, b;
  troupe_msg msg;
  troupe_pid p = start(waits, 0);
  OK(troupe_monitor(p, &a));
  OK(troupe_monitor(p, &b));
  OK(troupe_demonitor(a));
  IS(troupe_demonitor(a), TROUPE_ENOENT);
  OK(troupe_kill(p));
  CHECK(await_end(TROUPE_TAG_DOWN).ref == b);
  IS(troupe_receive(&msg, 0), TROUPE_ETIMEDOUT);
}

// The end of main shuts the runtime down: here by a plain return, with processes that wait, spin and
// are in a light handler's mailbox.
void test_main_returns(void) {
  OK(troupe_init(NULL));
  for (int i = 0; i < 50; i++) {
    start(waits, 0);
  }
  start(spins, troupe_self());
  await(1);
}

// A process that neither calls nor checks keeps a shutdown with a limit from ending.
static _Atomic int stop_computing;

static void computes(const uint8_t *args) {
  OK(troupe_send_word(arg(args), 1, 1));
  while (!stop_computing) {
  }
}

void test_shutdown_in_time(void) {
  OK(troupe_init(NULL));
  start(computes, troupe_self());
  await(1);
  IS(troupe_shutdown(5), TROUPE_ETIMEDOUT);
  CHECK(troupe_spawn(waits, NULL, 0, TROUPE_NORMAL) == 0);
  IS(troupe_last_error(), TROUPE_ENOTRUNNING);
  stop_computing = 1;
  OK(troupe_shutdown(TROUPE_FOREVER));
}

// A main process that is linked and does not trap ends with the other, and then the runtime does.
static void fails(const uint8_t *args) {
  (void)args;
  troupe_exit(TROUPE_EXIT_ERROR, 3);
}

void test_main_taken_along(void) {
  OK(troupe_init(NULL));
  troupe_msg msg;
  troupe_pid p = start(waits, 0);
  CHECK(troupe_spawn_link(fails, NULL, 0, TROUPE_NORMAL) != 0);
  IS(troupe_receive(&msg, TROUPE_FOREVER), TROUPE_EKILLED);
  IS(troupe_send_word(p, 1, 1), TROUPE_EKILLED);
  OK(troupe_shutdown(TROUPE_FOREVER));
}

void test_main_exits(void) {
  OK(troupe_init(NULL));
  start(waits, 0);
  OK(troupe_exit(TROUPE_EXIT_NORMAL, 0));
  IS(troupe_exit(TROUPE_EXIT_NORMAL, 0), TROUPE_ENOTRUNNING);
  CHECK(troupe_self() == 0);
}

// exit in a process ends the program, without a shutdown, and so does abort.
static void calls_exit(const uint8_t *args) { exit((int)arg(args)); }

void test_exit_in_process(void) {
  OK(troupe_init(NULL));
  start(waits, 0);
  start(calls_exit, 3);
  troupe_msg msg;
  troupe_receive(&msg, TROUPE_FOREVER);
}

static void calls_abort(const uint8_t *args) {
  (void)args;
  abort();
}

void test_abort(void) {
  OK(troupe_init(NULL));
  start(calls_abort, 0);
  troupe_msg msg;
  troupe_receive(&msg, TROUPE_FOREVER);
}

// A process that is killed before it has begun does not begin.
static void must_not_begin(const uint8_t *args) {
  (void)args;
  CHECK(0);
}

static void kills_child(const uint8_t *args) {
  troupe_pid child = troupe_spawn_link(must_not_begin, NULL, 0, TROUPE_LOW);
  CHECK(child != 0);
  OK(troupe_trap(1));
  OK(troupe_kill(child)); // It has no worker until this process waits.
  CHECK(await_end(TROUPE_TAG_EXIT).kind == TROUPE_EXIT_KILLED);
  OK(troupe_send_word(arg(args), 1, 1));
}

void test_killed_at_birth(void) {
  troupe_config c = {.size = sizeof(c), .workers = 1, .max_spares = TROUPE_NONE};
  OK(troupe_init(&c));
  start(kills_child, troupe_self());
  CHECK(await(1) == 1);
}
