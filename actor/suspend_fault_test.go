//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var suspendFaults = planted.Group{
	Run: "^(TestSuspend|TestSuspendEndsABatch|TestEndOfASuspendedActor|TestDrainOfASuspendedActor|TestRestartOfASuspendedActor|TestSuspendedHandlersReturn)$",
	Faults: []planted.Fault{
		{
			Name: "news queue a suspended actor",
			In:   "proc.runnable",
			Old:  "held|paused|crowded",
			New:  "held|crowded",
			Want: "FAIL",
			Run:  "^TestSuspend$/simulated",
		},
		{
			Name: "the activation that suspends goes on",
			In:   "activation.work",
			Old:  "a.paused && !a.drained()",
			New:  "a.lost && !a.drained()",
			Want: "FAIL",
			Run:  "^TestSuspend$/simulated",
		},
		{
			Name: "a resumed actor stays suspended",
			In:   "activation.resume",
			Old:  "a.mu.And(^paused)",
			New:  "",
			Want: "FAIL",
			Run:  "^TestSuspend$/simulated",
		},
		{
			Name: "a drain resumes",
			In:   "activation.drained",
			Old:  "a.todo == 0",
			New:  "true",
			Want: "FAIL",
			Run:  "^TestDrainOfASuspendedActor$",
		},
		{
			Name: "a restart resumes",
			In:   "activation.beginAgain",
			Old: `a.closing, a.leaving = false, staying
a.reason = nil`,
			New: `a.closing, a.leaving = false, staying
a.paused = false
a.mu.And(^paused)
a.reason = nil`,
			Want: "the restart has resumed the actor",
			Run:  "^TestRestartOfASuspendedActor$",
		},
	},
}
