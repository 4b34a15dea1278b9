package actor_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// steppedActor has each hook there is, and in each handler and hook waits until its step is taken.
type steppedActor struct {
	step  func()
	other actor.Ref[int] // That it monitors, and
	twin  actor.Ref[int] // that it is linked to.
	child chan actor.Ref[int]
}

func (w *steppedActor) Started(ctx *actor.Context[question]) error {
	w.step()
	_, err := ctx.Monitor(w.other.PID())
	if err != nil {
		return err
	}
	child, err := actor.SpawnNew(ctx, func() actor.Actor[int] { return actor.Func(ignore) })
	w.child <- child
	return errors.Join(err, ctx.Link(w.twin.PID()))
}

func (w *steppedActor) Receive(ctx *actor.Context[question], q question) error {
	w.step()
	return q.reply.Send(ctx, q.n)
}

func (w *steppedActor) Leave(ctx *actor.Context[question]) error {
	w.step()
	ctx.Stop()
	return nil
}

func (w *steppedActor) ChildExited(ctx *actor.Context[question], e actor.Exit) error {
	w.step()
	return ctx.Restart(e.PID)
}

func (w *steppedActor) Stopped(*actor.Context[question], error)                { w.step() }
func (w *steppedActor) Woken(*actor.Context[question]) error                   { w.step(); return nil }
func (w *steppedActor) ChildStarted(*actor.Context[question], actor.PID) error { w.step(); return nil }
func (w *steppedActor) Exited(*actor.Context[question], actor.Exit) error      { w.step(); return nil }
func (w *steppedActor) Down(*actor.Context[question], actor.Monitor, actor.Exit) error {
	w.step()
	return nil
}
func (w *steppedActor) Health(*actor.Context[question]) actor.Health { w.step(); return actor.Health{} }

// ways has something happen to a steppedActor, for each way in which its code comes to run.
func ways(t *testing.T, ctx context.Context, sys *actor.System, ref actor.Ref[question], w *steppedActor, expect func(handler, message string)) {
	const message = "actor_test.question"
	expect("Started", "")
	child := receive(t, ctx, w.child)
	send(t, ctx, ref, question{})
	expect("send", message)
	answered := make(chan error, 1)
	go func() {
		_, err := actor.Ask(ctx, ref, asking(1))
		answered <- err
	}()
	expect("ask", message)
	wantNoErr(t, receive(t, ctx, answered))
	_, err := actor.SendAfter(sys, 0, ref, question{})
	wantNoErr(t, err)
	expect("timer", message)
	send(t, ctx, ref, question{})
	expect("send", message)
	wantNoErr(t, sys.Wake(ref.PID()))
	expect("Woken", "")
	wantNoErr(t, child.Kill())
	expect("ChildExited", "")
	expect("ChildStarted", "")
	healthy := make(chan []actor.Diagnosis, 1)
	go func() { healthy <- sys.Checkup(ctx) }()
	expect("Health", "")
	receive(t, ctx, healthy)
	wantNoErr(t, w.other.Stop(ctx))
	expect("Down", "")
	wantNoErr(t, w.twin.Stop(ctx))
	expect("Exited", "")
	wantNoErr(t, sys.RequestStop(ref.PID()))
	expect("Leave", "")
	expect("Stopped", "")
	receive(t, ctx, ref.Done())
}

// Reports say what runs: where all that is watched is how long handlers take, and where each has a
// timeout.
func TestHandlerReportsSayWhatRuns(t *testing.T) {
	for name, opts := range map[string][]actor.Option{
		"slowness": nil, "timeouts": {actor.WithHandlerTimeout(time.Hour, actor.TimeoutStop)},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			blocked := newTold()
			sys := newSystem(t, actor.Config{SlowAfter: ms, OnBlocked: func(r actor.HandlerReport) {
				if r.Name == "bystander" { // Others may have to wait for a processor.
					blocked.tell(r)
				}
			}})
			open := make(chan struct{})
			w := &steppedActor{other: spawn(t, sys, ignore), twin: spawn(t, sys, ignore), child: make(chan actor.Ref[int], 1), step: func() {
				select {
				case <-open:
				case <-ctx.Done():
				}
			}}
			ref := spawnActor(t, sys, actor.Actor[question](w), append(opts, actor.WithName("bystander"))...)
			ways(t, ctx, sys, ref, w, func(handler, message string) {
				t.Helper()
				r := receive(t, ctx, blocked)
				if r.PID != ref.PID() || r.Kind != "actor_test.steppedActor" || r.Handler != handler || r.Message != message {
					t.Errorf("the report is %+v, want one of %s with %q", r, handler, message)
				}
				open <- struct{}{}
			})
		})
	}
}

// Hooks are measured like messages, and each sample says what was measured.
func TestSamplesSayWhatRan(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	samples := make(chan actor.Sample, 100)
	w := &steppedActor{other: spawn(t, sys, ignore), twin: spawn(t, sys, ignore), child: make(chan actor.Ref[int], 1), step: func() {}}
	// The child's ref is handed over before the parent is told that it has started, and so on: each is
	// waited for before the next.
	observe(t, sys, actor.Probe{SampleEvery: 1, Handled: func(s actor.Sample) {
		if s.Kind == "actor_test.steppedActor" {
			samples <- s
		}
	}})
	ref := spawnActor(t, sys, actor.Actor[question](w), actor.WithName("bystander"))
	ways(t, ctx, sys, ref, w, func(handler, message string) {
		t.Helper()
		s := receive(t, ctx, samples)
		if s.PID != ref.PID() || s.Handler != handler || s.Duration < 0 || (s.Latency != -1) && message == "" || s.Err != nil {
			t.Errorf("the sample is %+v, want one of %s", s, handler)
		}
	})
}

// A process is told by signals, which are none of its hooks, and goes on.
func TestSignalsOfAProcess(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var told []string
	observe(t, sys, actor.Probe{SampleEvery: 1, Handled: func(s actor.Sample) {
		if s.Name == "process" {
			told = append(told, s.Handler)
		}
	}})
	other := spawn(t, sys, ignore)
	waits := make(chan struct{})
	ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		if _, err := p.Monitor(other.PID(), func(actor.Exit) int { return 2 }); err != nil {
			return err
		}
		_, err := p.ReceiveWithin(ms, func(n int) bool { return n == 1 })
		if err == nil {
			t.Error("a message came")
		}
		close(waits)
		_, err = p.Receive(p)
		return err
	}, actor.WithName("process"))
	receive(t, ctx, waits)
	wantNoErr(t, other.Stop(ctx))
	receive(t, ctx, ref.Done())
	wantNoErr(t, ref.Err())
	wantNoErr(t, sys.Stop(ctx))
	if want := []string{"Started", "signal", "signal", "Stopped"}; !slices.Equal(told, want) {
		t.Errorf("what ran was %q, want %q", told, want)
	}
}

// The error of a handler that has taken too long names it.
func TestTimeoutErrorSaysWhatRan(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	open := make(chan struct{})
	defer close(open)
	made := func() actor.Actor[int] { <-open; return actor.Func(ignore) }
	hook := &hooks[int]{started: func(*actor.Context[int]) error { <-open; return nil }}
	handler := &hooks[int]{receive: func(*actor.Context[int], int) error { <-open; return nil }}
	stops := actor.WithHandlerTimeout(ms, actor.TimeoutStop)
	parent := &keeping[int]{hooks[int]{started: func(ctx *actor.Context[int]) error {
		child, err := actor.SpawnHeld(ctx, made, stops, actor.WithName("made"))
		return errors.Join(err, ctx.Restart(child.PID()))
	}}}
	exits := make(chan actor.Exit, 1)
	parent.exited = func(_ *actor.Context[int], e actor.Exit) error { exits <- e; return nil }
	spawnActor(t, sys, actor.Actor[int](parent))
	busy := spawnActor(t, sys, actor.Actor[int](handler), stops, actor.WithName("busy"))
	send(t, ctx, busy, 1)
	starts := spawnActor(t, sys, actor.Actor[int](hook), stops, actor.WithName("starts"))
	for _, ref := range []actor.Ref[int]{busy, starts} {
		receive(t, ctx, ref.Done())
	}
	for text, err := range map[string]error{
		"in New for more than 1ms": receive(t, ctx, exits).Reason, "with int (send) for more than 1ms": busy.Err(), "in Started for more than 1ms": starts.Err(),
	} {
		late := (*actor.TimeoutError)(nil)
		if !errors.As(err, &late) || late.Error() != actor.ErrHandlerTimeout.Error()+": "+late.Name+late.PID.String()+" "+text {
			t.Errorf("the error is %v, want one that ends %q", err, text)
		}
	}
}
