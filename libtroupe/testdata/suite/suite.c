// suite NAME runs a test. It exits with 0 if all holds.
#include "suite.h"

int main(int argc, char **argv) {
#define RUN(name)                                   \
  if (argc == 2 && strcmp(argv[1], #name) == 0) {   \
    test_##name();                                  \
    return 0;                                       \
  }
  TESTS(RUN)
  fprintf(stderr, "usage: suite NAME\n");
  return 2;
}
