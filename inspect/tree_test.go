package inspect_test

import (
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// family spawns n children when it is told how many, and links to them.
func family(ctx *actor.Context[int], n int) error {
	for range n {
		ref, err := actor.Spawn(ctx, actor.Actor[int](sink{}))
		if err != nil {
			return err
		}
		if err := ctx.Link(ref.PID()); err != nil {
			return err
		}
	}
	return nil
}

func TestTreeAndLinks(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	var parents []actor.Ref[int]
	for range 3 {
		ref := spawn(t, sys, actor.Func(family))
		send(t, ctx, ref, 20)
		parents = append(parents, ref)
	}
	until(t, ctx, func() bool { return sys.Stats().Actors == 63 })
	until(t, ctx, func() bool { links, _ := i.Links(actor.PID{}, 0); return len(links) == 60 })
	top, omitted := i.Tree(2, 0)
	if len(top) != 3 || omitted != 0 || top[1].PID != parents[1].PID() || len(top[2].Below) != 20 || top[2].Below[0].Parent != parents[2].PID() {
		t.Errorf("the tree is %+v", top)
	}
	if top, _ := i.Tree(1, 0); len(top) != 3 || top[0].Below != nil || top[0].Omitted != 20 {
		t.Errorf("the top is %+v", top)
	}
	if top, omitted := i.Tree(5, 2); len(top) != 2 || omitted != 1 {
		t.Errorf("with 2 nodes the tree is %+v, and %d are omitted", top, omitted)
	}
	var after actor.PID
	seen := map[inspect.Link]bool{}
	for {
		links, next := i.Links(after, 7)
		for _, l := range links {
			if seen[l] || l.Kind != "link" {
				t.Errorf("%+v comes again, or is no link", l)
			}
			seen[l] = true
		}
		if after = next; after == (actor.PID{}) {
			break
		}
	}
	if len(seen) != 60 {
		t.Errorf("%d links", len(seen))
	}
}
