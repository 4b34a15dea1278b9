package workers

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/sim"
	"github.com/troupe-go/troupe/internal/topology"
	"github.com/troupe-go/troupe/internal/workers/ageing"
	"github.com/troupe-go/troupe/internal/workers/alarms"
	"github.com/troupe-go/troupe/internal/workers/capacity"
	"github.com/troupe-go/troupe/internal/workers/fiberindex"
	"github.com/troupe-go/troupe/internal/workers/fiberpool"
	"github.com/troupe-go/troupe/internal/workers/parking"
	"github.com/troupe-go/troupe/internal/workers/queues"
	"github.com/troupe-go/troupe/internal/workers/settings"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Scheduler runs jobs on a set of workers. [New] makes and starts one; its
// methods are safe for concurrent use.
type Scheduler struct {
	cfg        Config
	exactStart bool // Config.JobTimeout is short.
	epoch      time.Time
	// clock, if not nil, takes the place of the time since epoch: in tests.
	clock func() time.Duration
	// processors is GOMAXPROCS at the start.
	processors int
	index      fiberindex.Index // Here, since all callers from outside read it, and few write it.
	machine    topology.Machine
	flat       bool          // All of the machine's processors share a cache.
	strategy   atomic.Uint32 // A StealStrategy. Read at the begin of each search.
	pins       chan error    // Whether a worker could be pinned. Nil if none shall be.
	shared     queues.Shared[Node]
	lot        parking.Lot
	monitor    *monitor
	ageing     *ageing.Ageing[Node]
	sim        *simulated // Nil unless the scheduler is part of a simulation.
	// workers is replaced by a longer copy when a spare is added; a worker's id
	// is its index. Written under mu.
	workers atomic.Pointer[[]*Worker]
	// held counts the workers that are awake and give no sign of life; see hold.go.
	held atomic.Int64

	account account
	// retained is how much a stop waits for besides jobs. Written by Retain and Release; see owed.
	retained atomic.Int64
	bound    capacity.Bound // Of the jobs that are queued.
	kinds    kinds
	fibers   fiberindex.List[Fiber]
	pool     fiberpool.Shared[Fiber]
	alarms   alarms.Alarms
	// overdue is how many jobs have timed out while their functions go on.
	overdue atomic.Int64
	// coarseClock is the time at the monitor's last look. Written by it.
	coarseClock atomic.Int64

	stopping xatomic.Bool // Work from outside is refused.
	forced   xatomic.Bool // Work that has not begun is given up.
	settled  xatomic.Bool // Stopping and nothing is left to do: workers leave.
	running  sync.WaitGroup
	carried  xatomic.Int64 // How many goroutines have work in hand outside the workers; see carry.

	// signals are channels on which goroutines outside wait. They are kept for
	// each scheduler apart, since a channel that was made in a bubble of
	// testing/synctest must not leave it.
	signals xatomic.Pool

	recorder   atomic.Pointer[Recorder] // Nil unless there is one. Written under mu.
	extensions sync.Map                 // The extensions of layers above, by key.

	mu    sync.Mutex
	ended chan struct{} // Closed when every worker has left.
}

// New returns a running scheduler. It reports a configuration that makes no
// sense as an error.
func New(cfg Config) (*Scheduler, error) {
	e := sim.Current()
	if e != nil && cfg.Workers == 0 {
		cfg.Workers = simulatedProcessors
	}
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return nil, err
	}
	if e != nil {
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
	living.Add(s)
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
	s.exactStart = cfg.JobTimeout > 0 && cfg.JobTimeout < exactUnder
	s.signals.New = newSignal
	s.monitor = newMonitor(s)
	s.machine = topology.Local()
	s.flat = s.machine.Flat()
	s.strategy.Store(uint32(cfg.Steal))
	if cfg.PinWorkers {
		s.pins = make(chan error, cfg.Workers)
	}
	s.ageing = ageing.New(cfg.AgeAfter, &s.shared, &s.lot, (*ageingOf)(s))
	s.kinds.none.s = s
	s.bound.Init(max(0, cfg.MaxQueued), cfg.WhenFull == settings.RejectWhenFull)
	s.workers.Store(&[]*Worker{})
	s.lot.Form(cfg.Workers, cfg.Reserved)
	s.alarms = alarms.New(cfg.Workers, s.epoch)
	s.fibers.Init(func(f *Fiber) *fiberindex.Link[Fiber] { return &f.link })
	s.pool.Init(func(f *Fiber) { f.co.Stop() })
	return s
}

func (s *Scheduler) start() {
	for id := range s.cfg.Workers {
		t := s.lot.TierOf(id)
		t.TakePlace()
		s.addWorker(t, false)
	}
	s.running.Add(1)
	go s.monitor.run()
}

// addWorker starts a worker in a free place of the tier.
func (s *Scheduler) addWorker(t *parking.Tier, spare bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := *s.workers.Load()
	w := newWorker(s, t, len(old), spare)
	w.sample.since = s.now()
	w.lookedAt.Store(int64(w.sample.since))
	if r := s.recorder.Load(); r != nil {
		r.recorder.Attach(&w.log, spare)
	}
	workers := append(old[:len(old):len(old)], w)
	s.workers.Store(&workers)
	s.running.Add(1)
	go w.run()
}

// now is the time since the scheduler began. Nothing else here asks for the time, so a test
// that replaces clock decides about all of it. In a model it stands still, since a schedule
// must depend on nothing but its choices.
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
	if s.scatters(p) {
		if w := s.leastLoaded(p); w != nil {
			return s.submitAt(n, p, home{w, queues.Placed})
		}
	}
	if !s.shared.Submit(n, queues.Priority(p)) {
		return ErrStopped
	}
	s.summon(p)
	return nil
}

// enqueue queues n on the worker below from, or for all workers.
func (s *Scheduler) enqueue(from *Fiber, n *Node, p Priority) {
	if from != nil && from.s == s {
		from.w.push(n, p)
		return
	}
	if s.scatters(p) {
		s.scatter(n, p)
		return
	}
	s.Share(n, p)
}

// Share queues n for all workers, also while the scheduler stops: something that the caller
// has keeps the workers.
func (s *Scheduler) Share(n *Node, p Priority) {
	if s.sim != nil {
		s.sim.queue(false, n, p)
		return
	}
	s.shared.Push(n, queues.Priority(p))
	s.summon(p)
}

// summon has somebody come to work of priority p that was queued for all.
func (s *Scheduler) summon(p Priority) {
	s.lot.Wake(queues.Priority(p))
	if s.held.Load() > 0 || p == Critical && s.lot.Nobody() {
		s.monitor.relieve(p)
	}
}

// hasWork reports whether anything is queued.
func (s *Scheduler) hasWork() bool {
	if s.sim != nil {
		return s.sim.engine.Queued()
	}
	if s.shared.Mask() != 0 {
		return true
	}
	for _, w := range *s.workers.Load() {
		if w.queues.Longest(queues.Low) > 0 || w.queues.Inbox.Mask() != 0 {
			return true
		}
	}
	return s.carried.Load() != 0 // At last: see carry.
}

// backlog reports whether more is queued for a tier than the workers that are
// awake are about to take.
func (s *Scheduler) backlog(t *parking.Tier) bool {
	if s.shared.Mask()&t.Takes() != 0 {
		return true
	}
	for _, w := range *s.workers.Load() {
		if w.queues.Longest(t.Least()) >= 2 {
			return true
		}
	}
	return t.Least() == queues.Low && s.overflows()
}

// busy returns how many workers are awake, not asleep for want of work, and not
// known to be held.
func (s *Scheduler) busy() int {
	return int(s.lot.Awake()) - s.lot.Sleeping() - int(s.held.Load())
}

// anyHeld reports whether a worker is held, be it replaced or not.
func (s *Scheduler) anyHeld() bool {
	if s.held.Load() > 0 {
		return true
	}
	workers := len(*s.workers.Load()) - int(s.lot.Urgent().Awake())
	return workers > s.cfg.Workers && workers > int(s.lot.Awake()+s.monitor.resting.Load())
}
