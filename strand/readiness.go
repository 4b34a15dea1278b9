package strand

import (
	"context"
	"net"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/workers"
)

// readiness is what is known of one direction of a descriptor that the operating
// system tells about.
//
// # Protocol
//
// The system tells of changes only (edge-triggered). The user of the direction, one at a
// time, takes the word of a change before it makes a call, so that a change which comes
// meanwhile is not lost:
//
//	unknown --change--> ready --begin--> unknown --wait--> awaited --change--> ready
//
// Closing makes it closed for good.
type readiness struct {
	state atomic.Uint32
	// waiter is the strand that waits. Written before the state is awaited; read after it has
	// been left. By then it may be the waiter of the next wait, which then looks in vain.
	waiter atomic.Pointer[workers.Waiter]
}

const (
	unknown uint32 = iota
	ready
	awaited
	shut
)

// begin takes the word of a change.
func (r *readiness) begin() { r.state.CompareAndSwap(ready, unknown) }

// again says that there may be more.
func (r *readiness) again() { r.state.CompareAndSwap(unknown, ready) }

// wait waits for a change.
func (r *readiness) wait(ctx context.Context) error {
	for {
		switch r.state.Load() {
		case shut:
			return net.ErrClosed
		case ready:
			return nil
		}
		if ctx.Err() != nil {
			return cause(ctx)
		}
		r.arm(ctx)
		if !r.state.CompareAndSwap(unknown, awaited) {
			continue
		}
		for w := r.waiter.Load(); r.state.Load() == awaited; {
			if !w.Wait(ctx) && r.state.CompareAndSwap(awaited, unknown) {
				break
			}
		}
	}
}

// arm makes the caller the one who waits. Mostly that is who has waited before,
// on the same fiber.
func (r *readiness) arm(ctx context.Context) {
	var w workers.Waiter
	w.Arm(ctx, nil)
	if last := r.waiter.Load(); last != nil && *last == w {
		return
	}
	known := w
	r.waiter.Store(&known)
}

// changed is called when the system has told of a change.
func (r *readiness) changed() { r.become(ready) }

// close ends all waits.
func (r *readiness) close() { r.become(shut) }

func (r *readiness) become(state uint32) {
	for {
		was := r.state.Load()
		if was == shut || was == state {
			return
		}
		if r.state.CompareAndSwap(was, state) {
			if was == awaited {
				r.waiter.Load().Wake(nil, workers.Low)
			}
			return
		}
	}
}
