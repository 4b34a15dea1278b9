package actor_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// elsewhere has contexts with which a handler may wait, and that don't lead to it.
func elsewhere(t *testing.T, sys *actor.System) map[string]func() context.Context {
	t.Helper()
	kept := make(chan context.Context, 1)
	spawnActor(t, sys, actor.Actor[int](&hooks[int]{started: func(ctx *actor.Context[int]) error {
		kept <- ctx
		return nil
	}}))
	other := receive(t, guarded(t), kept)
	limited, cancel := context.WithTimeout(context.Background(), time.Hour)
	t.Cleanup(cancel)
	var view context.Context // Of another actor's handler, which was asked with a deadline.
	wantNoErr(t, let(limited, spawn(t, sys, run), func(ctx *actor.Context[instruction]) error { view = ctx; return nil }))
	return map[string]func() context.Context{
		"none":             func() context.Context { return nil },
		"Background":       context.Background,
		"with a deadline":  func() context.Context { return limited },
		"of another actor": func() context.Context { return other },
		"of a handler":     func() context.Context { return view },
	}
}

// byOthers runs a test for each context of elsewhere.
func byOthers(t *testing.T, test func(t *testing.T, sys *actor.System, ctx func() context.Context)) {
	t.Helper()
	names := []string{"none", "Background", "with a deadline", "of another actor", "of a handler"}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			sys := newSystem(t, actor.Config{})
			test(t, sys, elsewhere(t, sys)[name])
		})
	}
}

// A ring is found whatever the contexts of its asks.
func TestRingByOtherContexts(t *testing.T) {
	byOthers(t, func(t *testing.T, sys *actor.System, other func() context.Context) {
		for n := 1; n <= 3; n++ {
			var actors []instructedRef
			for i := range n {
				actors = append(actors, spawn(t, sys, run, actor.WithName(fmt.Sprint(i))))
			}
			var step func(i int) func(*actor.Context[instruction]) error
			step = func(i int) func(*actor.Context[instruction]) error {
				return func(*actor.Context[instruction]) error { return let(other(), actors[i%n], step(i+1)) }
			}
			ctx := guarded(t)
			wantErr(t, let(ctx, actors[0], step(1)), actor.ErrCycle)
			for _, a := range actors { // All are well.
				wantNoErr(t, let(ctx, a, nil))
			}
		}
	})
}

// A handler that waits by another context holds no worker: whom it waits for needs the
// only one.
func TestWaitByAnotherContextHoldsNoWorker(t *testing.T) {
	ctx := guarded(t)
	sys := oneWorker(t)
	for name, other := range elsewhere(t, sys) {
		a, b := spawn(t, sys, run), spawn(t, sys, run, actor.WithCapacity(actor.Data, 1))
		wantNoErr(t, let(ctx, a, func(*actor.Context[instruction]) error {
			if err := let(other(), b, nil); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for _, got := range actor.AskAll(other(), []instructedRef{b, b}, func(r actor.Reply[error]) instruction { return instruction{reply: r} }) {
				if got.Err != nil {
					return fmt.Errorf("%s: %w", name, got.Err)
				}
			}
			for range 100 {
				if err := b.Send(other(), instruction{}); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			return b.Stop(other())
		}))
	}
}

// A ring through a gathering is found too, and its other asks go on.
func TestGatherByAnotherContext(t *testing.T) {
	byOthers(t, func(t *testing.T, sys *actor.System, other func() context.Context) {
		a, b := spawn(t, sys, run, actor.WithName("a")), spawn(t, sys, run, actor.WithName("b"))
		var answers []actor.Answer[error]
		wantNoErr(t, let(guarded(t), a, func(*actor.Context[instruction]) error {
			back := func(*actor.Context[instruction]) error { return let(other(), a, nil) }
			asks := []func(*actor.Context[instruction]) error{nil, back}
			i := 0
			answers = actor.AskAll(other(), []instructedRef{b, b, a}, func(r actor.Reply[error]) instruction {
				i++
				return instruction{asks[(i-1)%2], r}
			})
			return nil
		}))
		if answers[0].Err != nil || answers[0].Value != nil {
			t.Errorf("the ask in no ring: %+v", answers[0])
		}
		if err := errors.Join(answers[1].Value, answers[1].Err); !errors.Is(err, actor.ErrCycle) {
			t.Errorf("the ask that is asked back: %+v", answers[1])
		}
		wantErr(t, answers[2].Err, actor.ErrCycle)
	})
}

// Sends that wait for room are edges, too: to oneself, and in a ring.
func TestFullLanesByAnotherContext(t *testing.T) {
	byOthers(t, func(t *testing.T, sys *actor.System, other func() context.Context) {
		ctx := guarded(t)
		fill := func(to instructedRef) error {
			for {
				if err := to.TrySend(other(), instruction{}); err != nil {
					return nil //nolint:nilerr // It is full.
				}
			}
		}
		a := spawn(t, sys, run, actor.WithName("a"), actor.WithCapacity(actor.Data, 1))
		b := spawn(t, sys, run, actor.WithName("b"), actor.WithCapacity(actor.Data, 1))
		wantErr(t, let(ctx, a, func(*actor.Context[instruction]) error {
			return errors.Join(fill(a), a.Send(other(), instruction{}))
		}), actor.ErrFull)
		// B handles an ask of a, both lanes are full, and b sends to a.
		wantErr(t, let(ctx, a, func(*actor.Context[instruction]) error {
			return let(other(), b, func(*actor.Context[instruction]) error {
				return errors.Join(fill(a), a.Send(other(), instruction{}))
			})
		}), actor.ErrCycle)
		wantNoErr(t, let(ctx, a, nil))
	})
}

// Stops that wait for one another are a ring, too.
func TestStopRingByAnotherContext(t *testing.T) {
	byOthers(t, func(t *testing.T, sys *actor.System, other func() context.Context) {
		ctx := guarded(t)
		a, b := spawn(t, sys, run), spawn(t, sys, run)
		inner := make(chan error, 1)
		outer := let(ctx, a, func(*actor.Context[instruction]) error {
			return let(other(), b, func(*actor.Context[instruction]) error {
				inner <- a.Stop(other())
				return nil
			})
		})
		// Either of the two may be the one that closes the ring.
		wantErr(t, errors.Join(outer, receive(t, ctx, inner)), actor.ErrCycle)
		receive(t, ctx, a.Done())
	})
}

// An ask by another context belongs to the call chain of its handler.
func TestCallChainByAnotherContext(t *testing.T) {
	byOthers(t, func(t *testing.T, sys *actor.System, other func() context.Context) {
		ctx := guarded(t)
		asked, cancel := context.WithTimeout(ctx, time.Hour) // So that the handler has a Context of its own.
		defer cancel()
		a := spawn(t, sys, run, actor.WithReentrancy(actor.CallChainReentrancy))
		b := spawn(t, sys, run)
		for _, outside := range []context.Context{context.Background(), asked} {
			wantNoErr(t, let(outside, a, func(*actor.Context[instruction]) error {
				return let(other(), b, func(*actor.Context[instruction]) error { return let(other(), a, nil) })
			}))
		}
	})
}

// A wait of a reader by another context belongs to that reader alone. A ring through one
// reader does not end another reader's wait.
func TestReadersByAnotherContext(t *testing.T) {
	byOthers(t, func(t *testing.T, sys *actor.System, other func() context.Context) {
		ctx := guarded(t)
		a := spawn(t, sys, run, actor.WithReadOnly(func(instruction) bool { return true }), actor.WithMaxReaders(4))
		b := spawn(t, sys, run)
		wantNoErr(t, let(ctx, a, func(*actor.Context[instruction]) error {
			return let(other(), b, func(*actor.Context[instruction]) error { return let(other(), a, nil) })
		}))
		wantErr(t, let(ctx, a, func(*actor.Context[instruction]) error {
			return let(other(), b, func(*actor.Context[instruction]) error {
				return let(other(), a, func(*actor.Context[instruction]) error { return let(other(), b, nil) })
			})
		}), actor.ErrCycle)
	})
}

// A process finds rings by another context, too.
func TestProcessByAnotherContext(t *testing.T) {
	byOthers(t, func(t *testing.T, sys *actor.System, other func() context.Context) {
		var self actor.Ref[instruction]
		p, err := actor.SpawnProcess(sys, func(p *actor.Process[instruction]) error {
			for {
				e, err := p.Receive(p)
				if err != nil {
					return err
				}
				if err := e.reply.Send(p, let(other(), self, nil)); err != nil {
					return err
				}
			}
		})
		wantNoErr(t, err)
		self = p
		wantErr(t, let(guarded(t), p, nil), actor.ErrCycle)
	})
}

// Processes that send to full lanes by another context get the error for a ring. That also
// holds after some actor was killed: from then on the search for the calling process holds a
// lock.
func TestFullLanesOfProcessesByAnotherContext(t *testing.T) {
	byOthers(t, func(t *testing.T, sys *actor.System, other func() context.Context) {
		ctx := guarded(t)
		dead := spawn(t, sys, answer)
		wantNoErr(t, dead.Kill())
		receive(t, ctx, dead.Done())
		refs, results := make([]actor.Ref[int], 2), make(chan error, 2)
		for i := range refs {
			ref, err := actor.SpawnProcess(sys, func(p *actor.Process[int]) error {
				if _, err := p.Receive(p); err != nil {
					return err
				}
				var err error
				for err == nil {
					err = p.Self().Send(other(), 1)
				}
				if !errors.Is(err, actor.ErrFull) {
					t.Errorf("a process sends to its own full lane: %v", err)
				}
				results <- refs[1-i].Send(other(), 1)
				for {
					if _, err := p.Receive(p); err != nil {
						return err
					}
				}
			}, actor.WithCapacity(actor.Data, 2))
			wantNoErr(t, err)
			refs[i] = ref
		}
		for _, ref := range refs {
			send(t, ctx, ref, 0)
		}
		for range refs {
			if err := receive(t, ctx, results); err != nil {
				wantErr(t, err, actor.ErrCycle)
			}
		}
	})
}

// A killed handler's wait by another context is not a wait of its actor, whether it began
// before the kill or after it.
func TestGhostByAnotherContext(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprint("late ", late), func(t *testing.T) {
			byOthers(t, func(t *testing.T, sys *actor.System, other func() context.Context) {
				testGhostByAnotherContext(t, sys, other, late)
			})
		})
	}
}

func testGhostByAnotherContext(t *testing.T, sys *actor.System, other func() context.Context, late bool) {
	ctx := guarded(t)
	asked, open, ghost := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	server := spawn(t, sys, func(c *actor.Context[instruction], e instruction) error {
		close(asked)
		<-open
		return e.reply.Send(c, nil)
	})
	_, a := keptChild(t, sys, func() actor.Actor[instruction] { return actor.Func(run) }, true)
	begun, killed := make(chan struct{}), make(chan struct{})
	send(t, ctx, a, instruction{do: func(*actor.Context[instruction]) error {
		if close(begun); late {
			<-killed
		}
		ghost <- let(other(), server, nil)
		return nil
	}})
	receive(t, ctx, begun)
	if !late {
		until(t, ctx, func() bool { return len(sys.Waits()) == 1 })
	}
	wantNoErr(t, a.Kill())
	close(killed)
	receive(t, ctx, asked)
	wantNoErr(t, let(ctx, a, nil)) // The next incarnation is at work.
	if w := sys.Waits(); len(w) != 0 {
		t.Errorf("%v is still waited for", w)
	}
	close(open)
	wantNoErr(t, receive(t, ctx, ghost))
}
