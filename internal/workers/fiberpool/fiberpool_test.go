package fiberpool_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers/fiberpool"
)

type fiber struct{ working, ended bool }

// However two workers take fibers and put them back, each fiber is at one place, none is lost, and all end when the
// scheduler does.
func TestPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live := 0
		var shared fiberpool.Shared[fiber]
		shared.Init(func(f *fiber) {
			if f.working || f.ended {
				t.Fatalf("a fiber is ended: working %t, ended before %t", f.working, f.ended)
			}
			f.ended = true
			live--
		})
		bound := rapid.Bool().Draw(t, "bound")
		own := make([]fiberpool.Own[fiber], 2)
		for i := range own {
			own[i].Init(&shared, bound)
		}
		working := [2][]*fiber{}
		now, total := time.Duration(0), 0
		worker := rapid.IntRange(0, 1)
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				w := worker.Draw(t, "worker")
				for range rapid.SampledFrom([]int{1, 10, 100}).Draw(t, "n") {
					f := own[w].Take()
					if f == nil {
						f = &fiber{}
						live++
					}
					if f.working || f.ended {
						t.Fatalf("a fiber is taken: working %t, ended %t", f.working, f.ended)
					}
					f.working = true
					working[w] = append(working[w], f)
					total++
				}
			},
			"put": func(t *rapid.T) {
				w := worker.Draw(t, "worker")
				n := min(len(working[w]), rapid.SampledFrom([]int{1, 10, 100}).Draw(t, "n"))
				for _, f := range working[w][:n] {
					f.working = false
					own[w].Put(f)
				}
				working[w] = working[w][n:]
			},
			"review": func(t *rapid.T) {
				now += time.Duration(rapid.IntRange(0, 300).Draw(t, "ms")) * time.Millisecond
				shared.Review(now)
			},
			"": func(t *rapid.T) {
				if bound && (own[0].Away(0) != len(working[0]) || own[1].Away(0) != len(working[1])) {
					t.Fatalf("%d and %d are away, want %d and %d", own[0].Away(0), own[1].Away(0), len(working[0]), len(working[1]))
				}
				if bound && shared.Len() != 0 {
					t.Fatalf("bound workers share %d fibers", shared.Len())
				}
			},
		})
		shared.Close()
		for w := range own {
			for _, f := range working[w] {
				f.working = false
				own[w].Put(f)
			}
			own[w].End()
		}
		if live != 0 || shared.Len() != 0 {
			t.Fatalf("%d of %d fibers are left", live, total)
		}
	})
}

// Fibers of one worker serve another one, and those that lie unused for long are ended.
func TestSharedFibersAreUsedAgainOrEnded(t *testing.T) {
	const n = 1000
	ended := 0
	var shared fiberpool.Shared[fiber]
	shared.Init(func(*fiber) { ended++ })
	var one, other fiberpool.Own[fiber]
	one.Init(&shared, false)
	other.Init(&shared, false)
	for range n {
		one.Put(&fiber{})
	}
	before := shared.Len()
	if before < n-64 {
		t.Errorf("%d of %d fibers are shared", before, n)
	}
	for range before {
		if other.Take() == nil {
			t.Fatal("a worker makes a fiber while others are shared")
		}
	}
	for range n {
		one.Put(&fiber{})
	}
	left := shared.Len()
	for i := range 20 {
		shared.Review(time.Duration(i+1) * time.Minute)
	}
	if shared.Len() != 0 || ended != left {
		t.Errorf("after minutes without work %d of %d shared fibers are left", shared.Len(), left)
	}
}
