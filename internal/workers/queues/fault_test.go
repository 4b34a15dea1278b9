//go:build !modelcheck && !race && !invariants

package queues_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestModelFindsPlantedFaults runs the searches of TestModel, and shows that they
// find the faults that they are there to find.
func TestModelFindsPlantedFaults(t *testing.T) { planted.Expect(t, "modelcheck", sharedFaults) }

var sharedFaults = planted.Group{
	Run: "^TestModel$",
	Faults: []planted.Fault{
		{
			Name: "the mask is set outside the lock",
			In:   "Shared.pushLocked",
			Old:  "q.mask.Or(p.Bit())",
			New: `q.mu.Unlock()
q.mask.Or(p.Bit())
q.mu.Lock()`,
			Want: "the mask shows what is not there",
		},
		{
			Name: "the mask is set before the push, without the lock",
			In:   "Shared.pushLocked",
			Old: `q.queues[p].push(x)
if q.queues[p].n == 1 {
	q.mask.Or(p.Bit())
}`,
			New: `q.mu.Unlock()
q.mask.Or(p.Bit())
q.mu.Lock()
q.queues[p].push(x)`,
			Want: "FAIL",
		},
		{
			Name: "the mask is cleared outside the lock",
			In:   "Shared.Take",
			Old:  "q.mask.And(^p.Bit())",
			New: `q.mu.Unlock()
q.mask.And(^p.Bit())
q.mu.Lock()`,
			Want: "deadlock",
		},
		{
			Name: "the mask is cleared too early",
			In:   "Shared.Take",
			Old:  "queue.n == 0",
			New:  "queue.n <= 1",
			Want: "deadlock",
		},
		{
			Name: "the mask is not cleared",
			In:   "Shared.Take",
			Old:  "queue.n == 0",
			New:  "queue.n < 0",
			Want: "the mask shows what is not there",
		},
		{
			Name: "the mask of one queue is cleared for all",
			In:   "Shared.Take",
			Old:  "q.mask.And(^p.Bit())",
			New:  "q.mask.And(0)",
			Want: "FAIL",
		},
		{
			Name: "a submission is accepted after the close",
			In:   "Shared.Submit",
			Old: `q.mu.Lock()
defer q.mu.Unlock()
if q.closed {
	return false
}`,
			New: `if q.closed {
	return false
}
q.mu.Lock()
defer q.mu.Unlock()`,
			Want: "accepted: true",
			Run:  "^TestModel$/^close$",
		},
		{
			Name: "what does not fit into the batch is lost",
			In:   "Shared.Take",
			Old: `next := queue.ring[queue.head]
if !local.Push(next) {
	break
}
queue.pop()`,
			New: `if !local.Push(queue.pop()) {
	break
}`,
			Want: "deadlock",
		},
	},
}
