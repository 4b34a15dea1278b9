package journal_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
)

// queueUp has writes queue behind one whose commit has begun.
func queueUp(t *testing.T, g *gated, j *journal.Journal, writes ...*journal.Write) (wait func() []error) {
	t.Helper()
	var all sync.WaitGroup
	errs := make([]error, len(writes)+1)
	all.Go(func() { errs[0] = j.Append(context.Background(), event("first", 1)) })
	<-g.begun
	for i, w := range writes {
		all.Go(func() { errs[i+1] = j.Append(context.Background(), w) })
		patience.Until(t, patience.Context(t), func() bool { return journal.Queued(j) == i+1 })
	}
	return func() []error { all.Wait(); return errs }
}

// Writes that come while a commit runs are the next commit, all of them, in their order.
func TestWritesAreCommittedInGroups(t *testing.T) {
	g := newGated()
	j := journal.New(g)
	var writes []*journal.Write
	var names []string
	for i := range 50 {
		names = append(names, fmt.Sprint(i))
		writes = append(writes, event(names[i], 1))
	}
	wait := queueUp(t, g, j, writes...)
	g.let <- struct{}{}
	if n := <-g.begun; n != 50 {
		close(g.let)
		wait()
		t.Fatalf("the second commit has %d writes, want 50", n)
	}
	g.let <- struct{}{}
	if err := errors.Join(wait()...); err != nil {
		t.Error(err)
	}
	if !slices.Equal(g.streams[1], names) {
		t.Errorf("the second commit has the streams %q", g.streams[1])
	}
	if s := j.Stats(); s.Commits != 2 || s.Writes != 51 || s.Events != 51 || s.Largest != 50 || s.Failed != 0 {
		t.Errorf("the figures are %+v", s)
	}
}

func TestGroupsAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		writes []*journal.Write
		want   []int
	}{
		"by events":    {[]*journal.Write{events600("a"), events600("b"), events600("c")}, []int{1, 1, 1}},
		"by bytes":     {[]*journal.Write{event("a", 600_000), event("b", 400_000), event("c", 600_000)}, []int{2, 1}},
		"at least one": {[]*journal.Write{event("a", 2<<20), event("b", 1)}, []int{1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGated()
			wait := queueUp(t, g, journal.New(g), c.writes...)
			g.let <- struct{}{}
			for _, want := range c.want {
				if n := <-g.begun; n != want {
					t.Errorf("a commit has %d writes, want %d", n, want)
				}
				g.let <- struct{}{}
			}
			if err := errors.Join(wait()...); err != nil {
				t.Error(err)
			}
		})
	}
}

func events600(stream string) *journal.Write {
	w := event(stream, 1)
	w.Events = slices.Repeat(w.Events, 600)
	return w
}

// A writer whose context ends takes back what is queued, and waits for what is not.
func TestWriterLeaves(t *testing.T) {
	g := newGated()
	j := journal.New(g)
	wait := queueUp(t, g, j)
	ctx, cancel := context.WithCancelCause(context.Background())
	left := errors.New("left")
	result := make(chan error)
	go func() { result <- j.Append(ctx, event("queued", 1)) }()
	patience.Until(t, patience.Context(t), func() bool { return journal.Queued(j) == 1 })
	cancel(left)
	if err := <-result; !errors.Is(err, left) || errors.Is(err, journal.ErrUnknownOutcome) {
		t.Errorf("a writer that left the queue gets %v", err)
	}
	if n := journal.Queued(j); n != 0 {
		t.Errorf("%d writes are queued, want none", n)
	}
	if err := j.Append(ctx, event("late", 1)); !errors.Is(err, left) {
		t.Errorf("a writer whose context has ended gets %v", err)
	}
	ctx, cancel = context.WithCancelCause(context.Background())
	go func() { result <- j.Append(ctx, event("taken", 1)) }()
	patience.Until(t, patience.Context(t), func() bool { return journal.Queued(j) == 1 })
	g.let <- struct{}{}
	<-g.begun
	cancel(left)
	g.let <- struct{}{}
	if err := <-result; err != nil {
		t.Errorf("a writer that left while its commit ran gets %v", err)
	}
	if err := errors.Join(wait()...); err != nil {
		t.Error(err)
	}
}

// A store that panics does not take the program along, nor leave anybody waiting.
func TestStorePanics(t *testing.T) {
	s := memory.New()
	s.Inject(func([]*journal.Write) memory.Fault { panic("a bug") })
	j := journal.New(s)
	for range 2 {
		if err := j.Append(t.Context(), event("s", 1)); !errors.Is(err, journal.ErrUnknownOutcome) {
			t.Errorf("got %v, want ErrUnknownOutcome", err)
		}
	}
}

func TestBadWrites(t *testing.T) {
	j := journal.New(memory.New())
	fence, once := event("s", 1), event("s", 1)
	fence.Fence, once.Once = journal.MaxFence+1, string(make([]byte, journal.MaxOnce+1))
	for name, w := range map[string]*journal.Write{
		"name": event("", 1), "fence": fence, "id": once, "size": event("s", journal.MaxEvent+1),
	} {
		if err := j.Append(t.Context(), w); err == nil {
			t.Errorf("%s: the write is accepted", name)
		}
	}
	if err := journal.New(nil).Append(t.Context(), event("s", 1)); err == nil {
		t.Error("a journal without a store accepts a write")
	}
	var none *journal.Journal
	if err := none.Append(t.Context(), event("s", 1)); err == nil {
		t.Error("no journal accepts a write")
	}
	if n := j.Stats().Commits; n != 0 {
		t.Errorf("there were %d commits", n)
	}
}

// A thousand actors wait for a commit, and hold no worker: with two workers, and no spare
// ones, another actor still answers.
func TestPersistHoldsNoWorker(t *testing.T) {
	g := newGated()
	b := newBench(t, g)
	const n = 1000
	for i := range n {
		if err := b.spawn(fmt.Sprint(i)).Send(b.ctx, call{do: add(1)}); err != nil {
			t.Fatal(err)
		}
	}
	rest := n - <-g.begun // A few may have come before the first commit took its writes.
	patience.Until(t, b.ctx, func() bool { return journal.Queued(b.j) == rest })
	b.total(b.spawn("other"), look, 0)
	g.let <- struct{}{}
	if rest > 0 {
		if got := <-g.begun; got != rest {
			t.Errorf("the second commit has %d writes, want %d", got, rest)
		}
	}
	g.let <- struct{}{}
}

// A handler that is killed while its commit runs is told that the outcome is unknown,
// and the next incarnation finds the event.
func TestKillDuringCommit(t *testing.T) {
	g := newGated()
	b := newBench(t, g)
	ref := b.spawn("a")
	result := make(chan error, 1)
	if err := ref.Send(b.ctx, call{do: func(ctx *callContext, _ *counter) error {
		err := ctx.Persist(added{1})
		result <- err
		return err
	}}); err != nil {
		t.Fatal(err)
	}
	<-g.begun
	if err := ref.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-result; !errors.Is(err, journal.ErrUnknownOutcome) || !errors.Is(err, actor.ErrKilled) {
		t.Errorf("Persist returns %v, want ErrUnknownOutcome and ErrKilled", err)
	}
	g.let <- struct{}{}
	patience.Until(t, b.ctx, func() bool { return b.j.Stats().Commits == 1 })
	g.let <- struct{}{}
	// The next incarnation may have read before the commit: then it conflicts, and begins
	// again.
	total, err := b.ask(ref, add(1))
	if conflict := new(journal.ConflictError); errors.As(err, &conflict) {
		g.let <- struct{}{}
		total, err = b.ask(ref, add(1))
	}
	if err != nil || total != 2 {
		t.Errorf("the total is %d, want 2 (%v)", total, err)
	}
}
