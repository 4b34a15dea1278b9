package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// rig is an emulator at work: with a program at the other end of a
// pseudo-terminal, and a goroutine that reads.
type rig struct {
	sys      *actor.System
	program  *program
	session  *session
	emulator emulator
	cancel   context.CancelCauseFunc
	reading  chan struct{} // Closed at the end of it.
}

// newRig sets up a rig, and returns a context that ends when it fails. The
// output of the program also goes to record, if that is not nil.
func newRig(ctx context.Context, subject string, record io.Writer) (*rig, context.Context, error) {
	sys, err := actor.NewSystem(actor.Config{Name: "terminal"})
	if err != nil {
		return nil, nil, err
	}
	r := &rig{sys: sys, reading: make(chan struct{})}
	if r.program, err = start(); err != nil {
		return nil, nil, errors.Join(err, stopSystem(sys))
	}
	r.session = newSession(0, r.program.master)
	emulators, err := newEmulators(sys, subject)
	if err == nil {
		r.emulator, err = emulators(r.session)
	}
	if err != nil {
		return nil, nil, errors.Join(err, r.program.master.Close(), stopSystem(sys))
	}
	ctx, r.cancel = context.WithCancelCause(ctx)
	go func() {
		defer close(r.reading)
		r.session.read(ctx, r.program.master, r.emulator, record, r.cancel)
	}()
	return r, ctx, nil
}

func stopSystem(sys *actor.System) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return sys.Stop(ctx)
}

// strike presses a key and waits until it is seen; it returns how long that took.
func (r *rig) strike(ctx context.Context, key byte) (time.Duration, error) {
	began := time.Now()
	if err := r.emulator.key(ctx, key); err != nil {
		return 0, fmt.Errorf("terminal: passing a keystroke on: %w", err)
	}
	seen, err := r.session.wait(ctx, key)
	return seen.Sub(began), err
}

// pour has the program write output and returns how long it took until the screen
// showed the end of it.
func (r *rig) pour(ctx context.Context, text []byte, n int, end byte) (time.Duration, error) {
	writing := make(chan error, 1)
	began := time.Now()
	go func() { writing <- r.program.write(text, n, end) }()
	seen, err := r.session.wait(ctx, end)
	if err != nil {
		return 0, err // Close ends the writing.
	}
	return seen.Sub(began), <-writing
}

// close ends the program, waits until all its output is on the screen, and stops
// the system. It returns the failure that it is given, or its own. After one the
// screen is not waited for.
func (r *rig) close(failure error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if failure != nil {
		r.cancel(failure)
	}
	err := r.program.stop(ctx)
	if err == nil {
		<-r.reading // It ends with the program.
	}
	if failure == nil && err == nil {
		err = r.session.settle(ctx)
	}
	r.cancel(nil)
	return errors.Join(failure, err, r.program.master.Close(), stopSystem(r.sys))
}
