package terminal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

// The subjects: where an emulator's handlers run.
const (
	Thread = "thread" // An actor with a thread of its own.
	Actor  = "actor"  // An actor on the scheduler.
	Pool   = "pool"   // Tasks of a work pool; the tasks of one screen run in order.
)

// Subjects are all of them, and the Reader that they are compared with.
var Subjects = []string{Reader, Thread, Actor, Pool}

// emulator is a terminal emulator. Output goes by the Data lane and waits while
// that is full, keystrokes by Control.
type emulator interface {
	output(ctx context.Context, c *chunk) error
	key(ctx context.Context, key byte) error
}

// input is a message to an emulator: a chunk of output, or a keystroke.
type input struct {
	session *session
	chunk   *chunk
	key     byte
}

func (in input) take() error {
	if in.chunk == nil {
		return in.session.press(in.key)
	}
	in.session.feed(in.chunk)
	return nil
}

// newEmulators returns a function that makes emulators of a subject, in a system.
func newEmulators(sys *actor.System, subject string) (func(*session) (emulator, error), error) {
	switch subject {
	case Thread:
		return func(s *session) (emulator, error) { return newActor(sys, s, actor.OnOwnThread) }, nil
	case Actor:
		return func(s *session) (emulator, error) { return newActor(sys, s, actor.OnScheduler) }, nil
	case Pool:
		return newPool(sys)
	case Reader:
		return newPlain, nil
	}
	return nil, fmt.Errorf("terminal: unknown subject %q; there are %q", subject, Subjects)
}

// oneActor is an emulator that is an actor.
type oneActor struct {
	session       *session
	data, control actor.Ref[input]
}

func newActor(sys *actor.System, s *session, where actor.Backend) (emulator, error) {
	ref, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[input], in input) error { return in.take() }),
		actor.WithBackend(where), actor.WithName(fmt.Sprintf("terminal-%d", s.number)))
	return &oneActor{s, ref, ref.On(actor.Control)}, err
}

func (a *oneActor) output(ctx context.Context, c *chunk) error {
	return a.data.Send(ctx, input{session: a.session, chunk: c})
}

func (a *oneActor) key(ctx context.Context, key byte) error {
	return a.control.Send(ctx, input{session: a.session, key: key})
}

// pooled is an emulator whose work is done by a pool, which it shares with others.
type pooled struct {
	session *session
	data    *router.Pool[input, struct{}]
}

func newPool(sys *actor.System) (func(*session) (emulator, error), error) {
	pool, err := router.NewPool(sys, router.PoolConfig[input, struct{}]{
		Do: func(_ context.Context, in input) (struct{}, error) { return struct{}{}, in.take() },
		// A keystroke needs no screen, and tasks of one key are done in order whatever
		// their lanes: so it has a key of its own.
		Key: router.By(func(in input) (int, bool) {
			if in.chunk == nil {
				return 2*in.session.number + 1, true
			}
			return 2 * in.session.number, true
		}),
	})
	return func(s *session) (emulator, error) { return &pooled{s, pool}, nil }, err
}

func (p *pooled) output(ctx context.Context, c *chunk) error {
	return p.data.Send(ctx, input{session: p.session, chunk: c})
}

func (p *pooled) key(ctx context.Context, key byte) error {
	return p.data.On(actor.Control).Send(ctx, input{session: p.session, key: key})
}

// check returns an error unless there are subjects with these names.
func check(subjects []string) error {
	var errs []error
	for _, name := range subjects {
		if !slices.Contains(Subjects, name) {
			errs = append(errs, fmt.Errorf("unknown subject %q; there are %s, %s, %s and %s", name, Reader, Thread, Actor, Pool))
		}
	}
	return errors.Join(errs...)
}
