//go:build modelcheck

package sched

import (
	"context"
	"math/rand/v2"
)

// NewModel returns a scheduler whose workers are run by the threads of a model,
// and do not depend on chance.
func NewModel(workers int) *Scheduler {
	s := NewStill(Config{Workers: workers, QueueCapacity: 2})
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

// NewModelFiber returns a fiber without a stack, of which only the state is of
// interest.
func NewModelFiber(s *Scheduler) *Fiber {
	f := &Fiber{s: s}
	f.node.Init(f)
	return f
}

// Suspend is what a fiber and its worker do together, up to the moment at which
// the fiber waits: then it returns true.
func (f *Fiber) ModelSuspend() (waits bool) {
	return !f.takePermit() && f.transitionToSuspended()
}

// ModelNode is the fiber as it is queued.
func (f *Fiber) ModelNode() *Node { return &f.node }

// Settle is the part of Stop that the workers see.
func (s *Scheduler) Settle() {
	s.stopping.Store(true)
	s.injector.close()
	for _, w := range *s.workers.Load() {
		w.inbox.close()
	}
	s.settle()
}

// Deliver queues n at a place as a running worker does, also while the scheduler
// stops.
func (s *Scheduler) Deliver(n *Node, p Priority, at Place) {
	to, err := s.resolve(at)
	if err != nil {
		panic(err)
	}
	s.enqueueAt(nil, n, p, to)
}

// Queued returns how many nodes wait in the shared queues.
func (s *Scheduler) Queued() (n int) {
	for p := range Priority(numPriorities) {
		n += s.injector.length(p)
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
