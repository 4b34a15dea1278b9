package actor_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/simtest"
)

// silent takes questions and never answers.
func silent(*actor.Context[question], question) error { return nil }

// waiter is an actor whose handler asks somebody who never answers, and notes
// how that ended.
type waiter struct {
	nobody actor.Ref[question]
	ended  chan error
}

func (w *waiter) Receive(ctx *actor.Context[question], q question) error {
	_, err := actor.Ask(ctx, w.nobody, asking(0))
	w.ended <- err
	return q.reply.Send(ctx, q.n)
}

// newWaiter returns one that is watched as the options say, and its ref.
func newWaiter(tb testing.TB, sys *actor.System, opts ...actor.Option) (*waiter, actor.Ref[question]) {
	tb.Helper()
	w := &waiter{nobody: spawn(tb, sys, silent), ended: make(chan error, 16)}
	return w, spawnActor(tb, sys, actor.Actor[question](w), opts...)
}

const soon = 20 * time.Millisecond

func TestTimeoutThatCancels(t *testing.T) { simulated.Too(t, testTimeoutThatCancels) }

func testTimeoutThatCancels(t testing.TB) {
	ctx := guarded(t)
	reports := make(chan actor.HandlerReport, 16)
	sys := newSystem(t, actor.Config{OnTimeout: func(r actor.HandlerReport) { reports <- r }})
	w, ref := newWaiter(t, sys, actor.WithHandlerTimeout(soon, actor.TimeoutCancel), actor.WithName("waiter"))
	for n := range 3 { // The context of the second handler has not ended before its time.
		got, err := actor.Ask(ctx, ref, asking(n))
		if got != n || err != nil {
			t.Fatalf("the handler answered %d, %v; want %d", got, err, n)
		}
		err = receive(t, ctx, w.ended)
		wantErr(t, err, actor.ErrHandlerTimeout)
		cause := (*actor.TimeoutError)(nil)
		if !errors.As(err, &cause) || cause.PID != ref.PID() || cause.Name != "waiter" || cause.Limit != soon {
			t.Errorf("the cause is %+v", cause)
		}
		r := receive(t, ctx, reports)
		if r.PID != ref.PID() || r.Name != "waiter" || r.Action != actor.TimeoutCancel || r.Limit != soon || r.For < soon ||
			r.Message != "actor_test.question" {
			t.Errorf("the report is %+v", r)
		}
	}
}

// A handler that pays no heed to its context is stopped for its parent to
// restart the actor, which goes on with what waits.
func TestTimeoutThatStops(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	defer close(g.open)
	exits := make(chan actor.Exit, 1)
	children := make(chan actor.Ref[int], 1)
	parent := &keeping[int]{}
	parent.started = func(ctx *actor.Context[int]) error {
		child, err := actor.SpawnNew(ctx, func() actor.Actor[int] { return g },
			actor.WithHandlerTimeout(soon, actor.TimeoutStop))
		children <- child
		return err
	}
	parent.exited = func(ctx *actor.Context[int], e actor.Exit) error {
		exits <- e
		return ctx.Restart(e.PID)
	}
	spawnActor(t, sys, actor.Actor[int](parent))
	child := receive(t, ctx, children)
	g.hold(t, ctx, child)
	for m := range 100 {
		send(t, ctx, child, m+1)
	}
	e := receive(t, ctx, exits)
	wantErr(t, e.Reason, actor.ErrHandlerTimeout)
	if e.Kind() != actor.Failed || !e.Held || errors.Is(e.Reason, actor.ErrKilled) {
		t.Errorf("the exit is %+v of kind %v", e, e.Kind())
	}
	if m := receive(t, ctx, g.seen); m == 0 {
		t.Errorf("the next incarnation began with message %d", m)
	}
}

func TestAskerIsToldOfTheTimeout(t *testing.T) { simulated.Too(t, testAskerIsToldOfTheTimeout) }

func testAskerIsToldOfTheTimeout(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	_, ref := newWaiter(t, sys, actor.WithHandlerTimeout(soon, actor.TimeoutStop))
	_, err := actor.Ask(ctx, ref, asking(1))
	wantErr(t, err, actor.ErrNoReply, actor.ErrHandlerTimeout)
	receive(t, ctx, ref.Done())
	wantErr(t, ref.Err(), actor.ErrHandlerTimeout)
}

// Warnings leave the handler alone.
func TestTimeoutThatWarns(t *testing.T) {
	ctx := guarded(t)
	reports := make(chan actor.HandlerReport, 16)
	var log strings.Builder
	sys := newSystem(t, actor.Config{OnTimeout: func(r actor.HandlerReport) { reports <- r }, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithHandlerTimeout(soon, actor.TimeoutWarn))
	g.hold(t, ctx, ref)
	if r := receive(t, ctx, reports); r.Action != actor.TimeoutWarn || r.Message != "int" || !strings.Contains(r.Stack(), "gate") {
		t.Errorf("the report is %+v with the stack %s", r, r.Stack())
	}
	close(g.open)
	wantNoErr(t, ref.Drain(ctx))
	wantNoErr(t, ref.Err())
	if !strings.Contains(log.String(), "action=warn") {
		t.Errorf("the log is %q", log.String())
	}
}

// The watchdog acts once on a handler that takes too long.
func TestTimeoutIsReportedOnce(t *testing.T) { simulated.Too(t, testTimeoutIsReportedOnce) }

func testTimeoutIsReportedOnce(t testing.TB) {
	ctx := guarded(t)
	reports := make(chan actor.HandlerReport, 1000)
	sys := newSystem(t, actor.Config{OnTimeout: func(r actor.HandlerReport) { reports <- r }})
	w, ref := newWaiter(t, sys, actor.WithHandlerTimeout(ms, actor.TimeoutWarn), actor.WithHandlerTimeout(soon, actor.TimeoutCancel))
	send(t, ctx, ref, question{})
	wantErr(t, receive(t, ctx, w.ended), actor.ErrHandlerTimeout)
	wantNoErr(t, ref.Drain(ctx))
	wantNoErr(t, sys.Stop(ctx))
	if len(reports) > 2 {
		t.Errorf("there were %d reports, want one for each action", len(reports))
	}
}

// A hook counts as a handler.
func TestTimeoutOfAHook(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	open := make(chan struct{})
	defer close(open)
	ref := spawnActor(t, sys, actor.Actor[int](&hooks[int]{started: func(*actor.Context[int]) error { <-open; return nil }}),
		actor.WithHandlerTimeout(soon, actor.TimeoutStop))
	receive(t, ctx, ref.Done())
	wantErr(t, ref.Err(), actor.ErrHandlerTimeout)
}

// timeline runs, in virtual time, an actor that waits 1 s with each message, and
// returns what was reported until the end, and the actor's end.
func timeline(s *simtest.Sim, opts []actor.Option, msgs ...question) (reports []actor.HandlerReport, reason error) {
	sys := s.System(actor.Config{OnTimeout: func(r actor.HandlerReport) { reports = append(reports, r) }})
	clock := spawn(s, sys, func(ctx *actor.Context[question], q question) error {
		if q.n > 0 {
			return q.reply.Send(ctx, q.n)
		}
		_, err := actor.SendAfter(ctx, time.Second, ctx.Self(), question{1, q.reply})
		return err
	})
	ref := spawn(s, sys, func(ctx *actor.Context[question], q question) error {
		_, err := actor.Ask(ctx, clock, asking(0))
		if errors.Is(err, actor.ErrHandlerTimeout) {
			return nil
		}
		return err
	}, opts...)
	for _, m := range msgs {
		if err := ref.Send(context.Background(), m); err != nil {
			s.Fatal(err)
		}
	}
	s.Advance(time.Duration(len(msgs)+1) * time.Second)
	info, err := ref.Info()
	if err != nil {
		s.Fatal(err)
	}
	return reports, info.Reason
}

// actions returns what was done, and when.
func actions(reports []actor.HandlerReport) (all []string) {
	for _, r := range reports {
		all = append(all, r.Action.String()+" "+r.For.String())
	}
	return all
}

const ms = time.Millisecond

// Several timeouts are carried out one after the other; of those that coincide,
// the strictest alone.
func TestTimeoutsThatCoincide(t *testing.T) {
	tests := []struct {
		name string
		opts []actor.Option
		want []string
	}{
		{"in turn", []actor.Option{
			actor.WithHandlerTimeout(100*ms, actor.TimeoutWarn),
			actor.WithHandlerTimeout(300*ms, actor.TimeoutStop),
		}, []string{"warn 100ms", "stop 300ms"}},
		{"warn and stop", []actor.Option{
			actor.WithHandlerTimeout(100*ms, actor.TimeoutWarn),
			actor.WithHandlerTimeout(100*ms, actor.TimeoutStop),
			actor.WithHandlerTimeout(100*ms, actor.TimeoutCancel),
		}, []string{"stop 100ms"}},
		{"warn and cancel", []actor.Option{
			actor.WithHandlerTimeout(100*ms, actor.TimeoutWarn),
			actor.WithHandlerTimeout(100*ms, actor.TimeoutCancel),
		}, []string{"cancel 100ms"}},
		{"none", nil, nil},
		{"in time", []actor.Option{actor.WithHandlerTimeout(1001*ms, actor.TimeoutStop)}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
				reports, reason := timeline(s, test.opts, question{n: 1})
				if got := actions(reports); !slices.Equal(got, test.want) {
					s.Fatalf("done was %q, want %q", got, test.want)
				}
				stops := len(test.want) > 0 && strings.HasPrefix(test.want[len(test.want)-1], "stop")
				if errors.Is(reason, actor.ErrHandlerTimeout) != stops {
					s.Errorf("the actor has ended because: %v", reason)
				}
			})
		})
	}
}

func TestTimeoutsByKindAndMessage(t *testing.T) {
	choose := func(q question) time.Duration { return time.Duration(q.n) * ms }
	tests := []struct {
		name string
		opts []actor.Option
		msgs []question
		want []string
	}{
		{"a send", []actor.Option{
			actor.WithHandlerTimeout(100*ms, actor.TimeoutCancel), actor.WithSendTimeout(200*ms, actor.TimeoutCancel),
		}, []question{{}}, []string{"cancel 200ms"}},
		{"not an ask", []actor.Option{
			actor.WithHandlerTimeout(100*ms, actor.TimeoutCancel), actor.WithAskTimeout(200*ms, actor.TimeoutCancel),
		}, []question{{}}, []string{"cancel 100ms"}},
		{"chosen", []actor.Option{
			actor.WithHandlerTimeout(100*ms, actor.TimeoutCancel), actor.WithTimeoutFor(actor.TimeoutWarn, choose),
		}, []question{{n: 50}, {n: 0}, {n: -1}, {n: 70}}, []string{"warn 50ms", "cancel 100ms", "warn 70ms"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
				reports, _ := timeline(s, test.opts, test.msgs...)
				if got := actions(reports); !slices.Equal(got, test.want) {
					s.Fatalf("done was %q, want %q", got, test.want)
				}
			})
		})
	}
}

func TestTimeoutOfAsks(t *testing.T) { simulated.Too(t, testTimeoutOfAsks) }

func testTimeoutOfAsks(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	w, ref := newWaiter(t, sys, actor.WithAskTimeout(soon, actor.TimeoutCancel))
	_, err := actor.Ask(ctx, ref, asking(1))
	wantNoErr(t, err)
	wantErr(t, receive(t, ctx, w.ended), actor.ErrHandlerTimeout)
}

func TestTimeoutOptions(t *testing.T) { simulated.Too(t, testTimeoutOptions) }

func testTimeoutOptions(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	for name, opt := range map[string]actor.Option{
		"zero":           actor.WithHandlerTimeout(0, actor.TimeoutWarn),
		"negative":       actor.WithAskTimeout(-1, actor.TimeoutWarn),
		"no action":      actor.WithSendTimeout(1, actor.TimeoutStop+1),
		"nil":            actor.WithTimeoutFor[int](actor.TimeoutWarn, nil),
		"another action": actor.WithTimeoutFor(9, func(int) time.Duration { return 1 }),
		"another type":   actor.WithTimeoutFor(actor.TimeoutWarn, func(string) time.Duration { return 1 }),
		"slow":           actor.WithSlowAfter(0),
	} {
		_, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error { return nil }), opt)
		if err == nil || !strings.HasPrefix(err.Error(), "actor: ") {
			t.Errorf("%s: Spawn returned %v", name, err)
		}
	}
	if _, err := actor.NewSystem(actor.Config{SlowAfter: -2}); err == nil {
		t.Error("a negative Config.SlowAfter was accepted")
	}
}

// A handler derives a context from the context of its ask, and returns as soon as its time is
// up. The derived context then ends with an error.
func TestDerivedContextAtATimeout(t *testing.T) {
	type keyType struct{}
	ctx := guarded(t)
	late := make(chan struct{})
	sys := newSystem(t, actor.Config{OnTimeout: func(actor.HandlerReport) {
		select {
		case late <- struct{}{}:
		case <-ctx.Done():
		}
	}})
	var derived []context.Context
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		for range 100 {
			ctx, cancel := context.WithCancel(c)
			t.Cleanup(cancel)
			derived = append(derived, ctx)
		}
		select {
		case <-late:
		case <-ctx.Done():
		}
		return q.reply.Send(c, 1)
	}, actor.WithHandlerTimeout(ms, actor.TimeoutCancel))
	for range 15 { // No more are reported in a second.
		_, err := actor.Ask(context.WithValue(ctx, keyType{}, 1), ref, asking(1))
		wantNoErr(t, err)
	}
	for _, d := range derived {
		if cause := context.Cause(d); d.Err() != nil && !errors.As(cause, new(*actor.TimeoutError)) {
			t.Errorf("%v, since %v", d.Err(), cause)
		}
	}
}
