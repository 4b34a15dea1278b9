// Package suite defines what a side-by-side evaluation is made of: a
// [Workload] says what is done and what the right result is, a [Subject] offers
// a [Func] for each workload that it can do, and a [Run] is one execution, which
// keeps the time.
package suite

import (
	"fmt"
	"maps"
	"time"
)

// Family groups subjects and workloads that belong side by side.
type Family string

// The families.
const (
	Actors Family = "actors"
	Jobs   Family = "jobs"
	Tasks  Family = "tasks"
	// Journals are of those that store events.
	Journals Family = "journals"
)

// Kind says what the figure of a workload is.
type Kind uint8

const (
	// PerOp is the measured time divided by the number of operations.
	PerOp Kind = iota
	// Latency is percentiles of single samples.
	Latency
	// Memory is bytes in use per thing that was built.
	Memory
	// Count is a number that the run has counted; see [Run.Count].
	Count
)

// Workload says what is measured. Subjects do the work.
type Workload struct {
	Name     string
	About    string
	Family   Family
	Baseline string // The subject that ratios refer to.
	Kind     Kind
	Unit     string        // As it is printed.
	Per      time.Duration // How much time one Unit is. Defaults to a nanosecond.

	// Percentiles are the rows of a Latency workload. The row of percentile 99
	// is called name-p99.
	Percentiles []float64

	// Size is a dimension of the workload itself, such as the length of the
	// ring; TinySize is its value in a smoke run.
	Size, TinySize int
	// Step is what Run.N is a multiple of. Defaults to 1.
	Step int
	// N is the number of repetitions of a run. Defaults to 0: [Measure] finds how
	// many take long enough.
	N int
	// NFor is how long a run has to be that N is for: a shorter one does as much
	// less. Defaults to 0: each run does N.
	NFor time.Duration
	// TinyN is the number of repetitions of a smoke run. Defaults to Step.
	TinyN int
	// Duration is how long a run should take. Defaults to the duration
	// that the command sets.
	Duration time.Duration
	// Targets are what the figures shall reach.
	Targets []Target

	// Ops is how many operations n repetitions are. Defaults to n.
	Ops func(n, size int) int
	// Want is the right result of n repetitions. Defaults to n.
	Want func(n, size int) int64
}

// Target is what a subject's figure in a row shall not exceed.
type Target struct {
	Subject string
	Row     string
	Of      Quantity
	AtMost  float64
	// To is the subject that a ratio is to. Defaults to the workload's baseline.
	To string
}

// Quantity is one of the numbers that a row has for each subject. Its text is
// its name in JSON.
type Quantity string

// The quantities that a Target can be about.
const (
	MedianFigure    Quantity = "median"
	RatioToBaseline Quantity = "ratio_to_baseline"
	Allocs          Quantity = "allocs"
)

// Func does a workload once, with Run.N repetitions, and returns its result. It
// calls Run.Start and Run.Stop around what is to be measured.
type Func func(r *Run) (int64, error)

// Subject is what is measured: this project, a library, or plain Go.
type Subject struct {
	Name     string
	About    string
	Families []Family
	// Runs has a function for each workload that the subject can do.
	Runs map[string]Func
	// Notes say what is unequal about the figures of a workload; the note of ""
	// is on all of them.
	Notes map[string]string
	// Absent says why this machine can't run the subject, and returns "" if it
	// can. Defaults to nil: it is a part of the program.
	Absent func() string
}

// Cannot says why the subject can't do a workload, and returns "" if it can.
func (s *Subject) Cannot(w *Workload) string {
	if s.Runs[w.Name] == nil {
		if why := s.Notes[w.Name]; why != "" {
			return why
		}
		return "it has nothing for this"
	}
	if s.Absent != nil {
		return s.Absent()
	}
	return ""
}

// Rows returns the names under which the workload's figures are reported.
func (w *Workload) Rows() []string {
	if w.Kind != Latency {
		return []string{w.Name}
	}
	rows := make([]string, len(w.Percentiles))
	for i, p := range w.Percentiles {
		rows[i] = fmt.Sprintf("%s-p%v", w.Name, p)
	}
	return rows
}

// In reports whether the subject belongs to a family.
func (s *Subject) In(f Family) bool {
	for _, own := range s.Families {
		if own == f {
			return true
		}
	}
	return false
}

func (w *Workload) step() int { return max(w.Step, 1) }

// fixed returns N for a run of the given duration.
func (w *Workload) fixed(duration time.Duration) int {
	if w.NFor <= duration {
		return w.N
	}
	return max(1, int(float64(w.N)*duration.Seconds()/w.NFor.Seconds()))
}

func (w *Workload) ops(n, size int) int {
	if w.Ops == nil {
		return n
	}
	return w.Ops(n, size)
}

func (w *Workload) want(n, size int) int64 {
	if w.Want == nil {
		return int64(n)
	}
	return w.Want(n, size)
}

func (w *Workload) per() float64 { return float64(max(w.Per, time.Nanosecond)) }

// Merge returns what all the maps have together: the Runs or the Notes of a
// subject that are written down in several places. Of equal names the last
// counts.
func Merge[V any](all ...map[string]V) map[string]V {
	merged := map[string]V{}
	for _, m := range all {
		maps.Copy(merged, m)
	}
	return merged
}
