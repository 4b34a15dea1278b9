package workers

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/internal/workers/stacks"
)

// Held is what sched.Held documents.
type Held struct {
	Worker    int
	For       time.Duration
	Replaced  bool
	Alive     bool
	Job       *Job
	Work      string
	Goroutine uint64
	Stack     string
}

// Held returns the workers that are held by one piece of work, without their stacks. See
// sched.Scheduler.Held.
func (s *Scheduler) Held() []Held {
	now := s.now()
	var all []Held
	for _, w := range *s.workers.Load() {
		if h, ok := w.held(now); ok {
			all = append(all, h)
		}
	}
	return all
}

// HeldStacks is Held with the stacks. See sched.Scheduler.HeldStacks.
func (s *Scheduler) HeldStacks() []Held {
	all := s.Held()
	if len(all) == 0 {
		return nil
	}
	dump := stacks.All()
	for i := range all {
		all[i].Stack = dump.Of(all[i].Goroutine)
	}
	return all
}

// StackOf returns the stack of a goroutine by the number under which stack dumps list it,
// as runtime.Stack formats it, or "" if there is no such goroutine. See sched.StackOf.
func StackOf(goroutine uint64) string {
	if goroutine == 0 {
		return ""
	}
	return stacks.All().Of(goroutine)
}

// held reports on the worker if it is held. The values that it reads may change meanwhile.
// Then the worker has begun another piece of work, and is not held.
func (w *Worker) held(now time.Duration) (Held, bool) {
	began, since := w.began.Load(), time.Duration(w.sample.tookAt.Load())
	limit := w.s.cfg.BlockedAfter
	if now-since < limit || began != w.sample.began.Load() || w.park.Resting.Load() {
		return Held{}, false
	}
	f := w.on.Load()
	if f == nil {
		return Held{}, false
	}
	n := f.running.Load()
	if n == nil {
		return Held{}, false
	}
	h := Held{
		Worker: w.id, For: now - since,
		Replaced: w.replaced(), Alive: now-w.aliveAt() < limit,
		Goroutine: f.number(),
	}
	h.Job, h.Work = n.describe()
	return h, began == w.began.Load()
}

// describe names what the node stands for.
func (n *Node) describe() (*Job, string) {
	if j := n.job(); j != nil {
		return j, j.String()
	}
	if r, ok := n.origin().runner.(fmt.Stringer); ok {
		return nil, fmt.Sprint(r) // Which survives a String that panics.
	}
	return nil, fmt.Sprintf("%T", n.origin().runner)
}
