// Package workload has the workloads of the evaluation, and what their subjects
// share: the drivers of those whose figure is a latency. A workload is one file
// and a line in [All].
package workload

import (
	"fmt"

	"github.com/troupe-go/troupe/bench/internal/suite"
)

// All are the workloads in the order in which they are reported.
var All = []*suite.Workload{
	&pingPong, &tell, &tell4, &askOutside, &askInside, &ring, &spawn, &stop, &memory, &memoryUsed,
	&big, &skynet, &urgentFlood, &urgentBusy, &urgentEvent,
	&flat, &forkJoin, &startIdle,
}

// The baselines, by the names of their subjects.
const (
	channels   = "channels"
	workers    = "workers"
	goroutines = "goroutines"
)

// Batches calls do with sizes that add up to n, each at most size.
func Batches(n, size int, do func(k int) error) error {
	for n > 0 {
		k := min(n, size)
		if err := do(k); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// Select returns the workloads and rows with the given names; a workload's name
// stands for all its rows, and no name at all for everything.
func Select(all []*suite.Workload, names []string) ([]*suite.Workload, map[string]bool, error) {
	rows, want := map[string]bool{}, map[string]bool{}
	for _, name := range names {
		want[name] = true
	}
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
	for _, name := range names {
		if want[name] {
			return nil, nil, fmt.Errorf("unknown workload %q; -list shows them all", name)
		}
	}
	return chosen, rows, nil
}
