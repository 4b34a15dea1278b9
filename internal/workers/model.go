//go:build modelcheck

package workers

import (
	"github.com/troupe-go/troupe/internal/deque"
	"github.com/troupe-go/troupe/internal/workers/queues"
)

// Model stands in for a scheduler in the models of the packages above: its
// shared queues are real, and the threads of the model are its workers. Like all
// of package modelcheck it is only there in a build with the tag.
type Model struct{ s *Scheduler }

// NewModelScheduler returns a model's scheduler, without work.
func NewModelScheduler() *Model {
	cfg, err := Config{Workers: 1, MaxSpares: -1}.WithDefaults()
	if err != nil {
		panic(err)
	}
	s := assemble(cfg)
	s.lot.Open().TakePlace()
	return &Model{s}
}

// Scheduler returns what the package under test takes for its scheduler.
func (m *Model) Scheduler() *Scheduler { return m.s }

// Fiber returns a fiber on a worker of its own, whose queues are full: so what
// is submitted on it lies in the shared queues.
func (m *Model) Fiber() *Fiber {
	w := &Worker{s: m.s, tier: Low}
	w.queues.First, w.queues.Branches = new(deque.Deque[Node]), new(deque.Deque[Node])
	w.park.Init(m.s.lot.Open())
	for p := range w.queues.Local {
		w.queues.Local[p] = new(deque.Deque[Node])
	}
	return &Fiber{s: m.s, w: w}
}

// Host returns a fiber whose work may suspend: its thread stands still meanwhile.
func (m *Model) Host() *Fiber { return newHosted(m.s) }

// Work runs what is queued on f, in the order of priority, and waits for more
// until End is called and nothing is left. On a fiber of Host it goes on behind a
// runtime.Goexit of the work.
func (m *Model) Work(f *Fiber) {
	over := false
	if f.hosted {
		outer := f.enlist()
		defer func() {
			f.strike(outer)
			if v := recover(); v != nil {
				panic(v)
			}
			if !over {
				m.Work(newHosted(m.s))
			}
		}()
	}
	q := &m.s.shared
	for !over {
		waiting := q.Await()
		for p := range Priority(numPriorities) {
			if waiting&queues.Priority(p).Bit() == 0 {
				continue
			}
			if n := q.Take(queues.Priority(p), nil, 0); n != nil {
				f.w.meter.budget = 1 << 20 // So that it doesn't look at the clock.
				f.priority = p
				n.runner.Run(f, p)
			}
			break
		}
		over = waiting == 0
	}
}

// End tells Work that nothing more comes.
func (m *Model) End() { m.s.shared.End() }
