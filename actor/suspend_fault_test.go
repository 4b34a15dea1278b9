//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var suspendFaults = planted.Group{
	Run: "^(TestSuspend|TestSuspendEndsABatch|TestEndOfASuspendedActor|TestDrainOfASuspendedActor|TestRestartOfASuspendedActor|TestSuspendedHandlersReturn)$",
	Faults: []planted.Fault{
		{
			Name: "news queue a suspended actor",
			File: "state.go",
			Old:  "	if s&(held|paused|crowded) != 0 {\n",
			New:  "	if s&(held|crowded) != 0 {\n",
			Want: "FAIL",
			Run:  "^TestSuspend$/simulated",
		},
		{
			Name: "the activation that suspends goes on",
			File: "activation.go",
			Old:  "		case a.paused && !a.drained():\n",
			New:  "		case a.lost && !a.drained():\n",
			Want: "FAIL",
			Run:  "^TestSuspend$/simulated",
		},
		{
			Name: "a resumed actor stays suspended",
			File: "suspend.go",
			Old:  "	a.mu.And(^paused)\n",
			New:  "",
			Want: "FAIL",
			Run:  "^TestSuspend$/simulated",
		},
		{
			Name: "a drain resumes",
			File: "suspend.go",
			Old:  "	return a.todo == 0\n",
			New:  "	return true\n",
			Want: "FAIL",
			Run:  "^TestDrainOfASuspendedActor$",
		},
		{
			Name: "a restart resumes",
			File: "lifecycle.go",
			Old:  "	a.closing, a.leaving = false, staying\n",
			New:  "	a.closing, a.leaving = false, staying\n	a.resume()\n",
			Want: "the restart has resumed the actor",
			Run:  "^TestRestartOfASuspendedActor$",
		},
	},
}
