package actor_test

import (
	"context"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// stopsAtOnce notes its PID and stops at once.
type stopsAtOnce struct{ note func(actor.PID) }

func (m stopsAtOnce) Started(c *actor.Context[int]) error {
	m.note(c.PID())
	c.Stop()
	return nil
}

func (m stopsAtOnce) Receive(*actor.Context[int], int) error { return nil }

// Actors that are born and end on several workers at the same time have PIDs
// that nobody had before, and are counted.
func TestPIDsFromHandlersAreUnique(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 4})
	var (
		mu   sync.Mutex
		seen = map[actor.PID]bool{}
		all  sync.WaitGroup
	)
	const parents, rounds, children = 4, 20, 50
	all.Add(parents * rounds * children)
	note := func(id actor.PID) {
		mu.Lock()
		defer mu.Unlock()
		if seen[id] {
			t.Errorf("%v was there before", id)
		}
		seen[id] = true
		all.Done()
	}
	for range parents {
		parent := spawn(t, sys, func(c *actor.Context[int], _ int) error {
			for range children {
				if _, err := actor.Spawn(c, stopsAtOnce{note}); err != nil {
					return err
				}
			}
			return nil
		})
		for i := range rounds {
			send(t, ctx, parent, i)
		}
	}
	all.Wait()
	until(t, ctx, func() bool { return sys.Stats().Actors == parents })
}

// The slots of actors that are born on one side and end on another come back.
func TestSlotsComeBack(t *testing.T) {
	const n = 3000
	tests := map[string]func(t *testing.T, ctx context.Context, sys *actor.System, parent actor.Ref[childRequest]){
		"from handlers": func(t *testing.T, ctx context.Context, _ *actor.System, parent actor.Ref[childRequest]) {
			for range n {
				child, err := actor.Ask(ctx, parent, func(r actor.Reply[actor.Ref[int]]) childRequest { return childRequest{r} })
				wantNoErr(t, err)
				wantNoErr(t, child.Stop(ctx))
			}
		},
		"from outside": func(t *testing.T, ctx context.Context, sys *actor.System, _ actor.Ref[childRequest]) {
			for range n {
				wantNoErr(t, spawn(t, sys, ignore).Stop(ctx))
			}
		},
		"from outside after many in handlers": func(t *testing.T, ctx context.Context, sys *actor.System, parent actor.Ref[childRequest]) {
			for range n {
				child, err := actor.Ask(ctx, parent, func(r actor.Reply[actor.Ref[int]]) childRequest { return childRequest{r} })
				wantNoErr(t, err)
				other := spawn(t, sys, ignore)
				wantNoErr(t, child.Stop(ctx))
				wantNoErr(t, other.Stop(ctx))
			}
		},
	}
	for name, run := range tests {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{Workers: 2})
			run(t, ctx, sys, spawn(t, sys, spawnChild))
			// Besides those in use there are those that the workers keep.
			if used := actor.SlotsUsed(sys); used > 300 {
				t.Errorf("%d slots were used for three actors at a time", used)
			}
		})
	}
}

// childless asks for a child.
type childRequest struct{ reply actor.Reply[actor.Ref[int]] }

func spawnChild(c *actor.Context[childRequest], m childRequest) error {
	child, err := actor.Spawn(c, actor.Func(ignore))
	if err != nil {
		return err
	}
	return m.reply.Send(c, child)
}
