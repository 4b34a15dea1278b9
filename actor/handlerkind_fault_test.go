//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var handlerKindFaults = planted.Group{
	Run: "^Test(HandlerReportsSayWhatRuns|SamplesSayWhatRan|SignalsOfAProcess)$",
	Faults: []planted.Fault{
		{
			Name: "what comes after a timer's message is a timer's, too",
			In:   "activation.kindOfMessage",
			Old:  "a.ticked == l && l != nil && l.handled()-1 == a.tickedAt",
			New:  "l != nil && l.handled()-1 >= 2",
			Want: "FAIL: TestHandlerReportsSayWhatRuns",
			Run:  "^TestHandlerReportsSayWhatRuns$",
		},
		{
			Name: "nothing is a timer's",
			In:   "activation.kindOfMessage",
			Old:  "l.handled()-1 == a.tickedAt",
			New:  "l.handled() == a.tickedAt",
			Want: "FAIL: TestSamplesSayWhatRan",
			Run:  "^TestSamplesSayWhatRan$",
		},
		{
			Name: "of plain handlers nothing is noted",
			In:   "activation.beginPlain",
			Old:  "s.kind.Store(uintptr(a.kindOfMessage(x, l)))",
			New:  "_, _ = x, l",
			Want: "FAIL: TestHandlerReportsSayWhatRuns",
			Run:  "^TestHandlerReportsSayWhatRuns$/^slowness$",
		},
		{
			Name: "hooks are not measured",
			In:   "activation.watched",
			Old:  "a.probes == nil || a.probes.mask < 0",
			New:  "a.probes != nil",
			Want: "FAIL: TestSignalsOfAProcess",
			Run:  "^TestSignalsOfAProcess$",
		},
		{
			Name: "a process has hooks",
			In:   "scope.kindOfHook",
			Old:  "x.process && (h == onDown || h == onExit || h == onAlarm)",
			New:  "false",
			Want: "FAIL: TestSignalsOfAProcess",
			Run:  "^TestSignalsOfAProcess$",
		},
	},
}
