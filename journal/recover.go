package journal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// recover makes the state from what is stored.
func (in *incarnation[M, E]) recover(ctx *actor.Context[M]) error {
	if err := in.takeFence(ctx); err != nil {
		return err
	}
	in.self.replaying = true
	defer func() { in.self.replaying = false }()
	begin := time.Now()
	if err := offload(ctx, schedulerOf(ctx.System()), in.read); err != nil {
		return err
	}
	in.lives = &living{Living: Living{System: ctx.System(), PID: ctx.Self().PID(), Stream: in.self.stream, Replayed: in.replayed, Recovery: time.Since(begin)}}
	in.lives.version.Store(in.self.version)
	in.lives.snapshot.Store(in.snapshot)
	in.cfg.Journal.begins(in.lives)
	return nil
}

// takeFence has the store refuse earlier owners from now on, so that what is read next
// stays the truth.
func (in *incarnation[M, E]) takeFence(ctx *actor.Context[M]) (err error) {
	if in.cfg.Fence == nil {
		return nil
	}
	if in.fence, err = in.cfg.Fence(in.self.id); err != nil {
		return fmt.Errorf("journal: the fence of stream %q: %w", in.self.stream, err)
	}
	w := &Write{Stream: in.self.stream, Expected: AnyVersion, Fence: in.fence}
	if err := in.cfg.Journal.check(w); err != nil {
		return err
	}
	_, err = in.cfg.Journal.append(ctx, w, schedulerOf(ctx.System()))
	return err
}

// read restores the snapshot, if there is one, and applies the events after it.
func (in *incarnation[M, E]) read(ctx context.Context) error {
	if err := CheckStream(in.self.stream); err != nil {
		return err
	}
	err := in.restore(ctx)
	if err != nil {
		return fmt.Errorf("journal: read the snapshot of stream %q: %w", in.self.stream, err)
	}
	// The event that the snapshot ends with is read, too: it has to be there.
	after := in.snapshot
	if after > 0 {
		after--
	}
	next := after
	for r, err := range in.cfg.Journal.store.Read(ctx, in.self.stream, after) {
		if err != nil {
			return fmt.Errorf("journal: read stream %q after version %d: %w", in.self.stream, next, err)
		}
		if next, err = in.follow(r, next, next == after); err != nil {
			return err
		}
		if r.Version <= in.snapshot {
			continue
		}
		in.self.version = r.Version
		if r.Type == ErasedType {
			continue
		}
		event, err := in.cfg.Events.Decode(r)
		if err != nil {
			return err
		}
		in.value.Apply(event)
		in.replayed++
	}
	if next < in.snapshot {
		return fmt.Errorf("%w: stream %q has a snapshot of version %d and no such event; delete the snapshot, or restore the events from a backup",
			ErrSnapshotAhead, in.self.stream, in.snapshot)
	}
	return nil
}

// follow returns the version of an event that was read after another one, or as the first
// one.
func (in *incarnation[M, E]) follow(r Record, last uint64, first bool) (uint64, error) {
	switch {
	case r.Type == ErasedType && first && (in.snapshot == 0 || in.snapshot == r.Version):
		return r.Version, nil // The events before it are gone, and the state is as new.
	case r.Type == ErasedType:
		return 0, fmt.Errorf("%w: stream %q was erased while it was read; begin again", ErrGap, r.Stream)
	case r.Version != last+1 && first && in.snapshot == 0:
		return 0, fmt.Errorf("%w: stream %q begins with version %d, and this program has no snapshot that stands for the events before; "+
			"if they were trimmed, run a program with the snapshot's layout; otherwise restore them from a backup", ErrGap, r.Stream, r.Version)
	case r.Version != last+1:
		return 0, fmt.Errorf("%w: stream %q has version %d after %d", ErrGap, r.Stream, r.Version, last)
	}
	return r.Version, nil
}

// restore sets the state from the stored snapshot, if that is of the present layout.
func (in *incarnation[M, E]) restore(ctx context.Context) error {
	s := in.cfg.Snapshots
	if !s.defined() {
		return nil
	}
	stored, err := in.cfg.Journal.store.LoadSnapshot(ctx, in.self.stream)
	if err != nil || stored.Version == 0 {
		return err
	}
	if fits, err := s.fits(stored); err != nil || !fits {
		return err
	}
	if err := s.restore(in.value, s.codec, stored.Data); err != nil {
		return &EventError{stored.Stream, stored.Version, stored.Type, stored.Schema,
			errors.Join(err, errors.New("delete the snapshot, or raise the version in SnapshotOf"))}
	}
	in.snapshot, in.self.version = stored.Version, stored.Version
	return nil
}
