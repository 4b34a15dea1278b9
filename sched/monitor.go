package sched

import (
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// monitor watches the workers from a goroutine of its own. It finds the ones
// that are held by their work while other work waits, and puts spare workers
// in their places.
//
// # Why spares, and not a hand-off
//
// The Go runtime takes the processor away from a thread that blocks and gives
// it to another. Here the blocked worker keeps its identity and its queues,
// from which thieves may take at any time, so nothing has to be handed over
// and there is nothing to race for. When it comes back there is one worker too
// many, and a spare retires.
//
// # When is a worker blocked
//
// Its sign of life is that it looks at the clock, takes, or sleeps. Without
// one, it is on a single piece of work. That is no harm by itself; a spare
// beside a computing worker only makes both slower. So there are two limits.
// If fewer goroutines are running than workers are awake, some worker waits
// for something, and one look is enough. If all processors are busy, a
// worker has to be at it for Config.BlockedAfter.
type monitor struct {
	s *Scheduler
	// asleep is set while the monitor sleeps because all workers do. Written by
	// the monitor, and by whoever rouses it.
	asleep       xatomic.Bool
	wake         chan struct{}
	limitReached atomic.Uint64
	goroutines   [2]metrics.Sample

	// resting is how many spares are retired. Written under mu, read by
	// Scheduler.settle.
	resting xatomic.Int64

	mu      xatomic.Mutex
	retired []*Worker // Spares to be used again.
	spares  int       // How many were ever started.
	closed  bool
}

// sample is what the monitor saw of a worker last.
type sample struct {
	ticks, jobs uint64
	taken       int64
	since       time.Duration // When any of it last changed.
	tookAt      time.Duration // When jobs or taken last changed.
	refused     bool          // There was no spare for it since.
}

const (
	// monitorMin is the time between two looks while workers are being blocked,
	// monitorMax while nothing happens. A look costs about 1 us and a goroutine
	// switch.
	monitorMin = 250 * time.Microsecond
	monitorMax = 8 * time.Millisecond
	// monitorIdle is how many looks in a row must find every worker asleep
	// before the monitor goes to sleep too.
	monitorIdle = 3
	// tickingFactor is how many times Config.BlockedAfter a worker may be on one
	// piece of work that does give signs of life, such as an actor's batch of
	// messages or a loop with checkpoints. Picked out of thin air.
	tickingFactor = 10
)

func newMonitor(s *Scheduler) *monitor {
	m := &monitor{s: s, wake: make(chan struct{}, 1)}
	m.goroutines[0].Name = "/sched/goroutines/running:goroutines"
	m.goroutines[1].Name = "/sched/goroutines/runnable:goroutines"
	return m
}

func (m *monitor) run() {
	defer m.s.running.Done()
	pause, idle := time.Millisecond, 0
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for !m.s.settled.Load() {
		select {
		case <-timer.C:
		case <-m.wake:
		}
		found := m.look(pause)
		switch {
		case found:
			pause, idle = monitorMin, 0
		case m.allAsleep():
			idle++
			pause = min(2*pause, monitorMax)
		default:
			pause, idle = min(2*pause, monitorMax), 0
		}
		if idle >= monitorIdle {
			m.sleep()
			pause, idle = time.Millisecond, 0
		}
		timer.Reset(pause)
	}
}

// sleep waits until a worker wakes up.
func (m *monitor) sleep() {
	m.asleep.Store(true)
	for m.allAsleep() && !m.s.hasWork() && !m.s.settled.Load() {
		if m.waitForWake() {
			break
		}
		m.s.coarseClock.Store(int64(m.s.now()))
		m.s.patrol(m.s.now())
	}
	m.asleep.Store(false)
}

// waitForWake waits until the monitor is woken, or until it has to look after
// jobs that wait with a timeout: then it returns false.
func (m *monitor) waitForWake() bool {
	if m.s.cfg.JobTimeout == 0 || m.s.jobsLeft() == 0 {
		<-m.wake
		return true
	}
	timer := time.NewTimer(m.s.patrolEvery())
	defer timer.Stop()
	select {
	case <-m.wake:
		return true
	case <-timer.C:
		return false
	}
}

// rouse wakes the monitor if it sleeps. It costs one load otherwise.
func (m *monitor) rouse() {
	if m.asleep.Load() && m.asleep.CompareAndSwap(true, false) {
		m.poke()
	}
}

func (m *monitor) poke() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

func (m *monitor) allAsleep() bool { return m.s.idle.sleeping() >= int(m.s.awake.Load()) }

// look examines the workers once. It reports whether it had to do something.
func (m *monitor) look(pause time.Duration) (found bool) {
	now := m.s.now()
	m.s.coarseClock.Store(int64(now))
	m.s.patrol(now)
	limit := m.s.cfg.BlockedAfter
	if m.processorIdle() {
		limit = min(limit, pause/2)
	}
	var held []*Worker
	stranded := false // Work waits behind a worker that does not come to it.
	for _, w := range *m.s.workers.Load() {
		m.observe(w, now)
		seen := &w.sample
		if now-seen.tookAt >= m.s.cfg.BlockedAfter {
			m.s.spill(w)
		}
		stranded = stranded || seen.tookAt < now && w.queued() > 0
		tooLong := now-seen.since >= limit || now-seen.tookAt >= tickingFactor*m.s.cfg.BlockedAfter
		if tooLong && !w.blocked.Load() {
			held = append(held, w)
		}
	}
	if m.s.idle.sleeping() > 0 {
		if stranded {
			m.s.idle.wake()
		}
		m.retry(now)
		return stranded
	}
	if len(held) == 0 || !m.s.hasFreeWork() {
		return false
	}
	for _, w := range held {
		if !m.replace(w) {
			return found
		}
		found = true
	}
	return found
}

// observe takes note of the signs of life that w has given since the last look.
// A worker that rests is in no need of one.
func (m *monitor) observe(w *Worker, now time.Duration) {
	seen, p := &w.sample, &w.published
	ticks, jobs, taken := p.ticks.Load(), p.jobs.Load(), w.taken()
	switch {
	case jobs != seen.jobs, taken != seen.taken, w.resting.Load():
		*seen = sample{since: now, tookAt: now}
	case ticks != seen.ticks:
		seen.since = now
	}
	seen.ticks, seen.jobs, seen.taken = ticks, jobs, taken
}

// processorIdle reports whether fewer goroutines run than workers are awake,
// and not because others keep them from the processor. The figures of the Go
// runtime are approximate; to be wrong costs a spare worker, or time.
func (m *monitor) processorIdle() bool {
	metrics.Read(m.goroutines[:])
	for i := range m.goroutines {
		if m.goroutines[i].Value.Kind() != metrics.KindUint64 {
			return false
		}
	}
	running := m.goroutines[0].Value.Uint64() // The monitor itself among them.
	runnable := m.goroutines[1].Value.Uint64()
	return runnable == 0 && int64(running)-1 < m.s.awake.Load()
}

// replace puts a spare worker into the place of w. It returns false when there
// are as many as allowed.
func (m *monitor) replace(w *Worker) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := len(m.retired) - 1
	if m.closed {
		return false
	}
	if last < 0 && m.spares >= m.s.cfg.MaxSpares {
		if !w.sample.refused {
			w.sample.refused = true
			m.limitReached.Add(1)
		}
		return false
	}
	// The worker may have come back just now; then there is one too many for a
	// moment, and a spare retires. But it must not sleep in a place that it has
	// lost, so either it sees blocked after it has gone to rest, or it is seen here.
	w.blocked.Store(true)
	if w.resting.Load() && w.blocked.CompareAndSwap(true, false) {
		return true
	}
	w.published.blocked.Add(1)
	if last >= 0 {
		spare := m.retired[last]
		m.retired = m.retired[:last]
		m.resting.Add(-1)
		spare.token.Send() // The spare takes w's place among the awake.
		return true
	}
	m.spares++
	m.s.addWorker(true)
	return true
}

// retire keeps w, which has given its place up, until it is needed. It returns
// false when the scheduler ends.
func (m *monitor) retire(w *Worker) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.retired = append(m.retired, w)
	m.resting.Add(1)
	return true
}

// close lets the monitor and the retired workers leave.
func (m *monitor) close() {
	m.mu.Lock()
	m.closed = true
	retired := m.retired
	m.retired = nil
	m.mu.Unlock()
	for _, w := range retired {
		w.token.Send()
	}
	m.poke()
}
