package journal_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
)

func TestStateIsMadeFromEvents(t *testing.T) {
	b := newBench(t, memory.New())
	first := b.spawn("a")
	b.total(first, add(3), 3)
	b.total(first, func(ctx *callContext, _ *counter) error { return ctx.Persist(added{1}, added{2}) }, 6)
	if err := first.Stop(b.ctx); err != nil {
		t.Fatal(err)
	}
	b.total(b.spawn("a"), func(ctx *callContext, c *counter) error {
		if c.replayed != 3 || ctx.Version() != 3 || c.self.Version() != 3 || ctx.Replaying() || ctx.ID() != "a" || c.self.Stream() != "counter/a" {
			return fmt.Errorf("replayed %d, version %d, replaying %t, id %q, stream %q", c.replayed, ctx.Version(), ctx.Replaying(), ctx.ID(), c.self.Stream())
		}
		return nil
	}, 6)
	b.total(b.spawn("b"), look, 0)
}

// A handler that goes on after its Persist has failed ends all the same, and the next
// incarnation has what is stored.
func TestConflictEndsTheIncarnation(t *testing.T) {
	b := newBench(t, memory.New())
	one, two := b.spawn("a"), b.spawn("a")
	b.total(two, look, 0)
	b.total(one, add(1), 1)
	var conflict *journal.ConflictError
	_, err := b.ask(two, func(ctx *callContext, c *counter) error {
		err := ctx.Persist(added{10})
		if again := ctx.Persist(added{10}); !errors.As(err, &conflict) || !errors.Is(again, err) {
			return fmt.Errorf("Persist returns %w, and then %w", err, again)
		}
		if c.total != 0 {
			return errors.New("a refused event was applied")
		}
		return actor.ErrUnhandled
	})
	if !errors.Is(err, actor.ErrNoReply) || !errors.As(err, &conflict) || conflict.Actual != 1 {
		t.Errorf("the handler ends with %v, want a conflict with version 1", err)
	}
	b.total(two, add(10), 11)
}

// The commit is made, and its answer lost.
func TestUnknownOutcome(t *testing.T) {
	s := memory.New()
	b := newBench(t, s)
	ref := b.spawn("a")
	b.total(ref, add(1), 1)
	s.Inject(func([]*journal.Write) memory.Fault { s := memory.LoseAnswer; return s })
	b.fails(ref, add(2), journal.ErrUnknownOutcome)
	s.Inject(nil)
	b.total(ref, look, 3)
	s.Inject(func([]*journal.Write) memory.Fault { return memory.Refuse })
	if _, err := b.ask(ref, add(4)); !errors.Is(err, actor.ErrNoReply) || errors.Is(err, journal.ErrUnknownOutcome) {
		t.Errorf("a commit that the store refuses ends in %v", err)
	}
	s.Inject(nil)
	b.total(ref, add(4), 7)
}

// An error before the commit is for the handler to deal with: the incarnation goes on.
func TestEventsThatCannotBeStored(t *testing.T) {
	b := newBench(t, memory.New())
	ref := b.spawn("a")
	b.total(ref, func(ctx *callContext, _ *counter) error {
		if err := ctx.Persist(added{1}, other{2}); !errors.Is(err, journal.ErrUnknownType) || !strings.Contains(err.Error(), "journal_test.other") {
			return fmt.Errorf("an event that the set does not have: %w", err)
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if err := b.j.Append(ended, event("counter/a", 1)); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("a context that has ended: %w", err)
		}
		return errors.Join(ctx.Persist(), ctx.Persist(added{5}))
	}, 5)
}

func TestOnePersistAtATime(t *testing.T) {
	g := newGated()
	b := newBench(t, g)
	b.total(b.spawn("a"), func(ctx *callContext, _ *counter) error {
		first := make(chan error)
		go func() { first <- ctx.Persist(added{1}) }()
		<-g.begun
		second := ctx.Persist(added{2})
		g.let <- struct{}{}
		if err := <-first; err != nil || !errors.Is(second, journal.ErrBusy) {
			return fmt.Errorf("the first returns %w, the second %w", err, second)
		}
		return nil
	}, 1)
}

func TestCommandRunsOnce(t *testing.T) {
	s := memory.New()
	b := newBench(t, s)
	once := func(id string, want bool) func(ctx *callContext, c *counter) error {
		return func(ctx *callContext, _ *counter) error {
			done, err := ctx.WasDone(id)
			if err != nil || done == want {
				return fmt.Errorf("WasDone is %t (%w)", done, err)
			}
			first, err := ctx.Once(id, added{1})
			if err != nil || first != want {
				return fmt.Errorf("Once is %t (%w)", first, err)
			}
			return nil
		}
	}
	ref := b.spawn("a")
	b.total(ref, once("x", true), 1)
	b.total(ref, once("x", false), 1)
	b.total(ref, once("y", true), 2)
	s.Inject(func([]*journal.Write) memory.Fault { return memory.LoseAnswer })
	b.fails(ref, func(ctx *callContext, _ *counter) error { _, err := ctx.Once("z", added{1}); return err }, journal.ErrUnknownOutcome)
	s.Inject(nil)
	b.total(ref, once("z", false), 3) // The client tries again.
	b.total(ref, func(ctx *callContext, _ *counter) error {
		for _, f := range []func() (bool, error){
			func() (bool, error) { return ctx.Once("", added{1}) },
			func() (bool, error) { return ctx.Once("w") },
			func() (bool, error) { return ctx.WasDone("") },
			func() (bool, error) { return ctx.Once(strings.Repeat("i", journal.MaxOnce+1), added{1}) },
		} {
			if _, err := f(); err == nil {
				return errors.New("a bad id is accepted")
			}
		}
		return nil
	}, 3)
}

// The owner with the lower fence is refused from the moment at which the other one
// begins, and its next incarnation, too.
func TestFence(t *testing.T) {
	fence := uint64(7)
	b := newBench(t, memory.New(), func(cfg *journal.Config[call, any]) {
		cfg.Fence = func(string) (uint64, error) { fence++; return fence, nil }
	})
	old := b.spawn("a")
	b.total(old, add(1), 1)
	b.total(b.spawn("a"), func(ctx *callContext, _ *counter) error {
		if ctx.Fence() != 9 {
			return fmt.Errorf("the fence is %d", ctx.Fence())
		}
		return nil
	}, 1)
	var fenced *journal.FencedError
	if _, err := b.ask(old, add(1)); !errors.As(err, &fenced) || *fenced != (journal.FencedError{Stream: "counter/a", Fence: 8, Highest: 9}) {
		t.Errorf("the old owner gets %v, want a FencedError", err)
	}
}

func TestFenceFunctionFails(t *testing.T) {
	lost := errors.New("no lease")
	b := newBench(t, memory.New(), func(cfg *journal.Config[call, any]) {
		cfg.Fence = func(string) (uint64, error) { return 0, lost }
	})
	ref, err := actor.SpawnNew(b.sys, b.kind.For("a"))
	if err != nil {
		t.Fatal(err)
	}
	b.awaitEnd(ref)
	if err := ref.Err(); !errors.Is(err, lost) {
		t.Errorf("the actor ends with %v, want %v", err, lost)
	}
}

// started has the hooks of package journal.
type started struct {
	counter
	stopped chan<- error
}

func (s *started) Started(ctx *callContext) error { return ctx.Persist(added{100}) }

func (s *started) Stopped(ctx *callContext, reason error) {
	s.stopped <- errors.Join(reason, ctx.Persist(added{1000}))
}

func TestHooks(t *testing.T) {
	stopped := make(chan error, 2)
	b := newBench(t, memory.New(), func(cfg *journal.Config[call, any]) {
		cfg.New = func(self *journal.Self) journal.Behaviour[call, any] {
			return &started{counter{self: self}, stopped}
		}
	})
	for _, want := range []int{100, 1200} {
		ref := b.spawn("a")
		b.total(ref, look, want)
		if err := errors.Join(ref.Stop(b.ctx), <-stopped); err != nil {
			t.Error(err)
		}
	}
}

// hooked has a hook that would not be called.
type hooked struct{ counter }

func (*hooked) Down(*actor.Context[call], actor.Monitor, actor.Exit) error { return nil }

func TestHooksThatWouldNotBeCalled(t *testing.T) {
	b := newBench(t, memory.New(), func(cfg *journal.Config[call, any]) {
		cfg.New = func(self *journal.Self) journal.Behaviour[call, any] { return &hooked{counter{self: self}} }
	})
	ref, err := actor.SpawnNew(b.sys, b.kind.For("a"))
	if err != nil {
		t.Fatal(err)
	}
	b.awaitEnd(ref)
	if err := ref.Err(); err == nil || !strings.Contains(err.Error(), "Down") {
		t.Errorf("the actor ends with %v, want that its hook Down is not called", err)
	}
}

func TestBadConfigs(t *testing.T) {
	good := journal.Config[call, any]{Journal: journal.New(memory.New()), Events: numbers, New: newCounter}
	for want, change := range map[string]func(cfg *journal.Config[call, any]){
		"Journal is nil":      func(cfg *journal.Config[call, any]) { cfg.Journal = nil },
		"from journal.New":    func(cfg *journal.Config[call, any]) { cfg.Journal = journal.New(nil) },
		"Events is nil":       func(cfg *journal.Config[call, any]) { cfg.Events = nil },
		"New is nil":          func(cfg *journal.Config[call, any]) { cfg.New = nil },
		"SnapshotEvery is -1": func(cfg *journal.Config[call, any]) { cfg.SnapshotEvery = -1 },
		"SnapshotOf":          func(cfg *journal.Config[call, any]) { cfg.SnapshotEvery = 1 },
		"version 0":           func(cfg *journal.Config[call, any]) { cfg.Snapshots = journal.SnapshotOf[int]("s", 0) },
		"nil Codec":           func(cfg *journal.Config[call, any]) { cfg.Snapshots = journal.SnapshotOf[int]("s", 1).With(nil) },
		"the interface":       func(cfg *journal.Config[call, any]) { cfg.Events = journal.Events[any](journal.Event[error]("e")) },
	} {
		cfg := good
		change(&cfg)
		if _, err := journal.Actor(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	if _, err := journal.Actor(good); err != nil {
		t.Error(err)
	}
}
