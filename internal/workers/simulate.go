package workers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/internal/sim"
)

// simulated is the part of a scheduler that takes part in a simulation: it has
// one worker that never runs by itself, and all its work is queued with the
// engine, which decides what is next. See internal/sim. A worker whose work is blocked is
// replaced, as a real one is; see away.go.
type simulated struct {
	s      *Scheduler
	engine *sim.Engine
	w      *Worker   // That runs the present step, or the next.
	spare  []*Worker // Without work.
	away   int       // How many have work that is blocked.
	handed *Node     // The node that the dispatch loop is to take next.
	prio   Priority
	left   map[*Fiber]left // Fibers with work on them that is to go on.
	leaves uint64          // How many there have been.
	closed bool

	namesMu sync.Mutex
	names   map[Runner]string // Of runners without a name of their own, by their order.
}

// left is how work has left the stepper, to go on later.
type left struct {
	waits  bool   // Rather than gave way.
	number uint64 // The place of this among all of them.
}

// simulatedProcessors is how many processors there are in a simulation, and so how many
// workers a program finds, whatever GOMAXPROCS is: pools, readers and the grain of
// parallel loops depend on it, and a schedule is to be the same on every machine. Four,
// since that is more than one and few enough for pools to be full.
const simulatedProcessors = 4

// newSimulated returns a scheduler whose work is run by e.
func newSimulated(cfg Config, e *sim.Engine) *Scheduler {
	cfg.QueueCapacity = 1 // Nothing is ever in the worker's own queues.
	cfg.PinWorkers = false
	s := assemble(cfg)
	s.processors = simulatedProcessors
	s.lot.Open().TakePlace()
	w := newWorker(s, s.lot.Open(), 0, false)
	s.workers.Store(&[]*Worker{w})
	s.sim = &simulated{s: s, engine: e, w: w, names: map[Runner]string{}, left: map[*Fiber]left{}}
	e.Join(s.sim)
	living.Add(s)
	return s
}

// queue is push and share in a simulation.
func (m *simulated) queue(own bool, n *Node, p Priority) {
	entry := sim.Entry{Host: m, Work: n, Priority: uint8(p)}
	if own {
		m.engine.Queue(entry)
	} else {
		m.engine.Arrive(entry)
	}
}

// submit is Submit in a simulation.
func (m *simulated) submit(n *Node, p Priority) error {
	if m.s.shared.Closed() {
		return ErrStopped
	}
	m.queue(false, n, p)
	return nil
}

// running returns the fiber that the caller runs on, whatever its context says,
// or nil. In a simulation nobody else may run while the caller blocks.
func (m *simulated) running() *Fiber {
	sim.ComeBack()
	if sim.Working() != m.engine || m.w.fiber == nil || !m.w.fiber.Here() {
		return nil
	}
	return m.w.fiber
}

// steal puts a branch where another work may come first, if so decided, as if a
// thief had it.
func (m *simulated) steal(n *Node) bool {
	if !m.engine.Steal() {
		return false
	}
	m.queue(true, n, Normal)
	return true
}

// next is what the dispatch loop calls in a simulation: it takes what Step has
// handed over, and then leaves the stack until the next Step.
func (m *simulated) next(f *Fiber) (*Node, Priority) {
	f.w.away.awaitTurn()
	for m.handed == nil {
		f.w.op = opRest
		if f.leave(); f.ended {
			return nil, 0
		}
	}
	n := m.handed
	m.handed = nil
	now := m.s.now()
	m.w.meter.clockAt = now // Here time can be exact.
	m.s.coarseClock.Store(int64(now))
	return n, m.prio
}

// Step runs work that was queued. It is called by the engine.
func (m *simulated) Step(work any, priority uint8) {
	w := m.w
	m.handed, m.prio = work.(*Node), Priority(priority)
	w.fiber = w.takeFiber()
	for w.fiber != nil {
		w.prepareToEnter(w.fiber)
		w.fiber.co.Resume()
		w.away.awaitTurn()
		w.on.Store(nil)
		m.perform(w)
	}
}

// perform is Worker.perform with a difference: after a wait the worker does not
// go on with other work.
func (m *simulated) perform(w *Worker) {
	f := w.fiber
	w.leaveForks()
	if w.op != opSwitch {
		f.pauseMeasure()
	}
	m.shareBranches(w)
	switch w.op {
	case opRest:
		w.pool.Put(f)
		w.fiber = nil
	case opSuspend:
		if f.state.TransitionToSuspended() {
			w.fiber = nil
			m.leave(f, true)
			w.count.Suspended++
			if m.engine.Tracing() {
				m.engine.Trace("waits", "%s %s", m.describe(f), f.waiting())
			}
		}
	case opYield, opGiveWay:
		w.fiber = nil
		m.leave(f, false)
		m.queue(true, &f.node, w.priority)
	case opSwitch:
		w.pool.Put(f)
		w.fiber, w.target = w.target, nil
		delete(m.left, w.fiber)
	}
}

// shareBranches queues the branches that the work of w has forked.
func (m *simulated) shareBranches(w *Worker) {
	for n, _ := w.queues.Branches.Steal(); n != nil; n, _ = w.queues.Branches.Steal() {
		m.queue(true, n, Normal)
	}
}

func (m *simulated) leave(f *Fiber, waits bool) {
	m.leaves++
	m.left[f] = left{waits, m.leaves}
}

// Order puts work that goes on by what runs on the fiber, and then in the order in
// which it left: an actor that is reentrant may have several handlers that wait. Other
// work that has no name is in the order in which it came.
func (m *simulated) Order(work any) (kind string, number uint64) {
	switch r := work.(*Node).runner.(type) {
	case *Fiber:
		if owner, ok := r.owner.(fmt.Stringer); ok {
			kind = owner.String()
		}
		return kind + goesOn, m.left[r].number
	case fmt.Stringer:
		return r.String(), 0
	}
	return "", 0
}

const goesOn = " (goes on)"

// Name says what n is. It may be called from outside the simulation.
func (m *simulated) Name(work any) string {
	switch r := work.(*Node).runner.(type) {
	case *Fiber:
		if owner, ok := r.owner.(fmt.Stringer); ok {
			return owner.String() + goesOn
		}
		if j := r.job.Load(); j != nil {
			return j.String() + goesOn
		}
		return m.numbered(r, "work") + goesOn
	case fmt.Stringer:
		return r.String()
	default:
		return m.numbered(r, fmt.Sprintf("%T", r))
	}
}

// numbered names a runner by the order in which it was first seen.
func (m *simulated) numbered(r Runner, kind string) string {
	m.namesMu.Lock()
	defer m.namesMu.Unlock()
	name, ok := m.names[r]
	if !ok {
		name = fmt.Sprintf("%s %d", kind, len(m.names)+1)
		m.names[r] = name
	}
	return name
}

// Settle ends the scheduler if it is stopping and nothing of it is left.
func (m *simulated) Settle() bool {
	s := m.s
	for _, w := range *s.workers.Load() {
		w.publish()
	}
	if m.closed || !s.stopping.Load() || s.owed() != 0 || len(m.left) != 0 || m.away != 0 || s.settled.Swap(true) {
		return false
	}
	m.closed = true
	m.workersLeave()
	living.Remove(s)
	close(s.ended)
	return true
}

// Waits says what waits for what.
func (m *simulated) Waits() (waits []string) {
	for _, f := range m.inOrder() {
		if what := f.waiting(); m.left[f].waits && what != "" {
			waits = append(waits, m.describe(f)+" waits "+what)
		} else if m.left[f].waits {
			waits = append(waits, m.describe(f)+" waits")
		}
	}
	slices.Sort(waits)
	return waits
}

// describe names the work on f.
func (m *simulated) describe(f *Fiber) string { return strings.TrimSuffix(m.Name(&f.node), goesOn) }

// Deadline returns how long it is until the time of the next job is up. Own
// timeouts have timers; this is about the one that all jobs have.
func (m *simulated) Deadline() (wait time.Duration, ok bool) {
	now := m.s.now()
	m.s.fibers.Each(func(f *Fiber) {
		j := f.job.Load()
		if j == nil || j.timeout() <= 0 {
			return
		}
		word := j.state.Load()
		if word.State() != JobRunning {
			return
		}
		if left := word.Started() + j.timeout() - now; !ok || left < wait {
			wait, ok = max(0, left), true
		}
	})
	return wait, ok
}

// Expire times out the jobs whose time is up.
func (m *simulated) Expire() {
	now := m.s.now()
	m.s.coarseClock.Store(int64(now))
	m.s.fibers.BeginRound()
	m.s.patrol(now)
}

// Close ends what the simulation leaves behind: idle fibers, and work that
// waits, whose deferred calls run.
func (m *simulated) Close() (left []string) {
	if m.closed {
		return nil
	}
	m.closed = true
	left = append(left, "a scheduler was not stopped")
	for _, f := range m.inOrder() {
		left = append(left, m.describe(f)+" has not ended "+f.waiting())
		f.rarely().aborted = true
		done := make(chan struct{})
		go func() { // Goexit goes on from the fiber to the goroutine that stops it.
			defer close(done)
			f.co.Stop()
		}()
		<-done
	}
	m.workersLeave()
	living.Remove(m.s)
	close(m.s.ended)
	return left
}

// inOrder returns the fibers that are left, in the order in which they left.
func (m *simulated) inOrder() []*Fiber {
	fibers := slices.Collect(maps.Keys(m.left))
	slices.SortFunc(fibers, func(a, b *Fiber) int { return cmp.Compare(m.left[a].number, m.left[b].number) })
	return fibers
}

// giveUp is force in a simulation.
func (m *simulated) giveUp() {
	m.engine.Drop(m, func(work any) bool { return abandon(work.(*Node)) })
}

// Interleave is a point at which other work may go first, though no worker
// would switch there: in a simulation it does, if so decided, and elsewhere
// nothing happens, at the cost of a load. Callers hold no lock.
func (f *Fiber) Interleave() {
	if m := f.s.sim; m != nil && m.engine.Interleave() {
		f.w.op, f.w.priority = opYield, f.priority
		f.leave()
	}
}

// AwaitTurn is Interleave for the body of a simulation, which is on no fiber.
func (s *Scheduler) AwaitTurn() {
	if s.sim != nil {
		s.sim.engine.Turn()
	}
}

// resumeLater is Resume from a goroutine outside while a step runs.
func (m *simulated) resumeLater(f *Fiber, p Priority) bool {
	return m.engine.Later(func() (string, uint64) { return m.Order(&f.node) }, func() { f.Resume(nil, p) })
}

// Later has do called when the running step is over, in a simulation in which one
// runs, if the caller is outside of it; elsewhere it returns false. It is for what
// may be the step's own consequence, as the end of a context is; what several do is
// in the order of their names.
func (s *Scheduler) Later(name func() string, do func()) bool {
	return s.sim != nil && s.sim.engine.Later(func() (string, uint64) { return name(), 0 }, do)
}

// NewGuest returns what a goroutine that is called by a timer is known as in a
// simulation; elsewhere nil. The name of a guest is what and a number. Guests whose time
// comes in the same moment are in the order of these calls.
func (s *Scheduler) NewGuest(what string) *Guest {
	if s.sim == nil {
		return nil
	}
	return &Guest{s.sim.engine, s.sim.engine.NewGuest(what)}
}

// InOrder returns a function for a timer of the caller to call. In a simulation f is called
// between two steps, and in the order of the calls of InOrder where several timers are due
// in the same moment; elsewhere InOrder returns f.
func InOrder(f func()) func() {
	e := sim.Current()
	if e == nil {
		return f
	}
	g := e.NewGuest("timer")
	return func() { e.Between(g, f) }
}

// Guest is a goroutine that is not the scheduler's, in a simulation.
type Guest struct {
	engine *sim.Engine
	guest  *sim.Guest
}

// AwaitTurn has the calling goroutine wait until it is the guest's turn. Without a
// guest, and so without a simulation, it does nothing.
func (g *Guest) AwaitTurn() {
	if g != nil {
		g.engine.Await(g.guest)
	}
}

// Trace adds a line to the trace of a simulation; elsewhere nothing happens.
func (f *Fiber) Trace(kind string, what func() string) {
	if m := f.s.sim; m != nil && m.engine.Tracing() {
		m.engine.Trace(kind, "%s", what())
	}
}

// Event adds a line to the trace of a simulation about what the calling work has brought
// about, or the body; elsewhere nothing happens. The function what gets the name of the caller.
func (s *Scheduler) Event(kind string, what func(caller string) string) {
	if s.sim != nil {
		s.sim.engine.Event(kind, func(caller string) string { return what(strings.TrimSuffix(caller, goesOn)) })
	}
}

// Explain is [Fiber.Explain] for the caller that waits, on a fiber or not, for work of s; s
// may be nil.
func (w *Waiter) Explain(s *Scheduler, what func() string) {
	switch {
	case w.fiber != nil:
		w.fiber.Explain(what)
	case s != nil && s.sim != nil:
		text := what()
		s.sim.engine.Explain(func() string { return text })
	}
}

// Took notes for a simulation that the caller has taken a lock; elsewhere it costs one load.
func Took(lock any) { sim.Took(lock) }

// Released notes that a lock is nobody's any more.
func Released(lock any) { sim.Released(lock) }

// ExplainLock says that the work waits for a lock.
func (f *Fiber) ExplainLock(lock any) {
	if m := f.s.sim; m != nil {
		f.ExplainLater(func() string { return "for " + strings.ReplaceAll(m.engine.LockName(lock), goesOn, "") })
	}
}

// Handling is called before a message is handled by what is named. In a
// simulation it may panic, hold the work up, or report that what is named shall be
// killed; elsewhere nothing happens.
func (f *Fiber) Handling(name string) (kill bool) {
	m := f.s.sim
	if m == nil || m.engine.Faults() == nil {
		return false
	}
	fault := m.engine.Faults().Handling(name)
	if d := fault.Hold; d > 0 {
		f.ExplainLater(func() string { return fmt.Sprintf("for %v, as it was told to be slow", d) })
		until := time.Now().Add(d)
		time.AfterFunc(d, func() { f.Resume(nil, Normal) })
		for time.Now().Before(until) {
			f.suspend() // A handler that is slow keeps its turn.
		}
	}
	return fault.Kill
}

// Injected is what Handling panics with for a handler that shall return its Err.
type Injected = sim.Injected

// OnFail has fail called, in a simulation, to end an actor for a reason; elsewhere nothing
// happens. It reports whether it knows an actor with the id.
func (s *Scheduler) OnFail(fail func(id any, reason error) bool) {
	if s.sim != nil {
		s.sim.engine.OnFail(fail)
	}
}

// PretendsFull reports whether, in a simulation, what is named shall be full.
func (s *Scheduler) PretendsFull(name string) bool {
	return s.sim != nil && s.sim.engine.Faults() != nil && s.sim.engine.Faults().Full(name)
}

// waiting is what the work waits for, or waited for last, as it has explained it.
func (f *Fiber) waiting() string {
	if f.rare == nil || f.rare.waits == nil {
		return ""
	}
	return f.rare.waits()
}

// Explain says, for a simulation, what the work waits for from now on; elsewhere
// nothing happens.
func (f *Fiber) Explain(what func() string) {
	if f.s.sim != nil {
		text := what()
		f.rarely().waits = func() string { return text }
	}
}

// ExplainLater is Explain for what may be said better when somebody asks: why the wait is
// in vain, in the report of a deadlock. The function is kept, so a caller outside of
// simulations would allocate it for nothing.
func (f *Fiber) ExplainLater(what func() string) {
	if f.s.sim != nil {
		f.rarely().waits = what
	}
}

// Explain is ExplainLater for a caller on no fiber, which waits by means of a [Waiter].
func (s *Scheduler) Explain(what func() string) {
	if s.sim != nil {
		s.sim.engine.Explain(what)
	}
}

// Simulated reports whether the scheduler is part of a simulation.
func (s *Scheduler) Simulated() bool { return s.sim != nil }
