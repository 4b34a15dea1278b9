package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// The defaults of a Request for the command lines that make one.
const (
	DefaultRounds = 5
	QuickRounds   = 1
	DefaultLimit  = 2 * time.Minute
)

const (
	// duration is how long a run takes: several time slices of the Go runtime
	// and of the machine's, and no more, so that everything takes minutes.
	duration      = 100 * time.Millisecond
	quickDuration = 20 * time.Millisecond
)

// Request says what to evaluate, and how.
type Request struct {
	Workloads []string // Names of workloads or of their rows. Defaults to all.
	Subjects  []string // Defaults to all that are of a workload's family.
	// Rounds is how often each subject takes its turn. It must be positive.
	Rounds int
	// Limit is how long a run may take before it counts as hanging. It must be
	// positive.
	Limit time.Duration
	// Quick makes short runs: to see that all works, not to measure.
	Quick bool
	// JSON prints one object a line for each row and subject, instead of tables.
	JSON bool
	// ProfileDir is where CPU profiles go. Defaults to "": none are made.
	ProfileDir string
}

// New returns the evaluation that r asks for, of these workloads and subjects.
func New(r Request, workloads []*suite.Workload, subjects []*suite.Subject) (*Evaluation, error) {
	if r.Rounds < 1 {
		return nil, fmt.Errorf("rounds is %d; it must be at least 1", r.Rounds)
	}
	if r.Limit <= 0 {
		return nil, fmt.Errorf("limit is %v; it must be positive", r.Limit)
	}
	e := &Evaluation{Named: len(r.Subjects) > 0, JSON: r.JSON}
	e.Runner.Rounds, e.Runner.Limit, e.Runner.ProfileDir = r.Rounds, r.Limit, r.ProfileDir
	e.Runner.Duration = duration
	if r.Quick {
		e.Runner.Duration = quickDuration
	}
	var err error
	if e.Workloads, e.Rows, err = selectWorkloads(workloads, r.Workloads); err != nil {
		return nil, err
	}
	e.Subjects, err = selectSubjects(subjects, r.Subjects)
	return e, err
}

// selectWorkloads returns the workloads and rows with the given names; a
// workload's name stands for all its rows, and no name at all for everything.
func selectWorkloads(all []*suite.Workload, names []string) ([]*suite.Workload, map[string]bool, error) {
	rows, want := map[string]bool{}, set(names)
	var chosen []*suite.Workload
	for _, w := range all {
		whole := len(names) == 0 || want[w.Name]
		delete(want, w.Name)
		any := whole
		for _, row := range w.Rows() {
			rows[row] = whole || want[row]
			any = any || want[row]
			delete(want, row)
		}
		if any {
			chosen = append(chosen, w)
		}
	}
	return chosen, rows, unknown("workload", names, want, slices.Collect(maps.Keys(rows)))
}

func selectSubjects(all []*suite.Subject, names []string) ([]*suite.Subject, error) {
	if len(names) == 0 {
		return all, nil
	}
	want := set(names)
	var chosen []*suite.Subject
	for _, s := range all {
		if want[s.Name] {
			chosen = append(chosen, s)
			delete(want, s.Name)
		}
	}
	known := make([]string, len(all))
	for i, s := range all {
		known[i] = s.Name
	}
	return chosen, unknown("subject", names, want, known)
}

func set(names []string) map[string]bool {
	want := map[string]bool{}
	for _, name := range names {
		want[name] = true
	}
	return want
}

// unknown names the first of the names that is left over, and what is known.
func unknown(what string, names []string, left map[string]bool, known []string) error {
	for _, name := range names {
		if left[name] {
			slices.Sort(known)
			return fmt.Errorf("unknown %s %q; there are %s", what, name, strings.Join(known, ", "))
		}
	}
	return nil
}
