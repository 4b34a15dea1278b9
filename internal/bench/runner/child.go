package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// ChildArg is the first argument of a process that does one run for another
// process. It is not for people.
const ChildArg = "-one-run"

// mark begins the line of standard output that has the result, in case that the
// subject prints something too.
const mark = "result: "

// order is what a child process is told to do.
type order struct {
	Workload, Subject string
	Duration          time.Duration
	Smoke             bool
	Profile           string // A file for a CPU profile, or "".
}

// result is what it answers.
type result struct {
	Procs   int
	Figures []suite.Figure
}

// Child does the run that args order, prints its result and returns the exit
// status. It ends the process when its standard input ends.
func Child(all []*suite.Workload, subjects []*suite.Subject, args []string, stdout, stderr io.Writer) int {
	signal.Ignore(os.Interrupt) // A terminal sends it to parent and child; the parent decides.
	go endWithParent()
	r, err := child(all, subjects, args)
	if err == nil {
		var line []byte
		if line, err = json.Marshal(r); err == nil {
			_, err = fmt.Fprintf(stdout, "\n%s%s\n", mark, line)
		}
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// endWithParent ends a run whose parent is gone, however that ended: the child's
// standard input is a pipe from the parent that is never written to.
func endWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(1)
}

func child(all []*suite.Workload, subjects []*suite.Subject, args []string) (r result, err error) {
	var o order
	if len(args) != 1 {
		return r, errors.New("a run has one order")
	}
	if err := json.Unmarshal([]byte(args[0]), &o); err != nil {
		return r, err
	}
	w, f := find(all, subjects, o)
	if f == nil {
		return r, fmt.Errorf("%s can't do %s", o.Subject, o.Workload)
	}
	if o.Profile != "" {
		stop, err := profile(o.Profile)
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	r.Procs = runtime.GOMAXPROCS(0)
	if o.Smoke {
		r.Figures, err = suite.Smoke(w, f)
	} else {
		r.Figures, err = suite.Measure(w, f, o.Duration)
	}
	return r, err
}

func find(all []*suite.Workload, subjects []*suite.Subject, o order) (*suite.Workload, suite.Func) {
	for _, w := range all {
		for _, s := range subjects {
			if w.Name == o.Workload && s.Name == o.Subject && s.Runs[w.Name] != nil {
				return w, s.Runs[w.Name]
			}
		}
	}
	return nil, nil
}

func profile(path string) (stop func() error, err error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return file.Close()
	}, nil
}
