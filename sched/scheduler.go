package sched

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/sim"
	"github.com/troupe-go/troupe/internal/topology"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Config configures a [Scheduler]. The zero value is a good one.
type Config struct {
	// Workers is how many workers are awake at a time. It does not count those
	// that are blocked in their work. Defaults to GOMAXPROCS.
	Workers int
	// MaxSpares bounds how many workers are started, beyond Workers, in place of
	// blocked ones. When the bound is reached, work waits for the blocked ones,
	// and Stats.SpareLimitReached counts it. A spare worker costs a few KB
	// besides the stack of its work. Defaults to 256, which was picked out of
	// thin air; -1 means none.
	MaxSpares int
	// BlockedAfter is how long one piece of work may hold a worker, while other
	// work waits and all processors are busy, before a spare worker takes its
	// place. Where a processor is idle, it takes 16 ms at most and mostly much
	// less, whatever the value. Defaults to 10 ms, the time slice of the Go runtime.
	BlockedAfter time.Duration
	// QueueCapacity is the length of each queue of a worker; what is beyond
	// goes to a shared queue without a bound. Defaults to 1024.
	QueueCapacity int
	// Steal is how workers without work take some from others. It can be changed
	// later by SetStealStrategy. Defaults to StealAdaptive.
	Steal StealStrategy
	// PinWorkers gives each worker a thread to itself and binds that to a processor,
	// in turn those that the program's affinity mask allows: first one thread of
	// each core, neighbours one after the other. That is for programs which have
	// the machine to themselves. What has been suspended goes on only on its
	// worker, so a job that blocks holds those too and must not wait for what one
	// of them does; and giving way to other goroutines takes a switch of threads.
	// Spare workers have threads of their own, but on any processor. Defaults to
	// false. It is possible on Linux only; elsewhere New returns an error.
	PinWorkers bool
}

// maxQueueCapacity keeps a slip of the pen from asking for all memory.
const maxQueueCapacity = 1 << 20

func (c Config) withDefaults() (Config, error) {
	switch {
	case c.Workers < 0:
		return c, fmt.Errorf("sched: Config.Workers is %d; it must be positive, or 0 for GOMAXPROCS", c.Workers)
	case c.MaxSpares < -1:
		return c, fmt.Errorf("sched: Config.MaxSpares is %d; it must be positive, 0 for the default, or -1 for none", c.MaxSpares)
	case c.BlockedAfter < 0:
		return c, fmt.Errorf("sched: Config.BlockedAfter is %v; it must be positive, or 0 for the default", c.BlockedAfter)
	case c.QueueCapacity < 0 || c.QueueCapacity > maxQueueCapacity:
		return c, fmt.Errorf("sched: Config.QueueCapacity is %d; it must be positive, at most %d, or 0 for the default", c.QueueCapacity, maxQueueCapacity)
	}
	if err := c.Steal.check(); err != nil {
		return c, fmt.Errorf("sched: Config.Steal: %w", err)
	}
	if c.PinWorkers {
		if err := checkPinning(); err != nil {
			return c, err
		}
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	switch c.MaxSpares {
	case 0:
		c.MaxSpares = 256
	case -1:
		c.MaxSpares = 0
	}
	if c.BlockedAfter == 0 {
		c.BlockedAfter = 10 * time.Millisecond
	}
	if c.QueueCapacity == 0 {
		c.QueueCapacity = 1024
	}
	return c, nil
}

// Scheduler runs jobs on a set of workers. [New] makes and starts one; its
// methods are safe for concurrent use.
type Scheduler struct {
	cfg   Config
	epoch time.Time
	// clock, if not nil, takes the place of the time since epoch: in tests.
	clock func() time.Duration
	// processors is GOMAXPROCS at the start.
	processors int
	machine    topology.Machine
	flat       bool          // All of the machine's processors share a cache.
	strategy   atomic.Uint32 // A StealStrategy. Read at the begin of each search.
	pins       chan error    // Whether a worker could be pinned. Nil if none shall be.
	injector   injector
	idle       idle
	monitor    *monitor
	sim        *simulated // Nil unless the scheduler is part of a simulation.
	// workers is replaced by a longer copy when a spare is added; a worker's id
	// is its index. Written under mu.
	workers atomic.Pointer[[]*Worker]
	// awake counts the workers that are neither blocked nor retired.
	awake xatomic.Int64

	jobs     xatomic.Int64 // Accepted by Go and not ended.
	stopping xatomic.Bool  // Work from outside is refused.
	forced   xatomic.Bool  // What has not begun is given up.
	settled  xatomic.Bool  // Stopping and nothing is left to do: workers leave.
	running  sync.WaitGroup

	// signals are channels on which goroutines outside wait. They are kept for
	// each scheduler apart, since a channel that was made in a bubble of
	// testing/synctest must not leave it.
	signals sync.Pool

	mu    sync.Mutex
	ended chan struct{} // Closed when every worker has left.
}

// New returns a running scheduler. It reports a configuration that makes no
// sense as an error.
func New(cfg Config) (*Scheduler, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if e := sim.Current(); e != nil {
		return newSimulated(cfg, e), nil
	}
	s := assemble(cfg)
	if err := s.launch(); err != nil {
		return nil, err
	}
	return s, nil
}

// launch starts the scheduler, or leaves nothing of it behind.
func (s *Scheduler) launch() error {
	s.start()
	if !s.cfg.PinWorkers {
		return nil
	}
	err := s.awaitPins()
	if err != nil {
		s.beginStop()
		<-s.ended
	}
	return err
}

// assemble returns a scheduler that has no worker yet.
func assemble(cfg Config) *Scheduler {
	s := &Scheduler{cfg: cfg, epoch: time.Now(), processors: runtime.GOMAXPROCS(0), ended: make(chan struct{})}
	s.signals.New = newSignal
	s.monitor = newMonitor(s)
	s.machine = topology.Local()
	s.flat = s.machine.Flat()
	s.strategy.Store(uint32(cfg.Steal))
	if cfg.PinWorkers {
		s.pins = make(chan error, cfg.Workers)
	}
	s.workers.Store(&[]*Worker{})
	return s
}

func (s *Scheduler) start() {
	for range s.cfg.Workers {
		s.awake.Add(1)
		s.addWorker(false)
	}
	s.running.Add(1)
	go s.monitor.run()
}

// addWorker starts a worker in a place that is free.
func (s *Scheduler) addWorker(spare bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := *s.workers.Load()
	w := newWorker(s, len(old), spare)
	w.sample.since = s.now()
	workers := append(old[:len(old):len(old)], w)
	s.workers.Store(&workers)
	s.running.Add(1)
	go w.run()
}

// now is the time since the scheduler began. Nothing else here asks for the
// time, so whoever replaces clock decides about all of it. In a model it stands
// still, since a schedule must depend on nothing but its choices.
func (s *Scheduler) now() time.Duration {
	switch {
	case xatomic.Checked:
		return 0
	case s.clock != nil:
		return s.clock()
	}
	return time.Since(s.epoch)
}

// Workers returns how many workers are awake when none is blocked.
func (s *Scheduler) Workers() int { return s.cfg.Workers }

// Submit queues n from any goroutine. Work that is on a fiber uses
// [Fiber.Submit]. Submit returns [ErrStopped] once Stop was called.
func (s *Scheduler) Submit(n *Node, p Priority) error {
	if err := checkNode(n, p); err != nil {
		return err
	}
	if s.sim != nil {
		return s.sim.submit(n, p)
	}
	if !s.injector.submit(n, p) {
		return ErrStopped
	}
	s.idle.wake()
	return nil
}

// enqueue queues n on the worker below from, or for all workers.
func (s *Scheduler) enqueue(from *Fiber, n *Node, p Priority) {
	if from != nil && from.s == s {
		from.w.push(n, p)
		return
	}
	s.share(n, p)
}

// share queues n for all workers.
func (s *Scheduler) share(n *Node, p Priority) {
	if s.sim != nil {
		s.sim.queue(false, n, p)
		return
	}
	s.injector.push(n, p)
	s.idle.wake()
}

// hasWork reports whether anything is queued.
func (s *Scheduler) hasWork() bool {
	if s.sim != nil {
		return s.sim.engine.Queued()
	}
	if s.queuedAtLeast(1) {
		return true
	}
	for _, w := range *s.workers.Load() {
		if w.inbox.mask.Load() != 0 {
			return true
		}
	}
	return false
}

// hasFreeWork reports whether anything is queued that is not meant for one worker.
func (s *Scheduler) hasFreeWork() bool { return s.queuedAtLeast(1) }

// backlog reports whether more is queued than the workers that are awake are
// about to take.
func (s *Scheduler) backlog() bool { return s.queuedAtLeast(2) || s.overflows() }

func (s *Scheduler) queuedAtLeast(n int) bool {
	if s.injector.mask.Load() != 0 {
		return true
	}
	for _, w := range *s.workers.Load() {
		if w.queued() >= n {
			return true
		}
	}
	return false
}

// busy returns how many workers are awake and not asleep for want of work.
func (s *Scheduler) busy() int { return int(s.awake.Load()) - s.idle.sleeping() }

// surplus reports whether more workers are awake than there should be.
func (s *Scheduler) surplus() bool { return s.awake.Load() > int64(s.cfg.Workers) }

// giveUpPlace takes the caller out of a surplus. It returns false if there is
// none.
func (s *Scheduler) giveUpPlace() bool {
	for {
		awake := s.awake.Load()
		if awake <= int64(s.cfg.Workers) {
			return false
		}
		if s.awake.CompareAndSwap(awake, awake-1) {
			return true
		}
	}
}
