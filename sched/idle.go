package sched

import "github.com/troupe-go/troupe/internal/xatomic"

// idle knows which workers sleep and how many look for work.
//
// # Protocol
//
// Whoever queues work calls wake afterwards. It does nothing while a worker is
// searching, since that one will come upon the work, and nothing when nobody
// sleeps. A worker that gives up searching first enters itself among the
// sleepers, then looks at every queue once more, and only then sleeps. All
// accesses are sequentially consistent, so either the submitter sees the
// sleeper, or the sleeper sees the work. When the last searching worker finds
// something and more is queued, it wakes another in its place: the submissions that
// relied on its search may be more than one.
//
// A worker that pushes a single node to its own empty queue does not call wake,
// because it is about to take the node itself; see [Worker.push]. Should it
// then not come to it for long, the monitor calls wake in its stead.
//
// # Reserved workers
//
// A worker that is reserved for urgent work passes by the rest, so nobody may
// rely on its search for that. Hence the accounts are kept for each crew, and
// wake considers those crews only that take work of the given priority. The
// last searcher of a crew that finds something may have been relied on for work
// of any priority that it takes; see [Scheduler.handOver]. Without reservations
// there is one crew, and no more is done than if there were none.
type idle struct {
	mu       xatomic.Mutex
	open     crew    // The workers that take anything.
	reserved []*crew // The others, from the most urgent on.
}

const (
	oneSearching = 1
	oneSleeping  = 1 << 32
)

func (d *idle) searching() int {
	sum := d.open.searching()
	for _, c := range d.reserved {
		sum += c.searching()
	}
	return sum
}

func (d *idle) sleeping() int {
	sum := d.open.sleeping()
	for _, c := range d.reserved {
		sum += c.sleeping()
	}
	return sum
}

// nobody reports whether no worker sleeps or searches.
func (d *idle) nobody() bool {
	for _, c := range d.reserved {
		if c.word.Load() != 0 {
			return false
		}
	}
	return d.open.word.Load() == 0
}

// ceiling is the priority above which work must not rise by age: bulk work that
// has become old would else hold the workers that are reserved for urgent work.
func (d *idle) ceiling() Priority {
	if last := len(d.reserved) - 1; last >= 0 {
		return d.reserved[last].tier + 1
	}
	return Critical
}

// startSearch enters the caller as searching, unless half of the crew already
// are: more would only get in each other's way.
func (c *crew) startSearch() bool {
	if 2*c.searching() >= int(c.awake.Load()) {
		return false
	}
	c.word.Add(oneSearching)
	return true
}

// endSearch takes the caller out again, after it has found something. It
// reports whether nobody searches any more.
func (c *crew) endSearch() (last bool) {
	return uint32(c.word.Add(^uint64(oneSearching-1))) == 0
}

// enter puts w among the sleepers.
func (d *idle) enter(w *Worker) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w.crew().sleepers = append(w.crew().sleepers, w)
	delta := uint64(oneSleeping)
	if w.searching {
		w.searching = false
		delta -= oneSearching
	}
	w.crew().word.Add(delta)
}

// leave takes w back from the sleepers and makes it a searching worker. It
// returns false when someone has woken w already: then a token is on its way.
func (d *idle) leave(w *Worker) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !w.crew().remove(w) {
		return false
	}
	w.crew().transferToSearch()
	w.searching = true
	return true
}

// remove takes w from the sleepers, if it is one. The caller holds mu.
func (c *crew) remove(w *Worker) bool {
	for i, other := range c.sleepers {
		if other == w {
			c.sleepers = append(c.sleepers[:i], c.sleepers[i+1:]...)
			return true
		}
	}
	return false
}

// wake wakes one sleeper that takes work of priority p, if no such worker is
// searching. The sleeper wakes up as a searching worker. It reports whether one
// is searching now.
func (d *idle) wake(p Priority) bool {
	if len(d.reserved) == 0 {
		return d.wakeOne(&d.open)
	}
	return d.wakeFor(p)
}

func (d *idle) wakeFor(p Priority) bool {
	able := d.reserved
	for len(able) > 0 && able[0].tier < p {
		able = able[1:]
	}
	for _, c := range able {
		if c.searching() != 0 {
			return true
		}
	}
	if d.open.searching() != 0 {
		return true
	}
	// The crew that takes the least else goes first; the others are kept for what
	// it can't take.
	for _, c := range able {
		if d.wakeOne(c) {
			return true
		}
	}
	return d.wakeOne(&d.open)
}

// wakeOne wakes one sleeper of the crew if none of it is searching. It reports
// whether one is searching now.
func (d *idle) wakeOne(c *crew) bool {
	word := c.word.Load()
	if uint32(word) != 0 || word>>32 == 0 {
		return uint32(word) != 0
	}
	d.mu.Lock()
	if c.searching() != 0 || len(c.sleepers) == 0 {
		d.mu.Unlock()
		return c.searching() != 0
	}
	last := len(c.sleepers) - 1
	w := c.sleepers[last]
	c.sleepers[last] = nil
	c.sleepers = c.sleepers[:last]
	c.transferToSearch()
	d.mu.Unlock()
	w.token.Send()
	return true
}

// wakeWorker wakes w, if it sleeps, for work that nobody else may take. It wakes
// up as a working one: it is about to look where others need not, so no
// submission may rely on its search.
func (d *idle) wakeWorker(w *Worker) {
	if !w.resting.Load() {
		return // Should it be about to rest, it will look into its inbox again.
	}
	d.mu.Lock()
	slept := w.crew().remove(w)
	if slept {
		w.crew().word.Add(^uint64(oneSleeping - 1))
	}
	d.mu.Unlock()
	if slept {
		w.summoned = true
		w.token.Send()
	}
}

// wakeToSearch wakes w, if it sleeps and nobody of its crew is searching. It
// returns false if it did not.
func (d *idle) wakeToSearch(w *Worker) bool {
	c := w.crew()
	d.mu.Lock()
	woken := c.searching() == 0 && c.remove(w)
	if woken {
		c.transferToSearch()
	}
	d.mu.Unlock()
	if woken {
		w.token.Send()
	}
	return woken
}

// wakeAll wakes every sleeper, to have it look at the scheduler's state.
func (d *idle) wakeAll() {
	d.mu.Lock()
	var all []*Worker
	d.crews(func(c *crew) bool {
		for range c.sleepers {
			c.transferToSearch()
		}
		all = append(all, c.sleepers...)
		c.sleepers = nil
		return true
	})
	d.mu.Unlock()
	for _, w := range all {
		w.token.Send()
	}
}

func (c *crew) transferToSearch() {
	var delta int64 = oneSearching - oneSleeping
	c.word.Add(uint64(delta))
}
