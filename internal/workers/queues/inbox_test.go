package queues_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers/queues"
)

// piece is work.
type piece struct{ ran int }

var (
	bonds = []queues.Bond{queues.Placed, queues.Preferred, queues.Pinned}
	// order lists the slots from the most urgent on.
	order = []slot{{p: queues.Critical}, next, {p: queues.High}, {p: queues.Normal}, {p: queues.Low}}
)

// slot is where work lies in an inbox: by priority, or next.
type slot struct {
	p    queues.Priority
	next bool
}

var next = slot{next: true}

func length(b *queues.Inbox[piece], bond queues.Bond) int {
	return map[queues.Bond]int{queues.Placed: b.Placed(), queues.Preferred: b.Preferred(), queues.Pinned: b.Pinned()}[bond]
}

// TestInboxAgainstLists compares an inbox with lists, one for each kind and
// urgency.
func TestInboxAgainstLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var inbox queues.Inbox[piece]
		lists := map[queues.Bond]map[slot][]*piece{}
		for _, kind := range bonds {
			lists[kind] = map[slot][]*piece{}
		}
		most := func(kinds ...queues.Bond) (at slot, n int) {
			for _, at := range order {
				for _, kind := range kinds {
					n += len(lists[kind][at])
				}
				if n > 0 {
					return at, n
				}
			}
			return slot{}, 0
		}
		remove := func(t *rapid.T, x *piece, kinds ...queues.Bond) {
			at, n := most(kinds...)
			if (x == nil) != (n == 0) {
				t.Fatalf("got %v of %d", x, n)
			}
			for _, kind := range kinds {
				if list := lists[kind][at]; len(list) > 0 && list[0] == x {
					lists[kind][at] = list[1:]
					return
				}
			}
			if x != nil {
				t.Fatalf("got another than the first of %+v", at)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				kind, at := rapid.SampledFrom(bonds).Draw(t, "kind"), rapid.SampledFrom(order).Draw(t, "slot")
				x := &piece{}
				if at.next {
					inbox.PushNext(x, kind)
					lists[kind][at] = append([]*piece{x}, lists[kind][at]...)
				} else {
					inbox.Push(x, at.p, kind)
					lists[kind][at] = append(lists[kind][at], x)
				}
			},
			"take": func(t *rapid.T) {
				x, _, _ := inbox.Take()
				remove(t, x, bonds...)
			},
			"steal": func(t *rapid.T) {
				kind := rapid.SampledFrom(bonds).Draw(t, "kind")
				x, _ := inbox.TakeOf(kind)
				remove(t, x, kind)
			},
			"": func(t *rapid.T) {
				_, n := most(bonds...)
				if got := inbox.Mask() == 0 && inbox.Len() == 0; got != (n == 0) {
					t.Fatalf("empty: %t", got)
				}
				for _, kind := range bonds {
					want := 0
					for _, list := range lists[kind] {
						want += len(list)
					}
					if got := length(&inbox, kind); got != want {
						t.Fatalf("%d are counted, want %d of kind %d", got, want, kind)
					}
				}
			},
		})
	})
}
