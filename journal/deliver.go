package journal

import (
	"context"
	"errors"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Run delivers until ctx ends, and returns its cause, or until the store fails or an event
// is not known. It is for a goroutine; an actor runs Process.
func (o *Outbox[E]) Run(ctx context.Context) error {
	j := o.cfg.Journal
	for {
		before := j.commits()
		pause, err := o.deliverAll(ctx)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if err != nil {
			return err
		}
		more := make(chan struct{})
		var w *watcher
		if pause == 0 { // A pause is not cut short by commits.
			w = j.watchCommits(ctx, before, func(context.Context) { close(more) })
			pause = o.reader.cfg.Poll
		}
		timer := time.NewTimer(pause)
		select {
		case <-more:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		j.unwatch(w)
	}
}

// Process is the body of an actor that runs the outbox, for [actor.NewProcess] and a
// supervisor, which begins it again when the store fails. It holds no worker while it reads,
// delivers or waits. A stop waits for the delivery that is under way. A message has it
// deliver at once, after a failure, too.
func (o *Outbox[E]) Process(proc *actor.Process[struct{}]) error {
	j, self := o.cfg.Journal, proc.Self()
	var w *watcher
	defer func() { j.unwatch(w) }()
	for wait := time.Duration(0); ; {
		_, err := proc.ReceiveWithin(wait, nil)
		switch {
		case errors.Is(err, actor.ErrStopped):
			return nil
		case err != nil && !errors.Is(err, actor.ErrNoMessage):
			return err
		}
		j.unwatch(w)
		w = nil
		before := j.commits()
		var pause time.Duration
		step := func(ctx context.Context) (err error) { pause, err = o.deliverAll(ctx); return err }
		if err := offload(proc, schedulerOf(proc.System()), step); err != nil {
			return err
		}
		if wait = pause; pause == 0 {
			wait = o.reader.cfg.Poll
			w = j.watchCommits(proc, before, func(ctx context.Context) {
				_ = self.TrySend(ctx, struct{}{}) // If its lane is full, it looks anyway.
			})
		}
	}
}
