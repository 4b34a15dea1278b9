// Package sharedstate has actors that send others what they go on to change.
package sharedstate

import (
	"maps"
	"slices"

	"github.com/troupe-go/troupe/actor"
)

type totals struct{ n int }

type view struct {
	prices map[string]int
	last   []int
	t      *totals
	n      *int
}

type ask struct {
	prices actor.Reply[map[string]int]
	all    actor.Reply[view]
}

type market struct {
	prices map[string]int
	last   []int
	t      *totals
	names  []string
	fixed  map[string]int
	count  int
	other  actor.Ref[*view]
}

func (k *market) Receive(ctx *actor.Context[ask], m ask) error {
	k.prices["a"]++
	k.last[0] = 1
	k.t.n++
	k.count++
	if err := m.prices.Send(ctx, k.prices); err != nil { // want `the message leads to what is in the field prices`
		return err
	}
	if err := k.other.Send(ctx, &view{
		prices: k.prices, // want `in the field prices`
		last:   k.last,   // want `in the field last`
		t:      k.t,      // want `in the field t`
		n:      &k.count, // want `the message has the address of the field count`
	}); err != nil {
		return err
	}
	return m.all.Send(ctx, view{k.prices, nil, nil, nil}) // want `in the field prices`
}

// All below is right.
func (k *market) good(ctx *actor.Context[ask], m ask) error {
	// One and two: copies.
	if err := m.prices.Send(ctx, maps.Clone(k.prices)); err != nil {
		return err
	}
	n := k.count
	if err := k.other.Send(ctx, &view{last: slices.Clone(k.last), n: &n}); err != nil {
		return err
	}
	// Three: a map that nobody changes in place.
	if err := m.prices.Send(ctx, k.fixed); err != nil {
		return err
	}
	// Four: values of a struct.
	t := *k.t
	if err := k.other.Send(ctx, &view{t: &t}); err != nil {
		return err
	}
	// Five: a whole new map for each change.
	next := maps.Clone(k.fixed)
	next["b"] = 2
	k.fixed = next
	// Six: it is silenced.
	//troupe:ignore sharedstate: the receiver has stopped the market before it reads
	return m.prices.Send(ctx, k.prices)
}
