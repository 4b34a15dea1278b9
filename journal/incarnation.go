package journal

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"
)

// incarnation is the actor: from the reading of its state to its end.
type incarnation[M, E any] struct {
	cfg   *Config[M, E]
	self  *Self
	value Behaviour[M, E]

	fence    uint64
	snapshot uint64 // The version of the last one.
	replayed uint64 // How many events were applied in recover.
	lives    *living
	busy     atomic.Bool
	spoiled  error // Why the incarnation has to end. Guarded by busy, and by the handler's turn.
}

// Started implements [actor.Starter].
func (in *incarnation[M, E]) Started(ctx *actor.Context[M]) error {
	if err := checkHooks[M](in.value); err != nil {
		return err
	}
	if err := in.recover(ctx); err != nil {
		return err
	}
	if s, ok := in.value.(Starter[M, E]); ok {
		return in.end(s.Started(&Context[M, E]{ctx, in}))
	}
	return nil
}

// Receive implements [actor.Actor].
func (in *incarnation[M, E]) Receive(ctx *actor.Context[M], m M) error {
	return in.end(in.value.Receive(&Context[M, E]{ctx, in}, m))
}

// Stopped implements [actor.Stopper].
func (in *incarnation[M, E]) Stopped(ctx *actor.Context[M], reason error) {
	if in.lives != nil {
		defer in.cfg.Journal.ends(in.lives)
	}
	if s, ok := in.value.(Stopper[M, E]); ok {
		s.Stopped(&Context[M, E]{ctx, in}, reason)
	}
}

// end returns what a handler returns: if the state may no longer be what is stored, the
// incarnation ends even if the handler goes on.
func (in *incarnation[M, E]) end(err error) error {
	switch {
	case in.spoiled == nil || errors.Is(err, in.spoiled):
		return err
	case err == nil || errors.Is(err, actor.ErrLateReply) || errors.Is(err, actor.ErrUnhandled):
		return in.spoiled
	default:
		return fmt.Errorf("%w (after %w)", err, in.spoiled)
	}
}

// persist stores and applies events. Without events it only asks whether the command
// was done.
func (in *incarnation[M, E]) persist(ctx *actor.Context[M], once string, events []E) error {
	if !in.busy.CompareAndSwap(false, true) {
		return ErrBusy
	}
	defer in.busy.Store(false)
	if in.spoiled != nil {
		return in.spoiled
	}
	if errors.Is(context.Cause(ctx), actor.ErrKilled) {
		return actor.ErrFenced
	}
	w := &Write{Stream: in.self.stream, Expected: in.self.version, Fence: in.fence, Once: once}
	for _, e := range events {
		encoded, err := in.cfg.Events.Encode(e)
		if err != nil {
			return fmt.Errorf("stream %q: %w", w.Stream, err)
		}
		w.Events = append(w.Events, encoded)
	}
	if err := in.cfg.Journal.check(w); err != nil {
		return err
	}
	if begun, err := in.cfg.Journal.append(ctx, w, schedulerOf(ctx.System())); err != nil {
		if begun && !errors.Is(err, ErrDone) {
			in.spoiled = err
		}
		return err
	}
	for _, e := range events {
		in.self.version++
		in.value.Apply(e)
	}
	in.lives.version.Store(in.self.version)
	in.maybeSnapshot(ctx)
	in.lives.snapshot.Store(in.snapshot)
	return nil
}
