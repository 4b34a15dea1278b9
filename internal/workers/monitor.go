package workers

import (
	"math"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/workers/queues"
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
// Its sign of life is that it looks at the clock, begins a piece of work, or
// sleeps. Without one, it is on a single piece of work. That is no harm by
// itself; a spare beside a computing worker only makes both slower. So there are
// two limits. If fewer goroutines are running than workers are awake, some
// worker waits for something, and one look is enough. If all processors are
// busy, a worker has to be at it for Config.BlockedAfter.
//
// # When nothing waits
//
// A worker that is held while nothing is queued is marked only. Once every
// worker is marked or asleep, the monitor sleeps. Whatever comes then wakes a
// sleeper, or, if all are held, its submitter puts a spare into the place of
// one; see [monitor.relieve]. Without this, one job that waits in a channel would
// cost 125 looks a second.
type monitor struct {
	s *Scheduler
	// asleep is set while the monitor sleeps because no worker is at work. Written by the
	// monitor, and by goroutines that rouse it.
	asleep       xatomic.Bool
	wake         chan struct{}
	limitReached atomic.Uint64
	crowds       atomic.Uint64 // How often it was crowded.
	rebalance    rebalance
	goroutines   [2]metrics.Sample
	// full is set while goroutines take every processor, and fullAt is when the monitor
	// last saw that.
	full   atomic.Bool
	fullAt time.Duration

	// resting is how many spares are retired. Written under mu, read by
	// Scheduler.settle.
	resting xatomic.Int64

	mu      xatomic.Mutex
	retired []*Worker // Spares to be used again.
	spares  int       // How many were ever started.
	closed  bool

	// exhausted is set while work waits for a spare, and there are as many as allowed.
	// Written by the monitor and by submitters.
	exhausted atomic.Bool
	shortage  shortage
}

// sample is what the monitor saw of a worker last.
type sample struct {
	since time.Duration // The last sign of life.
	// began is how many pieces of work it had begun, and tookAt when that last
	// changed. Written by the monitor, read by Held.
	began  xatomic.Count
	tookAt atomic.Int64
}

const (
	// monitorMin is the time between two looks while workers are being blocked,
	// monitorMax while nothing happens. A look costs about 1 us and a goroutine
	// switch.
	monitorMin = 250 * time.Microsecond
	monitorMax = 8 * time.Millisecond
	// monitorIdle is how many looks in a row must find every worker asleep or
	// held, and nothing queued, before the monitor goes to sleep too.
	monitorIdle = 3
	// tickingFactor is how many times Config.BlockedAfter a worker may be on one
	// piece of work that does give signs of life, such as an actor's batch of
	// messages or a loop with checkpoints. Picked out of thin air.
	tickingFactor = 10
	// fullFor is how long workers go on giving way after goroutines were last seen to take
	// every processor. Picked out of thin air: several looks.
	fullFor = 20 * time.Millisecond
)

func newMonitor(s *Scheduler) *monitor {
	m := &monitor{s: s, wake: make(chan struct{}, 1), rebalance: rebalance{s: s}}
	m.rebalance.start()
	m.shortage.toldAt.Store(int64(-shortageEvery))
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
		crowded := m.crowded()
		if !crowded {
			select {
			case <-timer.C:
			case <-m.wake:
			}
		}
		found := m.look(pause)
		switch {
		case found:
			pause, idle = monitorMin, 0
		case crowded:
			idle = 0
		case m.quiet():
			idle++
			pause = min(2*pause, monitorMax)
		default:
			pause, idle = min(2*pause, monitorMax), 0
		}
		if idle >= monitorIdle && m.s.pool.Len() == 0 {
			m.sleep()
			pause, idle = time.Millisecond, 0
		}
		timer.Reset(min(pause, max(m.s.ageing.Every(), monitorMin), m.rebalance.look(m.s.now())))
	}
}

// crowded lets other goroutines run, and reports whether that took long because
// held workers keep the processors. Then the monitor had better not wait for a
// timer, which nobody would have the time to serve, but in the queue for
// processors, and look at each turn that it gets.
//
// It is of use there even if it finds nothing. Every 61st time a processor
// chooses a goroutine, the Go runtime prefers its global queue to those that
// were made ready last. If an endless loop were the first in that queue, it would
// run for 20 ms before the spare that a submitter has just woken. But there the
// monitor is first, and leaves at once.
func (m *monitor) crowded() bool {
	if !m.s.anyHeld() {
		return false
	}
	before := m.s.now()
	runtime.Gosched()
	if m.s.now()-before <= slowAfter {
		return false
	}
	m.crowds.Add(1)
	return true
}

// sleep waits until a worker wakes up, or work comes for which none does.
func (m *monitor) sleep() {
	m.asleep.Store(true)
	for m.quiet() && !m.s.settled.Load() {
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

// quiet reports whether every worker is asleep or held, by what the monitor knows,
// and nothing is queued.
func (m *monitor) quiet() bool {
	s := m.s
	return s.lot.Sleeping()+int(s.held.Load()) >= int(s.lot.Awake()) && !s.hasWork() && m.knowsHeld()
}

// knowsHeld reports whether the monitor has seen what each worker is on that is
// not free. One may have been marked between two pieces of work, when its thread
// was put aside for long, and begins the next with the mark: nobody would rouse the
// monitor for that, and [Scheduler.Held] would know nothing of it. So the monitor
// looks on until the worker is on something.
func (m *monitor) knowsHeld() bool {
	for _, w := range *m.s.workers.Load() {
		if w.hold.Load() == holdFree || w.park.Resting.Load() {
			continue
		}
		f := w.on.Load()
		if f == nil || f.running.Load() == nil || w.began.Load() != w.sample.began.Load() {
			return false
		}
	}
	return true
}

// look examines the workers once. It reports whether it had to do something.
func (m *monitor) look(pause time.Duration) (found bool) {
	now := m.s.now()
	m.s.coarseClock.Store(int64(now))
	m.s.patrol(now)
	m.s.ageing.Look(now)
	m.s.pool.Review(now)
	limit := m.s.cfg.BlockedAfter
	running, runnable := m.countGoroutines()
	if runnable == 0 && int64(running)-1 < m.s.lot.Awake() { // The monitor runs as well.
		limit = min(limit, pause/2)
	}
	m.noteFull(running-1+runnable, now)
	var late []*Worker
	stranded := false // Work waits behind a worker that does not come to it.
	for _, w := range *m.s.workers.Load() {
		m.observe(w, now)
		seen := &w.sample
		tookAt := time.Duration(seen.tookAt.Load())
		if now-tookAt >= m.s.cfg.BlockedAfter {
			m.s.spill(w)
		}
		stranded = stranded || tookAt < now && w.queues.Longest(queues.Low) > 0
		if w.urgent {
			continue // It has no place that a spare could take.
		}
		silent := now-seen.since >= limit
		if silent {
			w.transitionToHeld()
		}
		if (silent || now-tookAt >= tickingFactor*m.s.cfg.BlockedAfter) && !w.replaced() {
			late = append(late, w)
		}
	}
	if m.s.lot.Sleeping() > 0 {
		if stranded {
			m.s.handOver(m.s.lot.Open())
			found = true
		}
		m.retry(now)
	}
	for _, w := range late {
		if !m.s.helpless(w.park.Tier()) {
			continue
		}
		if !m.replace(w) {
			if m.s.held.Load() >= m.s.lot.Awake() {
				m.urge()
			}
			return found
		}
		found = true
	}
	m.exhausted.Store(false)
	return found
}

// observe takes note of the signs of life that w has given since the last look:
// its own alone, since others may take from the queues of a blocked worker. A
// worker that rests is in no need of one.
func (m *monitor) observe(w *Worker, now time.Duration) {
	seen := &w.sample
	began := w.began.Load()
	if began != seen.began.Load() || w.park.Resting.Load() {
		seen.began.Store(began)
		seen.since = now
		seen.tookAt.Store(int64(now))
		return
	}
	seen.since = max(seen.since, w.aliveAt())
}

// countGoroutines returns how many goroutines run, and how many wait for a processor. The
// figures of the Go runtime are approximate. To be wrong costs a spare worker, or time. If
// it does not know, all run.
func (m *monitor) countGoroutines() (running, runnable int) {
	metrics.Read(m.goroutines[:])
	for i := range m.goroutines {
		if m.goroutines[i].Value.Kind() != metrics.KindUint64 {
			return math.MaxInt32, 0
		}
	}
	return int(m.goroutines[0].Value.Uint64()), int(m.goroutines[1].Value.Uint64())
}

// noteFull tells the workers whether that number of goroutines takes every processor. The workers
// are among them.
func (m *monitor) noteFull(goroutines int, now time.Duration) {
	switch {
	case goroutines >= m.s.processors:
		m.fullAt = now
		m.full.Store(true)
	case now-m.fullAt > fullFor:
		m.full.Store(false)
	}
}

// retry looks for work on behalf of the sleepers for which that is due. Its rounds come
// with the monitor's first look after their time, which may be 8 ms later, and a
// sleeper is woken only if something is queued. Work behind a worker that has not moved
// since the last look does not wait for this; see look.
func (m *monitor) retry(now time.Duration) {
	if m.s.busy() <= 0 {
		return // Nobody has anything, unless it was just submitted.
	}
	for _, w := range *m.s.workers.Load() {
		if w.state() != WorkerIdle {
			continue
		}
		if w.backoff.Due(w.published.Slept.Load(), w.published.Jobs.Load(), now) {
			switch {
			case m.s.waiting(w.park.Tier()) == 0:
				w.backoff.Postpone(now)
			case !m.s.lot.WakeToSearch(&w.park):
				continue // Another worker is searching, or w is up.
			}
			w.steals.Retries.Add(1)
		}
		if after := int64(w.backoff.After()); w.steals.Backoff.Load() != after {
			w.steals.Backoff.Store(after)
		}
	}
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
		w.park.Send()
	}
	m.poke()
}
