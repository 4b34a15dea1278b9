package demo

import (
	"errors"

	"github.com/troupe-go/troupe/actor"
)

// walker sends every file below the directory to the feeders, and waits while they are all busy.
type walker struct {
	tree      tree
	feeders   []actor.Ref[file]
	collector actor.Ref[toCollector]
	sent      int
	next      int // The feeder whose turn it is.
}

// Receive walks the whole tree.
func (w *walker) Receive(ctx *actor.Context[start], _ start) error {
	err := w.tree.walk(func(path string) error {
		return w.send(ctx, path)
	}, func(why Reason) error {
		return w.collector.Send(ctx, outcome{why: why})
	})
	if err == nil {
		err = w.collector.Send(ctx, walked{w.sent})
	}
	return ignoreStop(ctx, err)
}

// send gives a file to the first feeder with room for it, in turn. When none has, it waits for the one whose turn it
// is.
func (w *walker) send(ctx *actor.Context[start], path string) error {
	m := file{uint32(w.sent), path}
	w.sent++
	for range w.feeders {
		err := w.turn().TrySend(ctx, m)
		if !errors.Is(err, actor.ErrFull) {
			return err
		}
	}
	return w.turn().Send(ctx, m)
}

func (w *walker) turn() actor.Ref[file] {
	w.next = (w.next + 1) % len(w.feeders)
	return w.feeders[w.next]
}

// surveyor counts the files ahead of the walker, which gets on only as fast as they are indexed.
type surveyor struct {
	tree      tree
	collector actor.Ref[toCollector]
}

// Receive walks the whole tree and opens nothing.
func (s *surveyor) Receive(ctx *actor.Context[start], _ start) error {
	files := 0
	err := s.tree.walk(func(string) error {
		files++
		return ctx.Checkpoint()
	}, func(Reason) error { return nil })
	if err == nil {
		err = s.collector.Send(ctx, surveyed{files})
	}
	return ignoreStop(ctx, err)
}
