package workers

import (
	"strings"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/gid"
	"github.com/troupe-go/troupe/internal/sim"
	"github.com/troupe-go/troupe/internal/workers/stacks"
)

// In a simulation work may be blocked in something that is not this module's. Its worker
// then has to itself what the work goes on to use, and another worker takes its place. The
// fiber's goroutine is not known as the fiber's until the work has its turn again. So code
// of this module that looks for the caller's fiber does not find it, and comes to hereAgain,
// without a check of its own where no simulation is.

// away is how the work of a worker waits for its turn, after it was blocked. It is empty
// for others.
type away struct{ atomic.Pointer[absent] }

// absent is work that is blocked.
type absent struct {
	returns   sim.Returns
	w         *Worker
	goroutine uintptr // Of its fiber, or 0.
}

func (a *away) awaitTurn() {
	if absent := a.Load(); absent != nil {
		absent.returns.AwaitTurn()
	}
}

// Blocked is called by the engine when the work of the present step is blocked.
func (m *simulated) Blocked(r sim.Returns) (on any, goroutine gid.ID) {
	w := m.w
	a := &absent{returns: r, w: w}
	if f := w.fiber; f != nil {
		a.goroutine = f.entry.Goroutine()
		f.entry.SetGoroutine(0)
		f.pauseMeasure()
	}
	w.leaveForks()
	m.shareBranches(w)
	w.away.Store(a)
	m.away++
	if last := len(m.spare) - 1; last >= 0 {
		m.w, m.spare = m.spare[last], m.spare[:last]
	} else {
		m.w = m.addWorker()
	}
	return a, gid.ID(a.goroutine)
}

// addWorker returns another worker that takes the place of a blocked one.
func (m *simulated) addWorker() *Worker {
	old := *m.s.workers.Load()
	w := newWorker(m.s, m.s.lot.Open(), len(old), true)
	workers := append(old[:len(old):len(old)], w)
	m.s.workers.Store(&workers)
	return w
}

// Back is called by the engine before such work goes on.
func (m *simulated) Back(on any) {
	a := on.(*absent)
	m.spare = append(m.spare, m.w)
	m.w = a.w
	m.away--
	if f := a.w.fiber; f != nil && a.goroutine != 0 {
		f.entry.SetGoroutine(a.goroutine)
		f.continueMeasure()
	}
	a.w.away.Store(nil)
}

// Where says what the stack of blocked work says: in what it is, and at which place.
func (m *simulated) Where(on any) string {
	a := on.(*absent)
	return place(stacks.All().Of(gid.ID(a.goroutine).Number()))
}

// place returns in what the goroutine of a stack is blocked, and the frames from there to
// this module.
func place(stack string) string {
	head, rest, _ := strings.Cut(stack, "\n")
	_, what, found := strings.Cut(head, "[")
	if !found {
		return "at an unknown place"
	}
	what, _, _ = strings.Cut(what, "]")
	what, _, _ = strings.Cut(what, ",")
	what = strings.TrimSuffix(what, " (durable)")
	lines := strings.Split(rest, "\n")
	for i, line := range lines {
		if i > 0 && isOurs(line) {
			lines = lines[:i]
			break
		}
	}
	return "in a " + what + ":\n" + strings.Join(lines, "\n")
}

// isOurs reports whether a line of a stack is a call of this module's that leads to handlers.
func isOurs(line string) bool {
	for _, room := range []string{"actor.", "internal/workers.", "internal/workers/groups.", "task.", "strand.", "router."} {
		if strings.HasPrefix(line, "github.com/troupe-go/troupe/"+room) {
			return true
		}
	}
	return false
}

// hereAgain reports whether the caller runs on f, after it has waited for its turn if it
// runs a step that was blocked.
func (f *Fiber) hereAgain() bool { return f.s.sim != nil && sim.ComeBack() && f.Here() }

// ComeBack has the work on f, which is about to use this module again, wait for its turn
// if it was blocked in a simulation. Elsewhere nothing happens, at the cost of a load.
func (f *Fiber) ComeBack() {
	if f.s.sim != nil {
		f.w.away.awaitTurn()
	}
}

// leaveSimulation is what a fiber's goroutine does at its end.
func leaveSimulation(f *Fiber) {
	f.w.away.awaitTurn()
	f.entry.SetGoroutine(uintptr(gid.Current())) // If the simulation has ended before.
	sim.Leave()
}

// workersLeave clears up at the end.
func (m *simulated) workersLeave() {
	for _, w := range *m.s.workers.Load() {
		w.leave()
	}
}
