package workers

import (
	"context"
	"runtime"

	"github.com/troupe-go/troupe/internal/sim"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Waiter waits for an event on behalf of its caller: work on a fiber suspends and holds no
// worker; a goroutine blocks. It is the one way of waiting in this module.
//
// The waiting side calls Arm, makes the Waiter known to the other side, and
// then calls Wait in a loop until the event has happened or Wait returns
// false; at the end it calls Disarm. The other side calls Wake after it has
// made the event visible. A Wake that comes too late, or twice, is harmless: it
// makes somebody's Wait return early.
//
// A Waiter is a small value that may be copied once it is armed; the zero
// Waiter can't be woken.
type Waiter struct {
	fiber  *Fiber
	signal xatomic.Signal
	pool   *xatomic.Pool // Where the signal goes back to.
}

func newSignal() any { return xatomic.NewSignal() }

// Arm prepares for waiting by the caller, on behalf of ctx, for something
// that work of s does. If s is nil, any work may do it; a goroutine then makes a
// channel for each wait.
func (w *Waiter) Arm(ctx context.Context, s *Scheduler) { w.ArmOn(callerOf(ctx, s), s) }

// callerOf is Current for who is about to wait. A context that work has come by
// elsewhere does not lead to its fiber: to block on account of that would hold the
// worker, maybe the one on which it would be woken. So it is looked for without.
func callerOf(ctx context.Context, s *Scheduler) *Fiber {
	if ctx != nil {
		if frame, ok := ctx.Value(FrameKey{}).(*Frame); ok {
			f := frame.Current()
			if of := frame.Fiber(); f == nil && of != nil {
				f = of.s.Here()
			}
			if f != nil {
				return f
			}
		}
	}
	if s == nil {
		return nil
	}
	return s.Here()
}

// ArmOn is Arm by a caller who knows that it runs on f, or, if f is nil, that it
// runs on no fiber.
func (w *Waiter) ArmOn(f *Fiber, s *Scheduler) {
	if w.fiber = f; f == nil && s != nil && s.sim != nil {
		w.fiber = s.sim.running()
	}
	switch {
	case w.fiber != nil || w.signal.Made():
	case s == nil:
		w.signal = xatomic.NewSignal()
	default:
		w.pool = &s.signals
		w.signal = s.signals.Get().(xatomic.Signal)
	}
}

// Fiber returns the fiber that waits, or nil if that is a goroutine.
func (w *Waiter) Fiber() *Fiber { return w.fiber }

// Resumer is a context that, when it ends, resumes by itself the fiber on
// which its work is suspended. Waiter then need not ask it to.
type Resumer interface {
	context.Context
	// ResumesFiber reports whether the end of this context resumes f.
	ResumesFiber(f *Fiber) bool
}

// Wait waits for Wake or for the end of ctx. It returns false if ctx has
// ended. It may also return true without a reason.
func (w *Waiter) Wait(ctx context.Context) bool {
	if w.fiber == nil {
		return w.waitBlocked(ctx)
	}
	if ctx.Err() != nil {
		return false
	}
	if r, ok := ctx.(Resumer); ok && r.ResumesFiber(w.fiber) || ctx.Done() == nil {
		w.fiber.Suspend()
		return ctx.Err() == nil
	}
	return suspendUntil(ctx, w.fiber)
}

// suspendUntil suspends f until it is resumed, also by the end of ctx. Like
// waitBlocked it is not part of Wait so that the frame of that stays small.
func suspendUntil(ctx context.Context, f *Fiber) bool {
	stop := context.AfterFunc(ctx, func() { f.Resume(nil, High) })
	f.Suspend()
	stop()
	return ctx.Err() == nil
}

// waitBlocked is Wait for a goroutine.
func (w *Waiter) waitBlocked(ctx context.Context) bool {
	defer sim.Awake()
	if over := sim.Over(); over != nil {
		return w.waitSimulated(ctx, over)
	}
	return w.signal.Await(ctx.Done())
}

// waitSimulated is Wait for the body of a simulation. When that is over nobody
// will wake the body, so it ends.
func (w *Waiter) waitSimulated(ctx context.Context, over <-chan struct{}) bool {
	woken := w.signal.AwaitEither(ctx.Done(), over)
	if !woken && ctx.Err() == nil {
		runtime.Goexit()
	}
	return woken
}

// Wake ends the wait. From is the fiber of the caller, or nil if the caller is
// a goroutine; see [Fiber.Resume]. A suspended fiber is queued with priority p.
func (w *Waiter) Wake(from *Fiber, p Priority) {
	switch {
	case w.fiber != nil:
		w.fiber.Resume(from, p)
	case w.signal.Made():
		if e := sim.Working(); e != nil {
			e.AfterStep(w.signal.Offer)
			return
		}
		w.signal.Offer()
		if from != nil && !from.hosted {
			from.w.meter.nudge()
		}
	}
}

// Lay ends the use of the Waiter by the waiting side until that arms it again, for
// work of the same scheduler. A goroutine then finds the channel that it had: 30 ns
// less than from the pool and back.
func (w *Waiter) Lay() {
	w.fiber = nil
	if w.signal.Made() {
		w.signal.TryReceive()
	}
}

// Disarm ends the use of the Waiter by the waiting side.
func (w *Waiter) Disarm() {
	if w.signal.Made() {
		w.signal.TryReceive()
		if w.pool != nil {
			w.pool.Put(w.signal)
		}
	}
	*w = Waiter{}
}
