//go:build !modelcheck && !race && !invariants

package sched_test

import "github.com/troupe-go/troupe/internal/planted"

func init() { systemFaults = append(systemFaults, promptFaults) }

var promptFaults = planted.Group{
	Run: "^TestAnAlarmHasTheSystemWakeItsProcess$",
	Faults: []planted.Fault{
		{
			Name: "the system is not told of an alarm",
			File: "alarm.go",
			Old:  "	a.prompt.set(left)\n",
			New:  "",
			Want: "before the alarm the timer is set for 0s",
		},
		{
			Name: "the system's timer outlives the scheduler",
			File: "stop.go",
			Old:  "		s.closeAlarms()\n",
			New:  "",
			Want: "are left of a scheduler that has stopped",
		},
		{
			Name: "the system is told of alarms that are far away",
			File: "prompt_linux.go",
			Old:  "if left <= 0 || left > promptFor {",
			New:  "if left <= 0 {",
			Want: "an hour before the alarm",
		},
	},
}
