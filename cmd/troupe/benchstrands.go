package main

import (
	"slices"

	"github.com/troupe-go/troupe/cmd/troupe/internal/storing"
	"github.com/troupe-go/troupe/cmd/troupe/internal/strands"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

const benchStrandsHelp = `Strands measures strands, and actors for connections, beside goroutines.

Each run is a process of its own, and so are servers. In each round every subject takes its turn, so
that all see the same weather on the machine; a ratio is to the baseline of the same round, and the
tables have the medians of the rounds. Every run checks its own result: all lines come back. The last
table has the targets and a mark for each that was reached. It takes about four minutes, 4 GB of
memory, and 20,000 file descriptors in two processes; with fewer there are fewer connections.

Exit status:
  0    all runs were made, whatever the figures are
  1    a run failed: a wrong result, a crash, or longer than --limit
  2    the command line is wrong
  130  interrupted by SIGINT or SIGTERM: the tables have what there was until then`

const benchStrandsExample = `  troupe bench strands                               everything
  troupe bench strands --workload echo --rounds 9    one of the workloads
  troupe bench strands --json | jq -c '[.workload, .subject, .median, .targets[]?.reached]'
  troupe bench strands --quick --workload switch     to see that it works; the figures mean little`

// strandRounds is how often each takes its turn: a round of a million takes seconds.
const strandRounds = 3

var benchStrands = evaluation{
	use: "strands", short: "Measure strands and connections beside goroutines", long: benchStrandsHelp, example: benchStrandsExample,
	rounds: strandRounds, workloads: strands.Workloads, subjects: strands.Subjects,
}

// All that a process of its own may be told to run.
var (
	allWorkloads = slices.Concat(jobs.All, strands.Workloads, storing.Workloads)
	allSubjects  = slices.Concat(jobs.Subjects, []*suite.Subject{&jobs.Errgroup}, strands.Subjects, storing.Subjects)
)
