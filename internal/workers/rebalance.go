package workers

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/workers/parking"
	"github.com/troupe-go/troupe/internal/workers/queues"
)

// rebalance evens out the workers' queues, on behalf of workers that are too
// busy to steal. It belongs to the monitor, which calls look.
//
// # When and how much
//
// The load of a worker is what it has queued and runs, in pieces times their
// mean time. The imbalance is by how much the largest load exceeds the mean, as
// a share of the mean. Above Config.ImbalanceThreshold, or where a worker has
// more than twice the mean, those above the mean hand their oldest work over to
// the worker with the least load, as long as it then has no more than they. It comes
// into the others' inboxes as work that anyone may steal. A blocked worker is to
// have nothing but the last queued piece, which each worker keeps: two actors
// that talk to each other would be torn apart. Workers that are reserved for urgent work are compared
// among themselves.
//
// # How often
//
// If the imbalance has changed a lot since the last look, the next one comes
// twice as soon, else it comes later by half, within bounds. Halving is faster
// than growing, since to be late costs idle processors, and to be early about a
// microsecond for each few workers.
//
// # Rejected
//
// Workers that compare themselves with others at every so many pieces of work
// need no monitor, but the one that is on a long piece, which is the one to be
// relieved, does not come to it.
//
// With a RebalanceMax of 100 ms, of 10,000 pieces that one of four workers got right after
// a look, it still had 2.2 times the mean 100 ms later. More looks cost no wake-ups: the
// monitor wakes every 8 ms in any case while anything runs.
type rebalance struct {
	s    *Scheduler
	next time.Duration // When to look again.
	last float64       // The imbalance at the last look.
	// balance is the balance of the last look, kept for its memory.
	balance balance

	// For Stats. Written by the monitor.
	interval      atomic.Int64
	rounds, moved atomic.Uint64
}

const (
	// rebalanceFirst is the interval to begin with.
	rebalanceFirst = 10 * time.Millisecond
	// volatile is by how much the imbalance has to change for the interval to
	// become shorter. Picked out of thin air.
	volatile = 0.1
	// twice the mean load is too much whatever the threshold says.
	twice = 2
	// maxMoved bounds what one look moves, at about 100 ns each.
	maxMoved = 4096
)

func (r *rebalance) start() {
	if r.on() {
		r.next = min(max(rebalanceFirst, r.s.cfg.RebalanceMin), r.s.cfg.RebalanceMax)
		r.interval.Store(int64(r.next))
	}
}

// on reports whether there is anything to balance, ever.
func (r *rebalance) on() bool { return r.s.cfg.RebalanceMax > 0 && r.s.cfg.Workers > 1 }

// look evens the queues out if it is time and they are uneven. It returns for
// how long the monitor may pause.
func (r *rebalance) look(now time.Duration) time.Duration {
	if !r.on() {
		return monitorMax
	}
	if now < r.next {
		return r.next - now
	}
	worst, moved := 0.0, 0
	r.s.lot.Tiers(func(t *parking.Tier) bool {
		b := &r.balance
		b.measure(t, *r.s.workers.Load())
		worst = max(worst, b.imbalance())
		if b.uneven(r.s.cfg.ImbalanceThreshold) {
			moved += r.spread(b)
		}
		return true
	})
	if moved > 0 {
		r.rounds.Add(1)
		r.moved.Add(uint64(moved))
	}
	r.adapt(worst)
	interval := time.Duration(r.interval.Load())
	r.next = now + interval
	return interval
}

// adapt makes the interval fit how much the imbalance changes.
func (r *rebalance) adapt(imbalance float64) {
	interval := time.Duration(r.interval.Load())
	if math.Abs(imbalance-r.last) > volatile {
		interval /= 2
	} else {
		interval += interval / 2
	}
	r.last = imbalance
	r.interval.Store(int64(min(max(interval, r.s.cfg.RebalanceMin), r.s.cfg.RebalanceMax)))
}

// balance is the loads of a tier as one look sees them.
type balance struct {
	workers []*Worker // Spares too, unless they are retired.
	loads   []time.Duration
	unit    []time.Duration // The mean time of a piece.
	able    []bool          // Not blocked.
	mean    time.Duration   // Of all loads, over the able.
	largest time.Duration
}

func (b *balance) measure(t *parking.Tier, all []*Worker) {
	*b = balance{workers: b.workers[:0], loads: b.loads[:0], unit: b.unit[:0], able: b.able[:0]}
	unknown := meanPace(all)
	var sum time.Duration
	n := 0
	for _, w := range all {
		if w.activity.retired() || w.park.Tier() != t {
			continue
		}
		load, able := w.load(unknown), !w.replaced()
		if able {
			n++
		}
		sum += load
		b.largest = max(b.largest, load)
		b.workers = append(b.workers, w)
		b.loads = append(b.loads, load)
		b.unit = append(b.unit, w.pace.Or(unknown))
		b.able = append(b.able, able)
	}
	if n > 0 {
		b.mean = sum / time.Duration(n)
	}
}

func (b *balance) imbalance() float64 {
	if b.mean == 0 {
		return 0
	}
	return max(0, float64(b.largest-b.mean)/float64(b.mean))
}

func (b *balance) uneven(threshold float64) bool {
	return b.imbalance() > threshold || b.largest > twice*b.mean
}

// spread moves work from those above the mean to those below.
func (r *rebalance) spread(b *balance) (moved int) {
	r.s.carry(func() {
		for i := range b.workers {
			for moved < maxMoved && r.handOver(b, i) {
				moved++
			}
		}
	})
	return moved
}

// handOver moves one piece of worker i to the one with least to do. It returns
// false if that makes nothing better.
func (r *rebalance) handOver(b *balance, i int) bool {
	donor, piece := b.workers[i], b.unit[i]
	if donor.queues.Pieces() < 2 || b.able[i] && b.loads[i] <= b.mean {
		return false
	}
	least := -1
	for j := range b.workers {
		// A spare might retire before it comes to it.
		if j != i && b.able[j] && !b.workers[j].spare && (least < 0 || b.loads[j] < b.loads[least]) {
			least = j
		}
	}
	if least < 0 || b.able[i] && b.loads[least]+piece > b.loads[i]-piece {
		return false
	}
	to := b.workers[least]
	n, p := donor.queues.StealOldest(to.park.Tier().Least())
	if n == nil {
		return false
	}
	r.s.enqueueAt(nil, n, Priority(p), home{to, queues.Placed})
	b.loads[i] -= piece
	b.loads[least] += piece
	return true
}

// carry calls move, which takes work out of queues and puts it into others
// outside the workers. Meanwhile the scheduler does not take it for gone: settle
// looks at carried after it has found all queues empty and all workers at rest,
// and a goroutine that adds work in the meantime wakes a worker, and for that it has
// to wait until settle has looked.
func (s *Scheduler) carry(move func()) {
	s.carried.Add(1)
	move()
	s.carried.Add(-1)
	s.settle()
}
