package eventring_test

import (
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers/eventring"
)

// Whenever the worker writes and the reader reads, the reader has the last events in their order, and has counted the
// others.
func TestReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 8
		var at atomic.Pointer[eventring.Ring[int]]
		at.Store(eventring.New[int](size))
		var k eventring.Reader[int]
		written := 0
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				for range rapid.SampledFrom([]int{1, 2, size - 1, size, 3 * size}).Draw(t, "n") {
					if !at.Load().Add(written) {
						t.Fatal("the present ring is over")
					}
					written++
				}
			},
			"read": func(t *rapid.T) {
				before := at.Load()
				k.Read(&at, before)
				if before != at.Load() && before.Add(-1) {
					t.Fatal("a ring that was read takes another event")
				}
				events, missing := k.Events()
				if int(missing)+len(events) != written {
					t.Fatalf("%d events and %d missing are not %d", len(events), missing, written)
				}
				if want := min(written, size-1); len(events) < want {
					t.Fatalf("%d events, want at least %d", len(events), want)
				}
				// A ring that is full when it is read lacks its oldest event.
				for i, e := range events {
					if i > 0 && e <= events[i-1] || e > int(missing)+i || i == len(events)-1 && e != written-1 {
						t.Fatalf("after %d events the last are %v", written, events)
					}
				}
			},
		})
	})
}

// An event is not lost if its worker is put aside while it writes it, and several readers come meanwhile.
func TestLateEvent(t *testing.T) {
	for readers := range 4 {
		r := eventring.New[string](8)
		var at atomic.Pointer[eventring.Ring[string]]
		at.Store(r)
		var k eventring.Reader[string]
		for range readers {
			k.Read(&at, at.Load())
		}
		r.AddLate("late")
		k.Read(&at, at.Load())
		if events, missing := k.Events(); !slices.Equal(events, []string{"late"}) || missing != 0 {
			t.Errorf("after %d readers the next one finds %q, and misses %d", readers, events, missing)
		}
	}
}

// A recorder that closes takes the ring away, and a reader that comes at the same time puts none back.
func TestReadOfARingThatIsGone(t *testing.T) {
	r := eventring.New[int](8)
	r.Add(1)
	var at atomic.Pointer[eventring.Ring[int]]
	var k eventring.Reader[int]
	k.Read(&at, r)
	if at.Load() != nil {
		t.Error("the worker is recorded again")
	}
	if events, _ := k.Events(); len(events) != 0 {
		t.Errorf("got %v of a ring that the worker may still write", events)
	}
	if events, missing := r.Last(); !slices.Equal(events, []int{1}) || missing != 0 {
		t.Errorf("the ring holds %v, and misses %d", events, missing)
	}
}
