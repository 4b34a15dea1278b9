package workers_test

import (
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/workers"
)

// names labels nodes, so that a test can say which one it got.
type names map[*workers.Node]string

func (n names) node(name string) *workers.Node {
	x := &newWork(func(*workers.Fiber, workers.Priority) {}).Node
	n[x] = name
	return x
}

func (n names) outside(t *testing.T, s *workers.Scheduler, p workers.Priority, name string) {
	t.Helper()
	if err := s.Submit(n.node(name), p); err != nil {
		t.Fatal(err)
	}
}

func TestWorkerTakesTheMostUrgentFirst(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	w, n := s.Worker(0), names{}
	for _, p := range []workers.Priority{workers.Low, workers.Normal, workers.High, workers.Critical} {
		n.outside(t, s, p, "shared "+p.String())
		w.Push(n.node("own "+p.String()), p)
	}
	w.PushNext(n.node("interrupted"))
	var got []string
	for x, _ := w.Poll(); x != nil; x, _ = w.Poll() {
		got = append(got, n[x])
	}
	want := []string{
		"shared critical", "own critical", "interrupted", "own high", "shared high",
		"own normal", "shared normal", "own low", "shared low",
	}
	if !slices.Equal(got, want) {
		t.Errorf("order is %q, want %q", got, want)
	}
}

// TestOutsideWorkIsNotStarved has two nodes that bounce on the worker's own
// queue, which therefore is never empty.
func TestOutsideWorkIsNotStarved(t *testing.T) {
	for _, p := range []workers.Priority{workers.High, workers.Normal, workers.Low} {
		s := workers.NewStill(workers.Config{Workers: 1})
		w, n := s.Worker(0), names{}
		w.Push(n.node("a"), workers.High)
		w.Push(n.node("b"), workers.High)
		n.outside(t, s, p, "outside")
		for turn := 0; ; turn++ {
			if turn > 2*workers.FairTurn {
				t.Errorf("%v work from outside still waits after %d turns", p, turn)
				break
			}
			x, taken := w.Poll()
			if n[x] == "outside" {
				break
			}
			w.Push(x, taken)
		}
	}
}

func TestFullQueueOverflowsToTheShared(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 1})
	w, n := s.Worker(0), names{}
	const beyond = 3
	for range workers.LocalCapacity + beyond {
		w.Push(n.node("x"), workers.Normal)
	}
	if got := w.Queued(workers.Normal); got != workers.LocalCapacity {
		t.Errorf("%d in the worker's queue, want %d", got, workers.LocalCapacity)
	}
	if got := s.Stats().Queued[workers.Normal]; got != workers.LocalCapacity+beyond {
		t.Errorf("%d are queued, want %d", got, workers.LocalCapacity+beyond)
	}
	for range workers.NextCapacity + beyond {
		w.PushNext(n.node("x"))
	}
	if got, want := s.Stats().Queued[workers.Normal], workers.LocalCapacity+workers.NextCapacity+2*beyond; got != want {
		t.Errorf("%d are queued, want %d", got, want)
	}
	seen := map[*workers.Node]bool{}
	for x, _ := w.Poll(); x != nil; x, _ = w.Poll() {
		if seen[x] {
			t.Fatal("a node came twice")
		}
		seen[x] = true
	}
	if len(seen) != len(n) {
		t.Errorf("%d of %d nodes came back", len(seen), len(n))
	}
}

// TestSearchFindsCriticalBeforeItSteals has lower work in another's queue and
// critical work in the shared one.
func TestSearchFindsCriticalBeforeItSteals(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	n := names{}
	for range 4 {
		s.Worker(1).Push(n.node("lower"), workers.High)
	}
	n.outside(t, s, workers.Critical, "critical")
	if x, p := s.Worker(0).SearchOnce(0); n[x] != "critical" || p != workers.Critical {
		t.Errorf("found %q with priority %v", n[x], p)
	}
}

// TestThiefTakesOldestHalf steals from a worker with several pieces of work.
func TestThiefTakesOldestHalf(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	n := names{}
	for _, name := range []string{"1", "2", "3", "4"} {
		s.Worker(1).Push(n.node(name), workers.Normal)
	}
	thief := s.Worker(0)
	if x, p := thief.SearchOnce(0); n[x] != "1" || p != workers.Normal {
		t.Errorf("stole %q with priority %v, want the oldest", n[x], p)
	}
	if own, left := thief.Queued(workers.Normal), s.Worker(1).Queued(workers.Normal); own != 1 || left != 2 {
		t.Errorf("the thief has %d more, the victim %d; want 1 and 2", own, left)
	}
}

// TestLoneWorkIsStolenLate leaves a single node to its owner for some rounds.
func TestLoneWorkIsStolenLate(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	n := names{}
	s.Worker(1).Push(n.node("lone"), workers.Normal)
	found := -1
	for round := range workers.SearchRounds {
		if x, _ := s.Worker(0).SearchOnce(round); x != nil {
			found = round
			break
		}
	}
	if found <= 0 {
		t.Errorf("a lone node was stolen in round %d; want it to be, but not at once", found)
	}
	s.Worker(1).PushNext(n.node("interrupted"))
	if x, _ := s.Worker(0).SearchOnce(0); n[x] != "interrupted" {
		t.Errorf("interrupted work, whose owner is on something else, was left: %q", n[x])
	}
}

// Work from outside waits for about as long as the worker's own work, also where each piece of that takes long and there is
// much of it. Low work waits behind it, but is served one by one.
func TestOutsideWorkBesideLongWork(t *testing.T) {
	if invariants.Enabled {
		t.Skip("queues of four places hold no 200 pieces of work")
	}
	const own, outside = 200, 40
	for p, most := range map[workers.Priority]int{
		workers.Normal: 2*own + outside + 100,
		workers.Low:    outside * 2 * workers.FairTurn / 5,
	} {
		s := workers.NewStill(workers.Config{Workers: 1})
		w, n := s.Worker(0), names{}
		for range own {
			w.Push(n.node("own"), workers.Normal)
		}
		for range outside {
			n.outside(t, s, p, "outside")
		}
		served, turns := 0, 0
		for ; served < outside && turns <= most; turns++ {
			w.PassTime(time.Millisecond)
			x, taken := w.Poll()
			if n[x] == "outside" {
				served++
				continue
			}
			w.Push(x, taken)
		}
		if served < outside {
			t.Errorf("%d of %d nodes of priority %v were served in %d turns of 1 ms", served, outside, p, turns)
		}
	}
}

// TestForcedStopKeepsBegunWork checks that a forced stop leaves what has begun.
func TestForcedStopKeepsBegunWork(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	n := names{}
	for _, p := range []workers.Priority{workers.Low, workers.Normal, workers.High, workers.Critical} {
		n.outside(t, s, p, "shared")
		s.Worker(1).Push(n.node("own"), p)
	}
	s.Force()
	if got := s.Stats().Queued; got != [4]int{} {
		t.Errorf("%v are queued after everything was given up", got)
	}
}

// TestFairTurnKeepsServingLowPriority has Low work from outside while the
// worker's own Normal work never ends. Each fair turn serves one piece of it:
// what it moved to the worker's own queue instead would wait there for ever.
func TestFairTurnKeepsServingLowPriority(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 1})
	w, n := s.Worker(0), names{}
	const lowly = 5
	for range lowly {
		n.outside(t, s, workers.Low, "low")
	}
	served := 0
	for range (lowly + 1) * workers.FairTurn {
		w.Push(n.node("own"), workers.Normal)
		if x, _ := w.Poll(); n[x] == "low" {
			served++
			w.Poll() // The rest of the turn.
		}
	}
	if served != lowly {
		t.Errorf("%d of %d Low nodes were served within %d turns", served, lowly, (lowly+1)*workers.FairTurn)
	}
}
