package journal_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
	"github.com/troupe-go/troupe/supervise"
)

// sum is a target in memory.
type sum struct {
	mu       sync.Mutex
	total    int
	batches  int
	position journal.Position
	fail     error
}

func (s *sum) Position(context.Context) (journal.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.position, nil
}

func (s *sum) Handle(_ context.Context, batch []journal.Envelope[any], position journal.Position) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		err := s.fail
		s.fail = nil
		return err
	}
	for _, e := range batch {
		s.total += e.Event.(added).N
	}
	s.batches++
	s.position = position
	return nil
}

func (s *sum) has(total int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total == total
}

func projection(t *testing.T, j *journal.Journal, target journal.Target[any], batch int) *journal.Projection[any] {
	t.Helper()
	p, err := journal.NewProjection(journal.ProjectionConfig[any]{Journal: j, Events: numbers, Target: target, Batch: batch, Poll: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCatchUp(t *testing.T) {
	s, target := store(t, "added", "added", "added", "added", "added"), &sum{}
	p := projection(t, journal.New(s), target, 2)
	for _, want := range []int{5, 0} {
		if n, err := p.CatchUp(t.Context()); err != nil || n != want {
			t.Errorf("caught up by %d events, want %d (%v)", n, want, err)
		}
	}
	if target.total != 5 || target.batches != 3 {
		t.Errorf("the total is %d, of %d batches", target.total, target.batches)
	}
	if lag := p.Lag(); lag != (journal.Lag{Position: 5}) {
		t.Errorf("the lag is %+v", lag)
	}
}

// Events that a target does not handle come again, and the lag says since when they wait.
func TestTargetThatFails(t *testing.T) {
	failure := errors.New("no table")
	target := &sum{fail: failure}
	p := projection(t, journal.New(store(t, "added", "added")), target, 0)
	if _, err := p.CatchUp(t.Context()); !errors.Is(err, failure) {
		t.Errorf("got %v, want %v", err, failure)
	}
	if lag := p.Lag(); lag.Position != 0 || lag.Waiting != 2 || lag.Behind <= 0 {
		t.Errorf("the lag is %+v", lag)
	}
	if n, err := p.CatchUp(t.Context()); err != nil || n != 2 || target.total != 2 {
		t.Errorf("then %d events, total %d (%v)", n, target.total, err)
	}
	unknown := projection(t, journal.New(store(t, "added", "vanished")), &sum{}, 1)
	if n, err := unknown.CatchUp(t.Context()); n != 1 || !errors.Is(err, journal.ErrUnknownType) {
		t.Errorf("an event that is not known: %d events, %v", n, err)
	}
}

// A supervised projection follows 32 writers, is woken by each commit and not by its poll,
// begins again when its target fails, and misses nothing.
func TestProjectionFollows(t *testing.T) {
	const writers, each = 32, 10
	b := newBench(t, memory.New())
	target := &sum{fail: errors.New("not yet")}
	p := projection(t, b.j, target, 7)
	_, err := supervise.Spawn(b.ctx, b.sup, supervise.Child[struct{}]{
		Name: "sum", New: func() actor.Actor[struct{}] { return actor.NewProcess(p.Process) },
	})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range writers {
		ref := b.spawn(fmt.Sprint(i))
		all.Go(func() {
			for range each {
				if _, err := b.ask(ref, add(1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	patience.Until(t, b.ctx, func() bool { return target.has(writers * each) })
	patience.Until(t, b.ctx, func() bool { return p.Lag() == journal.Lag{Position: writers * each} })
}

func TestRunEndsWithItsContext(t *testing.T) {
	p := projection(t, journal.New(memory.New()), &sum{}, 0)
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error)
	go func() { ended <- p.Run(ctx) }()
	left := errors.New("left")
	cancel(left)
	if err := <-ended; !errors.Is(err, left) {
		t.Errorf("Run returns %v, want %v", err, left)
	}
}

func TestBadProjections(t *testing.T) {
	good := journal.ProjectionConfig[any]{Journal: journal.New(memory.New()), Events: numbers, Target: &sum{}}
	for name, change := range map[string]func(cfg *journal.ProjectionConfig[any]){
		"journal": func(cfg *journal.ProjectionConfig[any]) { cfg.Journal = nil },
		"events":  func(cfg *journal.ProjectionConfig[any]) { cfg.Events = nil },
		"target":  func(cfg *journal.ProjectionConfig[any]) { cfg.Target = nil },
		"batch":   func(cfg *journal.ProjectionConfig[any]) { cfg.Batch = -1 },
		"set":     func(cfg *journal.ProjectionConfig[any]) { cfg.Events = journal.Events[any](journal.Event[added]("")) },
	} {
		cfg := good
		change(&cfg)
		if _, err := journal.NewProjection(cfg); err == nil {
			t.Errorf("a projection with a bad %s is made", name)
		}
	}
}
