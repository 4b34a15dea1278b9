package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/gid"
)

// Host is a scheduler that takes part in a simulation.
type Host interface {
	// Step runs a piece of work that the host has handed in, up to its end or to
	// where it waits. It is called by the stepper.
	Step(work any, priority uint8)
	// Name says in a trace what the work is. It must be the same in each run with
	// the same choices.
	Name(work any) string
	// Order says in which place a work comes among those that goroutines outside hand in
	// at the same moment: by kind, and by number where kinds are equal. Both must be the
	// same in each run with the same choices. It is called by the stepper.
	Order(work any) (kind string, number uint64)
	// Settle is called when nothing of anybody is left to be run. It returns true
	// if that made a difference, as for a host that has waited to stop.
	Settle() bool
	// Deadline returns in what time Expire has something to do, if ever.
	Deadline() (wait time.Duration, ok bool)
	// Expire ends what has lasted too long.
	Expire()
	// Waits says which work waits, and for what.
	Waits() []string
	// Close ends what is left of the host when the simulation is over. It returns
	// what that was.
	Close() []string
	// Blocked is called by the stepper when the work of the present step is blocked in
	// something that the host does not know. The host goes on without it, and returns what
	// it calls it until Back, and the goroutine of the work. The work waits for its turn, by
	// means of r, where it is back in the host's code.
	Blocked(r Returns) (on any, goroutine gid.ID)
	// Back is called by the stepper before such work goes on.
	Back(on any)
	// Where says in what such work is blocked.
	Where(on any) string
}

// Entry is a piece of queued work.
type Entry struct {
	Host     Host
	Work     any
	Priority uint8
	turn     *turn // Of a goroutine outside.
}

// Chooser makes the decisions of a simulation.
type Chooser interface {
	// Next returns which of the entries is to be run, by its place. There is at
	// least one; they are in the order of their submission.
	Next(ready []Entry) int
	// Interleave reports whether the running work shall let other work go first
	// at this point.
	Interleave() bool
	// Delay is Interleave for a goroutine outside.
	Delay() bool
	// Pick returns a number below of, for a fault that is injected: 0 is none of it.
	Pick(of int) int
}

// Engine runs a simulation. Its methods other than Run may be called by any
// goroutine of the simulation.
type Engine struct {
	chooser Chooser
	settle  func() // Waits until all other goroutines are blocked.
	limit   int
	trace   func(kind, text string) // Nil while nobody wants to know.
	after   func()                  // Called after each step.
	faults  Faults                  // Nil if none are injected.

	mu       sync.Mutex
	hosts    []Host
	arrived  []Entry                           // From goroutines outside the step.
	waiting  []chan struct{}                   // Until nothing is queued.
	awaiting []chan struct{}                   // Until something has arrived.
	errands  []errand                          // For the stepper, between two steps.
	fails    []func(id any, reason error) bool // See OnFail.
	locks    locks
	closed   bool
	poke     chan struct{}
	inStep   atomic.Bool
	onMu     sync.Mutex // Guards on, which the watchdog may read just as a step ends.
	on       Entry      // The present step, or the last one. Only the stepper writes it.
	begun    atomic.Int64
	guests   atomic.Uint64 // How many there have been.
	away     atomic.Int64  // How many steps are away; see away.go.
	ended    chan struct{}

	// The rest is used by the stepper and, while it waits for a step, by that step.
	ready    []Entry
	wakes    []func() // To be done after the step.
	steps    int
	outage   error
	present  *step      // The step that the stepper waits for.
	idle     []*carrier // Without a step.
	gone     []*step    // The steps that are away.
	absences int        // How many there have been.
}

// New returns an engine whose stepper is not running yet. It gives up after so
// many steps. Settle waits until all other goroutines are blocked.
func New(c Chooser, settle func(), steps int, trace func(kind, text string)) *Engine {
	return &Engine{
		chooser: &serial{inner: c}, settle: settle, limit: steps, trace: trace,
		poke: make(chan struct{}, 1), ended: make(chan struct{}),
	}
}

// Join makes h part of the simulation.
func (e *Engine) Join(h Host) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hosts = append(e.hosts, h)
}

// Queue takes work of the step that is running.
func (e *Engine) Queue(entry Entry) {
	if e.isBeside() {
		e.Arrive(entry)
		return
	}
	e.queue(entry)
}

func (e *Engine) queue(entry Entry) {
	e.ready = append(e.ready, entry)
	if e.trace != nil {
		e.trace("queued", entry.Host.Name(entry.Work))
	}
}

// Arrive takes work from a goroutine outside the step, or from the step where it
// is not known as such.
func (e *Engine) Arrive(entry Entry) {
	e.mu.Lock()
	e.arrived = append(e.arrived, entry)
	e.mu.Unlock()
	select {
	case e.poke <- struct{}{}:
	default:
	}
}

// Queued reports whether anything is queued besides the running work.
func (e *Engine) Queued() bool {
	e.comeBack()
	if len(e.ready) > 0 {
		return true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.arrived) > 0
}

// Interleave reports whether the running work shall let other work go first.
func (e *Engine) Interleave() bool {
	e.comeBack()
	return len(e.ready) > 0 && e.chooser.Interleave()
}

// Steal reports whether a branch that the running work forks is run as work of
// its own.
func (e *Engine) Steal() bool {
	e.comeBack()
	return e.chooser.Interleave()
}

// Pick returns a number below of that the chooser picks.
func (e *Engine) Pick(of int) int {
	e.comeBack()
	return e.chooser.Pick(of)
}

// AfterStep calls wake when the running step is over, so that the goroutine that
// it wakes does not run beside the step.
func (e *Engine) AfterStep(wake func()) {
	if e.isBeside() {
		wake()
		return
	}
	e.wakes = append(e.wakes, wake)
}

// Tracing reports whether Trace does anything.
func (e *Engine) Tracing() bool { return e.trace != nil }

// Trace adds a line to the trace.
func (e *Engine) Trace(kind, format string, args ...any) {
	if e.trace != nil {
		e.trace(kind, fmt.Sprintf(format, args...))
	}
}

// Steps returns how many pieces of work have been run.
func (e *Engine) Steps() int { return e.steps }

// ErrStepLimit is why an engine gave up when it has done too many steps.
type ErrStepLimit struct{ Steps int }

func (e ErrStepLimit) Error() string {
	return fmt.Sprintf("the program has not come to rest after %d steps", e.Steps)
}

// ErrStalled is why an engine gave up when nothing can happen any more. Waits says what
// work waits then, and Blocked what is blocked in something outside of this module.
type ErrStalled struct{ Blocked, Waits []string }

func (ErrStalled) Error() string {
	return "nothing can happen any more: no work is queued and no timer is set"
}

// Run is the stepper. It returns nil when the engine was closed, and else why it
// gave up.
func (e *Engine) Run() error {
	defer close(e.ended)
	defer e.dismiss()
	e.flush()
	for {
		e.settle()
		if e.lookAfter() || e.runErrands() {
			continue // Those who have waited for it may run now.
		}
		if e.outage != nil {
			return e.outage
		}
		e.admit()
		if e.isClosed() {
			return nil
		}
		if len(e.ready) == 0 {
			if !e.rest() {
				return e.outage
			}
			continue
		}
		if e.steps >= e.limit {
			return ErrStepLimit{e.steps}
		}
		e.begin()
	}
}

// begin begins the next step.
func (e *Engine) begin() {
	i := e.chooser.Next(e.ready)
	entry := e.ready[i]
	e.ready = append(e.ready[:i], e.ready[i+1:]...)
	e.steps++
	e.begun.Store(int64(e.steps))
	if e.trace != nil {
		e.trace("run", entry.Host.Name(entry.Work))
	}
	e.onMu.Lock()
	e.on = entry
	e.onMu.Unlock()
	e.inStep.Store(true)
	switch t := entry.turn; {
	case t == nil:
		e.present = e.carry(entry)
	case t.step != nil:
		e.present = t.step
		e.takeUp(t.step)
		close(t.ch)
	default:
		e.present = &guestStep
		close(t.ch)
	}
}

// InStep reports whether the stepper is on a step, and how many it has begun. It
// may be called from outside the simulation.
func (e *Engine) InStep() (running bool, steps int64) {
	return e.inStep.Load(), e.begun.Load()
}

// Away reports whether a step is away, and so may run though the stepper is on none. It may
// be called from outside the simulation.
func (e *Engine) Away() bool { return e.away.Load() != 0 }

// Running returns what the stepper is on, or "". It may be called from outside the
// simulation at any time.
func (e *Engine) Running() string {
	if !e.inStep.Load() {
		return ""
	}
	e.onMu.Lock()
	on := e.on
	e.onMu.Unlock()
	if on.Host == nil {
		return ""
	}
	return on.Host.Name(on.Work)
}

// AfterEach has f called after each step.
func (e *Engine) AfterEach(f func()) { e.after = f }

// flush does what was to wait for the end of the step.
func (e *Engine) flush() {
	for i, wake := range e.wakes {
		e.wakes[i] = nil
		wake()
	}
	e.wakes = e.wakes[:0]
}

// admit takes over what has arrived. If it came from several goroutines at the
// same time, its order is chance, so it is put in order. Entries of one
// goroutine are ordered, too: if several resume the same work, chance decides
// which of them does.
func (e *Engine) admit() {
	e.mu.Lock()
	arrived := e.arrived
	e.arrived = nil
	if len(arrived) > 0 {
		for _, ch := range e.awaiting {
			close(ch)
		}
		e.awaiting = nil
	}
	e.mu.Unlock()
	slices.SortStableFunc(arrived, e.compare)
	for _, entry := range arrived {
		e.queue(entry)
	}
}

// compare puts two works in order that have arrived in the same moment. Works of
// one order and one host stay as they came.
func (e *Engine) compare(a, b Entry) int {
	aKind, aNumber := a.Host.Order(a.Work)
	bKind, bNumber := b.Host.Order(b.Work)
	c := cmp.Or(strings.Compare(aKind, bKind), cmp.Compare(aNumber, bNumber))
	if c == 0 {
		c = byAbsence(a, b)
	}
	if c != 0 || a.Host == b.Host {
		return c
	}
	hosts := e.joined()
	return cmp.Compare(slices.Index(hosts, a.Host), slices.Index(hosts, b.Host))
}

func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

// Close makes Run return at the next step, or at once if it rests.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.Nudge()
	<-e.ended
}

// CloseHosts ends what is left of the hosts, and returns what that was.
func (e *Engine) CloseHosts() (left []string) {
	for _, h := range e.hosts {
		left = append(left, h.Close()...)
	}
	return append(left, e.blocked()...)
}

// Waits says which work of all hosts waits, and which goroutines outside, and for what.
func (e *Engine) Waits() (waits []string) {
	waits = e.outsideWaits()
	for _, h := range e.hosts {
		waits = append(waits, h.Waits()...)
	}
	return waits
}

// Abort makes Run return after the running step.
func (e *Engine) Abort() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
}

// Over reports whether the stepper has returned.
func (e *Engine) Over() bool {
	select {
	case <-e.ended:
		return true
	default:
		return false
	}
}

// Nudge has the stepper look around if it rests.
func (e *Engine) Nudge() {
	select {
	case e.poke <- struct{}{}:
	default:
	}
}
