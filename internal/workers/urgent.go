package workers

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/workers/queues"
)

// When as many workers are blocked as there may be spares, nobody takes work any more. The
// scheduler then starts up to four urgent workers, which take critical work alone: the
// stops, kills and restarts by which a program frees blocked workers. They hold no place
// of the others, are never replaced, and sleep when a spare is free again. A scheduler
// that may have no spares has none of them either.

// urge has an urgent worker take the critical work that waits, if there is any.
func (m *monitor) urge() {
	if m.s.cfg.MaxSpares > 0 && m.s.shared.Has(queues.Critical) && !m.s.settled.Load() && m.s.lot.WakeUrgent() {
		m.startUrgent()
	}
}

// startUrgent starts an urgent worker. It holds mu, under which the scheduler settles.
func (m *monitor) startUrgent() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed && !m.s.settled.Load() {
		m.s.addWorker(m.s.lot.Urgent(), true)
	}
}

// isCritical reports whether work that was queued with priority p was submitted as
// critical, or is waited for by such work. Other work has risen by age.
func (n *Node) isCritical(p Priority) bool {
	e, risen := n.runner.(*elder)
	return p == Critical && (!risen || e.submitted == Critical || e.second)
}

// SetOrphan says whether anybody waits for the work of the fiber. A worker that orphaned
// work blocks does not count as one of Config.MaxSpares. Any goroutine may call it. It
// does nothing to a fiber that has no note.
func (f *Fiber) SetOrphan(is bool) {
	f.s.fibers.Lock()
	defer f.s.fibers.Unlock()
	if f.rare != nil {
		f.rare.orphan = is
	}
}

// orphaned returns how many workers do orphaned work.
func (s *Scheduler) orphaned() (n int) {
	s.fibers.Lock()
	defer s.fibers.Unlock()
	for _, w := range *s.workers.Load() {
		if f := w.on.Load(); f != nil && f.rare != nil && f.rare.orphan {
			n++
		}
	}
	return n
}

// Exhausted reports whether work waits because all workers are blocked and there are as
// many spares as Config.MaxSpares allows. It is told by the monitor's last look.
func (s *Scheduler) Exhausted() bool { return s.sim == nil && s.monitor.exhausted.Load() }

// MaxSpares returns how many spare workers the scheduler starts at most.
func (s *Scheduler) MaxSpares() int { return s.cfg.MaxSpares }

// OnSpareLimit has f called, on a goroutine of its own, when a blocked worker finds no
// spare: once, until a spare has been free again, and at most once in ten seconds. The
// function that it returns ends that.
func (s *Scheduler) OnSpareLimit(f func()) (cancel func()) {
	return s.monitor.shortage.tell(f)
}

// shortage calls functions when there are no more spares.
type shortage struct {
	mu     sync.Mutex
	tells  []*func()
	toldAt atomic.Int64 // A time since the scheduler began.
}

// shortageEvery is the least time between two reports of a shortage. Picked out of thin
// air: a shortage can come and go many times a second.
const shortageEvery = 10 * time.Second

func (s *shortage) tell(f func()) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tells = append(s.tells, &f)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tells = slices.DeleteFunc(s.tells, func(other *func()) bool { return other == &f })
	}
}

// report calls those functions, unless it did so just before.
func (s *shortage) report(now time.Duration) {
	if now-time.Duration(s.toldAt.Load()) < shortageEvery {
		return
	}
	s.toldAt.Store(int64(now))
	go func() {
		s.mu.Lock()
		tells := slices.Clone(s.tells)
		s.mu.Unlock()
		for _, tell := range tells {
			(*tell)()
		}
	}()
}
