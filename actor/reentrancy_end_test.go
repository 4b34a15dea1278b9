package actor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

func TestKillOfSuspendedHandlers(t *testing.T) {
	const n = 10
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	shared := 0 // Which the ghosts must not touch at the same time.
	fates := make(chan error, n)
	incarnation := 0
	_, child := restarting(t, sys, func() actor.Actor[int] {
		incarnation++
		if incarnation > 1 {
			return actor.Func(func(_ *actor.Context[int], m int) error { fates <- nil; return nil })
		}
		return actor.Func(func(c *actor.Context[int], m int) error {
			_, err := o.ask(c, m)
			shared++
			if sent := o.ref.Send(c, question{}); !errors.Is(sent, actor.ErrFenced) {
				err = errors.Join(err, fmt.Errorf("a ghost sent: %w", sent))
			}
			fates <- err
			return nil
		})
	}, restart, actor.WithReentrancy(actor.FullReentrancy))
	for i := range n {
		send(t, ctx, child, i)
		o.next(t, ctx)
	}
	suspendedIn(t, ctx, child, n)
	wantNoErr(t, child.Kill())
	for range n {
		if err := receive(t, ctx, fates); !errors.Is(err, actor.ErrKilled) {
			t.Errorf("a handler that was killed got %v", err)
		}
	}
	until(t, ctx, func() bool { return sys.Stats().Ghosts == 0 })
	send(t, ctx, child, 1)
	wantNoErr(t, receive(t, ctx, fates))
	if shared != n {
		t.Errorf("%d ghosts went on, want %d", shared, n)
	}
}

// TestKillTellsTheAskers has one of several asked handlers be killed while it
// runs, and the others while they wait.
func TestKillTellsTheAskers(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	entered, open := make(chan struct{}), make(chan struct{})
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		if q.n == 0 {
			entered <- struct{}{}
			<-open
			return nil
		}
		_, err := actor.Ask(context.Context(c), o.ref, asking(q.n))
		return err
	}, actor.WithReentrancy(actor.FullReentrancy))
	fates := make(chan error, 3)
	for _, n := range []int{1, 2, 0} {
		go func() {
			_, err := actor.Ask(ctx, ref, asking(n))
			fates <- err
		}()
		if n > 0 {
			o.next(t, ctx)
		}
	}
	receive(t, ctx, entered)
	wantNoErr(t, ref.Kill())
	for range 3 {
		wantErr(t, receive(t, ctx, fates), actor.ErrNoReply, actor.ErrKilled)
	}
	wantKilled(t, ctx, ref)
	close(open)
	until(t, ctx, func() bool { return sys.Stats().Ghosts == 0 })
}

func TestFailureOfOneOfSeveralHandlers(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			const n = 3
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			o := newAnswerer(t, sys)
			var d eventLog
			next := make(chan struct{})
			_, child := restarting(t, sys, func() actor.Actor[int] {
				a := noted(&d)
				a.receive = func(c *actor.Context[int], m int) error {
					switch {
					case m < 0:
						return f.fail()
					case m > n:
						d.note("next")
						close(next)
						return nil
					}
					_, err := o.ask(c, m)
					d.note("%d", m)
					return err
				}
				a.stopped = func(_ *actor.Context[int], reason error) {
					d.note("stopped")
					if errors.Is(reason, context.Canceled) {
						t.Errorf("the reason is %v", reason)
					}
				}
				return a
			}, restart, actor.WithReentrancy(actor.FullReentrancy))
			for i := range n {
				send(t, ctx, child, i+1)
				o.next(t, ctx)
				suspendedIn(t, ctx, child, i+1)
			}
			send(t, ctx, child, -1, n+1)
			receive(t, ctx, next)
			wantNoErr(t, child.Drain(ctx))
			got := strings.Split(d.String(), ", ")
			slices.Sort(got[1 : 1+n]) // They come back in no certain order.
			want := []string{"started", "1", "2", "3", "stopped", "started", "next", "stopped"}
			if !slices.Equal(got, want) {
				t.Errorf("it was %q, want %q", got, want)
			}
		})
	}
}

// A handler that has waited may fail in any way while its incarnation ends, for another
// reason: the end goes on.
func TestSuspendedHandlerFailsAtTheEnd(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			for _, fails := range []bool{false, true} {
				ctx := guarded(t)
				sys := newSystem(t, actor.Config{})
				o := newAnswerer(t, sys)
				_, child := restarting(t, sys, func() actor.Actor[int] {
					return actor.Func(func(c *actor.Context[int], m int) error {
						switch m {
						case 1:
							_, _ = o.ask(context.WithoutCancel(c), m)
							return f.fail()
						case 2:
							return errHook
						}
						return nil
					})
				}, restart, actor.WithReentrancy(actor.FullReentrancy))
				send(t, ctx, child, 1)
				q := o.next(t, ctx)
				suspendedIn(t, ctx, child, 1)
				if fails {
					send(t, ctx, child, 2)
				}
				stopped := make(chan error, 1)
				go func() { stopped <- child.Stop(ctx) }()
				until(t, ctx, func() bool { i, err := child.Info(); return err == nil && i.State == actor.Stopping })
				wantNoErr(t, q.reply.Send(ctx, 0))
				wantNoErr(t, receive(t, ctx, stopped))
			}
		})
	}
}

func TestStopWaitsForSuspendedHandlers(t *testing.T) {
	for _, r := range reentrant {
		t.Run(r.String(), func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			o := newAnswerer(t, sys)
			var d eventLog
			a := noted(&d)
			var child actor.Ref[int]
			a.receive = func(c *actor.Context[int], m int) error {
				if m == 2 {
					return nil
				}
				var err error
				if child, err = actor.Spawn(c, actor.Actor[int](&hooks[int]{})); err != nil {
					return err
				}
				if _, err = o.ask(c, m); err == nil {
					err = child.Send(c, 1) // It has not been asked to stop.
				}
				d.note("%d", m)
				return err
			}
			ref := spawnActor(t, sys, actor.Actor[int](a), actor.WithReentrancy(r))
			send(t, ctx, ref, 1)
			q := o.next(t, ctx)
			suspendedIn(t, ctx, ref, 1)
			stopped := make(chan error, 1)
			go func() { stopped <- ref.Stop(ctx) }()
			until(t, ctx, func() bool { return errors.Is(ref.On(actor.Management).TrySend(ctx, 2), actor.ErrStopped) })
			wantNoErr(t, q.reply.Send(ctx, 0))
			wantNoErr(t, receive(t, ctx, stopped))
			wantNoErr(t, ref.Err())
			d.want(t, "started", "1", "stopped <nil>")
		})
	}
}

func TestForcedStopOfSuspendedHandlers(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	fates := make(chan error, 2)
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		_, err := o.ask(c, m)
		fates <- err
		return nil
	}, actor.WithReentrancy(actor.FullReentrancy))
	send(t, ctx, ref, 1, 2)
	o.next(t, ctx)
	o.next(t, ctx)
	suspendedIn(t, ctx, ref, 2)
	wantErr(t, ref.Stop(ended()), context.Canceled)
	for range 2 {
		wantErr(t, receive(t, ctx, fates), actor.ErrForced)
	}
	receive(t, ctx, ref.Done())
}

func TestDrainHandlesAllAndWaits(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	var ends []int
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		_, err := o.ask(c, m)
		ends = append(ends, m)
		return err
	}, actor.WithReentrancy(actor.FullReentrancy), actor.WithMaxSuspended(2))
	send(t, ctx, ref, 1, 2, 3)
	drained := make(chan error, 1)
	go func() { drained <- ref.Drain(ctx) }()
	for range 3 {
		wantNoErr(t, o.next(t, ctx).reply.Send(ctx, 0))
	}
	wantNoErr(t, receive(t, ctx, drained))
	if slices.Sort(ends); !slices.Equal(ends, []int{1, 2, 3}) {
		t.Errorf("%v have ended", ends)
	}
}

// keepsake is what an actor keeps. It ends when it is asked to.
type keptWork struct{ of *actor.Context[int] }

func (k *keptWork) KeeperEnds(error) { k.of.LetGo(nil, k) }

// A reentrant actor that is killed while its stop waits for a handler ends once, also if
// its last child, or what it has kept, is gone at the same moment.
func TestKilledReentrantActorEndsOnce(t *testing.T) {
	for _, leaves := range []string{"what it keeps", "a child"} {
		t.Run(leaves, func(t *testing.T) {
			ctx := guarded(t)
			sys := oneWorker(t)
			o := newAnswerer(t, sys)
			var child actor.Ref[int]
			ref := spawnActor(t, sys, actor.Actor[int](&keeping[int]{hooks[int]{receive: func(c *actor.Context[int], m int) (err error) {
				if leaves == "what it keeps" {
					c.Keep(&keptWork{c})
				} else if child, err = actor.Spawn(c, actor.Actor[int](&hooks[int]{})); err != nil {
					return err
				}
				_, err = o.ask(context.WithoutCancel(c), m)
				return err
			}}}), actor.WithReentrancy(actor.FullReentrancy))
			send(t, ctx, ref, 1)
			q := o.next(t, ctx)
			suspendedIn(t, ctx, ref, 1)
			wantErr(t, ref.Stop(ended()), context.Canceled)
			until(t, ctx, func() bool { return info(t, sys, ref.PID()).State == actor.Stopping })
			ends := 0 // On the only worker, as are all handlers.
			_, err := sys.Observe(&actor.Probe{Ended: func(e actor.Ending) {
				if e.PID == ref.PID() {
					ends++
				}
			}})
			wantNoErr(t, err)
			killer := spawn(t, sys, func(*actor.Context[int], int) error {
				if leaves == "a child" {
					wantNoErr(t, sys.RequestStop(child.PID())) // It runs first.
				}
				return ref.Kill()
			})
			send(t, ctx, killer, 1)
			wantKilled(t, ctx, ref)
			wantNoErr(t, q.reply.Send(ctx, 1))
			until(t, ctx, func() bool { return sys.Stats().Ghosts == 0 })
			wantNoErr(t, sys.Stop(ctx))
			if ends != 1 {
				t.Errorf("the actor has ended %d times", ends)
			}
		})
	}
}
