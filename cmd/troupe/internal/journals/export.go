package journals

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/troupe-go/troupe/journal"
)

// Export writes a journal as lines of JSON, as it stood at the last event. A program may
// go on writing to it. Memory grows with the number of streams. A journal with a gap is
// not exported.
func Export(ctx context.Context, s Store, w io.Writer) (t Totals, err error) {
	buffered := bufio.NewWriter(w)
	out := json.NewEncoder(buffered)
	out.SetEscapeHTML(false)
	if err := out.Encode(line{Head: &head{Format}}); err != nil {
		return t, err
	}
	versions := map[string]uint64{}
	for r, err := range s.Feed(ctx, 0, journal.Filter{}) {
		if err != nil {
			return t, err
		}
		if versions[r.Stream] == 0 && r.Version > 1 {
			info, err := Find(ctx, s, r.Stream)
			if err != nil {
				return t, err
			}
			if info.Trimmed == r.Version-1 {
				versions[r.Stream] = info.Trimmed
				if err := out.Encode(line{Trimmed: &trimmed{text(r.Stream), info.Trimmed}}); err != nil {
					return t, err
				}
			}
		}
		if next := versions[r.Stream] + 1; r.Version != next {
			return t, fmt.Errorf("%w: stream %q has version %d after %d; troupe journal verify names all faults; if events were removed meanwhile, export once more", journal.ErrGap, r.Stream, r.Version, next-1)
		}
		versions[r.Stream] = r.Version
		if err := out.Encode(line{Event: eventOf(r)}); err != nil {
			return t, err
		}
		t.Events++
	}
	for info, err := range s.Streams(ctx, "", "") {
		if err == nil && info.Fence > 0 {
			t.Fences++
			err = out.Encode(line{Fence: &fence{text(info.Name), info.Fence}})
		}
		if err != nil {
			return t, err
		}
	}
	for info, err := range s.Streams(ctx, "", "") {
		if err == nil && info.Snapshot > 0 {
			err = exportSnapshot(ctx, s, info.Name, versions[info.Name], out, &t)
		}
		if err != nil {
			return t, err
		}
	}
	if err := out.Encode(line{End: &t}); err != nil {
		return t, err
	}
	return t, buffered.Flush()
}

// exportSnapshot writes the snapshot of a stream, unless it is newer than the events that
// were exported: the program goes on.
func exportSnapshot(ctx context.Context, s Store, name string, version uint64, out *json.Encoder, t *Totals) error {
	stored, err := s.LoadSnapshot(ctx, name)
	if err != nil || stored.Version == 0 || stored.Version > version {
		return err
	}
	t.Snapshots++
	return out.Encode(line{Snapshot: &snapshot{text(name), stored.Version, encodedOf(stored.Encoded)}})
}
