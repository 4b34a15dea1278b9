package journals_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/cmd/troupe/internal/journals"
	"github.com/troupe-go/troupe/cmd/troupe/internal/journals/places"
	"github.com/troupe-go/troupe/journal"
)

var begin = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// write returns a write of events at whatever version the stream has.
func write(stream, codec string, data ...string) *journal.Write {
	w := &journal.Write{Stream: stream, Expected: journal.AnyVersion, Time: begin}
	for _, d := range data {
		w.Events = append(w.Events, journal.Encoded{Type: "noted", Schema: 1, Codec: codec, Data: []byte(d)})
	}
	return w
}

func store(t *testing.T, s journal.Store, writes ...*journal.Write) {
	t.Helper()
	if err := s.Append(context.Background(), writes); err != nil {
		t.Fatal(err)
	}
	for _, w := range writes {
		if w.Err != nil {
			t.Fatal(w.Err)
		}
	}
}

// sample makes a journal in a file with every kind of thing, and returns its path.
func sample(t *testing.T) string {
	t.Helper()
	return sampleAt(t, places.Place{})
}

// sampleAt makes such a journal somewhere.
func sampleAt(t *testing.T, p places.Place) string {
	t.Helper()
	target := p.New(t)
	s := p.Open(t, target)
	once := write("account/1", "json", `{"a": "<b>\u2028"}  `, `[1 , 2]`)
	once.Once, once.Fence = "c1", 7
	fenced := write("fenced", "json")
	fenced.Fence = 3
	last := write("account/1", "json", `null`)
	last.Fence = 7
	store(t, s, write("account/1", "json", `{"n":1}`), write("a\xff\x00", "raw", "\xfe\xff", ""), once, fenced,
		write("account/2", "cbor", "\xa1\x61n\x02"), last)
	snapshot := journal.Snapshot{Stream: "account/1", Version: 3, Encoded: journal.Encoded{Type: "state", Schema: 2, Codec: "json", Data: []byte(`{"n": 3}`)}}
	if err := errors.Join(s.SaveSnapshot(t.Context(), snapshot), s.Close()); err != nil {
		t.Fatal(err)
	}
	return target
}

// thin makes a journal somewhere with a stream that was trimmed and one that was erased, and
// returns where.
func thin(t *testing.T, p places.Place) string {
	t.Helper()
	path := sampleAt(t, p)
	s := p.Open(t, path)
	_, erase := s.Erase(t.Context(), "account/2", begin)
	n, trim := s.Trim(t.Context(), "account/1", journal.Retention{})
	if err := errors.Join(erase, trim, s.Close()); err != nil || n != 2 {
		t.Fatalf("%d events are trimmed, want 2 (%v)", n, err)
	}
	return path
}

// reading opens a journal to read it.
func reading(t *testing.T, path string) journals.Store {
	t.Helper()
	s, err := journals.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// wants fails unless err has all the texts.
func wants(t *testing.T, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got the error %v, want one with %q", err, text)
		}
	}
}
