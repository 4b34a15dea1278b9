package inspect_test

import (
	"context"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// A subscriber that does not take its events loses the oldest, learns how many, and holds
// nobody up.
func TestSlowSubscriber(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	slow := i.Subscribe(inspect.Subscription{Buffer: 10})
	ref := spawnKept(t, sys)
	for range 500 {
		send(t, ctx, ref, false)
	}
	until(t, ctx, func() bool { return i.Metrics().Kinds[0].Restarts == 500 })
	i.Close()
	var last inspect.Event
	n := 0
	for e := range slow.All(ctx) {
		if n++; n > 1 && e.Number != last.Number+1 {
			t.Errorf("event %d comes after %d", e.Number, last.Number)
		}
		last = e
	}
	if n != 10 || slow.Dropped() != 990 || last.Number != 1000 {
		t.Errorf("%d events, the last is %d, %d dropped", n, last.Number, slow.Dropped())
	}
	_, err := slow.Next(ctx)
	wantErr(t, err, inspect.ErrClosed)
	_, err = i.Subscribe(inspect.Subscription{}).Next(ctx)
	wantErr(t, err, inspect.ErrClosed)
}

func TestSubscriberThatLeaves(t *testing.T) {
	i := newInspector(t, newSystem(t, actor.Config{}), quiet)
	s := i.Subscribe(inspect.Subscription{})
	ctx, cancel := context.WithCancel(guarded(t))
	cancel()
	_, err := s.Next(ctx)
	wantErr(t, err, context.Canceled)
	s.Close()
	s.Close()
	_, err = s.Next(guarded(t))
	wantErr(t, err, inspect.ErrClosed)
}

// lockedText is written and read at the same time.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Subscribers come, read and go while events rain, and all that is sent is
// logged.
func TestSubscribersUnderLoad(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var log lockedText
	cfg := quiet
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	i := newInspector(t, sys, cfg)
	ref := spawnKept(t, sys)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				s := i.Subscribe(inspect.Subscription{Kinds: []inspect.EventKind{inspect.Failed}, Buffer: 3})
				if e := next(t, ctx, s); e.Kind != inspect.Failed {
					t.Errorf("the event is %v", e)
				}
				s.Close()
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		all.Wait()
	}()
	for {
		select {
		case <-done:
			if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "event=failed") {
				t.Error("the log has no failure")
			}
			return
		default:
			send(t, ctx, ref, false)
		}
	}
}

// The cost of adding or taking one event does not depend on the number of events in a full
// buffer. Otherwise the other side would wait for it.
func TestFullBufferIsNotCopied(t *testing.T) {
	const buffer, events = 10_000, 400
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	full := i.Subscribe(inspect.Subscription{Buffer: buffer})
	for range buffer + events {
		inspect.Tell(i, inspect.Event{Kind: inspect.Acted})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for n := range events {
		if e := next(t, ctx, full); e.Number != uint64(2*n+events+1) {
			t.Fatalf("event %d is number %d", n, e.Number)
		}
		for range 2 { // So that it is full, and has to drop one.
			inspect.Tell(i, inspect.Event{Kind: inspect.Acted})
		}
	}
	runtime.ReadMemStats(&after)
	if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(100*events)*uint64(unsafe.Sizeof(inspect.Event{})); got > limit {
		t.Errorf("%d events that come and go have %d bytes copied, want at most %d", 2*events, got, limit)
	}
	if got := full.Dropped(); got != 2*events {
		t.Errorf("%d were dropped, want %d", got, 2*events)
	}
}

// A buffer of each length keeps the newest, in order, whatever is taken meanwhile.
func TestBuffersKeepOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 100).Draw(t, "limit")
		var want []uint64
		number, dropped, q := uint64(0), uint64(0), inspect.NewBacklog(limit)
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "put") {
				number++
				want = append(want, number)
				if len(want) > limit {
					want, dropped = want[1:], dropped+1
				}
				q.Put(inspect.Event{Number: number})
				continue
			}
			e, ok := q.Take()
			if ok != (len(want) > 0) || ok && e.Number != want[0] {
				t.Fatalf("got event %d, %v; want one of %v", e.Number, ok, want)
			}
			want = want[min(1, len(want)):]
		}
		if got := q.Dropped(); got != dropped {
			t.Fatalf("%d are dropped, want %d", got, dropped)
		}
	})
}
