package actor

import (
	"context"
	"errors"
	"time"
)

// grace is how long Run waits for the actors that main has left behind, and for
// main itself when it shall end. Picked out of thin air: actors that look at their
// messages need much less.
const grace = 5 * time.Second

// Run runs main as the first [Process] of a system of its own and, when main has
// ended, stops all other actors of the system, as by [System.StopWithin] within 5
// s. It returns why main has ended: nil if its body returned nil, or main was
// asked to stop. If actors did not stop in time and had to be killed, the error
// says so too.
//
// When ctx ends, main is asked to stop: its Receive returns [ErrStopped] when it is
// there next. If it has not ended 5 s later, it is killed, and the error is
// [ErrKilled].
func Run[M any](ctx context.Context, cfg Config, main func(p *Process[M]) error, opts ...Option) error {
	if main == nil {
		return errNilBody
	}
	ctx = orBackground(ctx)
	sys, err := NewSystem(cfg)
	if err != nil {
		return err
	}
	ref, err := Spawn(sys, NewProcess(main), opts...)
	if err != nil {
		return errors.Join(err, sys.Stop(context.Background()))
	}
	var late error
	patient := context.WithoutCancel(ctx)
	select {
	case <-ref.Done():
	case <-ctx.Done():
		late = ref.StopWithin(patient, grace)
	}
	return errors.Join(ref.Err(), late, sys.StopWithin(patient, grace))
}
