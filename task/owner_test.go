package task_test

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/task"
)

// A task tells the actor with whose context its group was opened, also below other tasks,
// and one that is detached tells nobody.
func TestInfoOwner(t *testing.T) {
	ctx := guarded(t)
	open := make(chan struct{})
	begun := make(chan string, 10)
	waits := func(name string) func(context.Context) (int, error) {
		return func(context.Context) (int, error) { begun <- name; <-open; return 0, nil }
	}
	systems := make(chan *actor.System, 1)
	ref := spawn(t, func(c *actor.Context[int]) error {
		systems <- c.System()
		g, err := task.NewGroup(c, task.AllCompleted[int]())
		if err != nil {
			return err
		}
		if _, err := g.GoNamed("direct", waits("direct")); err != nil {
			return err
		}
		let, err := g.GoNamed("detached", waits("detached"))
		if err != nil || !let.Detach() {
			t.Errorf("it was not detached: %v", err)
		}
		_, err = g.GoNamed("outer", func(ctx context.Context) (int, error) {
			_, err := task.Run(ctx, nil, func(ctx context.Context, _ *task.Group[int]) error {
				_, err := task.Run(ctx, nil, func(_ context.Context, g *task.Group[int]) error {
					_, err := g.GoNamed("inner", waits("inner"))
					return err
				})
				return err
			})
			return 0, err
		})
		return err
	})
	if err := ref.Send(ctx, 1); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		receive(t, ctx, "the beginning of a task", begun)
	}
	s := (<-systems).Scheduler()
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	if _, err := g.GoNamed("of nobody", waits("of nobody")); err != nil {
		t.Fatal(err)
	}
	receive(t, ctx, "the beginning of the last", begun)
	owners := map[string]actor.PID{}
	for _, i := range task.List(s) {
		owners[i.Name] = actor.PIDFromNumber(i.Owner)
	}
	id := ref.PID()
	want := map[string]actor.PID{"direct": id, "outer": id, "inner": id, "detached": {}, "of nobody": {}}
	for name, owner := range want {
		if got, ok := owners[name]; !ok || got != owner {
			t.Errorf("the owner of %q is %v, want %v", name, got, owner)
		}
	}
	owned := task.OwnedBy(s, id.Number())
	var names []string
	for _, i := range owned {
		names = append(names, i.Name)
	}
	slices.Sort(names) // The order of ids is not that in which the tasks were started.
	sorted := slices.IsSortedFunc(owned, func(a, b task.Info) int { return cmp.Compare(a.ID, b.ID) })
	if !sorted || !slices.Equal(names, []string{"direct", "inner", "outer"}) {
		t.Errorf("the actor's tasks are %v, want direct, inner and outer, by id", owned)
	}
	if others := task.OwnedBy(s, 0); others != nil {
		t.Errorf("nobody's tasks are %v", others)
	}
	close(open)
	if _, err := g.Join(ctx); err != nil {
		t.Error(err)
	}
}
