package inspect_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/sched"
)

// With its only worker held and no spare, everything starves; the events say
// what holds the worker, and come in both levels.
func TestStarvation(t *testing.T) {
	ctx := guarded(t)
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1, BlockedAfter: soon})
	wantNoErr(t, err)
	defer func() { wantNoErr(t, s.Stop(ctx)) }()
	sys, err := actor.NewSystem(actor.Config{Scheduler: s})
	wantNoErr(t, err)
	defer func() { wantNoErr(t, sys.Stop(ctx)) }()
	i := newInspector(t, sys, inspect.Config{
		SlowAfter: -1, ScanEvery: -1, ProbeEvery: soon, StarvingAfter: 5 * soon, CriticalAfter: 20 * soon, Stacks: true,
	})
	events := i.Subscribe(inspect.Subscription{Kinds: []inspect.EventKind{inspect.Starvation}})
	limit := i.Subscribe(inspect.Subscription{Kinds: []inspect.EventKind{inspect.SpareLimit}})
	open := make(chan struct{})
	_, err = s.Go(ctx, func(context.Context) error { <-open; return nil }, sched.WithKind("stuck"))
	wantNoErr(t, err)
	levels := map[string]slog.Level{}
	for len(levels) < 3 || levels["normal"] < slog.LevelError {
		e := next(t, ctx, events)
		if e.Level <= levels[e.Priority] || e.Seconds < 0.005 {
			t.Fatalf("after level %v comes %+v", levels[e.Priority], e)
		}
		levels[e.Priority] = e.Level
		if len(e.Holders) > 0 && (!strings.Contains(e.Holders[0].Work, "stuck") || !strings.Contains(e.Holders[0].Stack, "TestStarvation")) {
			t.Errorf("the holder is %+v", e.Holders[0])
		}
	}
	if e := next(t, ctx, limit); e.Count == 0 {
		t.Errorf("the event is %+v", e)
	}
	close(open)
	until(t, ctx, func() bool { return i.Metrics().Delay["normal"].Count > 0 })
	if d := i.Metrics().Delay["normal"].Quantile(1); d < 5*time.Millisecond {
		t.Errorf("the longest delay is %v", d)
	}
}
