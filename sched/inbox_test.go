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
		lists := map[sched.Bond]map[int][]*sched.Node{}
		for _, kind := range sched.Bonds {
			lists[kind] = map[int][]*sched.Node{}
		}
		most := func(kinds ...sched.Bond) (slot int, n int) {
			for _, slot := range sched.InboxOrder {
				for _, kind := range kinds {
					n += len(lists[kind][slot])
				}
				if n > 0 {
					return slot, n
				}
			}
			return 0, 0
		}
		remove := func(t *rapid.T, x *sched.Node, kinds ...sched.Bond) {
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
				kind, slot := rapid.SampledFrom(sched.Bonds).Draw(t, "kind"), rapid.SampledFrom(sched.InboxOrder).Draw(t, "slot")
				x := &sched.Node{}
				inbox.Push(x, slot, kind)
				if list := lists[kind][slot]; slot == sched.SlotNext {
					lists[kind][slot] = append([]*sched.Node{x}, list...)
				} else {
					lists[kind][slot] = append(list, x)
				}
			},
			"take": func(t *rapid.T) {
				x := inbox.Take()
				remove(t, x, sched.Bonds...)
			},
			"steal": func(t *rapid.T) {
				kind := rapid.SampledFrom(sched.Bonds).Draw(t, "kind")
				remove(t, inbox.TakeOf(kind), kind)
			},
			"": func(t *rapid.T) {
				_, n := most(sched.Bonds...)
				if got := inbox.Empty(); got != (n == 0) {
					t.Fatalf("empty: %t", got)
				}
				for _, kind := range sched.Bonds {
					want := 0
					for _, list := range lists[kind] {
						want += len(list)
					}
					if got := inbox.Len(kind); got != want {
						t.Fatalf("%d are counted, want %d of kind %d", got, want, kind)
					}
				}
			},
		})
	})
}
