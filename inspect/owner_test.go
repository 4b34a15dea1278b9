package inspect_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/task"
)

// An actor is shown with the tasks that it owns, by itself and in the tree, and a task with
// its owner.
func TestTasksOfAnActor(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	open, begun := make(chan struct{}), make(chan struct{})
	parent := func(c *actor.Context[int], n int) error {
		g, err := task.NewGroup(c, task.AllCompleted[int](), task.Name("work"))
		if err != nil {
			return err
		}
		for range n {
			if _, err := g.GoNamed("waits", func(context.Context) (int, error) { begun <- struct{}{}; <-open; return 0, nil }); err != nil {
				return err
			}
		}
		return nil
	}
	one, other := spawn(t, sys, actor.Func(parent)), spawn(t, sys, actor.Func(parent))
	send(t, ctx, one, 2)
	<-begun
	<-begun
	for _, task := range i.Tasks() {
		if task.Owner != one.PID() {
			t.Errorf("the owner of %+v is not %v", task, one.PID())
		}
	}
	shows := func(a inspect.Actor, tasks int) bool {
		return a.TaskCount == tasks && len(a.Tasks) == tasks && (tasks == 0 || a.Tasks[0].Name == "waits" && a.Tasks[0].Group == "work")
	}
	a, err := i.Actor(one.PID())
	b, errOther := i.Actor(other.PID())
	if err != nil || errOther != nil || !shows(a, 2) || !shows(b, 0) {
		t.Errorf("the actors are %+v and %+v: %v, %v", a, b, err, errOther)
	}
	if top, _ := i.Tree(1, 0); len(top) != 2 || !shows(top[0].Actor, 2) || !shows(top[1].Actor, 0) {
		t.Errorf("the tree is %+v", top)
	}
	close(open)
	wantNoErr(t, one.Stop(ctx))
	if all := i.Tasks(); len(all) != 0 {
		t.Errorf("the actor has stopped, and %+v are left", all)
	}
}
