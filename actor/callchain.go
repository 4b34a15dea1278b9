package actor

import (
	"context"
	"slices"

	"github.com/troupe-go/troupe/internal/workers"
)

// CallChain returns the actors that wait for each other by asks, up to the one
// that ctx belongs to, which is last: the first was asked by nobody, or by a
// goroutine of nobody's. Where a handler has handed a message on, it is not in the
// chain, since it does not wait. A ctx that is not of an actor has no chain.
//
// It is meant for the handler itself, with its [Context] or one that comes from
// it. If ctx has been kept longer, the chain is that part which is still known.
// It costs some 10 ns for each actor.
func CallChain(ctx context.Context) []PID {
	if ctx == nil {
		return nil
	}
	c := scopeOf(ctx)
	if c == nil {
		return nil
	}
	chain := []PID{c.p.pid}
	a := c.askedBy(current(workers.Current(ctx)))
	for a.slot != nil && len(chain) < maxChain {
		asker, up := a.origin()
		if asker == nil {
			break
		}
		chain, a = append(chain, asker.pid), up
	}
	slices.Reverse(chain)
	return chain
}

// origin returns whose handler has asked, and what that was asked itself. It
// returns nil if nobody's has, or the ask is over.
func (a address) origin() (asker *proc, up address) {
	if e := a.slot.errand; e != nil {
		return e.asker, e.up
	}
	if !a.slot.pin(a.round) {
		return nil, address{}
	}
	asker, up = a.slot.asker, a.slot.up
	a.slot.unpin(a.round)
	return asker, up
}
