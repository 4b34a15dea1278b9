//go:build !modelcheck && !race && !invariants

package alarms_test

import "github.com/troupe-go/troupe/internal/planted"

func init() {
	systemFaults = append(systemFaults, planted.Group{
		Run: "^TestSystemTimer$",
		Faults: []planted.Fault{
			{
				Name: "the system is not told of an alarm",
				In:   "heap.reset",
				Old: `if h.timer == nil {
	h.timer = time.AfterFunc(left, h.ring)
} else {
	h.timer.Reset(left)
}
h.system.set(left)`,
				New: `if h.timer == nil {
	h.timer = time.AfterFunc(left, h.ring)
} else {
	h.timer.Reset(left)
}`,
				Want: "before the alarm the timer is set for 0s",
			},
			{
				Name: "the system's timer outlives the alarms",
				In:   "Alarms.Close",
				Old:  "h.system.close()",
				Nth:  2,
				New:  "",
				Want: "are left at the end",
			},
			{
				Name: "the system is told of alarms that are far away",
				In:   "systemTimer.set",
				Old: `if left <= 0 || left > systemFor {
	return
}`,
				New: `if left <= 0 {
	return
}`,
				Want: "an hour before the alarm",
			},
		},
	})
}
