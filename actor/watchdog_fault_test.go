//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var watchdogFaults = planted.Group{
	Run: "^TestWatchdogFindsHandlersInTime$",
	Faults: []planted.Fault{
		{
			Name: "the longest time says how often is looked",
			In:   "watchdog.refine",
			Old:  "g <= int64(d)",
			New:  "g >= int64(d)",
			Want: "FAIL",
			Run:  "^TestWatchdogFindsHandlersInTime$",
		},
		{
			Name: "a handler has begun when the one before it had",
			In:   "handlerWatch.turnTo",
			Old:  "s.seen, s.since, s.done, s.putOff = n, now, 0, false",
			New:  "s.seen, s.done, s.putOff = n, 0, false",
			Want: "FAIL",
			Run:  "^TestWatchdogFindsHandlersInTime$",
		},
		{
			Name: "a watchdog that has ended is taken for awake",
			In:   "watchdog.run",
			Old:  "v.awake.Store(false)",
			New:  "",
			Want: "FAIL",
			Run:  "^TestWatchdogFindsHandlersInTime$",
		},
		{
			Name: "a handler is found again and again",
			In:   "handlerWatch.due",
			Old:  "todo &^ s.done",
			New:  "todo",
			Want: "FAIL",
			Run:  "^TestWatchdogFindsHandlersInTime$",
		},
	},
}
