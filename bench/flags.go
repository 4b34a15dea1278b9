package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/troupe-go/troupe/bench/internal/suite"
	"github.com/troupe-go/troupe/bench/internal/workload"
)

// options are what the command line asks for.
type options struct {
	workloads []*suite.Workload
	rows      map[string]bool // Which rows of them are reported.
	subjects  []*suite.Subject
	named     bool // The subjects were named: each appears in every table.
	rounds    int
	target    time.Duration
	limit     time.Duration
	json      bool
	list      bool
	profile   string
}

func parse(args []string, workloads []*suite.Workload, subjects []*suite.Subject, stderr io.Writer) (o options, err error) {
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	var (
		names  = f.String("workload", "", "comma-separated `names` of workloads or of their rows (default all)")
		who    = f.String("subject", "", "comma-separated `names` of subjects (default all)")
		rounds = f.Int("rounds", 5, "how often each subject takes its turn; with -quick the default is 1")
		quick  = f.Bool("quick", false, "short runs: to see that all works, not to measure")
		limit  = f.Duration("limit", 2*time.Minute, "how long a run may take before it counts as hanging")
	)
	f.BoolVar(&o.json, "json", false, "print one JSON object a line for each workload and subject")
	f.BoolVar(&o.list, "list", false, "list workloads and subjects, and run nothing")
	f.StringVar(&o.profile, "cpuprofile", "", "write CPU profiles to this `directory`, one for each workload and subject")
	f.Usage = func() {
		_, _ = fmt.Fprintf(stderr, "Usage: go run . [flags]\n\nMeasure troupe side by side with what people use.\n\n")
		f.PrintDefaults()
	}
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q; workloads are chosen with -workload, subjects with -subject", f.Arg(0))
	}
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	o.rounds, o.limit, o.target = *rounds, *limit, 300*time.Millisecond
	if *quick {
		if o.target = 20 * time.Millisecond; !given["rounds"] {
			o.rounds = 1
		}
	}
	if o.rounds < 1 {
		return o, fmt.Errorf("-rounds is %d; it must be at least 1", o.rounds)
	}
	if o.limit <= 0 {
		return o, fmt.Errorf("-limit is %v; it must be positive", o.limit)
	}
	if o.workloads, o.rows, err = workload.Select(workloads, split(*names)); err != nil {
		return o, err
	}
	o.subjects, err = choose(subjects, split(*who))
	o.named = len(split(*who)) > 0
	return o, err
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

func choose(all []*suite.Subject, names []string) ([]*suite.Subject, error) {
	if len(names) == 0 {
		return all, nil
	}
	want := map[string]bool{}
	for _, name := range names {
		want[name] = true
	}
	var chosen []*suite.Subject
	for _, s := range all {
		if want[s.Name] {
			chosen = append(chosen, s)
			delete(want, s.Name)
		}
	}
	for _, name := range names {
		if want[name] {
			return nil, fmt.Errorf("unknown subject %q; -list shows them all", name)
		}
	}
	return chosen, nil
}
