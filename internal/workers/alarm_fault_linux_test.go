//go:build !modelcheck && !race && !invariants

package workers_test

import "github.com/troupe-go/troupe/internal/planted"

func init() {
	systemFaults = append(systemFaults, planted.Group{
		Run: "^TestStopClosesTheTimerOfAlarms$",
		Faults: []planted.Fault{{
			Name: "the timer of the alarms outlives the scheduler",
			In:   "Scheduler.beginStop",
			Old: `s.alarms.Close()
close(s.ended)`,
			New:  "close(s.ended)",
			Want: "are left of a scheduler that has stopped",
		}},
	})
}
