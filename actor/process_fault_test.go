//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var processFaults = planted.Group{
	Run: "^Test(AlarmsOfOtherReceives|AlarmsEndWithTheirReceive|ProcessIsToldOfEndsInTheirPlace|ProcessKeepsTheUrgencyOfItsMessage)$",
	Faults: []planted.Fault{
		{
			Name: "an alarm ends whatever receive there is",
			File: "body.go",
			Old:  "	case w.timed && !now.Before(b.due):\n",
			New:  "	case w.timed:\n",
			Want: "a receive within",
			Run:  "^TestAlarmsOfOtherReceives$",
		},
		{
			Name: "a receive that is over leaves its alarm",
			File: "body.go",
			Old:  "	case w.limit > 0:\n		b.alarm.Stop()\n",
			New:  "	case w.limit > 0:\n",
			Want: "an alarm is left",
			Run:  "^TestAlarmsEndWithTheirReceive$",
		},
		{
			Name: "a process forgets the urgency of its message",
			File: "body.go",
			Old:  "	if b.lane == Control {\n",
			New:  "	if false {\n",
			Want: "bulk work came before",
			Run:  "^TestProcessKeepsTheUrgencyOfItsMessage$",
		},
		{
			Name: "a trapped exit comes before the messages",
			File: "process.go",
			Old:  "p.proc.exited, p.proc.body.traps = told, told != nil",
			New:  "p.proc.exited, p.proc.body.traps = told, false",
			Want: "received was",
			Run:  "^TestProcessIsToldOfEndsInTheirPlace$",
		},
	},
}
