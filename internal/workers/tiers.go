package workers

import (
	"github.com/troupe-go/troupe/internal/workers/parking"
	"github.com/troupe-go/troupe/internal/workers/queues"
)

// waiting returns the priorities for which something is queued that any worker of
// the tier might take, as a mask.
func (s *Scheduler) waiting(t *parking.Tier) uint32 {
	waiting := s.shared.Mask()
	for _, w := range *s.workers.Load() {
		waiting |= w.queues.Stealable()
		if w.overloaded() {
			waiting |= queues.Low.Bit() // Others may take it if they take anything.
		}
	}
	return waiting & t.Takes()
}

// helpless reports whether work waits that a worker of the tier would take, and none
// sleeps that would take all of it.
func (s *Scheduler) helpless(t *parking.Tier) bool {
	waiting := s.waiting(t)
	if waiting == 0 {
		return false
	}
	able := 0
	s.lot.Tiers(func(other *parking.Tier) bool {
		if waiting&^other.Takes() == 0 {
			able += other.Sleeping()
		}
		return true
	})
	return able == 0
}

// handOver wakes a worker for the work that waits, since one of the tier no longer
// looks. A worker of the same tier can take all that the first one would have taken,
// and so can a worker of a less urgent tier. Where all of those are at work, a more
// urgent tier takes what it may: a submission may have relied on the tier although
// the others slept. Where nothing waits, nobody is woken; a submitter sees from now on
// that the worker does not look.
func (s *Scheduler) handOver(t *parking.Tier) {
	if t == s.lot.Urgent() {
		s.monitor.urge()
		return
	}
	if s.lot.Sleeping() == 0 {
		return
	}
	waiting := s.waiting(t)
	if waiting == 0 {
		return
	}
	least := t.Least()
	if s.lot.Wake(least) || !s.lot.Reserves() || least == queues.Critical {
		return
	}
	for p := least - 1; ; p-- {
		if waiting&p.UpTo() == 0 || s.lot.Wake(p) || p == queues.Critical {
			return
		}
	}
}
