// Package parking knows which workers sleep and how many look for work, and wakes them.
package parking

import (
	_ "sync" // Without it, the compiler does not inline the methods of the mutex in xatomic, but calls them.
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/workers/queues"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Lot has the workers of a scheduler that sleep or look for work. Form makes it ready.
//
// # Protocol
//
// A submitter queues work and then calls Wake. Wake does nothing while a worker is searching, since that one will come upon
// the work, and nothing when nobody sleeps. A worker that gives up searching first enters itself among the sleepers, then
// looks at every queue once more, and only then sleeps. All accesses are sequentially consistent, so either the submitter
// sees the sleeper, or the sleeper sees the work. When the last searching worker finds something and more is queued, it
// wakes another one, which searches from then on: several submissions may have relied on its search.
//
// A worker that pushes a single node to its own empty queue does not call Wake, because it is about to take the node
// itself. Should it then not come to it for long, the scheduler's monitor calls Wake.
//
// # Reserved workers
//
// A worker that is reserved for urgent work passes by the rest, so nobody may rely on its search for that. Hence each tier
// has accounts of its own, and Wake considers only tiers that take work of the given priority. The last searcher of a tier
// that finds something may have been relied on for work of any priority that it takes; its scheduler sees to that. Without
// reservations there is one tier, and no more is done than if there were none.
type Lot struct {
	mu       xatomic.Mutex
	open     Tier    // The workers that take anything.
	reserved []*Tier // The others, from the most urgent on.
	urgent   Tier    // The workers for the time in which all others are blocked; see WakeUrgent.
}

// maxUrgent is how many urgent workers there are at most. Each of them may be blocked by
// critical work. Picked out of thin air.
const maxUrgent = 4

// Worker is the part of a worker by which it is put to sleep and woken. The worker holds it by value.
type Worker struct {
	// tier is the worker's tier. Written while the worker, a spare, is retired; read by everyone.
	tier atomic.Pointer[Tier]
	// Searching says that the worker counts as searching. It is the worker's.
	Searching bool
	// summoned says that the token is for work of the inbox. Written by the sender of the token, before.
	summoned bool
	token    xatomic.Signal // At most one token is on its way.
	// Resting is set while the worker sleeps or is retired. Written by the worker, read by everyone.
	Resting xatomic.Bool
}

// Init makes a worker of the tier.
func (w *Worker) Init(t *Tier) {
	w.token = xatomic.NewSignal()
	w.tier.Store(t)
}

// Tier returns the worker's tier.
func (w *Worker) Tier() *Tier { return w.tier.Load() }

// Join moves the worker to a tier. It must be retired.
func (w *Worker) Join(t *Tier) { w.tier.Store(t) }

// Send sends the worker its token. A worker has at most one: its sender has taken it from the sleepers, or from the retired.
func (w *Worker) Send() { w.token.Send() }

// Await waits for the token.
func (w *Worker) Await() { w.token.Receive() }

// HasToken takes the token if there is one.
func (w *Worker) HasToken() bool { return w.token.TryReceive() }

// Woken is called by a sleeper that has received its token. It counts as searching, unless it was woken for its inbox.
func (w *Worker) Woken() { w.Searching, w.summoned = !w.summoned, false }

// Form makes the tiers for so many workers. Reserved counts the ones that are kept for each priority.
func (d *Lot) Form(workers int, reserved [queues.Priorities]int) {
	d.open.least, d.open.places = queues.Low, workers
	d.urgent.least, d.urgent.places = queues.Critical, maxUrgent
	for p := queues.Critical; p < queues.Low; p++ {
		if n := reserved[p]; n > 0 {
			d.reserved = append(d.reserved, &Tier{least: p, places: n})
			d.open.places -= n
		}
	}
}

// TierOf returns the tier of the worker that has a place from the beginning and this id: the workers that take the most
// urgent work alone come first.
func (d *Lot) TierOf(id int) *Tier {
	for _, t := range d.reserved {
		if id < t.places {
			return t
		}
		id -= t.places
	}
	return &d.open
}

// Open returns the tier that takes anything.
func (d *Lot) Open() *Tier { return &d.open }

// Urgent returns the tier of the urgent workers. They take critical work alone, and no
// other function counts them or wakes them, except those that concern all sleepers.
func (d *Lot) Urgent() *Tier { return &d.urgent }

// WakeUrgent wakes an urgent worker, or one searches already. It returns true if the
// caller has to start one, which then has its place.
func (d *Lot) WakeUrgent() (start bool) {
	if d.wakeOne(&d.urgent) {
		return false
	}
	return d.urgent.takePlaceUnder(maxUrgent)
}

// Reserves reports whether there are other tiers.
func (d *Lot) Reserves() bool { return len(d.reserved) != 0 }

// Tiers calls f for each tier, from the one for the most urgent work on, until f returns false.
func (d *Lot) Tiers(f func(*Tier) bool) {
	for _, t := range d.reserved {
		if !f(t) {
			return
		}
	}
	f(&d.open)
}

// Awake returns how many workers are neither blocked nor retired.
func (d *Lot) Awake() (sum int64) {
	for _, t := range d.reserved {
		sum += t.awake.Load()
	}
	return sum + d.open.awake.Load()
}

// Searching returns how many workers search.
func (d *Lot) Searching() int {
	sum := d.open.Searching()
	for _, t := range d.reserved {
		sum += t.Searching()
	}
	return sum
}

// Sleeping returns how many workers sleep.
func (d *Lot) Sleeping() int {
	sum := d.open.Sleeping()
	for _, t := range d.reserved {
		sum += t.Sleeping()
	}
	return sum
}

// Nobody reports whether no worker sleeps or searches.
func (d *Lot) Nobody() bool {
	for _, t := range d.reserved {
		if t.word.Load() != 0 {
			return false
		}
	}
	return d.open.word.Load() == 0
}

// Ceiling is the priority above which work must not rise by age: else old bulk work would hold the workers that are
// reserved for urgent work.
func (d *Lot) Ceiling() queues.Priority {
	if last := len(d.reserved) - 1; last >= 0 {
		return d.reserved[last].least + 1
	}
	return queues.Critical
}

// Lock keeps sleepers from waking up until Unlock.
func (d *Lot) Lock() { d.mu.Lock() }

// Unlock is the end of Lock.
func (d *Lot) Unlock() { d.mu.Unlock() }

// Sleepers returns how many workers are entered as sleepers. The caller holds the lock.
func (d *Lot) Sleepers() (sum int) {
	for _, t := range d.reserved {
		sum += len(t.sleepers)
	}
	return sum + len(d.open.sleepers) + len(d.urgent.sleepers)
}

// Enter puts w among the sleepers.
func (d *Lot) Enter(w *Worker) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := w.Tier()
	t.sleepers = append(t.sleepers, w)
	delta := uint64(oneSleeping)
	if w.Searching {
		w.Searching = false
		delta -= oneSearching
	}
	t.word.Add(delta)
}

// Leave takes w back from the sleepers and makes it a searching worker. It returns false when w was woken already: then a
// token is on its way.
func (d *Lot) Leave(w *Worker) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !w.Tier().remove(w) {
		return false
	}
	w.Tier().transferToSearch()
	w.Searching = true
	return true
}

// Wake wakes one sleeper that takes work of priority p, if no such worker is searching. The sleeper wakes up as a searching
// worker. Wake reports whether one is searching now.
func (d *Lot) Wake(p queues.Priority) bool {
	if len(d.reserved) == 0 {
		return d.wakeOne(&d.open)
	}
	return d.wakeFor(p)
}

func (d *Lot) wakeFor(p queues.Priority) bool {
	able := d.reserved
	for len(able) > 0 && able[0].least < p {
		able = able[1:]
	}
	for _, t := range able {
		if t.Searching() != 0 {
			return true
		}
	}
	if d.open.Searching() != 0 {
		return true
	}
	// The tier that takes the least else goes first; the others are kept for work that it can't take.
	for _, t := range able {
		if d.wakeOne(t) {
			return true
		}
	}
	return d.wakeOne(&d.open)
}

// wakeOne wakes one sleeper of the tier if none of it is searching. It reports whether one is searching now.
func (d *Lot) wakeOne(t *Tier) bool {
	word := t.word.Load()
	if uint32(word) != 0 || word>>32 == 0 {
		return uint32(word) != 0
	}
	d.mu.Lock()
	if t.Searching() != 0 || len(t.sleepers) == 0 {
		d.mu.Unlock()
		return t.Searching() != 0
	}
	last := len(t.sleepers) - 1
	w := t.sleepers[last]
	t.sleepers[last] = nil
	t.sleepers = t.sleepers[:last]
	t.transferToSearch()
	d.mu.Unlock()
	w.Send()
	return true
}

// WakeForInbox wakes w, if it sleeps, for work that no other worker may take. It wakes up as a working one: it is about to
// look where others need not, so no submission may rely on its search.
func (d *Lot) WakeForInbox(w *Worker) {
	if !w.Resting.Load() {
		return // Should it be about to rest, it will look into its inbox again.
	}
	d.mu.Lock()
	slept := w.Tier().remove(w)
	if slept {
		w.Tier().word.Add(^uint64(oneSleeping - 1))
	}
	d.mu.Unlock()
	if slept {
		w.summoned = true
		w.Send()
	}
}

// WakeToSearch wakes w, if it sleeps and no worker of its tier is searching. It returns false if it did not.
func (d *Lot) WakeToSearch(w *Worker) bool {
	t := w.Tier()
	d.mu.Lock()
	woken := t.Searching() == 0 && t.remove(w)
	if woken {
		t.transferToSearch()
	}
	d.mu.Unlock()
	if woken {
		w.Send()
	}
	return woken
}

// WakeAll wakes every sleeper, to have it look at the scheduler's state.
func (d *Lot) WakeAll() {
	d.mu.Lock()
	var all []*Worker
	wake := func(t *Tier) bool {
		for range t.sleepers {
			t.transferToSearch()
		}
		all = append(all, t.sleepers...)
		t.sleepers = nil
		return true
	}
	d.Tiers(wake)
	wake(&d.urgent)
	d.mu.Unlock()
	for _, w := range all {
		w.Send()
	}
}
