// A small language on the runtime: a compiler to words of code, and a machine that runs them.
//
//	toy FILE
//
// A program is a list of processes. It begins with main, and ends when that does. Each has one parameter, and numbers as variables:
//
//	process NAME PARAMETER ... end
//	let NAME EXPRESSION           while EXPRESSION ... end     if EXPRESSION ... end
//	print LABEL EXPRESSION        send TERM EXPRESSION         receive NAME
//
// An expression is a chain of terms, taken from left to right: a number, a variable, self, or spawn
// PROCESS TERM. Each way around a loop counts a reduction, so that no loop keeps others from going on.
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "troupe.h"

enum { MAX_WORDS = 4096, MAX_CODE = 16384, MAX_PROCESSES = 64, MAX_NAMES = 32, MAX_STACK = 64 };
enum { VALUE = 1 };

typedef enum op { PUSH, LOAD, STORE, SELF, SPAWN, ADD, SUB, MUL, LESS, MORE, SAME, DIFFERENT, BACK, UNLESS, PRINT, SEND, RECEIVE, RETURN } op;

// --- The compiler ------------------------------------------------------------------

typedef struct procedure {
  const char *name, *names[MAX_NAMES]; // The parameter is variable 0.
  int variables;
  int64_t start; // Of its code; -1 until it is defined.
} procedure;

static char *words[MAX_WORDS];
static int word, word_count;
static int64_t code[MAX_CODE];
static int code_size;
static procedure procedures[MAX_PROCESSES], *compiling;
static int procedure_count;

static void fail(const char *what, const char *about) {
  fprintf(stderr, "toy: %s: %s (word %d)\n", what, about, word);
  exit(1);
}

static const char *peek(void) { return word < word_count ? words[word] : ""; }

static const char *next(void) {
  if (word == word_count) {
    fail("the program ends too early", compiling != NULL ? compiling->name : "");
  }
  return words[word++];
}

static int accept(const char *what) {
  if (strcmp(peek(), what) != 0) {
    return 0;
  }
  word++;
  return 1;
}

static int emit(int64_t w) {
  if (code_size == MAX_CODE) {
    fail("the program is too long", compiling->name);
  }
  code[code_size] = w;
  return code_size++;
}

// procedure_of finds a process by name, or notes one that is defined later.
static int procedure_of(const char *name) {
  for (int i = 0; i < procedure_count; i++) {
    if (strcmp(procedures[i].name, name) == 0) {
      return i;
    }
  }
  if (procedure_count == MAX_PROCESSES) {
    fail("too many processes", name);
  }
  procedures[procedure_count] = (procedure){.name = name, .start = -1};
  return procedure_count++;
}

static int variable(const char *name, int define) {
  for (int i = 0; i < compiling->variables; i++) {
    if (strcmp(compiling->names[i], name) == 0) {
      return i;
    }
  }
  if (!define || !isalpha((unsigned char)name[0]) || compiling->variables == MAX_NAMES) {
    fail(define ? "no more names, or no name" : "unknown name", name);
  }
  compiling->names[compiling->variables] = name;
  return compiling->variables++;
}

static void term(void) {
  const char *w = next();
  if (isdigit((unsigned char)w[0])) {
    emit(PUSH);
    emit(strtoll(w, NULL, 10));
  } else if (strcmp(w, "self") == 0) {
    emit(SELF);
  } else if (strcmp(w, "spawn") == 0) {
    int p = procedure_of(next());
    term();
    emit(SPAWN);
    emit(p);
  } else {
    int v = variable(w, 0);
    emit(LOAD);
    emit(v);
  }
}

static void expression(void) {
  static const struct {
    const char *text;
    op op;
  } operators[] = {{"+", ADD}, {"-", SUB}, {"*", MUL}, {"<", LESS}, {">", MORE}, {"=", SAME}, {"!=", DIFFERENT}};
  term();
  for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
    if (accept(operators[i].text)) {
      term();
      emit(operators[i].op);
      i = (size_t)-1; // Look for the next operator.
    }
  }
}

static void block(void);

static void statement(void) {
  const char *w = next();
  if (strcmp(w, "let") == 0) {
    const char *name = next();
    expression();
    emit(STORE);
    emit(variable(name, 1));
  } else if (strcmp(w, "while") == 0 || strcmp(w, "if") == 0) {
    int begin = code_size;
    expression();
    emit(UNLESS);
    int hole = emit(0);
    block();
    if (w[0] == 'w') {
      emit(BACK);
      emit(begin);
    }
    code[hole] = code_size;
  } else if (strcmp(w, "print") == 0) {
    int64_t label = word;
    next();
    expression();
    emit(PRINT);
    emit(label);
  } else if (strcmp(w, "send") == 0) {
    term();
    expression();
    emit(SEND);
  } else if (strcmp(w, "receive") == 0) {
    emit(RECEIVE);
    emit(variable(next(), 1));
  } else {
    fail("no statement begins with", w);
  }
}

static void block(void) {
  while (!accept("end")) {
    statement();
  }
}

static void compile(void) {
  while (word < word_count) {
    if (!accept("process")) {
      fail("want process, not", peek());
    }
    compiling = &procedures[procedure_of(next())];
    if (compiling->start >= 0) {
      fail("defined twice", compiling->name);
    }
    compiling->start = code_size;
    variable(next(), 1);
    block();
    emit(RETURN);
  }
  for (int i = 0; i < procedure_count; i++) {
    if (procedures[i].start < 0) {
      fail("spawned and not defined", procedures[i].name);
    }
  }
}

// --- The machine -------------------------------------------------------------------

typedef struct activation {
  int64_t procedure, parameter;
} activation;

static void execute(const uint8_t *args);

// begin spawns a process of the language.
static int64_t begin(int64_t procedure, int64_t parameter) {
  activation a = {procedure, parameter};
  return (int64_t)troupe_spawn(execute, &a, sizeof(a), TROUPE_NORMAL);
}

static int64_t calculate(op o, int64_t a, int64_t b) {
  switch (o) {
  case ADD:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  case SUB:
    return (int64_t)((uint64_t)a - (uint64_t)b);
  case MUL:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case LESS:
    return a < b;
  case MORE:
    return a > b;
  case SAME:
    return a == b;
  default:
    return a != b;
  }
}

// execute is the body of each process. Its counter of reductions stays where it is on every thread, so
// a way around a loop costs a decrement.
static void execute(const uint8_t *args) {
  const activation *a = (const activation *)args;
  int64_t variables[MAX_NAMES] = {a->parameter}, stack[MAX_STACK], top = 0;
  int32_t *reductions = troupe_reductions();
  troupe_msg msg;
  for (const int64_t *pc = code + procedures[a->procedure].start;;) {
    op o = (op)*pc++;
    switch (o) {
    case PUSH:
      stack[top++] = *pc++;
      break;
    case LOAD:
      stack[top++] = variables[*pc++];
      break;
    case STORE:
      variables[*pc++] = stack[--top];
      break;
    case SELF:
      stack[top++] = (int64_t)troupe_self();
      break;
    case SPAWN:
      stack[top - 1] = begin(*pc++, stack[top - 1]);
      break;
    case BACK:
      TROUPE_CHECK_AT(reductions);
      pc = code + *pc;
      break;
    case UNLESS:
      pc = stack[--top] != 0 ? pc + 1 : code + *pc;
      break;
    case PRINT:
      printf("%s %" PRId64 "\n", words[*pc++], stack[--top]);
      break;
    case SEND:
      top -= 2;
      troupe_send_word((troupe_pid)stack[top], VALUE, (uint64_t)stack[top + 1]);
      break;
    case RECEIVE:
      if (troupe_receive_tag(&msg, VALUE, TROUPE_FOREVER) == TROUPE_OK) {
        variables[*pc++] = *(const int64_t *)msg.data;
      }
      break;
    case RETURN:
      return;
    default:
      top--;
      stack[top - 1] = calculate(o, stack[top - 1], stack[top]);
    }
  }
}

// read_words splits a file into words; a line that begins with # is a comment.
static void read_words(const char *name) {
  static char line[1024];
  FILE *f = fopen(name, "r");
  if (f == NULL) {
    fail("cannot read", name);
  }
  while (fgets(line, sizeof(line), f) != NULL) {
    for (char *w = strtok(line, " \t\n"); w != NULL && w[0] != '#'; w = strtok(NULL, " \t\n")) {
      if (word_count == MAX_WORDS) {
        fail("the program is too long", name);
      }
      words[word_count++] = strdup(w);
    }
  }
  fclose(f);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: toy FILE\n");
    return 2;
  }
  read_words(argv[1]);
  int first = procedure_of("main");
  compile();
  troupe_config config = {.size = sizeof(config), .workers = 1, .max_spares = TROUPE_NONE}; // Only the checks are fair.
  if (troupe_init(&config) != TROUPE_OK) {
    return 1;
  }
  // The program ends when its main does. If that has happened already, there is nothing to wait for.
  troupe_ref ref;
  troupe_msg msg;
  if (troupe_monitor((troupe_pid)begin(first, 0), &ref) == TROUPE_OK) {
    troupe_receive_tag(&msg, TROUPE_TAG_DOWN, TROUPE_FOREVER);
  }
  return 0;
}
