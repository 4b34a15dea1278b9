package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/troupe-go/troupe/internal/bench"
)

// options are what the command line asks for.
type options struct {
	bench.Request
	list   bool
	growth bool
	report string // A file of JSON, or "".
	plots  string // A folder, or "".
	into   string // A document, or "".
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	var (
		names = f.String("workload", "", "comma-separated `names` of workloads or of their rows (default all)")
		who   = f.String("subject", "", "comma-separated `names` of subjects (default all)")
	)
	f.IntVar(&o.Rounds, "rounds", bench.DefaultRounds, "how often each subject takes its turn; with -quick the default is 1")
	f.BoolVar(&o.Quick, "quick", false, "short runs: to see that all works, not to measure")
	f.DurationVar(&o.Limit, "limit", bench.DefaultLimit, "how long a run may take before it counts as hanging")
	f.BoolVar(&o.JSON, "json", false, "print one JSON object a line for each workload and subject")
	f.BoolVar(&o.list, "list", false, "list workloads and subjects, and run nothing")
	f.BoolVar(&o.growth, "growth", false, "instead, measure messages and actors as actors and processors grow in number; 1 round is the default")
	f.StringVar(&o.report, "report", "", "run nothing; print tables in Markdown of the `file` that -json has written")
	f.StringVar(&o.plots, "plots", "", "with -report: draw what -growth has measured into this `directory`")
	f.StringVar(&o.into, "into", "", "with -report: only write the figures of the README into this `file`, with measured.txt from beside the report")
	f.StringVar(&o.ProfileDir, "cpuprofile", "", "write CPU profiles to this `directory`, one for each workload and subject")
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
	if (o.Quick || o.growth) && !given["rounds"] {
		o.Rounds = bench.QuickRounds
	}
	if o.plots != "" && o.report == "" {
		return o, errors.New("-plots draws what is in a file; say which by -report")
	}
	if o.into != "" && o.report == "" {
		return o, errors.New("-into writes what is in a file; say which by -report")
	}
	o.Workloads, o.Subjects = split(*names), split(*who)
	return o, nil
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
