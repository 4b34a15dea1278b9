package sched

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/internal/workers/stacks"
)

// Held tells of a worker that has been on one piece of work for longer than
// Config.BlockedAfter: the work blocks, in a channel, a mutex, a system call or
// in C, or it computes, maybe in an endless loop. The stack says which.
type Held struct {
	// Worker is the id of the worker.
	Worker int
	// For is how long it has been on that piece of work at least.
	For time.Duration
	// Replaced says that a spare worker has taken its place. Otherwise nothing was
	// waiting, or Config.MaxSpares were started already.
	Replaced bool
	// Alive says that the work gives signs of life, by checkpoints or a [Budget].
	Alive bool
	// Job is the job that the worker is on, or nil if it is on other work.
	Job *Job
	// Work names the work: by its String method if the [Runner] has one, as
	// actors do, else by its type.
	Work string
	// Goroutine is the number under which stack dumps list the work's goroutine,
	// or 0 if it is not known, as on other processors than amd64 and arm64.
	Goroutine uint64
	// Stack is the stack of that goroutine, as runtime.Stack formats it. It is
	// empty unless it was asked for, and where it was not found; see [StackOf].
	Stack string
}

// Held returns the workers that are held by one piece of work, without their
// stacks. It stops nothing and costs about 100 ns a worker. The monitor's last
// look, some ms ago, decides who is among them.
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

// HeldStacks is Held with the stacks. If there is anything to report, it stops
// the whole program for as long as it takes to write down the stacks of all
// goroutines, some us for each.
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

// StackOf returns the stack of a goroutine by the number under which stack dumps
// list it, as runtime.Stack formats it, or "" if there is no such goroutine. It
// stops the whole program for as long as it takes to write down the stacks of all
// goroutines, some us for each, and needs 2 KB for each meanwhile, 256 MB at most:
// the text of most stacks is shorter, so that these are some 200,000. For a
// goroutine that is not among them it returns a line that says so.
func StackOf(goroutine uint64) string {
	if goroutine == 0 {
		return ""
	}
	return stacks.All().Of(goroutine)
}

// held reports on the worker if it is held. What it reads may change meanwhile;
// then the worker has begun another piece of work, and is not held.
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
