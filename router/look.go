package router

import (
	"math"
	"slices"
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
	// under mu, after what it is about.
	until atomic.Uint64
	// plan says who gets the messages of the turns before until, the last first,
	// plansInWord to a word. So each turn has its routee, however many send at
	// once. Written under mu.
	plan [lookMost / plansInWord]atomic.Uint64
	// others is how much all routees had to do together, less the turn at that
	// time: with the present turn added, it counts the messages since. Written
	// under mu.
	others atomic.Int64
	// seen is the backlog of each routee, shifted by planBits, and its index below.
	// Guarded by mu.
	seen []uint64
	// The sender that looks holds mu. It is only tried: while one looks, the others
	// look for themselves. So a look that was interrupted can't replace a later
	// one: until it ends, no other serves. When it ends it serves for what is
	// left of its turns, which are counted from its begin.
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
	// planBits is the number of bits of a routee's index in a plan. Where there are more
	// routees, each message has its own look.
	planBits    = 16
	plansInWord = 64 / planBits
)

func newLook(routees int) look { return look{seen: make([]uint64, routees)} }

// serves reports whether the last look is good for the message of this turn.
func (l *look) serves(turn uint64) bool { return turn < l.until.Load() }

// keep has a look of this turn serve for the next messages, as many as backlog
// allows. The caller holds mu. Messages that were sent during the look count: if the
// look was interrupted for long, it serves for none.
func (l *look) keep(turn uint64, backlog int) { l.until.Store(turn + 1 + uint64(lasts(backlog))) }

// lasts returns for how many messages a look serves besides its own.
func lasts(backlog int) int {
	if backlog < lookFrom {
		return 0
	}
	return min(backlog/lookPart, lookMost)
}

// total returns how much all routees have to do, with the message of this turn.
func (l *look) total(turn uint64) int { return int(l.others.Load() + int64(turn)) }

// planned returns the routee of a turn, if the last look serves for it.
func (l *look) planned(turn uint64) (routee int, ok bool) {
	left := l.until.Load() - turn - 1
	if left >= lookMost { // Also if that is below zero.
		return 0, false
	}
	return int(l.plan[left/plansInWord].Load() >> (left % plansInWord * planBits) & (1<<planBits - 1)), true
}

// note notes the backlog of a routee.
func (l *look) note(routee, backlog int) { l.seen[routee] = uint64(backlog)<<planBits | uint64(routee) }

// keepPlan is keep for a look that has noted all routees, the one with the smallest
// backlog among them, which gets the message of this turn. Each of the next ones
// is for who has least then.
func (l *look) keepPlan(turn uint64, routee, backlog int) {
	n := lasts(backlog)
	if n == 0 || len(l.seen) > 1<<planBits {
		return
	}
	l.seen[routee] += 1 << planBits
	var words [len(l.plan)]uint64
	for left := n - 1; left >= 0; left-- {
		least := slices.Min(l.seen)
		routee := least & (1<<planBits - 1)
		l.seen[routee] += 1 << planBits
		words[left/plansInWord] |= routee << (left % plansInWord * planBits)
	}
	for i := range words {
		l.plan[i].Store(words[i])
	}
	l.keep(turn, backlog)
}

// smallest returns the routee with the smallest backlog, as far as is known.
func (c *core[M]) smallest(t *members[M]) int {
	turn := c.turn.Add(1)
	if i, ok := t.look.planned(turn); ok {
		return i
	}
	if !t.look.mu.TryLock() {
		i, _ := t.smallest(turn, nil)
		return i
	}
	i, backlog := t.smallest(turn, &t.look)
	t.look.keepPlan(turn, i, backlog)
	t.look.mu.Unlock()
	return i
}

// smallest looks at the routees, notes what it sees, if l is not nil, and returns
// the one with the smallest backlog, and that. It begins at another one each time,
// so that equals take turns, and ends at one that has nothing to do.
func (t *members[M]) smallest(turn uint64, l *look) (best, least int) {
	n := len(t.refs)
	first := int(turn % uint64(n))
	best, least = first, math.MaxInt
	for k := range n {
		i := first + k
		if i >= n {
			i -= n
		}
		b := t.refs[i].Backlog()
		if b < least {
			best, least = i, b
			if b == 0 {
				break
			}
		}
		if l != nil {
			l.note(i, b)
		}
	}
	return best, least
}

// all looks at the routees and returns how much they have to do together, with
// the message of this turn.
func (t *members[M]) all(turn uint64) int {
	keep := t.look.mu.TryLock()
	total := t.sum()
	if keep {
		t.keepSum(turn, total)
		t.look.mu.Unlock()
	}
	return total
}

func (t *members[M]) sum() int {
	total := 1
	for i := range t.refs {
		total += t.refs[i].Backlog()
	}
	return total
}

// keepSum is keep for a look at all together.
func (t *members[M]) keepSum(turn uint64, total int) {
	t.look.others.Store(int64(total) - int64(turn))
	t.look.keep(turn, total/len(t.refs))
}
