package deque_test

import (
	"runtime"
	"slices"
	"testing"
	"weak"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/deque"
)

// fill pushes the numbers from, from+1 and so on until the deque is full, and
// returns how many there were.
func fill(d *deque.Deque[int], from int) (n int) {
	for {
		x := from + n
		if !d.Push(&x) {
			return n
		}
		n++
	}
}

// drain takes everything at the old end.
func drain(d *deque.Deque[int]) (got []int) {
	for x := d.Take(); x != nil; x = d.Take() {
		got = append(got, *x)
	}
	return got
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestAtDoesNotRemove(t *testing.T) {
	d := deque.New[int](4)
	for from := range 6 { // So that it goes round.
		n := fill(d, from)
		for i := range n {
			if got := d.At(i); got == nil || *got != from+i {
				t.Errorf("in place %d is %v, want %d", i, got, from+i)
			}
		}
		if got := d.At(n); got != nil {
			t.Errorf("behind the newest is %d", *got)
		}
		if got := drain(d); len(got) != n || d.At(0) != nil {
			t.Errorf("%d of %d were left by those who only looked", len(got), n)
		}
		one := 0
		d.Push(&one) // The next round begins elsewhere.
		d.Take()
	}
}

func TestCapacityIsRoundedUpToPowerOfTwo(t *testing.T) {
	for _, c := range []struct{ asked, want int }{
		{0, 1}, {1, 1}, {2, 2}, {3, 4}, {4, 4}, {5, 8}, {1000, 1024}, {1024, 1024},
	} {
		d := deque.New[int](c.asked)
		if got := fill(d, 0); got != c.want {
			t.Errorf("a deque for %d elements takes %d, want %d", c.asked, got, c.want)
		}
		if got := drain(d); !slices.Equal(got, upTo(c.want)) {
			t.Errorf("a deque for %d elements gave %v back", c.asked, got)
		}
	}
}

func TestRefusedPushChangesNothing(t *testing.T) {
	d := deque.New[int](4)
	fill(d, 0)
	extra := 99
	if d.Push(&extra) {
		t.Fatal("a full deque took another element")
	}
	if d.Len() != 4 {
		t.Fatalf("Len is %d after a refused push, want 4", d.Len())
	}
	if got := drain(d); !slices.Equal(got, upTo(4)) {
		t.Fatalf("got %v after a refused push", got)
	}
}

func TestEmptyDequeGivesNothing(t *testing.T) {
	d := deque.New[int](2)
	for range 3 { // Also after it has been in use.
		if x := d.Pop(); x != nil {
			t.Fatalf("Pop of an empty deque returned %d", *x)
		}
		if x := d.Take(); x != nil {
			t.Fatalf("Take of an empty deque returned %d", *x)
		}
		if x, contended := d.Steal(); x != nil || contended {
			t.Fatalf("Steal of an empty deque returned %v, %t", x, contended)
		}
		one := 1
		d.Push(&one)
		d.Pop()
	}
}

// TestWrapAround goes round the ring many times, with each number of elements
// in it and at each offset, so that a slot of the last round is never mistaken.
func TestWrapAround(t *testing.T) {
	for inside := 1; inside <= 8; inside++ {
		d := deque.New[int](8)
		next, oldest := 0, 0
		for range 8 * 8 {
			for next-oldest < inside {
				x := next
				if !d.Push(&x) {
					t.Fatalf("full with %d of 8 elements", next-oldest)
				}
				next++
			}
			if x := d.Take(); x == nil || *x != oldest {
				t.Fatalf("with %d inside: took %v, want %d", inside, x, oldest)
			}
			oldest++
			d.Sweep()
		}
	}
}

// TestAgainstModel compares the deque with a slice, call by call.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := 1 << rapid.IntRange(0, 4).Draw(t, "log of size")
		d := deque.New[int](size)
		var model []int
		next, taken := 0, int64(0)
		same := func(x *int, want int) {
			if x == nil {
				t.Fatalf("got nothing, want %d", want)
			}
			if *x != want {
				t.Fatalf("got %d, want %d", *x, want)
			}
		}
		oldest := func(t *rapid.T, x *int) {
			if len(model) == 0 {
				if x != nil {
					t.Fatalf("got %d from an empty deque", *x)
				}
				return
			}
			same(x, model[0])
			model = model[1:]
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				x := next
				next++
				if pushed := d.Push(&x); pushed != (len(model) < size) {
					t.Fatalf("Push returned %t with %d of %d elements", pushed, len(model), size)
				} else if pushed {
					model = append(model, x)
				}
			},
			"pop": func(t *rapid.T) {
				x := d.Pop()
				if len(model) == 0 {
					if x != nil {
						t.Fatalf("popped %d from an empty deque", *x)
					}
					return
				}
				same(x, model[len(model)-1])
				model = model[:len(model)-1]
			},
			"take": func(t *rapid.T) { oldest(t, d.Take()) },
			"steal": func(t *rapid.T) {
				x, contended := d.Steal()
				if contended {
					t.Fatal("contended without a second thief")
				}
				oldest(t, x)
			},
			"take first": func(t *rapid.T) {
				x, at := d.First()
				if x != nil && !d.TakeFirst(at) {
					t.Fatal("somebody else was faster, without a thief")
				}
				if x != nil && d.TakeFirst(at) {
					t.Fatal("the same element was taken twice")
				}
				oldest(t, x)
			},
			"sweep": func(*rapid.T) { d.Sweep() },
			"": func(t *rapid.T) {
				if d.Len() != len(model) {
					t.Fatalf("Len is %d, want %d", d.Len(), len(model))
				}
				if now := d.Taken(); now < taken {
					t.Fatalf("Taken fell from %d to %d", taken, now)
				} else {
					taken = now
				}
			},
		})
	})
}

// TestNothingTakenIsKept checks that elements can be collected: popped ones at once, those
// that left at the old end after Sweep. Elements that are still inside stay.
func TestNothingTakenIsKept(t *testing.T) {
	type big [1 << 10]byte
	d := deque.New[big](8)
	push := func() weak.Pointer[big] {
		x := new(big)
		if !d.Push(x) {
			t.Fatal("the deque is full")
		}
		return weak.Make(x)
	}
	for round := range 3 { // Each at another offset of the ring.
		taken, stolen, stays, popped := push(), push(), push(), push()
		d.Take()
		d.Steal()
		d.Pop()
		runtime.GC()
		if popped.Value() != nil {
			t.Errorf("round %d: a popped element is kept", round)
		}
		d.Sweep()
		runtime.GC()
		if taken.Value() != nil || stolen.Value() != nil {
			t.Errorf("round %d: an element that left at the old end is kept after Sweep", round)
		}
		kept := stays.Value()
		if kept == nil {
			t.Fatalf("round %d: Sweep let go of an element that is inside", round)
		}
		if x := d.Take(); x != kept {
			t.Errorf("round %d: the element that stayed was not the next", round)
		}
	}
}
