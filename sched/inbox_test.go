package sched_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/sched"
)

// TestInboxAgainstLists compares an inbox with lists, one for each kind and
// urgency.
func TestInboxAgainstLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var inbox sched.Inbox
		lists := map[bool]map[int][]*sched.Node{true: {}, false: {}}
		most := func(kinds ...bool) (slot int, n int) {
			for _, slot := range sched.InboxOrder {
				for _, pinned := range kinds {
					n += len(lists[pinned][slot])
				}
				if n > 0 {
					return slot, n
				}
			}
			return 0, 0
		}
		remove := func(t *rapid.T, x *sched.Node, kinds ...bool) {
			slot, n := most(kinds...)
			if (x == nil) != (n == 0) {
				t.Fatalf("got %v of %d", x, n)
			}
			for _, pinned := range kinds {
				if list := lists[pinned][slot]; len(list) > 0 && list[0] == x {
					lists[pinned][slot] = list[1:]
					return
				}
			}
			if x != nil {
				t.Fatalf("got another than the first of slot %d", slot)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				pinned, slot := rapid.Bool().Draw(t, "pinned"), rapid.SampledFrom(sched.InboxOrder).Draw(t, "slot")
				x := &sched.Node{}
				inbox.Push(x, slot, pinned)
				if list := lists[pinned][slot]; slot == sched.SlotNext {
					lists[pinned][slot] = append([]*sched.Node{x}, list...)
				} else {
					lists[pinned][slot] = append(list, x)
				}
			},
			"take": func(t *rapid.T) {
				x := inbox.Take()
				remove(t, x, true, false)
			},
			"relieve": func(t *rapid.T) { remove(t, inbox.TakePreferred(), false) },
			"": func(t *rapid.T) {
				_, n := most(true, false)
				if got := inbox.Empty(); got != (n == 0) {
					t.Fatalf("empty: %t", got)
				}
				for _, pinned := range []bool{true, false} {
					want := 0
					for _, list := range lists[pinned] {
						want += len(list)
					}
					if got := inbox.Len(pinned); got != want {
						t.Fatalf("%d are counted, want %d (pinned: %t)", got, want, pinned)
					}
				}
			},
		})
	})
}
