package journal_test

import (
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
)

// Each commit, each write and each recovery is counted once, in the bucket of its size.
func TestDistributions(t *testing.T) {
	g := newGated()
	b := newBench(t, g)
	var all sync.WaitGroup
	for range 3 { // One commit with one write; then, while that is held, two writes for the next one.
		all.Go(func() {
			if err := b.j.Append(b.ctx, event("s", 1)); err != nil {
				t.Error(err)
			}
		})
		if b.j.Stats().Commits == 0 && len(g.begun) == 0 {
			patience.Until(t, b.ctx, func() bool { return len(g.begun) == 1 })
		}
	}
	patience.Until(t, b.ctx, func() bool { return b.j.Stats().Queue == 2 })
	for range 2 {
		g.let <- struct{}{}
	}
	all.Wait()
	s := b.j.Stats()
	if d := s.CommitEvents; d.Count != 2 || d.Sum != 3 || d.Buckets[0] != 1 || d.Buckets[1] != 1 || d.Mean() != 1.5 || d.Quantile(0) != 1 || d.Quantile(1) != 2 {
		t.Errorf("the events of the commits are %+v", d)
	}
	if s.CommitWrites != s.CommitEvents || s.CommitTimes.Count != 2 || s.QueueTimes.Count != 3 || s.Queue != 0 {
		t.Errorf("the figures are %+v", s)
	}
	if (journal.Distribution{}).Quantile(0.5) != 0 || (journal.Distribution{}).Mean() != 0 {
		t.Error("an empty distribution is not 0")
	}
}

// The live page has facts of an actor and of a journal.
func TestFacts(t *testing.T) {
	b := newBench(t, store(t, "added", "added"), snapshots(1, 3))
	ref := b.spawn("a")
	b.total(ref, add(1), 3)
	facts := maps.Collect(b.j.Facts(b.sys)(ref.PID()))
	if facts["Stream"] != "counter/a" || facts["Version"] != "3" || facts["Snapshot"] != "3" || !strings.HasPrefix(facts["Recovery"], "2 events in ") {
		t.Errorf("the facts are %q", facts)
	}
	if facts := maps.Collect(b.j.Facts(b.sys)(actor.PID{})); len(facts) != 0 {
		t.Errorf("the facts of another actor are %q", facts)
	}
	all := maps.Collect(b.j.Overview())
	if all["Event-sourced actors"] != "1" || all["Commits"] != "1, 0 failed" || all["Events in a commit"] != "1.0, p99 1" {
		t.Errorf("the overview is %q", all)
	}
	for range b.j.Overview() { // It may be left early.
		break
	}
	for range journal.New(memory.New()).Facts(b.sys)(actor.PID{}) {
		t.Error("a journal without actors has facts")
	}
	if s := b.j.Stats(); s.RecoveryTimes.Count != 1 || s.Replayed.Sum != 2 || s.Living != 1 {
		t.Errorf("the figures are %+v", s)
	}
}
