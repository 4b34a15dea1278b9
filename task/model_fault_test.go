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
			In:   "Group.look",
			Old: `if g.settling || !g.decided || g.acted {
	*where = append(*where, &w.Waiter)
	g.mu.Unlock()
	return false
}`,
			New: `if !g.settling && g.decided && !g.acted {
	g.release(nil)
	g.mu.Lock()
}
if w != nil {
	*where = append(*where, &w.Waiter)
	g.mu.Unlock()
	return false
}`,
			Want: "deadlock",
			Run:  "^TestModel$/^join$/^a_success$",
		},
		{
			Name: "a task is counted before it is in the news",
			In:   "Group.taskEnded",
			Old: `for {
	t.next = g.news.Load()
	if g.news.CompareAndSwap(t.next, t) {
		break
	}
}
xatomic.Release(&t.standing.word, ended)
invariants.Yield()
if g.left.Add(-1) != 0 && calm && !g.watched.Load() {
	return
}`,
			New: `last := g.left.Add(-1) == 0
for {
	t.next = g.news.Load()
	if g.news.CompareAndSwap(t.next, t) {
		break
	}
}
xatomic.Release(&t.standing.word, ended)
invariants.Yield()
if !last && calm && !g.watched.Load() {
	return
}`,
			Want: "FAIL",
		},
		{
			Name: "the last end is nobody's",
			In:   "Group.taskEnded",
			Old: `if g.left.Add(-1) != 0 && calm && !g.watched.Load() {
	return
}`,
			New: `if g.left.Add(-1); calm && !g.watched.Load() {
	return
}`,
			Want: "deadlock",
		},
		{
			Name: "who joins does not count from then on",
			In:   "Group.Join",
			Old: `g.beginCounting()
g.drain()`,
			New:  "g.drain()",
			Want: "deadlock",
		},
		{
			Name: "news that nobody has seen are forgotten",
			In:   "Group.quiet",
			Old:  "g.remaining() == 0 && !g.settling && g.todo == nil && g.news.Load() == nil",
			New:  "g.remaining() == 0 && !g.settling && g.todo == nil",
			Want: "FAIL",
		},
		{
			Name: "a failure among the news is counted as nothing",
			In:   "Group.inOrder",
			Old:  "seen = seen && !failed(t)",
			New:  "",
			Want: "deadlock",
			Run:  "^TestModel$/^join$/^a_failure_ends",
		},
		{
			Name: "the group is quiet while its joiner is asked",
			In:   "Group.quiet",
			Old:  "g.remaining() == 0 && !g.settling && g.todo == nil",
			New:  "g.remaining() == 0 && g.todo == nil",
			Want: "FAIL",
			Run:  "^TestModel$/^join$/at_the_end$",
		},
		{
			Name: "a decision is not acted on",
			In:   "Group.release",
			Old:  "cancels = g.decided && !g.acted",
			New:  "",
			Want: "deadlock",
			Run:  "^TestModel$/^join$/^a_success_ends",
		},
		{
			Name: "who takes says so after the look",
			In:   "Group.look",
			Old: `if where == &g.takers {
	g.watched.Store(true) // Then drain: who ends a task looks the other way round.
}
g.drain()`,
			New: `g.drain()
if where == &g.takers {
	g.watched.Store(true)
}`,
			Want: "deadlock",
			Run:  "^TestModel$/^next$/^one_worker$",
		},
		{
			Name: "a task that is joined by its handle is not in the news yet",
			In:   "Task.Join",
			Old:  "xatomic.SpinWhile(&t.standing.word, ending)",
			New:  "",
			Want: "Next returned",
			Run:  "^TestModel$/^next$/^after_a_handle$",
		},
		{
			Name: "the entry of a cancelled task takes a place",
			In:   "Group.giveUpPlace",
			Old: `if !next.State().Ended() { // Else its entry is void.
	next.placed = true
	g.placed++
}`,
			New: `if true {
	next.placed = true
	g.placed++
}`,
			Want: "deadlock",
			Run:  "^TestModel$/^cancel$/^one_of_three$",
		},
		{
			Name: "a place is not given back",
			In:   "Group.giveUpPlace",
			Old:  "g.placed--",
			New:  "",
			Want: "deadlock",
			Run:  "^TestModel$/^join$/^grows,_with_a_limit$",
		},
		{
			Name: "a detached task is still waited for",
			In:   "Group.detach",
			Old:  "g.started(-1)",
			New:  "",
			Want: "deadlock",
			Run:  "^TestModel$/^detach$",
		},
		{
			Name: "a detached task stays in the list",
			In:   "Group.taskEnded",
			Old:  "g.reg.removeDetached(t)",
			New:  "",
			Want: "detached tasks are listed",
			Run:  "^TestModel$/^detach$",
		},
		{
			Name: "a keeper is told of each end but the last",
			In:   "Group.release",
			Old:  "g.beLetGo(f)",
			New:  "",
			Want: "the group is kept",
			Run:  "^TestModel$/^keep$/^a_task_comes$",
		},
	},
}
