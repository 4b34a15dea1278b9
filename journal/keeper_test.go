package journal_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
)

// Erase refuses while an actor lives. Later, the actor of an erased stream begins as new, at the next version.
func TestErase(t *testing.T) {
	s := memory.New()
	b := newBench(t, s, snapshots(1, 2))
	ref := b.spawn("1")
	b.total(ref, add(3), 3)
	b.total(ref, add(4), 7)
	if err := b.j.Erase(b.ctx, "counter/1"); !errors.Is(err, journal.ErrAlive) || !strings.Contains(err.Error(), ref.PID().String()) {
		t.Errorf("to erase the stream of an actor that lives returns %v, want ErrAlive and the actor", err)
	}
	if list := b.j.Actors(); len(list) != 1 || list[0].Stream != "counter/1" || list[0].Version != 2 || list[0].Snapshot != 2 || list[0].PID != ref.PID() {
		t.Errorf("the actors are %+v", list)
	}
	if err := ref.Stop(b.ctx); err != nil {
		t.Fatal(err)
	}
	if list := b.j.Actors(); len(list) != 0 {
		t.Errorf("the actor has stopped, and the list has %+v", list)
	}
	for range 2 {
		if err := b.j.Erase(b.ctx, "counter/1"); err != nil {
			t.Fatal(err)
		}
	}
	again := b.spawn("1")
	b.total(again, func(ctx *callContext, _ *counter) error {
		if v := ctx.Version(); v != 3 {
			t.Errorf("the erased stream has version %d, want 3", v)
		}
		return ctx.Persist(added{5})
	}, 5)
	if l, ok := b.j.Actor(b.sys, again.PID()); !ok || l.Version != 4 || l.Replayed != 0 {
		t.Errorf("the actor is %+v, %v", l, ok)
	}
	if err := again.Stop(b.ctx); err != nil {
		t.Fatal(err)
	}
	b.total(b.spawn("1"), look, 5)
}

// The version refuses an actor of another process, and the next incarnation begins as
// new.
func TestEraseElsewhere(t *testing.T) {
	s := memory.New()
	b := newBench(t, s)
	ref := b.spawn("1")
	b.total(ref, add(3), 3)
	if err := journal.New(s).Erase(b.ctx, "counter/1"); err != nil {
		t.Fatal(err)
	}
	var conflict *journal.ConflictError
	if _, err := b.ask(ref, add(4)); !errors.As(err, &conflict) || conflict.Actual != 2 {
		t.Errorf("the actor is told %v, want a conflict with version 2", err)
	}
	b.total(ref, look, 0)
}

// erasing is a store that erases its stream while it is read.
type erasing struct {
	*memory.Store
	erase func()
}

func (e *erasing) LoadSnapshot(ctx context.Context, stream string) (journal.Snapshot, error) {
	s, err := e.Store.LoadSnapshot(ctx, stream)
	if e.erase != nil {
		e.erase()
	}
	return s, err
}

// A state of which a part was erased meanwhile is no state: the actor begins again.
func TestEraseDuringRecovery(t *testing.T) {
	s := &erasing{Store: memory.New()}
	b := newBench(t, s, snapshots(1, 2))
	ref := b.spawn("a")
	b.total(ref, add(3), 3)
	b.total(ref, add(3), 6)
	if err := ref.Stop(b.ctx); err != nil {
		t.Fatal(err)
	}
	erased := false
	s.erase = func() {
		if !erased {
			if _, err := s.Erase(context.Background(), "counter/a", time.Now()); err != nil {
				t.Error(err)
			}
		}
		erased = true
	}
	b.refusedBy(journal.ErrGap, "was erased while it was read")
	b.total(b.spawn("a"), look, 0)
}

// Trim leaves what makes the state. A program without the snapshot's layout is told.
func TestTrim(t *testing.T) {
	s := memory.New()
	b := newBench(t, s, snapshots(1, 2))
	for _, id := range []string{"1", "a"} {
		ref := b.spawn(id)
		for n := range 4 {
			b.total(ref, add(1), n+1)
		}
		if n, err := b.j.Trim(b.ctx, "counter/"+id, journal.Retention{Keep: 1}); err != nil || n != 2 {
			t.Errorf("%d events are trimmed, want 2 (%v)", n, err)
		}
		b.total(ref, add(1), 5)
		if err := ref.Stop(b.ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.j.Append(b.ctx, event("plain", 1)); err != nil {
		t.Fatal(err)
	}
	if n, err := b.j.TrimAll(b.ctx, "", journal.Retention{}); err != nil || n != 2 {
		t.Errorf("%d events are trimmed of all, want 2 (%v)", n, err)
	}
	b.total(b.spawn("1"), look, 5)
	newBench(t, s).refusedBy(journal.ErrGap, "begins with version 4", "if they were trimmed")
}

func TestBadKeeping(t *testing.T) {
	j := journal.New(memory.New())
	type fake struct{ journal.Store }
	for name, c := range map[string]struct {
		j      *journal.Journal
		stream string
		want   string
	}{
		"a stream that is not there": {j, "s", "no such stream"},
		"no name":                    {j, "", "a stream name of 0 bytes"},
		"no store":                   {journal.New(nil), "s", "no store"},
		"a nil journal":              {nil, "s", "no store"},
		"a store that keeps all":     {journal.New(fake{memory.New()}), "s", "can't delete events"},
	} {
		_, trim := c.j.Trim(t.Context(), c.stream, journal.Retention{})
		for _, err := range []error{c.j.Erase(t.Context(), c.stream), trim} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %q", name, err, c.want)
			}
		}
	}
	for _, j := range []*journal.Journal{nil, journal.New(nil), journal.New(fake{memory.New()})} {
		if _, err := j.TrimAll(t.Context(), "", journal.Retention{}); err == nil {
			t.Error("a store that keeps all is trimmed")
		}
	}
	w := event("s", 1)
	w.Events[0].Type = journal.ErasedType
	if err := j.Append(t.Context(), w); err == nil || !strings.Contains(err.Error(), "the journal's own") {
		t.Errorf("an event of a reserved type: got %v", err)
	}
	for _, d := range []journal.Definition{journal.Event[added]("journal.mine"), journal.Event[added]("a").Formerly(journal.ErasedType), journal.Erasure[added]().Version(2)} {
		if err := journal.Events[any](d).Err(); err == nil {
			t.Errorf("the definition %+v is accepted", d)
		}
	}
	if _, err := journal.Events[any](journal.Erasure[added]()).Encode(added{1}); err == nil {
		t.Error("an erasure can be persisted")
	}
}

// gone is the event of an erasure.
type gone struct{}

// ledger is a target that keeps the total of each stream.
type ledger struct {
	totals map[string]int
	sum
}

func (l *ledger) Handle(_ context.Context, batch []journal.Envelope[any], position journal.Position) error {
	for _, e := range batch {
		switch event := e.Event.(type) {
		case added:
			l.totals[e.Stream] += event.N
		case gone:
			delete(l.totals, e.Stream)
		}
	}
	l.position = position
	return nil
}

// A projection learns of an erasure, also with a filter, and one that does not know of
// erasures stops.
func TestProjectionSeesErasure(t *testing.T) {
	s := store(t, "added", "added")
	j := journal.New(s)
	target, deaf := &ledger{totals: map[string]int{}}, &sum{}
	p, err := journal.NewProjection(journal.ProjectionConfig[any]{
		Journal: j, Target: target, Filter: journal.Filter{Types: []string{"added"}},
		Events: journal.Events[any](journal.Event[added]("added"), journal.Erasure[gone]()),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.CatchUp(t.Context()); err != nil || len(target.totals) != 1 {
		t.Fatalf("the totals are %v (%v)", target.totals, err)
	}
	for _, r := range allRecords(t, s) {
		if err := j.Erase(t.Context(), r.Stream); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := p.CatchUp(t.Context()); err != nil || n != 1 || len(target.totals) != 0 {
		t.Errorf("after %d events the totals are %v (%v)", n, target.totals, err)
	}
	if _, err := projection(t, j, deaf, 1).CatchUp(t.Context()); !errors.Is(err, journal.ErrUnknownType) || !strings.Contains(err.Error(), "journal.Erasure") {
		t.Errorf("a projection that does not know erasures ends with %v", err)
	}
}

func allRecords(t *testing.T, s journal.Store) (all []journal.Record) {
	t.Helper()
	for r, err := range s.Feed(t.Context(), 0, journal.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}
