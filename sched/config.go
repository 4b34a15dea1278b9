package sched

import (
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/settings"
)

// Config configures a [Scheduler]. The zero value is a good one.
type Config struct {
	// Workers is how many workers are awake at a time. It does not count those
	// that are blocked in their work. Defaults to GOMAXPROCS, and in a simulation to 4
	// on every machine.
	Workers int
	// MaxSpares bounds how many workers are started, beyond Workers, in place of
	// blocked ones. When the bound is reached, work waits for the blocked ones,
	// and Stats.SpareLimitReached counts it. Critical work does not wait: up to four
	// more workers then take critical work alone. A spare worker costs a few KB
	// besides the stack of its work. Defaults to 256, which was picked out of
	// thin air; -1 means none, and none for critical work either.
	MaxSpares int
	// BlockedAfter is how long one piece of work may hold a worker, while other
	// work waits and all processors are busy, before a spare worker takes its
	// place. Where a processor is idle, it takes 16 ms at most and mostly much
	// less, whatever the value. Defaults to 10 ms, the time slice of the Go runtime.
	BlockedAfter time.Duration
	// AgeAfter is how long queued work waits until it rises by one priority; it
	// does so again and again, up to Critical, until it runs. Whatever is more
	// urgent, it is not kept from running for ever. It does not rise to a priority
	// for which workers are Reserved. Defaults to 5 s; -1 means that work keeps its
	// priority.
	AgeAfter time.Duration
	// Reductions is how much work may do until it yields to others of its
	// priority, counted by a [Budget] and by checkpoints. Defaults to 4000, which
	// is Erlang's; -1 means that it does not yield. More than 8 million count as
	// that many.
	Reductions int
	// QueueCapacity is the length of each queue of a worker; what is beyond
	// goes to a shared queue without a bound. Defaults to 1024.
	QueueCapacity int
	// Steal is how workers without work take some from others. It can be changed
	// later by SetStealStrategy. Defaults to StealAdaptive.
	Steal StealStrategy
	// MaxSteal bounds how many pieces of work a worker takes by one steal; it never takes
	// more than half of a queue. Few spread short work over many workers, many cost less
	// for each piece. Defaults to 64.
	MaxSteal int
	// BackoffMin and BackoffMax bound how long a sleeping worker waits until the monitor
	// looks for work on its behalf: BackoffMin after it fell asleep, then twice as long
	// each time, up to BackoffMax. A submission wakes a worker at once, so the look finds
	// only work without a submission, such as a lone piece that its owner does not take. A
	// look comes up to 8 ms late. Default to 1 ms and 1 s.
	BackoffMin, BackoffMax time.Duration
	// PreemptionDepth is how many pieces of work may wait on a worker for having given way
	// at a checkpoint to critical work, one within the other. Each holds a stack, and each
	// delays those below it. Defaults to 3; -1 means that running work gives way to no
	// critical work, which then waits until that is done or yields. At most 64.
	PreemptionDepth int
	// PinWorkers gives each worker a thread to itself and binds that to a processor,
	// in turn those that the program's affinity mask allows: first one thread of
	// each core, neighbours one after the other. That is for programs which have
	// the machine to themselves. A suspended job goes on only on its own worker. So
	// a job that blocks also holds the suspended jobs of its worker, and must not
	// wait for one of them. Giving way to other goroutines takes a switch of threads.
	// Spare workers are bound to no processor. Defaults to false. It is possible on
	// Linux only; elsewhere New returns an error.
	PinWorkers bool
	// JobTimeout is for how long a job may run, from its beginning to its end,
	// waits included. Then its context ends with the cause ErrJobTimeout, and
	// so does the job, while its function keeps its worker until it returns. It is
	// exact to 1/32 of the time. Defaults to 30 s; -1 means that jobs have no
	// timeout but their own; see WithTimeout.
	JobTimeout time.Duration
	// MaxQueued is how many jobs may be queued that have not begun. Defaults to no
	// bound; -1 means the same.
	MaxQueued int
	// WhenFull says what Go does when MaxQueued jobs are queued. Defaults to
	// WaitWhenFull.
	WhenFull FullPolicy
	// Reserved says, by priority, how many of the Workers are reserved for work of
	// this priority or more urgent. They take nothing else, even if there is
	// nothing else to do, and so do the spare workers in their places. With 8
	// Workers, {Critical: 2, High: 2} leaves 4 for all work. Workers reserved for
	// Low are like those that are not reserved. The ones for the most urgent work
	// have the lowest ids. Defaults to none; -1 means the same.
	Reserved [4]int
	// Placement says where work from outside goes. Defaults to Shared.
	Placement Placement
	// ImbalanceThreshold is by how much, as a share of the mean, the largest load
	// of a worker may exceed the mean before work is handed over to others that
	// are too busy to steal. A load of more than twice the mean is always too
	// much. Defaults to 0.3.
	ImbalanceThreshold float64
	// RebalanceMin and RebalanceMax bound how often the loads are compared: more
	// often the more they change. Default to 1 ms and 50 ms; a RebalanceMax of -1
	// means never. A single worker has nobody to share with.
	RebalanceMin, RebalanceMax time.Duration
}

// New returns a running scheduler. It reports a configuration that makes no
// sense as an error.
func New(cfg Config) (*Scheduler, error) {
	s, err := workers.New(workers.Config(cfg))
	return (*Scheduler)(s), err
}

// Priority orders queued work. Whatever is Critical, anywhere, is taken before
// anything else everywhere; among the others a worker takes the higher before
// the lower of what it finds in its own queues and in the shared ones. Its method String
// returns the name in lower case.
//
// While Critical work waits, with [Job.Wait] or in package task, what it waits for is taken
// and resumed as if it were Critical, and so is what that waits for. The end of the wait ends
// that. Jobs that are queued for one worker, functions of a [Group] and actors inherit nothing.
type Priority = workers.Priority

// The priorities, from the most to the least urgent.
const (
	Critical Priority = workers.Critical
	High     Priority = workers.High
	Normal   Priority = workers.Normal
	Low      Priority = workers.Low
)

// FullPolicy says what [Scheduler.Go] does when Config.MaxQueued jobs are
// queued.
type FullPolicy = settings.FullPolicy

// The policies.
const (
	// WaitWhenFull makes Go wait for room, for ErrStopped, or for the end of its
	// context. A job that submits with its context does not wait, since what is
	// queued may wait for it: its job is accepted beyond the bound.
	WaitWhenFull FullPolicy = settings.WaitWhenFull
	// RejectWhenFull makes Go return ErrFull, also to a job.
	RejectWhenFull FullPolicy = settings.RejectWhenFull
)

// Placement says where work from outside the workers goes that is not critical
// and has no [Place]. Jobs that a job submits stay on its worker in either case,
// until others steal them. Its method String returns the name in lower case.
type Placement = settings.Placement

// The placements.
const (
	// Shared puts it into a queue from which each worker takes when it has need.
	// No worker is idle while there is work.
	Shared Placement = settings.Shared
	// LeastLoaded hands each piece to the worker that has least to do: the fewest
	// pieces, queued and running, times the mean time of its last pieces. Idle
	// workers still steal it. It costs a look at every worker.
	LeastLoaded Placement = settings.LeastLoaded
)
