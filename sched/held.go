package sched

import (
	"time"

	"github.com/troupe-go/troupe/internal/workers"
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
	// Work names the work: a job by its number and kind, an actor by its path, anything
	// else by its String method or its type.
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
func (s *Scheduler) Held() []Held { return heldOf(s.workers().Held()) }

// HeldStacks is Held with the stacks. If there is anything to report, it stops
// the whole program for as long as it takes to write down the stacks of all
// goroutines, some us for each.
func (s *Scheduler) HeldStacks() []Held { return heldOf(s.workers().HeldStacks()) }

// StackOf returns the stack of a goroutine by the number under which stack dumps
// list it, as runtime.Stack formats it, or "" if there is no such goroutine. It
// stops the whole program for as long as it takes to write down the stacks of all
// goroutines, some us for each, and needs 2 KB for each meanwhile, 256 MB at most:
// the text of most stacks is shorter, so that these are some 200,000. For a
// goroutine that is not among them it returns a line that says so.
func StackOf(goroutine uint64) string { return workers.StackOf(goroutine) }

func heldOf(from []workers.Held) []Held {
	if from == nil {
		return nil
	}
	all := make([]Held, len(from))
	for i, h := range from {
		all[i] = Held{
			Worker: h.Worker, For: h.For, Replaced: h.Replaced, Alive: h.Alive, Job: (*Job)(h.Job), Work: h.Work,
			Goroutine: h.Goroutine, Stack: h.Stack,
		}
	}
	return all
}
