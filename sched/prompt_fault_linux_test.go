//go:build !modelcheck && !race && !invariants

package sched_test

import "github.com/troupe-go/troupe/internal/planted"

func init() { systemFaults = append(systemFaults, promptFaults) }

var promptFaults = planted.Group{
	Run: "^TestAnAlarmHasTheSystemWakeItsProcess$",
	Faults: []planted.Fault{
		{
			Name: "the system is not told of an alarm",
			In:   "alarms.reset",
			Old: `if a.timer == nil {
	a.timer = time.AfterFunc(left, a.ring)
} else {
	a.timer.Reset(left)
}
a.prompt.set(left)`,
			New: `if a.timer == nil {
	a.timer = time.AfterFunc(left, a.ring)
} else {
	a.timer.Reset(left)
}`,
			Want: "before the alarm the timer is set for 0s",
		},
		{
			Name: "the system's timer outlives the scheduler",
			In:   "Scheduler.beginStop",
			Old: `s.closeAlarms()
close(s.ended)`,
			New:  "close(s.ended)",
			Want: "are left of a scheduler that has stopped",
		},
		{
			Name: "the system is told of alarms that are far away",
			In:   "prompt.set",
			Old: `if left <= 0 || left > promptFor {
	return
}`,
			New: `if left <= 0 {
	return
}`,
			Want: "an hour before the alarm",
		},
	},
}
