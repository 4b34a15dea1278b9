package main

import (
	"github.com/troupe-go/troupe/internal/bench"
	"github.com/troupe-go/troupe/internal/bench/jobs"
)

const benchTasksHelp = `Tasks measures structured tasks beside goroutines and errgroup.

Each run is a process of its own. In each round every subject takes its turn, so that all see the
same weather on the machine; a ratio is to the baseline of the same round, and the tables have the
medians of the rounds. Every run checks its own result. The last table has the targets and a mark
for each that was reached. It takes about a minute, and a GB of memory. Other libraries have the
same rows in the module bench, by go run . -workload spawn-join,first-success,cancel.

Exit status:
  0    all runs were made, whatever the figures are
  1    a run failed: a wrong result, a crash, or longer than --limit
  2    the command line is wrong
  130  interrupted by SIGINT or SIGTERM: the tables have what there was until then`

const benchTasksExample = `  troupe bench tasks                                 all three rows
  troupe bench tasks --workload cancel --rounds 9    one of them
  troupe bench tasks --json | jq -c '[.workload, .subject, .median, .targets[]?.reached]'
  troupe bench tasks --quick                         to see that all works; the figures mean little`

var benchTasks = evaluation{
	use: "tasks", short: "Measure structured tasks beside goroutines and errgroup", long: benchTasksHelp, example: benchTasksExample,
	rounds: bench.DefaultRounds, workloads: jobs.TaskWorkloads, subjects: jobs.TaskSubjects,
}
