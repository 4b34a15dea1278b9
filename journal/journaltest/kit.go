package journaltest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/troupe-go/troupe/journal"
)

var begin = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// event returns an encoded event with some text.
func event(text string) journal.Encoded {
	return journal.Encoded{Type: "said", Schema: 1, Codec: "text", Data: []byte(text)}
}

// write returns a write of events with the given texts.
func write(stream string, expected uint64, texts ...string) *journal.Write {
	w := &journal.Write{Stream: stream, Expected: expected, Time: begin}
	for _, text := range texts {
		w.Events = append(w.Events, event(text))
	}
	return w
}

// try appends the batch, which must be accepted as a whole, and returns the first write.
func (k *kit) try(batch ...*journal.Write) *journal.Write {
	k.Helper()
	if err := k.s.Append(k.ctx, batch); err != nil {
		k.Fatalf("Append of %d writes: %v", len(batch), err)
	}
	return batch[0]
}

// append appends the batch. No write of it may be refused.
func (k *kit) append(batch ...*journal.Write) {
	k.Helper()
	k.try(batch...)
	for i, w := range batch {
		if w.Err != nil {
			k.Fatalf("write %d of %d is refused: %v", i, len(batch), w.Err)
		}
	}
}

// refused fails unless Append returns an error, or panics not, and stores nothing.
func (k *kit) refused(batch ...*journal.Write) {
	k.Helper()
	if err := k.s.Append(k.ctx, batch); err == nil || errors.Is(err, journal.ErrUnknownOutcome) {
		k.Errorf("Append returns %v, want an error that says what is wrong", err)
	}
}

// records returns the events of a stream.
func (k *kit) records(stream string, after uint64) (records []journal.Record) {
	k.Helper()
	for r, err := range k.s.Read(k.ctx, stream, after) {
		if err != nil {
			k.Fatalf("Read of %q after %d: %v", stream, after, err)
		}
		records = append(records, r)
	}
	return records
}

// feed returns the events of all streams.
func (k *kit) feed(after journal.Position, f journal.Filter) (records []journal.Record) {
	k.Helper()
	for r, err := range k.s.Feed(k.ctx, after, f) {
		if err != nil {
			k.Fatalf("Feed after %d: %v", after, err)
		}
		records = append(records, r)
	}
	return records
}

func texts(records []journal.Record) []string {
	list := []string{}
	for _, r := range records {
		list = append(list, string(r.Data))
	}
	return list
}

// has fails unless the stream has exactly the texts, with versions from 1.
func (k *kit) has(stream string, want ...string) {
	k.Helper()
	records := k.records(stream, 0)
	if got := texts(records); !slices.Equal(got, append([]string{}, want...)) {
		k.Errorf("stream %q has %q, want %q", stream, got, want)
	}
	for i, r := range records {
		if r.Version != uint64(i+1) || r.Stream != stream {
			k.Errorf("event %d of stream %q has stream %q and version %d", i+1, stream, r.Stream, r.Version)
		}
	}
}

// version fails unless the write says that its stream has the version.
func (k *kit) version(w *journal.Write, want uint64) {
	k.Helper()
	if w.Err != nil || w.Version != want {
		k.Errorf("the write has the version %d and the error %v, want %d", w.Version, w.Err, want)
	}
}

// conflict fails unless the write is refused, since the stream has the version.
func (k *kit) conflict(w *journal.Write, actual uint64) {
	k.Helper()
	var c *journal.ConflictError
	if !errors.As(w.Err, &c) || *c != (journal.ConflictError{Stream: w.Stream, Expected: w.Expected, Actual: actual}) {
		k.Errorf("the write has the error %v, want a conflict of version %d with %d", w.Err, w.Expected, actual)
	}
}

// fenced fails unless the write is refused by its fence.
func (k *kit) fenced(w *journal.Write, highest uint64) {
	k.Helper()
	var f *journal.FencedError
	if !errors.As(w.Err, &f) || *f != (journal.FencedError{Stream: w.Stream, Fence: w.Fence, Highest: highest}) {
		k.Errorf("the write has the error %v, want that the fence %d is below %d", w.Err, w.Fence, highest)
	}
}

// done fails unless the write is refused since its command was done.
func (k *kit) done(w *journal.Write) {
	k.Helper()
	if !errors.Is(w.Err, journal.ErrDone) {
		k.Errorf("the write has the error %v, want ErrDone", w.Err)
	}
}

// everyByte has each value of a byte.
func everyByte() []byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}

func sameEncoded(a, b journal.Encoded) bool {
	return a.Type == b.Type && a.Schema == b.Schema && a.Codec == b.Codec && bytes.Equal(a.Data, b.Data)
}

func numbered(prefix string, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("%s%d", prefix, i))
	}
	return list
}
