package journals

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/troupe-go/troupe/journal"
)

// The limits of one commit of a restore.
const (
	commitWrites = 512
	commitBytes  = 4 << 20
)

// maxLine is how many bytes a line may have: JSON takes up to six for a byte.
const maxLine = 6*journal.MaxEvent + 1<<20

// Restore writes an export to a new or empty journal. The whole export is read and checked
// before the first write. Positions are new: projections that have handled events must
// start over. After an error that comes while it writes, the journal is not whole.
func Restore(ctx context.Context, target string, export io.ReadSeeker) (t Totals, err error) {
	check := &restorer{ctx: ctx, versions: map[string]uint64{}}
	if err := check.read(export); err != nil {
		return t, err
	}
	if _, err := export.Seek(0, io.SeekStart); err != nil {
		return t, err
	}
	s, err := openEmpty(ctx, target)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	r := &restorer{ctx: ctx, store: s, versions: map[string]uint64{}}
	if err := r.read(export); err != nil {
		return r.totals, fmt.Errorf("%w; the journal %s is not whole: delete it, and restore once more", err, Redacted(target))
	}
	return r.totals, nil
}

// restorer takes the lines of an export. Without a store it only checks them.
type restorer struct {
	ctx      context.Context
	store    Store
	versions map[string]uint64
	totals   Totals
	begun    bool
	ended    bool
	batch    []*journal.Write
	bytes    int
}

func (r *restorer) read(export io.Reader) error {
	lines := bufio.NewScanner(export)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	n := 0
	for lines.Scan() {
		n++
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		if err := r.line(lines.Bytes()); err != nil {
			return fmt.Errorf("line %d of the export: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d of the export: %w", n+1, err)
	}
	if !r.ended {
		return fmt.Errorf("the export ends after line %d, without its end: it is not whole", n)
	}
	return nil
}

func (r *restorer) line(data []byte) error {
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	var l line
	if err := in.Decode(&l); err != nil {
		return fmt.Errorf("it is no line of an export: %w", err)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one value")
	}
	if !r.begun && l.Head == nil {
		return errors.New("it does not begin as an export does; troupe journal export writes one")
	}
	switch {
	case r.ended:
		return errors.New("it comes after the end")
	case l.Head != nil && r.begun:
		return errors.New("it is the head of a second export")
	case l.Head != nil:
		return r.head(*l.Head)
	case l.Trimmed != nil:
		return r.trimmed(*l.Trimmed)
	case l.Event != nil:
		return r.event(*l.Event)
	case l.Fence != nil:
		return r.fence(*l.Fence)
	case l.Snapshot != nil:
		return r.snapshot(*l.Snapshot)
	case l.End != nil:
		return r.end(*l.End)
	}
	return errors.New("it is empty")
}

func (r *restorer) head(h head) error {
	if r.begun = true; h.Format != Format {
		return fmt.Errorf("the export has format %d, and this program reads format %d", h.Format, Format)
	}
	return nil
}

func (r *restorer) trimmed(t trimmed) error {
	stream := string(t.Stream)
	if r.versions[stream] > 0 || t.Events == 0 {
		return fmt.Errorf("stream %q has version %d, and %d events before were removed", stream, r.versions[stream], t.Events)
	}
	if err := journal.CheckStream(stream); err != nil {
		return err
	}
	r.versions[stream] = t.Events
	if err := r.commit(); err != nil || r.store == nil {
		return err
	}
	return r.store.Begin(r.ctx, stream, t.Events)
}

func (r *restorer) event(e event) error {
	stream := string(e.Stream)
	if err := journal.CheckStream(stream); err != nil {
		return err
	}
	version := r.versions[stream]
	switch {
	case e.Version != version+1:
		return fmt.Errorf("stream %q has version %d after %d", stream, e.Version, version)
	case len(e.Data) > journal.MaxEvent:
		return fmt.Errorf("the event has %d bytes; the limit is %d", len(e.Data), journal.MaxEvent)
	case len(e.Once) > journal.MaxOnce:
		return fmt.Errorf("the command id has %d bytes; the limit is %d", len(e.Once), journal.MaxOnce)
	}
	r.versions[stream] = e.Version
	r.totals.Events++
	w := &journal.Write{Stream: stream, Expected: version, Once: string(e.Once), Time: e.Time, Events: []journal.Encoded{e.stored()}}
	r.batch = append(r.batch, w)
	if r.bytes += len(e.Data); len(r.batch) >= commitWrites || r.bytes >= commitBytes {
		return r.commit()
	}
	return nil
}

func (r *restorer) fence(f fence) error {
	if f.Fence == 0 || f.Fence > journal.MaxFence {
		return fmt.Errorf("stream %q has the fence %d; they are from 1 to %d", f.Stream, f.Fence, journal.MaxFence)
	}
	if err := journal.CheckStream(string(f.Stream)); err != nil {
		return err
	}
	r.totals.Fences++
	r.batch = append(r.batch, &journal.Write{Stream: string(f.Stream), Expected: journal.AnyVersion, Fence: f.Fence})
	if len(r.batch) >= commitWrites {
		return r.commit()
	}
	return nil
}

func (r *restorer) snapshot(s snapshot) error {
	stream := string(s.Stream)
	if s.Version == 0 || s.Version > r.versions[stream] {
		return fmt.Errorf("%w: stream %q has version %d, the snapshot %d", journal.ErrSnapshotAhead, stream, r.versions[stream], s.Version)
	}
	r.totals.Snapshots++
	if err := r.commit(); err != nil || r.store == nil {
		return err
	}
	return r.store.SaveSnapshot(r.ctx, journal.Snapshot{Stream: stream, Version: s.Version, Encoded: s.stored()})
}

func (r *restorer) end(t Totals) error {
	if r.ended = true; t != r.totals {
		return fmt.Errorf("the export has %+v, and should have %+v: lines are missing or too many", r.totals, t)
	}
	return r.commit()
}

// commit stores what was gathered.
func (r *restorer) commit() error {
	batch := r.batch
	r.batch, r.bytes = nil, 0
	if len(batch) == 0 || r.store == nil {
		return nil
	}
	if err := r.store.Append(r.ctx, batch); err != nil {
		return err
	}
	for _, w := range batch {
		if w.Err != nil {
			return fmt.Errorf("stream %q, after version %d: %w", w.Stream, w.Expected, w.Err)
		}
	}
	return nil
}
