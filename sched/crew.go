package sched

import (
	"fmt"

	"github.com/troupe-go/troupe/internal/workers/queues"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// crew is the workers of one tier: those that are reserved for a priority, with
// the spare workers in their places, or, open, those that take anything.
type crew struct {
	// tier is the least urgent priority that the workers take.
	tier Priority
	// places is how many of the workers are awake when none is blocked.
	places int
	// awake counts those that are neither blocked nor retired.
	awake xatomic.Int64

	// word holds the number of searching workers in its low half and the number
	// of sleeping ones in its high half, so that both are read at one moment.
	// Written under idle.mu where a sleeper comes or goes, else by the searching
	// worker itself.
	word     xatomic.Uint64
	sleepers []*Worker // The most recent last; it is the first to be woken. Under idle.mu.
}

func (c *crew) searching() int { return int(uint32(c.word.Load())) }
func (c *crew) sleeping() int  { return int(c.word.Load() >> 32) }

// takes is the set of priorities that the crew takes, as in the mask of the shared queues.
func (c *crew) takes() uint32 { return queues.Priority(c.tier).UpTo() }

// surplus reports whether more workers are awake than there should be.
func (c *crew) surplus() bool { return c.awake.Load() > int64(c.places) }

// giveUpPlace takes the caller out of a surplus. It returns false if there is
// none.
func (c *crew) giveUpPlace() bool {
	for {
		awake := c.awake.Load()
		if awake <= int64(c.places) {
			return false
		}
		if c.awake.CompareAndSwap(awake, awake-1) {
			return true
		}
	}
}

// checkReserved reports a reservation that makes no sense.
func checkReserved(reserved [numPriorities]int, workers int) error {
	sum := 0
	for p, n := range reserved {
		if n < 0 {
			return fmt.Errorf("sched: Config.Reserved[%v] is %d; it must not be negative", Priority(p), n)
		}
		sum += n
	}
	if sum > workers {
		return fmt.Errorf("sched: Config.Reserved asks for %d workers, but Config.Workers is %d; reserve fewer", sum, workers)
	}
	if sum == workers && sum > 0 && reserved[Low] == 0 {
		return fmt.Errorf("sched: Config.Reserved takes all %d workers and leaves none that would run low work; reserve at most %d for more urgent work",
			workers, workers-1)
	}
	return nil
}

// form makes the crews that the configuration asks for.
func (d *idle) form(cfg Config) {
	d.open.tier, d.open.places = Low, cfg.Workers
	for p := Critical; p < Low; p++ {
		if n := cfg.Reserved[p]; n > 0 {
			d.reserved = append(d.reserved, &crew{tier: p, places: n})
			d.open.places -= n
		}
	}
}

// crewOf returns the crew of the worker that has a place from the beginning and
// this id: those that take the most urgent work alone come first.
func (d *idle) crewOf(id int) *crew {
	for _, c := range d.reserved {
		if id < c.places {
			return c
		}
		id -= c.places
	}
	return &d.open
}

// crews calls f for each crew, from the one for the most urgent work on, until f
// returns false.
func (d *idle) crews(f func(*crew) bool) {
	for _, c := range d.reserved {
		if !f(c) {
			return
		}
	}
	f(&d.open)
}

// awake returns how many workers are neither blocked nor retired.
func (d *idle) awake() (sum int64) {
	for _, c := range d.reserved {
		sum += c.awake.Load()
	}
	return sum + d.open.awake.Load()
}

// crew returns the crew that the worker belongs to.
func (w *Worker) crew() *crew { return w.member.Load() }

// waiting returns for which priorities something is queued that any worker of
// the crew might take, as in the mask of the shared queues.
func (s *Scheduler) waiting(c *crew) uint32 {
	waiting := s.shared.Mask()
	for _, w := range *s.workers.Load() {
		waiting |= w.queues.Stealable()
		if w.overloaded() {
			waiting |= queues.Low.Bit() // Others may take it if they take anything.
		}
	}
	return waiting & c.takes()
}

// helpless reports whether work waits that a worker of c would take, and none
// sleeps that would take all of it.
func (s *Scheduler) helpless(c *crew) bool {
	waiting := s.waiting(c)
	if waiting == 0 {
		return false
	}
	able := 0
	s.idle.crews(func(other *crew) bool {
		if waiting&^other.takes() == 0 {
			able += other.sleeping()
		}
		return true
	})
	return able == 0
}

// handOver wakes a worker for what waits, in the place of one of crew c that no
// longer looks. One of the same crew can take whatever that one would have
// taken, and so can one of a less urgent crew. Where all of those are at work,
// a more urgent crew takes what it may: a submission may have relied on c
// although the others slept. Where nothing waits, nobody is woken; whoever queues
// something from now on sees that the one of c does not look.
func (s *Scheduler) handOver(c *crew) {
	if s.idle.sleeping() == 0 {
		return
	}
	waiting := s.waiting(c)
	if waiting == 0 {
		return
	}
	if s.idle.wake(c.tier) || len(s.idle.reserved) == 0 || c.tier == Critical {
		return
	}
	for p := c.tier - 1; ; p-- {
		if waiting&(2<<p-1) == 0 || s.idle.wake(p) || p == Critical {
			return
		}
	}
}
