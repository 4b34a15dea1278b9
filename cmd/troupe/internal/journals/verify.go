package journals

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/journal"
)

// Fault is something wrong with a journal.
type Fault struct {
	Stream  string `json:"stream,omitempty"`  // Empty for a fault of the whole journal.
	Version uint64 `json:"version,omitempty"` // Of the event or the snapshot, or 0.
	Text    string `json:"text"`
}

// String returns the fault in one line.
func (f Fault) String() string {
	switch {
	case f.Stream == "":
		return f.Text
	case f.Version == 0:
		return fmt.Sprintf("stream %q: %s", f.Stream, f.Text)
	}
	return fmt.Sprintf("stream %q, version %d: %s", f.Stream, f.Version, f.Text)
}

// Verdict is what Verify has read.
type Verdict struct {
	Streams   uint64            `json:"streams"`
	Events    uint64            `json:"events"`
	Snapshots uint64            `json:"snapshots"`
	Faults    uint64            `json:"faults"`
	Unchecked map[string]uint64 `json:"unchecked,omitempty"` // Events and snapshots by codec, if it is not known here.
}

// Verify reads a whole journal, and calls found for each fault. Its error means that it
// could not read on. A program may go on writing meanwhile.
func Verify(ctx context.Context, s Store, found func(Fault) error) (Verdict, error) {
	v := &verifier{ctx: ctx, store: s, found: found}
	err := v.all()
	return v.Verdict, err
}

type verifier struct {
	Verdict
	ctx   context.Context
	store Store
	found func(Fault) error
}

func (v *verifier) fault(stream string, version uint64, format string, args ...any) error {
	v.Faults++
	return v.found(Fault{stream, version, fmt.Sprintf(format, args...)})
}

func (v *verifier) all() error {
	if err := v.file(); err != nil {
		return err
	}
	for info, err := range v.store.Streams(v.ctx, "", "") {
		if ended := context.Cause(v.ctx); ended != nil {
			return ended
		}
		if err != nil {
			return v.fault("", 0, "the list of streams ends after %d: %v", v.Streams, err)
		}
		v.Streams++
		if err := v.stream(info); err != nil {
			return err
		}
	}
	return v.feed()
}

// file asks the database itself, if it can check its file.
func (v *verifier) file() error {
	checker, ok := v.store.(interface {
		Check(ctx context.Context) ([]string, error)
	})
	if !ok {
		return nil
	}
	texts, err := checker.Check(v.ctx)
	if ended := context.Cause(v.ctx); ended != nil {
		return ended
	}
	if err != nil {
		texts = append(texts, err.Error())
	}
	for _, text := range texts {
		if err := v.fault("", 0, "the file: %s", text); err != nil {
			return err
		}
	}
	return nil
}

// stream reads the events and the snapshot of a stream.
func (v *verifier) stream(info journal.StreamInfo) error {
	version, position := info.Trimmed, journal.Position(0)
	first := true
	var failed error
	for r, err := range v.store.Read(v.ctx, info.Name, 0) {
		if err != nil {
			failed = err
			break
		}
		if first && r.Version > version+1 { // Perhaps events were removed since.
			if info, err = Find(v.ctx, v.store, info.Name); err != nil {
				return err
			}
			version = info.Trimmed
		}
		first = false
		if r.Version != version+1 {
			if err := v.fault(info.Name, r.Version, "versions %d to %d are missing", version+1, r.Version-1); err != nil {
				return err
			}
		}
		if r.Position <= position {
			if err := v.fault(info.Name, r.Version, "it has position %d, and the event before has %d", r.Position, position); err != nil {
				return err
			}
		}
		version, position = r.Version, r.Position
		v.Events++
		if err := v.encoding(info.Name, r.Version, "the event", r.Encoded); err != nil {
			return err
		}
	}
	if err := context.Cause(v.ctx); err != nil {
		return err
	}
	if failed != nil {
		return v.fault(info.Name, 0, "what comes after version %d can't be read: %v", version, failed)
	}
	if err := v.end(info, version); err != nil {
		return err
	}
	return v.snapshot(info, version)
}

// end compares the last version with the one of the stream.
func (v *verifier) end(info journal.StreamInfo, last uint64) (err error) {
	if last > info.Version { // Perhaps it was written to meanwhile.
		if info, err = Find(v.ctx, v.store, info.Name); err != nil {
			return err
		}
	}
	if last < info.Version {
		return v.fault(info.Name, 0, "it has version %d, and its last event version %d: events are missing at the end", info.Version, last)
	}
	if last > info.Version {
		return v.fault(info.Name, 0, "it has version %d, and its last event version %d: the next write would be refused", info.Version, last)
	}
	return nil
}

func (v *verifier) snapshot(info journal.StreamInfo, last uint64) error {
	if info.Snapshot == 0 {
		return nil
	}
	stored, err := v.store.LoadSnapshot(v.ctx, info.Name)
	if ended := context.Cause(v.ctx); ended != nil {
		return ended
	}
	if err != nil {
		return v.fault(info.Name, info.Snapshot, "the snapshot can't be read: %v", err)
	}
	v.Snapshots++
	// A newer snapshot may have been stored since. The listed one was there before the
	// events were read.
	if info.Snapshot > last {
		return v.fault(info.Name, info.Snapshot, "the snapshot is ahead of the events, which end with version %d", last)
	}
	return v.encoding(info.Name, stored.Version, "the snapshot", stored.Encoded)
}

func (v *verifier) encoding(stream string, version uint64, what string, e journal.Encoded) error {
	known, err := checkEncoding(e)
	if !known {
		if v.Unchecked == nil {
			v.Unchecked = map[string]uint64{}
		}
		v.Unchecked[e.Codec]++
	}
	if err != nil {
		return v.fault(stream, version, "%s of type %q, schema %d, codec %q: %v", what, e.Type, e.Schema, e.Codec, err)
	}
	return nil
}

// feed reads the events once more, by their positions: the way of projections.
func (v *verifier) feed() error {
	n, last := uint64(0), journal.Position(0)
	for r, err := range v.store.Feed(v.ctx, 0, journal.Filter{}) {
		if ended := context.Cause(v.ctx); ended != nil {
			return ended
		}
		if err != nil {
			return v.fault("", 0, "the feed can't be read after position %d: %v", last, err)
		}
		if r.Position <= last {
			return v.fault(r.Stream, r.Version, "the feed has position %d after %d", r.Position, last)
		}
		n, last = n+1, r.Position
	}
	if n < v.Events { // More may have been written since.
		return v.fault("", 0, "the feed has %d events, and the streams have %d", n, v.Events)
	}
	return nil
}

// ErrFaulty is returned for a journal in which Verify has found faults.
var ErrFaulty = errors.New("the journal has faults")
