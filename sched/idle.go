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
// something, it wakes another in its place: the submissions that relied on its
// search may be more than one.
//
// A worker that pushes a single node to its own empty queue does not call wake,
// because it is about to take the node itself; see [Worker.push]. Should it
// then not come to it for long, the monitor calls wake in its stead.
type idle struct {
	// word holds the number of searching workers in its low half and the number
	// of sleeping ones in its high half, so that both are read at one moment.
	// Written under mu where a sleeper comes or goes, else by the searching
	// worker itself.
	word xatomic.Uint64

	mu       xatomic.Mutex
	sleepers []*Worker // The most recent last; it is the first to be woken.
}

const (
	oneSearching = 1
	oneSleeping  = 1 << 32
)

func (d *idle) searching() int { return int(uint32(d.word.Load())) }
func (d *idle) sleeping() int  { return int(d.word.Load() >> 32) }

// startSearch enters the caller as searching, unless half of the workers
// already are: more would only get in each other's way.
func (d *idle) startSearch(workers int) bool {
	if 2*d.searching() >= workers {
		return false
	}
	d.word.Add(oneSearching)
	return true
}

// endSearch takes the caller out again, after it has found something. It
// reports whether nobody searches any more.
func (d *idle) endSearch() (last bool) {
	return uint32(d.word.Add(^uint64(oneSearching-1))) == 0
}

// enter puts w among the sleepers.
func (d *idle) enter(w *Worker) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sleepers = append(d.sleepers, w)
	delta := uint64(oneSleeping)
	if w.searching {
		w.searching = false
		delta -= oneSearching
	}
	d.word.Add(delta)
}

// leave takes w back from the sleepers and makes it a searching worker. It
// returns false when someone has woken w already: then a token is on its way.
func (d *idle) leave(w *Worker) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.remove(w) {
		return false
	}
	d.transferToSearch()
	w.searching = true
	return true
}

// wake wakes one sleeper if nobody is searching. The sleeper wakes up as a
// searching worker.
func (d *idle) wake() {
	word := d.word.Load()
	if uint32(word) != 0 || word>>32 == 0 {
		return
	}
	d.mu.Lock()
	if d.searching() != 0 || len(d.sleepers) == 0 {
		d.mu.Unlock()
		return
	}
	last := len(d.sleepers) - 1
	w := d.sleepers[last]
	d.sleepers[last] = nil
	d.sleepers = d.sleepers[:last]
	d.transferToSearch()
	d.mu.Unlock()
	w.token.Send()
}

// wakeWorker wakes w, if it sleeps, for work that nobody else may take. It wakes
// up as a working one: it is about to look where others need not, so no
// submission may rely on its search.
func (d *idle) wakeWorker(w *Worker) {
	if !w.resting.Load() {
		return // Should it be about to rest, it will look into its inbox again.
	}
	d.mu.Lock()
	slept := d.remove(w)
	if slept {
		d.word.Add(^uint64(oneSleeping - 1))
	}
	d.mu.Unlock()
	if slept {
		w.summoned = true
		w.token.Send()
	}
}

// wakeToSearch wakes w, if it sleeps and nobody is searching. It returns false
// if it did not.
func (d *idle) wakeToSearch(w *Worker) bool {
	d.mu.Lock()
	woken := d.searching() == 0 && d.remove(w)
	if woken {
		d.transferToSearch()
	}
	d.mu.Unlock()
	if woken {
		w.token.Send()
	}
	return woken
}

// remove takes w from the sleepers, if it is one. The caller holds mu.
func (d *idle) remove(w *Worker) bool {
	for i, other := range d.sleepers {
		if other == w {
			d.sleepers = append(d.sleepers[:i], d.sleepers[i+1:]...)
			return true
		}
	}
	return false
}

// wakeAll wakes every sleeper, to have it look at the scheduler's state.
func (d *idle) wakeAll() {
	d.mu.Lock()
	all := d.sleepers
	d.sleepers = nil
	for range all {
		d.transferToSearch()
	}
	d.mu.Unlock()
	for _, w := range all {
		w.token.Send()
	}
}

func (d *idle) transferToSearch() {
	var delta int64 = oneSearching - oneSleeping
	d.word.Add(uint64(delta))
}
