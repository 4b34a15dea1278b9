package sched

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Config configures a [Scheduler]. The zero value is a good one.
type Config struct {
	// Workers is how many workers are awake at a time. It does not count those
	// that are blocked in their work. Defaults to GOMAXPROCS.
	Workers int
	// MaxSpares bounds how many workers are started, beyond Workers, in place of
	// blocked ones. When the bound is reached, work waits for the blocked ones,
	// and Stats.SpareLimitReached counts it. A spare worker costs about 5 KB
	// besides the stack of its work. Defaults to 256, which was picked out of
	// thin air; -1 means none.
	MaxSpares int
	// BlockedAfter is how long one piece of work may hold a worker, while other
	// work waits and all processors are busy, before a spare worker takes its
	// place. Where a processor is idle, it takes about a millisecond, whatever
	// the value. Defaults to 10 ms, the time slice of the Go runtime.
	BlockedAfter time.Duration
	// QueueCapacity is the length of each queue of a worker; what is beyond
	// goes to a shared queue without a bound. Defaults to 1024.
	QueueCapacity int
}

func (c Config) withDefaults() (Config, error) {
	switch {
	case c.Workers < 0:
		return c, fmt.Errorf("sched: Config.Workers is %d; it must be positive, or 0 for GOMAXPROCS", c.Workers)
	case c.MaxSpares < -1:
		return c, fmt.Errorf("sched: Config.MaxSpares is %d; it must be positive, 0 for the default, or -1 for none", c.MaxSpares)
	case c.BlockedAfter < 0:
		return c, fmt.Errorf("sched: Config.BlockedAfter is %v; it must be positive, or 0 for the default", c.BlockedAfter)
	case c.QueueCapacity < 0:
		return c, fmt.Errorf("sched: Config.QueueCapacity is %d; it must be positive, or 0 for the default", c.QueueCapacity)
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
	cfg      Config
	epoch    time.Time
	injector injector
	idle     idle
	monitor  *monitor
	// workers is replaced by a longer copy when a spare is added; a worker's id
	// is its index. Written under mu.
	workers atomic.Pointer[[]*Worker]
	// awake counts the workers that are neither blocked nor retired.
	awake atomic.Int64

	jobs     atomic.Int64 // Accepted by Go and not ended.
	stopping atomic.Bool  // Go and Submit are refused.
	exiting  atomic.Bool  // Workers leave when they find nothing to do.
	forced   atomic.Bool  // Workers leave whatever there is to do.
	running  sync.WaitGroup

	mu      sync.Mutex
	drained chan struct{} // Closed when stopping and no job is left.
	ended   chan struct{} // Closed when every worker has left.
}

// New returns a running scheduler. It reports a configuration that makes no
// sense as an error.
func New(cfg Config) (*Scheduler, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Scheduler{cfg: cfg, epoch: time.Now(), drained: make(chan struct{})}
	s.monitor = newMonitor(s)
	s.workers.Store(&[]*Worker{})
	for range cfg.Workers {
		s.awake.Add(1)
		s.addWorker(false)
	}
	s.running.Add(1)
	go s.monitor.run()
	return s, nil
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

// now is the time since the scheduler began.
func (s *Scheduler) now() time.Duration { return time.Since(s.epoch) }

// Workers returns how many workers are awake when none is blocked.
func (s *Scheduler) Workers() int { return s.cfg.Workers }

// Submit queues n from any goroutine. Work that is on a fiber uses
// [Fiber.Submit]. Submit returns [ErrStopped] once Stop was called.
func (s *Scheduler) Submit(n *Node, p Priority) error {
	if s.stopping.Load() {
		return ErrStopped
	}
	if p >= numPriorities {
		return fmt.Errorf("sched: unknown priority %d; use Critical, High, Normal or Low", p)
	}
	s.share(n, p)
	return nil
}

// enqueue queues n on the worker below from, or for all workers.
func (s *Scheduler) enqueue(from *Fiber, n *Node, p Priority) {
	if from != nil {
		from.w.push(n, p)
		return
	}
	s.share(n, p)
}

// share queues n for all workers.
func (s *Scheduler) share(n *Node, p Priority) {
	s.injector.push(n, p)
	s.idle.wake()
}

// hasWork reports whether anything is queued.
func (s *Scheduler) hasWork() bool { return s.queuedAtLeast(1) }

// backlog reports whether more is queued than the workers that are awake are
// about to take.
func (s *Scheduler) backlog() bool { return s.queuedAtLeast(2) }

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

// Stop refuses new jobs, lets those that were accepted end, and returns when
// all workers have left. If ctx ends first, the workers leave as soon as what
// they are running ends: jobs that have not begun end with [ErrStopped], and
// Stop returns an error that wraps the cause of ctx and says how many jobs are
// left. Stop may be called again, also at the same time; each call waits.
//
// Stop must not be called by a job of the same scheduler, which would wait for
// itself until ctx ends.
func (s *Scheduler) Stop(ctx context.Context) error {
	s.beginStop()
	select {
	case <-s.drained:
	case <-ctx.Done():
		s.forced.Store(true)
	}
	ended := s.beginExit()
	select {
	case <-ended:
		return nil
	default:
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		s.forced.Store(true)
		s.idle.wakeAll()
		return fmt.Errorf("sched: stop gave up with %d jobs left: %w", s.jobs.Load(), context.Cause(ctx))
	}
}

func (s *Scheduler) beginStop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopping.Swap(true) && s.jobs.Load() == 0 {
		close(s.drained)
	}
}

// jobEnded is called by each job at its end. Together with beginStop it closes
// drained exactly once: the counter and the flag are both sequentially
// consistent, and mu orders the two who may close.
func (s *Scheduler) jobEnded() {
	if s.jobs.Add(-1) != 0 || !s.stopping.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.drained:
	default:
		if s.jobs.Load() == 0 {
			close(s.drained)
		}
	}
}

// beginExit lets the workers leave, and returns a channel that is closed when
// they have.
func (s *Scheduler) beginExit() <-chan struct{} {
	s.mu.Lock()
	first := s.ended == nil
	if first {
		s.ended = make(chan struct{})
	}
	ended := s.ended
	s.mu.Unlock()
	s.exiting.Store(true)
	s.idle.wakeAll()
	if first {
		s.monitor.close()
		go func() {
			s.running.Wait()
			s.abandonQueued()
			close(ended)
		}()
	}
	return ended
}

// abandoner is a Runner that wants to know that it will not be run.
type abandoner interface{ abandon() }

// abandonQueued tells what is still queued that no worker is left. Only a
// forced stop leaves anything.
func (s *Scheduler) abandonQueued() {
	tell := func(n *Node) {
		if a, ok := n.runner.(abandoner); ok {
			a.abandon()
		}
	}
	for p := range Priority(numPriorities) {
		for n := s.injector.take(p, nil, 0); n != nil; n = s.injector.take(p, nil, 0) {
			tell(n)
		}
	}
	for _, w := range *s.workers.Load() {
		for p := High; p < numPriorities; p++ {
			for n := w.local[p].Take(); n != nil; n = w.local[p].Take() {
				tell(n)
			}
		}
	}
}
