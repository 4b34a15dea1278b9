package main

import (
	"github.com/troupe-go/troupe/cmd/troupe/internal/storing"
	"github.com/troupe-go/troupe/internal/bench"
)

const benchJournalHelp = `Journal measures journals of event-sourced actors beside statements written by hand, with the same
drivers, settings and sizes of transactions. A ratio is one of times: 1.67 is 0.6 of the speed.

Each run is a process of its own, with a file or a server of its own. In each round every subject
takes its turn, so that all see the same weather on the machine; a ratio is to the baseline of the
same round, and the tables have the medians of the rounds. Every run counts what is stored. The
last table has the targets and a mark for each that was reached. It takes some two minutes. Files
are in the folder for temporary files: set TMPDIR to measure another disk. Without a PostgreSQL
server to start, the row journal-postgres says so.

Exit status:
  0    all runs were made, whatever the figures are
  1    a run failed: a wrong result, a crash, or longer than --limit
  2    the command line is wrong
  130  interrupted by SIGINT or SIGTERM: the tables have what there was until then`

const benchJournalExample = `  troupe bench journal                                  all rows
  troupe bench journal --workload journal-sqlite        one of them
  troupe bench journal --json | jq -c '[.workload, .subject, .median, .targets[]?.reached]'
  troupe bench journal --quick                          to see that all works; the figures mean little`

var benchJournal = evaluation{
	use: "journal", short: "Measure journals beside statements written by hand", long: benchJournalHelp, example: benchJournalExample,
	rounds: bench.DefaultRounds, workloads: storing.Workloads, subjects: storing.Subjects,
}
