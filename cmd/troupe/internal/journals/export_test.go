package journals_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/cmd/troupe/internal/journals"
	"github.com/troupe-go/troupe/cmd/troupe/internal/journals/places"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
)

func export(t *testing.T, s journals.Store) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := journals.Export(t.Context(), s, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A restored journal has each byte of the events, the snapshots and the fences, and knows
// the commands that were done.
// It may be in another kind of store.
func TestExportAndRestore(t *testing.T) {
	places.Each(t, func(t *testing.T, p places.Place) {
		exportAndRestore(t, reading(t, sampleAt(t, p)), p)
	})
	places.Each(t, func(t *testing.T, p places.Place) {
		exportAndRestore(t, reading(t, sample(t)), p)
	})
}

func exportAndRestore(t *testing.T, from journals.Store, p places.Place) {
	t.Helper()
	first := export(t, from)
	path := p.New(t)
	totals, err := journals.Restore(t.Context(), path, strings.NewReader(first))
	if want := (journals.Totals{Events: 7, Fences: 2, Snapshots: 1}); err != nil || totals != want {
		t.Fatalf("restored %+v (%v), want %+v", totals, err, want)
	}
	if !strings.Contains(first, `<b>`) {
		t.Errorf("the export hides what it need not:\n%s", first)
	}
	to := reading(t, path)
	if second := export(t, to); second != first {
		t.Errorf("the export of what was restored is\n%s, want\n%s", second, first)
	}
	var got []journal.Record
	for r, err := range to.Feed(t.Context(), 0, journal.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	for want, err := range from.Feed(t.Context(), 0, journal.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 {
			t.Fatalf("there is no event like %+v", want)
		}
		r := got[0]
		if got = got[1:]; r.Stream != want.Stream || r.Version != want.Version || r.Once != want.Once || !r.Time.Equal(want.Time) ||
			r.Type != want.Type || r.Schema != want.Schema || r.Codec != want.Codec || !bytes.Equal(r.Data, want.Data) {
			t.Errorf("restored is %+v, want %+v", r, want)
		}
	}
	s := p.Open(t, path)
	again, old := write("account/1", "json", "1"), write("fenced", "json", "1")
	again.Once, again.Fence, old.Fence = "c1", 7, 2
	var fenced *journal.FencedError
	err = s.Append(t.Context(), []*journal.Write{again, old})
	if err != nil || !errors.Is(again.Err, journal.ErrDone) || !errors.As(old.Err, &fenced) {
		t.Errorf("a command that was done returns %v, an old fence %v (%v)", again.Err, old.Err, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Several commits, of many events and of large ones, are one journal.
func TestRestoreMany(t *testing.T) {
	from := memory.New()
	for range 3 {
		store(t, from, write("large", "raw", strings.Repeat("\xff", 3<<20)))
	}
	for range 1200 {
		store(t, from, write("small", "json", "1"))
	}
	path := filepath.Join(t.TempDir(), "restored.db")
	first := export(t, from)
	if _, err := journals.Restore(t.Context(), path, strings.NewReader(first)); err != nil {
		t.Fatal(err)
	}
	if export(t, reading(t, path)) != first {
		t.Error("the export of what was restored is another one")
	}
}

func TestRestoreRefuses(t *testing.T) {
	whole := export(t, reading(t, sample(t)))
	lines := strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")
	last := len(lines) - 1
	for name, c := range map[string]struct{ text, want string }{
		"nothing":          {"", "without its end"},
		"no end":           {strings.Join(lines[:last], ""), "without its end"},
		"half a line":      {whole[:len(whole)/2], "line"},
		"a line less":      {strings.Join(append(append([]string{}, lines[:last-1]...), lines[last]), ""), "missing or too many"},
		"no head":          {strings.Join(lines[1:], ""), "does not begin as an export does"},
		"two heads":        {lines[0] + whole, "second export"},
		"more":             {whole + lines[1], "after the end"},
		"a gap":            {lines[0] + strings.Join(lines[2:], ""), "after 0"},
		"a later format":   {strings.Replace(whole, `"format":1`, `"format":2`, 1), "format 2"},
		"another file":     {"{\"songs\": []}\n", "no line of an export"},
		"no JSON":          {"SQLite format 3\x00", "no line of an export"},
		"an empty object":  {lines[0] + "{}\n", "it is empty"},
		"two values":       {lines[0] + "{} {}\n", "more than one value"},
		"snapshot ahead":   {lines[0] + `{"snapshot":{"stream":"s","version":1,"type":"t","schema":1,"codec":"json","data":"1"}}`, "ahead of the events"},
		"a fence of 0":     {lines[0] + `{"fence":{"stream":"s","fence":0}}`, "the fence 0"},
		"no stream":        {lines[0] + `{"event":{"stream":"","version":1}}`, "stream name of 0 bytes"},
		"neither text":     {lines[0] + `{"event":{"stream":{"hex":"00"},"version":1}}`, "base64"},
		"a huge fence":     {lines[0] + `{"fence":{"stream":"s","fence":18446744073709551615}}`, "they are from 1 to"},
		"a long command":   {lines[0] + `{"event":{"stream":"s","version":1,"once":"` + strings.Repeat("x", journal.MaxOnce+1) + `"}}`, "command id"},
		"null for a text":  {lines[0] + `{"event":{"stream":null,"version":1}}`, "base64"},
		"a negative event": {lines[0] + `{"event":{"stream":"s","version":-1}}`, "no line of an export"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "restored.db")
			_, err := journals.Restore(t.Context(), path, strings.NewReader(c.text))
			wants(t, err, c.want)
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("an export that is refused leaves a file (%v)", err)
			}
		})
	}
}

// A journal that has a stream is left as it is.
func TestRestoreIntoAJournal(t *testing.T) {
	path := sample(t)
	text := export(t, reading(t, path))
	_, err := journals.Restore(t.Context(), path, strings.NewReader(text))
	wants(t, err, path, "has streams", "empty journal alone")
	if after := export(t, reading(t, path)); after != text {
		t.Errorf("the journal is now\n%s, want\n%s", after, text)
	}
}

// A journal with a gap is not exported as if it were whole.
func TestExportOfAGap(t *testing.T) {
	path := sample(t)
	places.Place{}.Edit(t, path, "DELETE FROM journal_events WHERE version = 2 AND codec = 'json'")
	places.Place{}.Edit(t, path, "DELETE FROM journal_events WHERE position = 1")
	var out bytes.Buffer
	_, err := journals.Export(t.Context(), reading(t, path), &out)
	if !errors.Is(err, journal.ErrGap) {
		t.Errorf("got %v, want ErrGap", err)
	}
	wants(t, err, `stream "account/1"`, "verify")
}
