// A bank: accounts are processes, tellers move money between them, and some tellers fail. The bank
// traps exits and replaces those. A transfer that a teller has begun is completed by the accounts,
// so no money is lost.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "troupe.h"

enum { TRANSFER = 1, DEPOSIT, BALANCE, AMOUNT, FINISHED };
enum { ACCOUNTS = 100, TELLERS = 10, TRANSFERS = 200, FAILURES = 3, BEGIN = 1000 };

typedef struct transfer {
  troupe_pid to;
  int64_t amount;
} transfer;

// account gives what it has and takes what comes. Only it knows its balance.
static int account(void *state, const troupe_msg *msg) {
  int64_t *balance = state;
  if (msg->tag == TRANSFER) {
    transfer t;
    memcpy(&t, msg->data, sizeof(t));
    int64_t amount = t.amount < *balance ? t.amount : *balance;
    *balance -= amount;
    troupe_send(t.to, DEPOSIT, &amount, sizeof(amount));
  } else if (msg->tag == DEPOSIT) {
    *balance += *(const int64_t *)msg->data;
  } else if (msg->tag == BALANCE) {
    troupe_send(*(const troupe_pid *)msg->data, AMOUNT, balance, sizeof(*balance));
  }
  return 0;
}

typedef struct teller_args {
  troupe_pid bank;
  const troupe_pid *accounts;
  uint64_t number;
} teller_args;

static void teller(const uint8_t *args) {
  teller_args a;
  memcpy(&a, args, sizeof(a));
  uint64_t random = a.number * 2654435761u + 1;
  for (int i = 0; i < TRANSFERS; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    transfer t = {a.accounts[(random >> 33) % ACCOUNTS], (int64_t)(random >> 60)};
    troupe_send(a.accounts[(random >> 43) % ACCOUNTS], TRANSFER, &t, sizeof(t));
    if (a.number < FAILURES && i == TRANSFERS / 2) {
      troupe_exit(TROUPE_EXIT_ERROR, (int64_t)a.number + 1);
    }
    troupe_yield();
  }
}

static int start_teller(teller_args *a) { return troupe_spawn_link(teller, a, sizeof(*a), TROUPE_NORMAL) != 0; }

int main(void) {
  static troupe_pid accounts[ACCOUNTS];
  if (troupe_init(NULL) != TROUPE_OK || troupe_trap(1) != TROUPE_OK) {
    return 1;
  }
  for (int i = 0; i < ACCOUNTS; i++) {
    int64_t balance = BEGIN;
    accounts[i] = troupe_spawn_light(account, &balance, sizeof(balance), TROUPE_NORMAL);
  }
  teller_args a = {troupe_self(), accounts, 0};
  for (; a.number < TELLERS; a.number++) {
    start_teller(&a);
  }
  int failed = 0;
  troupe_msg msg;
  for (int working = TELLERS; working > 0;) {
    if (troupe_receive_tag(&msg, TROUPE_TAG_EXIT, TROUPE_FOREVER) != TROUPE_OK) {
      return 1;
    }
    const troupe_end *end = msg.data;
    if (end->kind == TROUPE_EXIT_NORMAL) {
      working--;
    } else { // A new one takes its place.
      failed++;
      a.number = TELLERS + (uint64_t)failed;
      start_teller(&a);
    }
  }
  // Deposits may still be on their way, so the sum is taken until all the money is there.
  int64_t total = 0;
  for (int rounds = 0; total != (int64_t)ACCOUNTS * BEGIN && rounds < 1000000; rounds++) {
    total = 0;
    for (int i = 0; i < ACCOUNTS; i++) {
      troupe_send_word(accounts[i], BALANCE, troupe_self());
      troupe_receive_tag(&msg, AMOUNT, TROUPE_FOREVER);
      total += *(const int64_t *)msg.data;
    }
  }
  printf("%d accounts, %d tellers failed and were replaced, no money was lost: %" PRId64 "\n", ACCOUNTS, failed, total);
  return 0;
}
