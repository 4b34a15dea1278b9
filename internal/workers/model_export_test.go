//go:build modelcheck

package workers

import (
	"context"
	"math/rand/v2"

	"github.com/troupe-go/troupe/internal/workers/queues"
	"github.com/troupe-go/troupe/internal/workers/settings"
)

// NewModel returns a scheduler whose workers are run by the threads of a model,
// and do not depend on chance.
func NewModel(workers int) *Scheduler { return NewModelOf(Config{Workers: workers, QueueCapacity: 2}) }

// NewReservedModel is NewModel with some of the workers reserved for critical
// work.
func NewReservedModel(workers, critical int) *Scheduler {
	return NewModelOf(Config{Workers: workers, QueueCapacity: 2, Reserved: [numPriorities]int{Critical: critical}})
}

// NewScatteringModel is NewModel with least-loaded placement.
func NewScatteringModel(workers int) *Scheduler {
	return NewModelOf(Config{Workers: workers, QueueCapacity: 2, Placement: settings.LeastLoaded})
}

// RebalanceNow evens the queues out if they are uneven.
func (s *Scheduler) RebalanceNow() {
	s.monitor.rebalance.next = 0
	s.monitor.rebalance.look(0)
}

// NewModelOf is NewModel with a configuration.
func NewModelOf(cfg Config) *Scheduler {
	s := NewStill(cfg)
	for _, w := range *s.workers.Load() {
		w.random = rand.New(rand.NewPCG(0, uint64(w.id)))
	}
	return s
}

// Next is what a worker's loop calls.
func (w *Worker) Next() *Node {
	n, _ := w.next()
	return n
}

// NewModelFiber returns a fiber without a stack. Only its state matters.
func NewModelFiber(s *Scheduler) *Fiber {
	f := &Fiber{s: s}
	f.node.Init(f)
	return f
}

// Suspend is what a fiber and its worker do together, up to the moment at which
// the fiber waits: then it returns true.
func (f *Fiber) ModelSuspend() (waits bool) {
	return !f.state.TakePermit() && f.state.TransitionToSuspended()
}

// ModelNode is the fiber as it is queued.
func (f *Fiber) ModelNode() *Node { return &f.node }

// Settle is the part of Stop that the workers see.
func (s *Scheduler) Settle() {
	s.shared.Close()
	for _, w := range *s.workers.Load() {
		w.queues.Inbox.Close()
	}
	s.stopping.Store(true)
	s.bound.WakeAll()
	s.settle()
}

// Deliver queues n at a place as a running worker does, also while the scheduler
// stops.
func (s *Scheduler) Deliver(n *Node, p Priority, at Place) {
	to, err := s.resolve(at, p)
	if err != nil {
		panic(err)
	}
	s.enqueueAt(nil, n, p, to)
}

// AwaitShared waits until something is in the shared queues and takes it, or
// returns nil when the end is told and nothing is left.
func (s *Scheduler) AwaitShared() *Node {
	q := &s.shared
	waiting := q.Await()
	for p := range Priority(numPriorities) {
		if waiting&queues.Priority(p).Bit() != 0 {
			return q.Take(queues.Priority(p), nil, 0)
		}
	}
	return nil
}

// EndShared tells AwaitShared that nothing more comes.
func (s *Scheduler) EndShared() { s.shared.End() }

// Run is what the loop of f does with n.
func (n *Node) Run(f *Fiber) { n.runner.Run(f, Normal) }

// Queued returns how many nodes wait in the shared queues.
func (s *Scheduler) Queued() (n int) {
	for p := range Priority(numPriorities) {
		n += s.shared.Len(queues.Priority(p))
	}
	return n
}

// On puts a model fiber on w.
func (f *Fiber) On(w *Worker) *Fiber {
	f.w = w
	return f
}

// Branch is a call that was forked.
type Branch struct{ b branch[int, int] }

// NewBranch returns a branch that calls fn.
func NewBranch(fn func()) *Branch {
	b := &Branch{}
	b.b.node.Init(&b.b)
	b.b.ctx = &forkContext{Context: context.Background()}
	b.b.fn = func(context.Context, int) int { fn(); return 0 }
	return b
}

func (b *Branch) Node() *Node         { return &b.b.node }
func (b *Branch) Run(f *Fiber)        { b.b.Run(f, Normal) }
func (b *Branch) Await(f *Fiber) bool { return b.b.transitionToAwaited(f) }
func (b *Branch) Ended() bool         { return b.b.state.Load() == branchEnded }

// TimeOut is what the monitor does when the job's time is up.
func (j *Job) TimeOut() { j.timeOut() }

// TakeCritical takes critical work that is queued for all, or returns nil.
func (s *Scheduler) TakeCritical() *Node { return s.shared.Take(queues.Critical, nil, 0) }

// Shift has by more wait for the job whose urgency it inherits.
func (j *Job) Shift(by int) { j.shift(func() int { return by }) }

// Lifted reports whether the work on the fiber is as urgent as critical work.
func (f *Fiber) Lifted() bool { return f.state.IsLifted() }

// BeganOn reports whether the job has begun on the fiber.
func (j *Job) BeganOn(f *Fiber) bool { return j.on() == f }

// Left returns how many jobs have not ended.
func (s *Scheduler) Left() int {
	for _, w := range *s.workers.Load() {
		w.publish()
	}
	return s.jobsLeft()
}

// InRoom returns how many jobs are counted as queued.
func (s *Scheduler) InRoom() int { return int(s.bound.Queued()) }
