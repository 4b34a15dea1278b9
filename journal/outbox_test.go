package journal_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
	"github.com/troupe-go/troupe/supervise"
)

var errOutside = errors.New("the server is away")

// outside is what deliveries go to. It fails for the ids that are told.
type outside struct {
	mu       sync.Mutex
	fails    map[string]int // How often each id fails, from now on.
	tried    []string
	got      []string
	attempts []int // One for each of got.
	reports  []string
}

func (o *outside) deliver(_ context.Context, d journal.Delivery[any]) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tried = append(o.tried, d.ID)
	if o.fails[d.ID] > 0 {
		if o.fails[d.ID]--; o.fails[d.ID]%2 == 1 {
			panic(errOutside)
		}
		return errOutside
	}
	o.got, o.attempts = append(o.got, d.ID), append(o.attempts, d.Attempt)
	return nil
}

func (o *outside) report(d journal.Delivery[any], aside bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reports = append(o.reports, fmt.Sprint(d.ID, " ", d.Attempt, " ", aside, " ", errors.Is(err, journal.ErrHeld)))
}

func (o *outside) has(ids ...string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Equal(o.got, ids)
}

func outbox(t *testing.T, j *journal.Journal, out *outside, change ...func(cfg *journal.OutboxConfig[any])) *journal.Outbox[any] {
	t.Helper()
	cfg := journal.OutboxConfig[any]{
		Name: "mail", Journal: j, Events: numbers, Deliver: out.deliver, Report: out.report,
		Backoff: time.Nanosecond, MaxBackoff: time.Nanosecond, Poll: time.Hour,
	}
	for _, f := range change {
		f(&cfg)
	}
	o, err := journal.NewOutbox(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// run runs the outbox until the condition holds.
func run(t *testing.T, o *journal.Outbox[any], until func() bool) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(patience.Context(t))
	ended, left := make(chan error, 1), errors.New("left")
	go func() { ended <- o.Run(ctx) }()
	patience.Until(t, ctx, until)
	cancel(left)
	if err := <-ended; !errors.Is(err, left) {
		t.Errorf("Run returns %v, want the cause", err)
	}
}

// put appends events, each to a stream.
func put(t *testing.T, j *journal.Journal, streams ...string) {
	t.Helper()
	for _, name := range streams {
		w := &journal.Write{Stream: name, Expected: journal.AnyVersion, Events: []journal.Encoded{{Type: "added", Schema: 1, Codec: "json", Data: []byte(`{"N":1}`)}}}
		if err := j.Append(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
}

// Events are delivered in their order, once if nothing fails, by one outbox after another.
func TestOutbox(t *testing.T) {
	s, out := memory.New(), &outside{}
	j := journal.New(s)
	put(t, j, "a", "ü/\xff", "a")
	first := []string{"a@1", "%C3%BC%2F%FF@1", "a@2"}
	run(t, outbox(t, j, out), func() bool { return out.has(first...) })
	put(t, j, "b")
	o := outbox(t, j, out, func(cfg *journal.OutboxConfig[any]) { cfg.Batch = 1 })
	run(t, o, func() bool { return out.has(append(first, "b@1")...) && o.Lag() == journal.Lag{Position: 4} })
	if len(out.reports) != 0 || slices.Max(out.attempts) != 1 {
		t.Errorf("there are the reports %q, and the attempts %v", out.reports, out.attempts)
	}
	if all, err := s.Positions(t.Context()); err != nil || len(all) != 1 || all["mail"] != 4 {
		t.Errorf("the positions are %v (%v)", all, err)
	}
}

// crashing is a store that fails to store a position.
type crashing struct {
	*memory.Store
	crash func(name string) error
}

func (c *crashing) MovePosition(ctx context.Context, name string, from, to journal.Position) error {
	if err := c.crash(name); err != nil {
		return err
	}
	return c.Store.MovePosition(ctx, name, from, to)
}

// After a crash between the effects and the position, the effects come again with the same
// ids.
func TestOutboxCrash(t *testing.T) {
	crash := errors.New("the process is gone")
	out := &outside{}
	s := &crashing{Store: memory.New()}
	s.crash = func(string) error {
		if len(out.got) != 2 {
			t.Errorf("the position is stored after %d effects, want 2", len(out.got))
		}
		return crash
	}
	j := journal.New(s)
	put(t, j, "a", "b")
	if err := outbox(t, j, out).Run(patience.Context(t)); !errors.Is(err, crash) {
		t.Fatalf("the outbox ends with %v, want %v", err, crash)
	}
	s.crash = func(string) error { return nil }
	run(t, outbox(t, j, out), func() bool { return out.has("a@1", "b@1", "a@1", "b@1") })
}

// A supervised outbox follows its journal, and tries again what has failed or panicked. All else
// waits.
func TestOutboxTriesAgain(t *testing.T) {
	b := newBench(t, memory.New())
	out := &outside{fails: map[string]int{"counter%2F1@2": 4}}
	o := outbox(t, b.j, out, func(cfg *journal.OutboxConfig[any]) { cfg.Attempts = -1 })
	_, err := supervise.Spawn(b.ctx, b.sup, supervise.Child[struct{}]{
		Name: "outbox", New: func() actor.Actor[struct{}] { return actor.NewProcess(o.Process) },
	})
	if err != nil {
		t.Fatal(err)
	}
	one, two := b.spawn("1"), b.spawn("2")
	b.total(one, add(1), 1)
	b.total(one, add(1), 2)
	b.total(two, add(1), 1)
	patience.Until(t, b.ctx, func() bool { return out.has("counter%2F1@1", "counter%2F1@2", "counter%2F2@1") })
	if want := []int{1, 5, 1}; !slices.Equal(out.attempts, want) {
		t.Errorf("the attempts are %v, want %v", out.attempts, want)
	}
	patience.Until(t, b.ctx, func() bool { return o.Lag() == journal.Lag{Position: 3} })
}

// The pauses double up to their limit, and begin with the first one for another event.
func TestOutboxPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := journal.New(memory.New())
		put(t, j, "a", "a")
		begin := time.Now()
		var at []time.Duration
		ctx, cancel := context.WithCancel(t.Context())
		o := outbox(t, j, &outside{}, func(cfg *journal.OutboxConfig[any]) {
			cfg.Backoff, cfg.MaxBackoff = 0, 5*time.Second
			cfg.Deliver = func(_ context.Context, d journal.Delivery[any]) error {
				at = append(at, time.Since(begin)/time.Second)
				switch len(at) {
				case 6: // The first event, at last.
					return nil
				case 8:
					cancel()
				}
				return errOutside
			}
		})
		if err := o.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Run returns %v", err)
		}
		if want := []time.Duration{0, 1, 3, 7, 12, 17, 17, 18}; !slices.Equal(at, want) {
			t.Errorf("it is tried after %v s, want %v", at, want)
		}
	})
}

// An event that fails too often is set aside, with the later ones of its stream. Others go
// on. The list outlives the process, holds up Trim, and can be tried again.
func TestOutboxSetsAside(t *testing.T) {
	s, out := memory.New(), &outside{fails: map[string]int{"a@1": 3}}
	j := journal.New(s)
	withLimit := func(cfg *journal.OutboxConfig[any]) { cfg.Attempts = 2 }
	put(t, j, "a", "b", "a", "b")
	run(t, outbox(t, j, out, withLimit), func() bool { return out.has("b@1", "b@2") })
	if want := []string{"a@1 1 false false", "a@1 2 true false", "a@2 1 true true"}; !slices.Equal(out.reports, want) {
		t.Errorf("the reports are %q, want %q", out.reports, want)
	}
	for _, name := range []string{"a", "b"} {
		if err := s.SaveSnapshot(t.Context(), journal.Snapshot{Stream: name, Version: 2}); err != nil {
			t.Fatal(err)
		}
		if n, err := j.Trim(t.Context(), name, journal.Retention{}); n != 0 || err != nil {
			t.Errorf("%d events of %s are trimmed, although the first one is set aside (%v)", n, name, err)
		}
	}
	put(t, j, "a", "b")
	o := outbox(t, j, out, withLimit)
	run(t, o, func() bool { return out.has("b@1", "b@2", "b@3") })
	lists := func(want ...string) {
		t.Helper()
		list, err := o.Aside(t.Context())
		got := []string{}
		for _, d := range list {
			got = append(got, d.ID)
		}
		if err != nil || !slices.Equal(got, append([]string{}, want...)) {
			t.Errorf("the list is %q, want %q (%v)", got, want, err)
		}
	}
	lists("a@1", "a@2", "a@3")
	if n, err := o.Retry(t.Context()); n != 0 || !errors.Is(err, errOutside) || !strings.Contains(err.Error(), "a@1") {
		t.Errorf("%d are delivered (%v), want the failure of a@1", n, err)
	}
	lists("a@1", "a@2", "a@3")
	if n, err := o.Retry(t.Context()); n != 3 || err != nil {
		t.Errorf("%d are delivered (%v), want 3", n, err)
	}
	lists()
	put(t, j, "a")
	run(t, o, func() bool { return out.has("b@1", "b@2", "b@3", "a@1", "a@2", "a@3", "a@4") })
	if n, err := j.Trim(t.Context(), "a", journal.Retention{}); n != 1 || err != nil {
		t.Errorf("%d events are trimmed, want 1 (%v)", n, err)
	}
}

// An event that was set aside goes with its stream, and holds up nothing.
func TestOutboxAndErasure(t *testing.T) {
	s, out := memory.New(), &outside{fails: map[string]int{"a@1": 1}}
	j := journal.New(s)
	put(t, j, "a", "b")
	change := func(cfg *journal.OutboxConfig[any]) {
		cfg.Attempts = 1
		cfg.Events = journal.Events[any](journal.Event[added]("added"), journal.Erasure[gone]())
	}
	o := outbox(t, j, out, change)
	run(t, o, func() bool { return out.has("b@1") })
	if err := j.Erase(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if list, err := o.Aside(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("the list is %+v (%v)", list, err)
	}
	run(t, outbox(t, j, out, change), func() bool { return out.has("b@1", "a@2") })
	if all, err := s.Positions(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("the positions are %v (%v), want that of the outbox alone", all, err)
	}
}

func TestBadOutboxes(t *testing.T) {
	type fake struct{ journal.Store }
	for want, change := range map[string]func(cfg *journal.OutboxConfig[any]){
		"Name is":               func(cfg *journal.OutboxConfig[any]) { cfg.Name = "" },
		`begin with "journal."`: func(cfg *journal.OutboxConfig[any]) { cfg.Name = "journal.x" },
		"Deliver is nil":        func(cfg *journal.OutboxConfig[any]) { cfg.Deliver = nil },
		"Attempts is -2":        func(cfg *journal.OutboxConfig[any]) { cfg.Attempts = -2 },
		"Backoff is -1ns":       func(cfg *journal.OutboxConfig[any]) { cfg.Backoff = -1 },
		"Journal is nil":        func(cfg *journal.OutboxConfig[any]) { cfg.Journal = nil },
		"Events is nil":         func(cfg *journal.OutboxConfig[any]) { cfg.Events = nil },
		"no place for positions": func(cfg *journal.OutboxConfig[any]) {
			cfg.Journal = journal.New(fake{memory.New()})
		},
	} {
		cfg := journal.OutboxConfig[any]{Name: "mail", Journal: journal.New(memory.New()), Events: numbers, Deliver: (&outside{}).deliver}
		change(&cfg)
		if _, err := journal.NewOutbox(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	unknown := outbox(t, journal.New(store(t, "vanished")), &outside{})
	if err := unknown.Run(patience.Context(t)); !errors.Is(err, journal.ErrUnknownType) {
		t.Errorf("an outbox with an event that is not known ends with %v", err)
	}
}
