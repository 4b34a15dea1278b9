package parking

import (
	"github.com/troupe-go/troupe/internal/workers/queues"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Tier has the workers that are reserved for a priority, with the spare workers that replace blocked ones of them; or, open,
// the workers that take anything.
type Tier struct {
	least  queues.Priority // The least urgent priority that the workers take.
	places int             // How many of the workers are awake when none is blocked.
	// awake counts the workers that are neither blocked nor retired.
	awake xatomic.Int64

	// word holds the number of searching workers in its low half and the number of sleeping ones in its high half, so
	// that both are read at one moment. Written under the lot's mu where a sleeper comes or goes, else by the searching
	// worker itself.
	word     xatomic.Uint64
	sleepers []*Worker // The most recent last; it is the first to be woken. Under the lot's mu.
}

const (
	oneSearching = 1
	oneSleeping  = 1 << 32
)

// Searching returns how many workers search.
func (t *Tier) Searching() int { return int(uint32(t.word.Load())) }

// Sleeping returns how many workers sleep.
func (t *Tier) Sleeping() int { return int(t.word.Load() >> 32) }

// Idle reports whether a worker searches or sleeps. It costs one load of a word that is rarely written.
func (t *Tier) Idle() bool { return t.word.Load() != 0 }

// Least returns the least urgent priority that the workers take.
func (t *Tier) Least() queues.Priority { return t.least }

// Takes returns the set of priorities that the workers take, as a mask.
func (t *Tier) Takes() uint32 { return t.least.UpTo() }

// Awake returns how many workers are neither blocked nor retired.
func (t *Tier) Awake() int64 { return t.awake.Load() }

// TakePlace counts a worker as awake: a new one, or one that was blocked.
func (t *Tier) TakePlace() { t.awake.Add(1) }

// takePlaceUnder is TakePlace unless limit workers are awake. It returns false then.
func (t *Tier) takePlaceUnder(limit int64) bool {
	for {
		awake := t.awake.Load()
		if awake >= limit {
			return false
		}
		if t.awake.CompareAndSwap(awake, awake+1) {
			return true
		}
	}
}

// Surplus reports whether more workers are awake than there should be.
func (t *Tier) Surplus() bool { return t.awake.Load() > int64(t.places) }

// GiveUpPlace takes the caller out of a surplus. It returns false if there is none.
func (t *Tier) GiveUpPlace() bool {
	for {
		awake := t.awake.Load()
		if awake <= int64(t.places) {
			return false
		}
		if t.awake.CompareAndSwap(awake, awake-1) {
			return true
		}
	}
}

// StartSearch enters the caller as searching, unless half of the tier already are: more would only get in each other's
// way.
func (t *Tier) StartSearch() bool {
	if 2*t.Searching() >= int(t.awake.Load()) {
		return false
	}
	t.word.Add(oneSearching)
	return true
}

// EndSearch takes the caller out again, after it has found something. It reports whether nobody searches any more.
func (t *Tier) EndSearch() (last bool) {
	return uint32(t.word.Add(^uint64(oneSearching-1))) == 0
}

// remove takes w from the sleepers, if it is one. The caller holds the lot's mu.
func (t *Tier) remove(w *Worker) bool {
	for i, other := range t.sleepers {
		if other == w {
			t.sleepers = append(t.sleepers[:i], t.sleepers[i+1:]...)
			return true
		}
	}
	return false
}

func (t *Tier) transferToSearch() {
	var delta int64 = oneSearching - oneSleeping
	t.word.Add(uint64(delta))
}
