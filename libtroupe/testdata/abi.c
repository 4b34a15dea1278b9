// Prints the sizes, offsets and constants of troupe.h, and the types of its functions, for the ABI test.
#include <stdio.h>

#include "troupe.h"

#define SIZE(type) printf("sizeof " #type " %zu\n", sizeof(type))
#define FIELD(type, field) printf("offset " #type "." #field " %zu\n", offsetof(type, field))
#define VALUE(name) printf("value " #name " %lld\n", (long long)(name))

int main(void) {
  SIZE(troupe_pid);
  SIZE(troupe_ref);
  SIZE(troupe_msg);
  FIELD(troupe_msg, tag);
  FIELD(troupe_msg, data);
  FIELD(troupe_msg, size);
  SIZE(troupe_end);
  FIELD(troupe_end, pid);
  FIELD(troupe_end, ref);
  FIELD(troupe_end, code);
  FIELD(troupe_end, linked);
  FIELD(troupe_end, kind);
  FIELD(troupe_end, cause);
  SIZE(troupe_config);
  FIELD(troupe_config, size);
  FIELD(troupe_config, workers);
  FIELD(troupe_config, high_workers);
  FIELD(troupe_config, reductions);
  FIELD(troupe_config, max_spares);
  FIELD(troupe_config, max_blocking);
  FIELD(troupe_config, reserved);
  FIELD(troupe_config, max_processes);
  FIELD(troupe_config, max_message);
  FIELD(troupe_config, stack_size);
  FIELD(troupe_config, exit_timeout);
  SIZE(troupe_process_info);
  FIELD(troupe_process_info, size);
  FIELD(troupe_process_info, pid);
  FIELD(troupe_process_info, state);
  FIELD(troupe_process_info, priority);
  FIELD(troupe_process_info, reductions);
  FIELD(troupe_process_info, messages);
  FIELD(troupe_process_info, links);
  FIELD(troupe_process_info, monitors);
  FIELD(troupe_process_info, name);
  SIZE(troupe_runtime_counts);
  FIELD(troupe_runtime_counts, size);
  FIELD(troupe_runtime_counts, processes);
  FIELD(troupe_runtime_counts, spawned);
  FIELD(troupe_runtime_counts, workers);
  FIELD(troupe_runtime_counts, blocking);
  FIELD(troupe_runtime_counts, timers);
  VALUE(TROUPE_ABI);
  VALUE(TROUPE_OK);
  VALUE(TROUPE_EINVAL);
  VALUE(TROUPE_ENOTRUNNING);
  VALUE(TROUPE_EALREADY);
  VALUE(TROUPE_ENOPROC);
  VALUE(TROUPE_ETIMEDOUT);
  VALUE(TROUPE_ECONTEXT);
  VALUE(TROUPE_ENOMEM);
  VALUE(TROUPE_ELIMIT);
  VALUE(TROUPE_EEXIST);
  VALUE(TROUPE_ENOENT);
  VALUE(TROUPE_EFORKED);
  VALUE(TROUPE_EKILLED);
  VALUE(TROUPE_ESYSTEM);
  VALUE(TROUPE_NORMAL);
  VALUE(TROUPE_HIGH);
  VALUE(TROUPE_LOW);
  VALUE(TROUPE_EXIT_NORMAL);
  VALUE(TROUPE_EXIT_ERROR);
  VALUE(TROUPE_EXIT_KILLED);
  VALUE(TROUPE_EXIT_LINKED);
  VALUE(TROUPE_READY);
  VALUE(TROUPE_RUNNING);
  VALUE(TROUPE_WAITING);
  VALUE(TROUPE_TAG_EXIT);
  VALUE(TROUPE_TAG_DOWN);
  VALUE(TROUPE_FOREVER);
  VALUE(TROUPE_NONE);
  return 0;
}
