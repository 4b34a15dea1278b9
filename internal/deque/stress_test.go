package deque_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/deque"
)

// takenCounts notes how often each number was taken.
type takenCounts []atomic.Int32

func (l takenCounts) note(t *testing.T, x int) {
	if times := l[x].Add(1); times != 1 {
		t.Errorf("element %d was taken %d times", x, times)
	}
}

func (l takenCounts) check(t *testing.T) {
	t.Helper()
	for x := range l {
		if times := l[x].Load(); times != 1 {
			t.Fatalf("element %d was taken %d times, want once", x, times)
		}
	}
}

// TestEveryElementIsTakenOnce has one owner at both ends and thieves at the old
// one. Small deques meet their edges, one element or full, all the time.
func TestEveryElementIsTakenOnce(t *testing.T) {
	for _, size := range []int{1, 2, 8, 256} {
		stress(t, size, 3, 30_000)
	}
}

func stress(t *testing.T, size, thieves, n int) {
	d := deque.New[int](size)
	taken := make(takenCounts, n)
	numbers := upTo(n)
	var left atomic.Int64
	left.Store(int64(n))
	take := func(x *int) {
		if x != nil {
			taken.note(t, *x)
			left.Add(-1)
		}
	}
	var all sync.WaitGroup
	for range thieves {
		all.Go(func() {
			last := -1
			for left.Load() > 0 {
				x, contended := d.Steal()
				switch {
				case x != nil && contended:
					t.Error("Steal returned an element and called itself contended")
				case x != nil:
					// A position may be pushed again after a Pop, but
					// numbers only rise.
					if *x <= last {
						t.Errorf("stole %d after %d", *x, last)
					}
					last = *x
				default:
					runtime.Gosched()
				}
				take(x)
			}
		})
	}
	random := rand.New(rand.NewPCG(1, uint64(size)))
	for next := 0; next < n || left.Load() > 0; {
		switch random.IntN(8) {
		case 0:
			take(d.Pop())
		case 1:
			take(d.Take())
		case 2:
			d.Sweep()
		case 3:
			runtime.Gosched()
		default:
			for range random.IntN(2*size) + 1 {
				if next == n || !d.Push(&numbers[next]) {
					break
				}
				next++
			}
		}
	}
	all.Wait()
	taken.check(t)
	if d.Len() != 0 {
		t.Fatalf("%d elements are left", d.Len())
	}
}

// TestThievesShareAFullDeque lets thieves do nothing but meet at the old end.
func TestThievesShareAFullDeque(t *testing.T) {
	const n, thieves = 1 << 17, 4
	d := deque.New[int](n)
	numbers := upTo(n)
	for i := range numbers {
		d.Push(&numbers[i])
	}
	taken := make(takenCounts, n)
	var all sync.WaitGroup
	for range thieves {
		all.Go(func() {
			for {
				x, contended := d.Steal()
				switch {
				case x != nil && contended:
					t.Error("Steal returned an element and called itself contended")
				case x != nil:
					taken.note(t, *x)
				case !contended:
					return
				}
			}
		})
	}
	all.Wait()
	taken.check(t)
}

// TestLastElementHasOneTaker lets the owner's Pop and one thief meet at the
// last element, over and over.
func TestLastElementHasOneTaker(t *testing.T) {
	const rounds = 20_000
	d := deque.New[int](4)
	taken := make(takenCounts, rounds)
	numbers := upTo(rounds)
	var round, finished atomic.Int64
	round.Store(-1)
	var thief sync.WaitGroup
	thief.Go(func() {
		for i := range int64(rounds) {
			for round.Load() < i {
				runtime.Gosched()
			}
			if x, _ := d.Steal(); x != nil {
				taken.note(t, *x)
			}
			finished.Store(i + 1)
		}
	})
	for i := range int64(rounds) {
		d.Push(&numbers[i])
		round.Store(i)
		if x := d.Pop(); x != nil {
			taken.note(t, *x)
		}
		for finished.Load() <= i {
			runtime.Gosched()
		}
		// The thief may have come after the push or lost against Pop; in neither
		// case is anything left.
		if x := d.Take(); x != nil {
			t.Fatalf("round %d: neither took the element", i)
		}
	}
	thief.Wait()
	taken.check(t)
}

func BenchmarkPushTake(b *testing.B) {
	b.ReportAllocs()
	d := deque.New[int](1024)
	x := 1
	for b.Loop() {
		d.Push(&x)
		d.Take()
	}
}

func BenchmarkPushPop(b *testing.B) {
	b.ReportAllocs()
	d := deque.New[int](1024)
	x := 1
	for b.Loop() {
		d.Push(&x)
		d.Pop()
	}
}
