package journal

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Run handles events until ctx ends, and returns its cause, or until something fails. It
// is for a goroutine; an actor runs Process.
func (p *Projection[E]) Run(ctx context.Context) error {
	for {
		before := p.cfg.Journal.commits()
		_, err := p.CatchUp(ctx)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if err != nil {
			return err
		}
		more := make(chan struct{})
		w := p.cfg.Journal.watchCommits(ctx, before, func(context.Context) { close(more) })
		poll := time.NewTimer(p.cfg.Poll)
		select {
		case <-more:
		case <-poll.C:
		case <-ctx.Done():
		}
		poll.Stop()
		p.cfg.Journal.unwatch(w)
	}
}

// Process is the body of an actor that runs the projection, for [actor.NewProcess] and a
// supervisor, which begins it again when something fails. It holds no worker while it
// reads or waits. A message has it look for events at once.
func (p *Projection[E]) Process(proc *actor.Process[struct{}]) error {
	self := proc.Self()
	var w *watcher
	defer func() { p.cfg.Journal.unwatch(w) }()
	for wait := time.Duration(0); ; wait = p.cfg.Poll {
		_, err := proc.ReceiveWithin(wait, nil)
		switch {
		case errors.Is(err, actor.ErrStopped):
			return nil
		case err != nil && !errors.Is(err, actor.ErrNoMessage):
			return err
		}
		p.cfg.Journal.unwatch(w)
		before := p.cfg.Journal.commits()
		step := func(ctx context.Context) error { _, err := p.CatchUp(ctx); return err }
		if err := offload(proc, schedulerOf(proc.System()), step); err != nil {
			return err
		}
		w = p.cfg.Journal.watchCommits(proc, before, func(ctx context.Context) {
			_ = self.TrySend(ctx, struct{}{}) // If its lane is full, it looks anyway.
		})
	}
}

// watcher has a function that is called after the next commit.
type watcher struct{ told func(ctx context.Context) }

func (j *Journal) commits() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.stats.Commits + j.beside
}

// watchCommits has told called after the next commit, or at once if there were more than
// before.
func (j *Journal) watchCommits(ctx context.Context, before uint64, told func(ctx context.Context)) *watcher {
	w := &watcher{told}
	j.mu.Lock()
	late := j.stats.Commits+j.beside != before
	if !late {
		j.watch = append(j.watch, w)
	}
	j.mu.Unlock()
	if late {
		told(ctx)
	}
	return w
}

func (j *Journal) unwatch(w *watcher) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.watch = slices.DeleteFunc(j.watch, func(other *watcher) bool { return other == w })
}
