//go:build !modelcheck && !race && !invariants

package task_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestModelFindsPlantedFaults runs the searches of TestModel, and shows that they
// see what they are there to see.
func TestModelFindsPlantedFaults(t *testing.T) {
	planted.Expect(t, "modelcheck", protocolFaults)
}

var protocolFaults = planted.Group{
	Run: "^TestModel$/^join$/^(one_task|two_tasks|a_success|a_joiner)",
	Faults: []planted.Fault{
		{
			Name: "who joins does not look again after it has cancelled the others",
			File: "join.go",
			Old:  "		if g.settling || !g.decided || g.acted {\n",
			New:  "		if !g.settling && g.decided && !g.acted {\n			g.release(nil)\n			g.mu.Lock()\n		}\n		if w != nil {\n",
			Want: "deadlock",
			Run:  "^TestModel$/^join$/^a_success$",
		},
		{
			Name: "a task is counted before it is in the news",
			File: "settle.go",
			Old: "	for {\n		t.next = g.news.Load()\n		if g.news.CompareAndSwap(t.next, t) {\n			break\n		}\n	}\n" +
				"	xatomic.Release(&t.standing.word, ended)\n	invariants.Yield()\n	if g.left.Add(-1) != 0 && calm && !g.watched.Load() {\n",
			New: "	last := g.left.Add(-1) == 0\n	for {\n		t.next = g.news.Load()\n		if g.news.CompareAndSwap(t.next, t) {\n			break\n		}\n	}\n" +
				"	xatomic.Release(&t.standing.word, ended)\n	invariants.Yield()\n	if !last && calm && !g.watched.Load() {\n",
			Want: "FAIL",
		},
		{
			Name: "the last end is nobody's",
			File: "settle.go",
			Old:  "	if g.left.Add(-1) != 0 && calm &&",
			New:  "	if g.left.Add(-1); calm &&",
			Want: "deadlock",
		},
		{
			Name: "who joins does not count from then on",
			File: "join.go",
			Old:  "		g.beginCounting()\n",
			New:  "",
			Want: "deadlock",
		},
		{
			Name: "news that nobody has seen are forgotten",
			File: "settle.go",
			Old:  " && g.todo == nil && g.news.Load() == nil",
			New:  " && g.todo == nil",
			Want: "FAIL",
		},
		{
			Name: "a failure among the news is counted as nothing",
			File: "settle.go",
			Old:  "		seen = seen && !failed(t)\n",
			New:  "",
			Want: "deadlock",
			Run:  "^TestModel$/^join$/^a_failure_ends",
		},
		{
			Name: "the group is quiet while its joiner is asked",
			File: "settle.go",
			Old:  "g.remaining() == 0 && !g.settling && ",
			New:  "g.remaining() == 0 && ",
			Want: "FAIL",
			Run:  "^TestModel$/^join$/at_the_end$",
		},
		{
			Name: "a decision is not acted on",
			File: "settle.go",
			Old:  "		cancels = g.decided && !g.acted\n",
			New:  "",
			Want: "deadlock",
			Run:  "^TestModel$/^join$/^a_success_ends",
		},
		{
			Name: "who takes says so after the look",
			File: "join.go",
			Old:  "		if where == &g.takers {\n			g.watched.Store(true) // Then drain: who ends a task looks the other way round.\n		}\n		g.drain()\n",
			New:  "		g.drain()\n		if where == &g.takers {\n			g.watched.Store(true)\n		}\n",
			Want: "deadlock",
			Run:  "^TestModel$/^next$/^one_worker$",
		},
		{
			Name: "a task that is joined by its handle is not in the news yet",
			File: "task.go",
			Old:  "		xatomic.SpinWhile(&t.standing.word, ending) // Somebody is two instructions short of it.\n",
			New:  "",
			Want: "Next returned",
			Run:  "^TestModel$/^next$/^after_a_handle$",
		},
		{
			Name: "the entry of a cancelled task takes a place",
			File: "settle.go",
			Old:  "		if !next.State().Ended() { // Else its entry is void.\n",
			New:  "		if true {\n",
			Want: "deadlock",
			Run:  "^TestModel$/^cancel$/^one_of_three$",
		},
		{
			Name: "a place is not given back",
			File: "settle.go",
			Old:  "		t.placed = false\n		g.placed--\n",
			New:  "		t.placed = false\n",
			Want: "deadlock",
			Run:  "^TestModel$/^join$/^grows,_with_a_limit$",
		},
		{
			Name: "a detached task is still waited for",
			File: "group.go",
			Old:  "	g.remove(t)\n	g.started(-1)\n",
			New:  "	g.remove(t)\n",
			Want: "deadlock",
			Run:  "^TestModel$/^detach$",
		},
		{
			Name: "a detached task stays in the list",
			File: "settle.go",
			Old:  "			g.reg.removeDetached(t)\n",
			New:  "",
			Want: "detached tasks are listed",
			Run:  "^TestModel$/^detach$",
		},
		{
			Name: "a keeper is told of each end but the last",
			File: "settle.go",
			Old:  "			g.beLetGo(f)\n",
			New:  "",
			Want: "the group is kept",
			Run:  "^TestModel$/^keep$/^a_task_comes$",
		},
	},
}
