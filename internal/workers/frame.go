package workers

import (
	"context"
	"sync/atomic"
)

// Frame connects a context with the fiber below it. Work that hands a context
// to its own code puts a Frame into itself, calls Enter whenever it starts to
// run, and returns the Frame's address from the context's Value method for
// [FrameKey].
type Frame struct {
	// fiber is where the work was last entered. It is not cleared when the work
	// is done, since Current compares goroutines anyway.
	fiber atomic.Pointer[Fiber]
}

// FrameKey is the type of the key under which a context returns its *Frame.
type FrameKey struct{}

// Enter says that the work now runs on f.
func (fr *Frame) Enter(f *Fiber) {
	if fr.fiber.Load() != f {
		fr.fiber.Store(f)
	}
}

// Fiber returns where the work was last entered, or nil.
func (fr *Frame) Fiber() *Fiber { return fr.fiber.Load() }

// Current returns the fiber that the caller runs on, or nil if the caller runs
// on a goroutine of its own, whatever the context says: a context that work
// passes to a goroutine which it started leads to no fiber there. It costs
// 2 to 5 ns.
func Current(ctx context.Context) *Fiber {
	if ctx == nil {
		return nil
	}
	frame, ok := ctx.Value(FrameKey{}).(*Frame)
	if !ok {
		return nil
	}
	return frame.Current()
}

// Goroutine returns the number under which stack dumps list the goroutine on which
// the work was last entered, or 0; see [StackOf].
func (fr *Frame) Goroutine() uint64 {
	if f := fr.fiber.Load(); f != nil {
		return f.number()
	}
	return 0
}

// Current returns the fiber where the work was last entered if that is what the
// caller runs on, and else nil.
func (fr *Frame) Current() *Fiber {
	f := fr.fiber.Load()
	if f == nil {
		return nil
	}
	if !f.Here() && !f.hereAgain() {
		return nil
	}
	return f
}
