//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var processFaults = planted.Group{
	Run: "^Test(AlarmsOfOtherReceives|AlarmsEndWithTheirReceive|ProcessIsToldOfEndsInTheirPlace|ProcessKeepsTheUrgencyOfItsMessage)$",
	Faults: []planted.Fault{
		{
			Name: "an alarm ends whatever receive there is",
			In:   "body.late",
			Old:  "w.timed && !now.Before(b.due)",
			New:  "w.timed",
			Want: "a receive within",
			Run:  "^TestAlarmsOfOtherReceives$",
		},
		{
			Name: "a receive that is over leaves its alarm",
			In:   "body.disarm",
			Old:  "b.alarm.Stop()",
			New:  "",
			Want: "an alarm is left",
			Run:  "^TestAlarmsEndWithTheirReceive$",
		},
		{
			Name: "a process forgets the urgency of its message",
			In:   "body.wait",
			Old:  "b.scope.p.opts.priorityOf(b.lane)",
			New:  "b.scope.p.opts.priorityOf(Data)",
			Want: "bulk work came before",
			Run:  "^TestProcessKeepsTheUrgencyOfItsMessage$",
		},
		{
			Name: "an actor of a low class is queued as any other",
			In:   "proc.announced",
			Old:  "priority = p.opts.priority",
			New:  "priority = workers.Normal",
			Want: "handled in the order",
			Run:  "^TestPriorityOrdersActors$",
		},
		{
			Name: "a trapped exit comes before the messages",
			In:   "Process.TrapExits",
			Old:  "p.proc.exited, p.proc.body.traps = told, told != nil",
			New:  "p.proc.exited, p.proc.body.traps = told, false",
			Want: "received was",
			Run:  "^TestProcessIsToldOfEndsInTheirPlace$",
		},
	},
}
