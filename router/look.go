package router

import (
	"math"
	"sync"
	"sync/atomic"
)

// look is what a router remembers of its last look at the backlogs of its
// routees. A look is dear: what shows a routee's backlog lies on cache lines that
// the processor writes on which it runs, about 10 ns for each. So if backlogs are
// long, one look serves for several messages, and in between the router counts
// those that it sends itself. It does not see what is handled, or sent by others,
// until the next look. If somebody has little to do, each message has its own:
// there it matters who is idle, and there looks are cheap, since they end at the
// first who is.
//
// That the next look comes after so many messages, and not after some time, is
// because a look at the clock takes as long as one at four routees.
type look struct {
	// until is the turn from which on the look does not serve any more. Written
	// under mu.
	until atomic.Uint64
	// others is how much all routees had to do together, less the turn at that
	// time: with the present turn added, it counts the messages since. Written
	// under mu.
	others atomic.Int64
	// levels are the backlogs, by routee, with what was sent to each since.
	// Written under mu, and by each message.
	levels []atomic.Int32
	// mu is that of who looks. It is only tried: while one looks, the others look
	// for themselves. So whoever is interrupted in his look can't replace a later
	// one by it: until it ends, no other serves.
	mu sync.Mutex
}

const (
	// lookFrom is how long backlogs must be for a look to serve for more than one
	// message.
	lookFrom = 8
	// lookPart is the part of a backlog in messages for which a look serves. So a
	// choice is wrong by half of what the chosen one has, at most. With an eighth,
	// a message to one of 8 busy routees took 15 ns more: the smallest backlog is
	// short most of the time.
	lookPart = 2
	// lookMost is how many messages a look serves for at most: a look at 8 routees
	// is then some 5 ns of each one's time.
	lookMost = 16
)

// serves reports whether the last look is good for the message of this turn.
func (l *look) serves(turn uint64) bool { return turn < l.until.Load() }

// keep has a look of this turn serve for the next messages, if backlog is long.
// The caller holds mu.
func (l *look) keep(turn uint64, backlog int) {
	more := 0
	if backlog >= lookFrom {
		more = min(backlog/lookPart, lookMost)
	}
	l.until.Store(turn + 1 + uint64(more))
}

// total returns how much all routees have to do, with the message of this turn.
func (l *look) total(turn uint64) int { return int(l.others.Load() + int64(turn)) }

// take returns the routee with the lowest level, and counts a message for it.
func (l *look) take() int {
	lowest := uint64(math.MaxUint64)
	for i := range l.levels {
		lowest = min(lowest, uint64(l.levels[i].Load())<<32|uint64(i)) // No branch, which would be mispredicted.
	}
	i := int(lowest & math.MaxUint32)
	l.levels[i].Add(1)
	return i
}

// smallest returns the routee with the smallest backlog, as far as is known.
func (c *core[M]) smallest(t *members[M]) int {
	turn := c.turn.Add(1)
	if t.look.serves(turn) {
		return t.look.take()
	}
	keep := t.look.mu.TryLock()
	i := t.smallest(turn, keep)
	if keep {
		t.look.mu.Unlock()
	}
	return i
}

// smallest looks at the routees and returns the one with the smallest backlog. It
// begins at another one each time, so that equals take turns. If keep, the caller
// holds the look's mu.
func (t *members[M]) smallest(turn uint64, keep bool) int {
	n := len(t.refs)
	first := int(turn % uint64(n))
	best, least := first, math.MaxInt
	for k := range n {
		i := first + k
		if i >= n {
			i -= n
		}
		b := t.refs[i].Backlog()
		if b < least {
			best, least = i, b
			if b == 0 {
				return best
			}
		}
		if keep {
			t.look.levels[i].Store(int32(min(b, math.MaxInt32/2)))
		}
	}
	if keep {
		t.look.levels[best].Add(1)
		t.look.keep(turn, least)
	}
	return best
}

// all looks at the routees and returns how much they have to do together, with
// the message of this turn.
func (t *members[M]) all(turn uint64) int {
	keep := t.look.mu.TryLock()
	total := 1
	for i := range t.refs {
		total += t.refs[i].Backlog()
	}
	if keep {
		t.look.others.Store(int64(total) - int64(turn))
		t.look.keep(turn, total/len(t.refs))
		t.look.mu.Unlock()
	}
	return total
}
