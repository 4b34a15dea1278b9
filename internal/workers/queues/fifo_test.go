package queues_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers/queues"
)

func TestQueueIsFirstInFirstOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queues.FIFO[piece]
		var model []*piece
		pop := func(t *rapid.T) {
			x := q.Pop()
			if len(model) == 0 {
				if x != nil {
					t.Fatal("an empty queue gave something")
				}
				return
			}
			if x != model[0] {
				t.Fatal("not the oldest")
			}
			model = model[1:]
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				for range rapid.IntRange(1, 50).Draw(t, "n") {
					x := new(piece)
					q.Push(x)
					model = append(model, x)
				}
			},
			"pop": pop,
			"drain": func(t *rapid.T) {
				for range rapid.IntRange(1, 100).Draw(t, "n") {
					pop(t)
				}
			},
			"": func(t *rapid.T) {
				if q.Len() != len(model) {
					t.Fatalf("length %d, want %d", q.Len(), len(model))
				}
			},
		})
	})
}

// TestEmptyQueueGivesMemoryBack lets a queue grow far beyond its usual size.
func TestEmptyQueueGivesMemoryBack(t *testing.T) {
	for _, c := range []struct{ n, ring int }{
		{16, 16}, {queues.KeepRing, queues.KeepRing}, {queues.KeepRing + 1, 0}, {10 * queues.KeepRing, 0},
	} {
		var q queues.FIFO[piece]
		for range c.n {
			q.Push(new(piece))
		}
		for range c.n {
			q.Pop()
		}
		if got := q.Ring(); got != c.ring {
			t.Errorf("after %d nodes the empty queue holds %d slots, want %d", c.n, got, c.ring)
		}
		if x := new(piece); true {
			if q.Push(x); q.Pop() != x {
				t.Errorf("after %d nodes the queue is of no use", c.n)
			}
		}
	}
}
