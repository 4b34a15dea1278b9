//go:build !modelcheck && !race && !invariants

package alarms_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", append([]planted.Group{ringFaults, forgottenFaults}, systemFaults...)...)
}

// systemFaults are in code that only some systems have.
var systemFaults []planted.Group

var ringFaults = planted.Group{
	Run: "^TestRing$",
	Faults: []planted.Fault{
		{
			Name: "an earlier alarm does not move the timer",
			In:   "heap.add",
			Old: `if !h.armed || one.at < h.set {
	h.reset()
}`,
			New: `if !h.armed {
	h.reset()
}`,
			Want: "FAIL: TestRing",
		},
		{
			Name: "an alarm sinks below the latest",
			In:   "heap.sink",
			Old:  "h.queue[j].at < h.queue[least].at",
			New:  "h.queue[j].at > h.queue[least].at",
			Want: "FAIL: TestRing",
		},
		{
			Name: "a sweep does not mend the heap",
			In:   "heap.sweepLocked",
			Old: `for i := len(left)/branching + 1; i >= 0; i-- {
	h.sink(i)
}`,
			New: `for i := 0; i < 0; i-- {
	h.sink(i)
}`,
			Want: "FAIL: TestRing",
		},
	},
}

var forgottenFaults = planted.Group{
	Run: "^TestStoppedAlarmsAreForgotten$",
	Faults: []planted.Fault{
		{
			Name: "alarms that are not needed are kept",
			In:   "Alarms.Stop",
			Old:  "h.sweep()",
			New:  "_ = h",
			Want: "FAIL: TestStoppedAlarmsAreForgotten",
		},
		{
			Name: "the timer of nobody stays set",
			In:   "heap.reset",
			Old: `if h.timer != nil {
	h.timer.Stop() // It may be hours away, and keeps the heap.
}`,
			New: `if h.timer != nil {
	_ = h
}`,
			Want: "FAIL: TestStoppedAlarmsAreForgotten",
		},
	},
}
