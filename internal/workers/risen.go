package workers

import (
	"iter"

	"github.com/troupe-go/troupe/internal/workers/queues"
)

// ageingOf is a scheduler as package ageing sees it.
type ageingOf Scheduler

// Queues returns the queues of each worker.
func (s *ageingOf) Queues() iter.Seq2[int, *queues.Own[Node]] {
	return func(yield func(int, *queues.Own[Node]) bool) {
		for id, w := range *s.workers.Load() {
			if !yield(id, &w.queues) {
				return
			}
		}
	}
}

// Risen returns the node under which n is queued with another priority.
func (s *ageingOf) Risen(n *Node, submitted queues.Priority) *Node {
	return risen(n, Priority(submitted))
}

// Summon has a worker come to work that is queued for all.
func (s *ageingOf) Summon(p queues.Priority) { (*Scheduler)(s).summon(Priority(p)) }

// Delivered has a worker come to work in the inbox of one.
func (s *ageingOf) Delivered(worker int, bond queues.Bond) {
	(*Scheduler)(s).delivered(home{(*s.workers.Load())[worker], bond}, Critical)
}

// elder is work that has risen. It remembers as what it was submitted, which its
// runner relies on.
type elder struct {
	node      Node
	of        *Node
	submitted Priority
	second    bool // It is the second entry of a job; see Edge.
}

// risen returns the node under which n is queued with another priority.
func risen(n *Node, submitted Priority) *Node {
	e, ok := n.runner.(*elder)
	if !ok {
		e = &elder{of: n, submitted: submitted}
		e.node.Init(e)
	}
	return &e.node
}

// origin returns the node that n stands for: itself, if it has not risen.
func (n *Node) origin() *Node {
	if e, ok := n.runner.(*elder); ok {
		return e.of
	}
	return n
}

// Run runs the work. It is called by the scheduler.
func (e *elder) Run(f *Fiber, _ Priority) {
	if e.second && !e.of.job().claims(f) {
		return
	}
	f.running.Store(e.of)
	f.priority = e.submitted
	e.of.runner.Run(f, e.submitted)
}
