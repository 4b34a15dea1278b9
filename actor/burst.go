package actor

import (
	"fmt"
	"sync/atomic"
)

// WithBurst sets how many messages of a lane the actor handles before it turns to
// the less urgent lanes, if messages wait there, and they have their bursts
// before it comes back. When all lanes with messages have had theirs, the actor
// gives others their turn, as after its throughput; see [WithThroughput].
//
// By default no lane has a burst: Control and Management are handled until they
// are empty, and Data until something more urgent comes. A burst of Management or
// Control keeps a flood there from holding up Data for ever, at the price that
// messages of that lane wait for some of the less urgent ones. A burst of Data
// matters if it is less than the throughput.
func WithBurst(l Lane, n int) Option {
	return func(o *options) error {
		if l >= numLanes {
			return fmt.Errorf("actor: unknown lane %d; use Data, Management or Control", l)
		}
		if n < 1 || n > maxCapacity {
			return fmt.Errorf("actor: a burst of %d messages for the %v lane; it must be 1 to %d", n, l, maxCapacity)
		}
		if o.bursts == nil {
			o.bursts = &bursts{}
		}
		o.bursts.of[l] = int32(n)
		return nil
	}
}

// bursts has the lanes of one actor take turns: in each round every lane with
// messages has its burst, the most urgent first.
type bursts struct {
	of [numLanes]int32 // 0 for a lane without one.
	// spent is what each lane has had in this round. Written by the running
	// activation; atomic because one that has lost the actor to a kill may still
	// count.
	spent [numLanes]atomic.Int32
}

// sated reports whether a lane has had its burst.
func (a *activation) sated(which Lane) bool {
	b := a.opts.bursts
	return b != nil && b.of[which] > 0 && b.spent[which].Load() >= b.of[which]
}

// endRound begins the next round, and has the actor give way.
func (a *activation) endRound() {
	for which := range a.opts.bursts.spent {
		a.opts.bursts.spent[which].Store(0)
	}
	a.budget = 0
}

// beginBurst sets the budget to what is left of a lane's burst, if that is less.
func (a *activation) beginBurst(which Lane) (budget, allowed int) {
	budget = a.budget
	if b := a.opts.bursts; b != nil && b.of[which] > 0 {
		left := int(b.of[which] - b.spent[which].Load())
		if which == Control && !a.sys.simulated || left < budget {
			a.budget = left
		}
	}
	return budget, a.budget
}

// endBurst counts what was handled since the burst began. Control takes nothing of the budget.
func (a *activation) endBurst(which Lane, budget, allowed int) {
	b := a.opts.bursts
	if b == nil {
		return
	}
	used := max(0, allowed-a.budget) // A turn that has waited comes back with another one.
	b.spent[which].Add(int32(used))
	if a.budget = budget - used; which == Control && !a.sys.simulated {
		a.budget = budget
	}
}
