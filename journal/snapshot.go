package journal

import (
	"context"
	"fmt"
	"reflect"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
)

// Snapshotter is implemented by a Behaviour whose state is stored from time to time as a
// value of type S, so that an incarnation need not read all events.
type Snapshotter[S any] interface {
	// Snapshot returns the state. The value must not change later.
	Snapshot() (S, error)
	// Restore sets the state. It is called once, before Apply.
	Restore(state S) error
}

// Snapshots says how the state of a kind is stored; see SnapshotOf.
type Snapshots struct {
	name    string
	version int
	codec   Codec
	typ     reflect.Type
	take    func(value any) (any, error)
	restore func(value any, c Codec, data []byte) error
	err     error
}

// SnapshotOf has the state stored as a value of type S, under a name and a version of
// its layout, from 1. When S changes, raise the version: snapshots of another version are
// left alone, and the state is made from all events. Behaviours must be a
// Snapshotter[S]. A snapshot is written as JSON; see [Snapshots.With].
func SnapshotOf[S any](name string, version int) Snapshots {
	s := Snapshots{name: name, version: version, codec: JSON, typ: reflect.TypeFor[S]()}
	if name == "" || version < 1 {
		s.err = fmt.Errorf("journal: a snapshot with the name %q and version %d; it needs a name and a version from 1", name, version)
	}
	s.take = func(value any) (any, error) {
		v, ok := value.(Snapshotter[S])
		if !ok {
			return nil, errNoSnapshotter[S](value)
		}
		return v.Snapshot()
	}
	s.restore = func(value any, c Codec, data []byte) error {
		v, ok := value.(Snapshotter[S])
		if !ok {
			return errNoSnapshotter[S](value)
		}
		var state S
		if err := c.Unmarshal(data, &state); err != nil {
			return err
		}
		return v.Restore(state)
	}
	return s
}

func errNoSnapshotter[S any](value any) error {
	return fmt.Errorf("%T is no %T; it needs the methods Snapshot and Restore", value, (*Snapshotter[S])(nil))
}

// With has snapshots written and read by the codec.
func (s Snapshots) With(c Codec) Snapshots {
	if c == nil {
		s.err = fmt.Errorf("journal: a nil Codec for the snapshot %q", s.name)
	}
	s.codec = c
	return s
}

func (s Snapshots) defined() bool { return s.take != nil }

// check returns what is wrong with the definition.
func (s Snapshots) check() error {
	if s.err != nil || !s.defined() {
		return s.err
	}
	if err := check(s.codec, s.typ); err != nil {
		return fmt.Errorf("journal: snapshot %q %w", s.name, err)
	}
	return nil
}

// encode returns the stored form of the value's state.
func (s Snapshots) encode(value any) (Encoded, error) {
	state, err := s.take(value)
	if err != nil {
		return Encoded{}, err
	}
	data, err := s.codec.Marshal(state)
	return Encoded{Type: s.name, Schema: s.version, Codec: s.codec.Name(), Data: data}, err
}

// fits reports whether the state can be restored from the snapshot. Another layout is no
// error, as all events are still there; another name means that the stream is another
// kind's.
func (s Snapshots) fits(stored Snapshot) (bool, error) {
	if stored.Type != s.name {
		return false, &EventError{stored.Stream, stored.Version, stored.Type, stored.Schema,
			fmt.Errorf("it is a snapshot of another type than %q; is the stream one of another kind?", s.name)}
	}
	return stored.Schema == s.version && stored.Codec == s.codec.Name(), nil
}

// maybeSnapshot stores the state if it is time. All its events are on disk by then.
func (in *incarnation[M, E]) maybeSnapshot(ctx *actor.Context[M]) {
	version := in.self.version
	if !in.cfg.Snapshots.defined() || version-in.snapshot < uint64(in.cfg.SnapshotEvery) {
		return
	}
	in.snapshot = version // Also if it fails: the next try comes as late.
	encoded, err := in.cfg.Snapshots.encode(in.value)
	if err == nil {
		err = offload(ctx, schedulerOf(ctx.System()), func(ctx context.Context) error {
			return in.cfg.Journal.store.SaveSnapshot(ctx, Snapshot{Stream: in.self.stream, Version: version, Encoded: encoded})
		})
	}
	if err != nil && in.cfg.OnSnapshotError != nil {
		in.cfg.OnSnapshotError(in.self.stream, fmt.Errorf("journal: snapshot of stream %q at version %d: %w", in.self.stream, version, err))
	}
}

// offload runs f on a goroutine of its own and waits for its end, without holding a
// worker: f waits for a disk or a network. A panic in f is an error.
func offload(ctx context.Context, s *workers.Scheduler, f func(ctx context.Context) error) error {
	if s.Simulated() {
		return f(ctx)
	}
	var w workers.Waiter
	w.Arm(ctx, s)
	defer w.Disarm()
	wake, ended := w, make(chan error, 1)
	go func() {
		err, returned := error(nil), false
		defer func() {
			if !returned {
				err = workers.NewPanicError(recover())
			}
			ended <- err
			wake.Wake(nil, workers.Own)
		}()
		err = f(ctx)
		returned = true
	}()
	for wait := context.WithoutCancel(ctx); ; w.Wait(wait) { // F ends soon when ctx does.
		select {
		case err := <-ended:
			return err
		default:
		}
	}
}
