package actor_test

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// told collects reports.
type told chan actor.HandlerReport

func (c told) tell(r actor.HandlerReport) { c <- r }

func newTold() told { return make(told, 1000) }

func TestSlowHandlers(t *testing.T) {
	ctx := guarded(t)
	slow, blocked := newTold(), newTold()
	sys := newSystem(t, actor.Config{OnSlow: slow.tell, OnBlocked: blocked.tell})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithName("gate"))
	send(t, ctx, ref, 1, 2, 3)
	g.hold(t, ctx, ref)
	r := receive(t, ctx, blocked)
	if r.PID != ref.PID() || r.Name != "gate" || r.Message != "int" || r.For < 10*ms || r.Limit != 10*ms || r.Goroutine == 0 {
		t.Errorf("the report is %+v", r)
	}
	if stack := r.Stack(); !strings.Contains(stack, "(*gate).Receive") {
		t.Errorf("the stack is %s", stack)
	}
	if len(slow) > 0 {
		t.Error("the handler was reported to have returned")
	}
	g.open <- struct{}{}
	if r := receive(t, ctx, slow); r.PID != ref.PID() || r.For < 10*ms || r.Message != "int" || r.Stack() != "" {
		t.Errorf("the report is %+v", r)
	}
	wantNoErr(t, ref.Drain(ctx))
	if len(slow)+len(blocked) > 0 {
		t.Errorf("there were more reports: %d and %d", len(slow), len(blocked))
	}
}

// A handler that waits in an Ask holds no worker, and is found all the same.
func TestSlowHandlerThatIsSuspended(t *testing.T) {
	ctx := guarded(t)
	blocked := newTold()
	sys := newSystem(t, actor.Config{OnBlocked: blocked.tell})
	w, ref := newWaiter(t, sys)
	send(t, ctx, ref, question{})
	if r := receive(t, ctx, blocked); r.PID != ref.PID() || !strings.Contains(r.Stack(), "(*waiter).Receive") {
		t.Errorf("the report is %+v, the stack %s", r, r.Stack())
	}
	wantNoErr(t, ref.Kill())
	wantErr(t, receive(t, ctx, w.ended), actor.ErrKilled)
}

func TestSlowAfter(t *testing.T) {
	ctx := guarded(t)
	blocked := newTold()
	sys := newSystem(t, actor.Config{OnBlocked: blocked.tell, SlowAfter: -1})
	g := newGate()
	defer close(g.open)
	patient := spawnActor(t, sys, actor.Actor[int](g))
	own := spawnActor(t, sys, actor.Actor[int](g), actor.WithSlowAfter(5*ms))
	g.hold(t, ctx, patient)
	g.hold(t, ctx, own)
	if r := receive(t, ctx, blocked); r.PID != own.PID() || r.Limit != 5*ms {
		t.Errorf("the report is %+v", r)
	}
}

// The report has the type of what is in an interface.
func TestSlowMessageInAnInterface(t *testing.T) {
	ctx := guarded(t)
	blocked := newTold()
	sys := newSystem(t, actor.Config{OnBlocked: blocked.tell})
	open := make(chan struct{})
	ref := spawn(t, sys, func(_ *actor.Context[any], _ any) error { <-open; return nil })
	send[any](t, ctx, ref, question{})
	if r := receive(t, ctx, blocked); r.Message != "actor_test.question" {
		t.Errorf("the report is %+v", r)
	}
	close(open)
}

// failingActor fails in its own way when its gate opens, and its Stopped waits there too.
type failingActor struct {
	open chan struct{}
	fail func()
}

func (q failingActor) Started(*actor.Context[int]) error { return nil }

func (q failingActor) Receive(*actor.Context[int], int) error {
	<-q.open
	q.fail()
	return nil
}

func (q failingActor) Stopped(*actor.Context[int], error) { <-q.open }

// Two watched handlers in a row are told apart: a message is not taken for the hook, nor a
// hook for the message whose handler has not returned.
func TestSlowHookOfAFailure(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("failed") }, "goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			blocked := newTold()
			sys := newSystem(t, actor.Config{OnBlocked: blocked.tell})
			q := failingActor{make(chan struct{}), fail}
			defer close(q.open)
			ref := spawnActor(t, sys, actor.Actor[int](q))
			send(t, ctx, ref, 1)
			for _, message := range []string{"int", ""} {
				if r := receive(t, ctx, blocked); r.PID != ref.PID() || r.Message != message {
					t.Errorf("the report is %+v, want one of the message %q", r, message)
				}
				q.open <- struct{}{}
			}
		})
	}
}

// Reports are left out when there are too many in a second, and a panic in them is
// contained.
func TestReportsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // Where all of it is within a second, however busy the machine.
		ctx, began := t.Context(), time.Now()
		reported := 0
		sys := newSystem(t, actor.Config{OnTimeout: func(actor.HandlerReport) { reported++; panic("reported") }})
		const actors = 100
		open := make(chan struct{})
		var refs []actor.Ref[int]
		for range actors {
			refs = append(refs, spawn(t, sys, func(ctx *actor.Context[int], _ int) error {
				<-ctx.Done()
				<-open
				return nil
			}, actor.WithHandlerTimeout(time.Millisecond, actor.TimeoutCancel)))
			send(t, ctx, refs[len(refs)-1], 1)
		}
		close(open)
		for _, ref := range refs {
			wantNoErr(t, ref.Drain(ctx))
		}
		wantNoErr(t, sys.Stop(ctx))
		if took := time.Since(began); reported == 0 || reported > actors/2 || took >= time.Second {
			t.Errorf("%d of %d timeouts were reported in %v", reported, actors, took)
		}
	})
}
