package workers_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

func forkNodes(w *workers.Worker, n int) []*workers.Node {
	nodes := make([]*workers.Node, n)
	for i := range nodes {
		nodes[i] = &newWork(nil).Node
		w.Fork(nodes[i])
	}
	return nodes
}

// While everybody is busy, only the oldest branches are on offer; they are
// replaced as they leave.
func TestForksOnOfferWhileBusy(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	w, thief := s.Worker(0), s.Worker(1)
	nodes := forkNodes(w, 3*workers.Offered)
	if got := w.ForksOnOffer(); got != workers.Offered {
		t.Fatalf("%d of %d are on offer, not %d", got, len(nodes), workers.Offered)
	}
	for i := range 3 {
		if n, _ := thief.SearchOnce(0); n != nodes[i] {
			t.Fatalf("steal %d did not get the oldest", i)
		}
	}
	if !w.TakeBack(nodes[len(nodes)-1]) {
		t.Fatal("the newest is gone")
	}
	if got := w.ForksOnOffer(); got != workers.Offered {
		t.Errorf("%d are on offer after three were stolen, not %d", got, workers.Offered)
	}
	for i := len(nodes) - 2; i >= 3; i-- {
		if !w.TakeBack(nodes[i]) {
			t.Fatalf("branch %d is gone", i)
		}
	}
	for i := range 3 {
		if w.TakeBack(nodes[i]) {
			t.Errorf("the stolen branch %d was taken back", i)
		}
	}
}

// While anybody is idle, all are on offer, and a sleeper is woken.
func TestForksOnOfferWhileIdle(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	w, sleeper := s.Worker(0), s.Worker(1)
	sleeper.EnterIdle()
	many := min(2*workers.Offered, workers.ForksCapacity)
	forkNodes(w, many)
	if !sleeper.Token() {
		t.Error("the sleeper was not woken")
	}
	if got := w.ForksOnOffer(); got != many {
		t.Errorf("%d of %d are on offer", got, many)
	}
}

// When the work that forked leaves its worker, everyone may have its branches.
func TestForksOnOfferAfterLeaving(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	w, thief := s.Worker(0), s.Worker(1)
	nodes := forkNodes(w, workers.ForksCapacity+10)
	w.LeaveForks()
	thief.Push(nodes[0], workers.Normal) // So that it has something else first.
	seen := map[*workers.Node]bool{}
	for n, _ := thief.SearchOnce(0); n != nil; n, _ = thief.SearchOnce(0) {
		seen[n] = true
	}
	for n, _ := thief.Poll(); n != nil; n, _ = thief.Poll() {
		seen[n] = true
	}
	if len(seen) != len(nodes) {
		t.Errorf("a thief finds %d of %d branches", len(seen), len(nodes))
	}
}

// A branch that is not the worker's newest is not taken back, and neither is
// the newest lost.
func TestTakeBackOfAnother(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	w := s.Worker(0)
	nodes := forkNodes(w, 2)
	w.LeaveForks()
	if w.TakeBack(nodes[0]) {
		t.Error("the older branch was taken back as if it were the newest")
	}
	if w.ForksOnOffer() != 2 || !w.TakeBack(nodes[1]) || !w.TakeBack(nodes[0]) {
		t.Error("the branches are not as they were")
	}
}
