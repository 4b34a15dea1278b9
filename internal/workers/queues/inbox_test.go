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
	order = []int{
		queues.SlotOf(queues.Critical), queues.SlotNext, queues.SlotOf(queues.High), queues.SlotOf(queues.Normal), queues.SlotOf(queues.Low),
	}
)

func length(b *queues.Inbox[piece], bond queues.Bond) int {
	return []int{b.Placed(), b.Preferred(), b.Pinned()}[bond.Index()]
}

// TestInboxAgainstLists compares an inbox with lists, one for each kind and
// urgency.
func TestInboxAgainstLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var inbox queues.Inbox[piece]
		lists := map[queues.Bond]map[int][]*piece{}
		for _, kind := range bonds {
			lists[kind] = map[int][]*piece{}
		}
		most := func(kinds ...queues.Bond) (slot int, n int) {
			for _, slot := range order {
				for _, kind := range kinds {
					n += len(lists[kind][slot])
				}
				if n > 0 {
					return slot, n
				}
			}
			return 0, 0
		}
		remove := func(t *rapid.T, x *piece, kinds ...queues.Bond) {
			slot, n := most(kinds...)
			if (x == nil) != (n == 0) {
				t.Fatalf("got %v of %d", x, n)
			}
			for _, kind := range kinds {
				if list := lists[kind][slot]; len(list) > 0 && list[0] == x {
					lists[kind][slot] = list[1:]
					return
				}
			}
			if x != nil {
				t.Fatalf("got another than the first of slot %d", slot)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				kind, slot := rapid.SampledFrom(bonds).Draw(t, "kind"), rapid.SampledFrom(order).Draw(t, "slot")
				x := &piece{}
				inbox.Push(x, slot, kind)
				if list := lists[kind][slot]; slot == queues.SlotNext {
					lists[kind][slot] = append([]*piece{x}, list...)
				} else {
					lists[kind][slot] = append(list, x)
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
