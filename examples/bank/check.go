package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/troupe-go/troupe/journal"
)

// books is what the events of the store add up to. It is made from the events alone, and
// shares no code with the actors.
type books struct {
	balances map[string]int
	last     map[string]step // Of each transfer.
	begun    map[string]started
	booked   map[string]int // By the ids of entries.
}

// readBooks reads all events of the store.
func readBooks(ctx context.Context, store journal.Store) (*books, error) {
	b := &books{map[string]int{}, map[string]step{}, map[string]started{}, map[string]int{}}
	for r, err := range store.Feed(ctx, 0, journal.Filter{Prefix: "account/"}) {
		if err != nil {
			return nil, err
		}
		e, err := accountEvents.Decode(r)
		if err != nil {
			return nil, err
		}
		cents := 0
		switch e := e.(type) {
		case deposited:
			cents = e.Cents
		case withdrawn:
			cents = -e.Cents
		}
		if b.balances[r.Stream] += cents; b.balances[r.Stream] < 0 {
			return nil, fmt.Errorf("%s is below zero at version %d", r.Stream, r.Version)
		}
		if r.Once != "opening" {
			if _, twice := b.booked[r.Once]; twice {
				return nil, fmt.Errorf("entry %q is booked twice", r.Once)
			}
			b.booked[r.Once] = cents
		}
	}
	for r, err := range store.Feed(ctx, 0, journal.Filter{Prefix: "transfer/"}) {
		if err != nil {
			return nil, err
		}
		s, err := transferEvents.Decode(r)
		if err != nil {
			return nil, err
		}
		if s, ok := s.(started); ok {
			b.begun[r.Stream] = s
		}
		b.last[r.Stream] = s
	}
	return b, nil
}

// check returns an error unless no cent was lost or made, and each transfer has moved its
// money wholly or not at all.
func (b *books) check() error {
	total := 0
	for _, balance := range b.balances {
		total += balance
	}
	if want := numAccounts * opening; total != want {
		return fmt.Errorf("the accounts have %d cents together, want %d", total, want)
	}
	for _, stream := range slices.Sorted(maps.Keys(b.last)) {
		id, cents := stream[len("transfer/"):], b.begun[stream].Cents
		took, gave, undid := b.booked[id+"/take"], b.booked[id+"/give"], b.booked[id+"/undo"]
		want := [3]int{}
		switch b.last[stream].(type) {
		case completed:
			want = [3]int{-cents, cents, 0}
		case undone:
			want = [3]int{-cents, 0, cents}
		case refused:
		default:
			return fmt.Errorf("%s has not ended: its last step is %T", stream, b.last[stream])
		}
		if got := [3]int{took, gave, undid}; got != want {
			return fmt.Errorf("%s (%T) has moved %v cents (take, give, undo), want %v", stream, b.last[stream], got, want)
		}
	}
	return nil
}
