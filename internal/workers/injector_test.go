package workers_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

// TestSharedWorkIsTakenInBatches has one worker take the first of many: it gets
// the oldest, and moves some of the others to its own queue, in order.
func TestSharedWorkIsTakenInBatches(t *testing.T) {
	const n = workers.FairTurn - 1 // Then the worker looks into the shared queues first.
	s := workers.NewStill(workers.Config{Workers: 2})
	var nodes []*workers.Node
	for range n {
		x := &newWork(nil).Node
		nodes = append(nodes, x)
		if err := s.Submit(x, workers.Normal); err != nil {
			t.Fatal(err)
		}
	}
	w := s.Worker(0)
	for i := range nodes {
		x, p := w.Poll()
		if x != nodes[i] || p != workers.Normal {
			t.Fatalf("take %d gave another node, with priority %v", i, p)
		}
		if own := w.Queued(workers.Normal); i == 0 && (own == 0 || own == n-1) {
			t.Fatalf("the worker moved %d of %d nodes to its own queue", own, n)
		}
	}
	if x, _ := w.Poll(); x != nil {
		t.Error("there was one more")
	}
}

// TestCriticalWorkStaysShared takes one critical node and must leave the rest
// to others.
func TestCriticalWorkStaysShared(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	for range 3 {
		s.Worker(0).Push(&newWork(nil).Node, workers.Critical)
	}
	for i := range 3 {
		if x, p := s.Worker(i % 2).Poll(); x == nil || p != workers.Critical {
			t.Fatalf("worker %d got nothing critical", i%2)
		}
	}
}

// TestSharedQueuesUnderContention submits from many sides while workers take.
func TestSharedQueuesUnderContention(t *testing.T) {
	const submitters, each = 4, 2000
	s := workers.NewStill(workers.Config{Workers: 2})
	runs := make([]atomic.Int32, submitters*each)
	index := make(map[*workers.Node]int, len(runs))
	nodes := make([]*workers.Node, len(runs))
	for i := range nodes {
		nodes[i] = &newWork(nil).Node
		index[nodes[i]] = i
	}
	var left atomic.Int64
	left.Store(submitters * each)
	var all sync.WaitGroup
	for i := range submitters {
		all.Go(func() {
			for k := range each {
				if err := s.Submit(nodes[i*each+k], workers.Priority(k%4)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 2 {
		all.Go(func() {
			for left.Load() > 0 {
				if x, _ := s.Worker(i).Poll(); x != nil {
					runs[index[x]].Add(1)
					left.Add(-1)
				}
			}
		})
	}
	all.Wait()
	for i := range runs {
		if n := runs[i].Load(); n != 1 {
			t.Fatalf("node %d was taken %d times", i, n)
		}
	}
}
