package demo_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/troupe-go/troupe/cmd/troupe/internal/demo"
)

var keys = []string{
	"bytes", "differences", "dir", "fault_rate", "files", "go", "idle_asks", "idle_max_us", "idle_p50_us", "idle_p99_us",
	"mb_per_s", "panics", "partial", "procs", "restarts", "retries", "seconds", "seed", "sequential_seconds", "shards",
	"skipped", "speedup", "tokenizers", "top", "unique", "urgent_asks", "urgent_max_us", "urgent_p50_us", "urgent_p99_us",
	"verified", "words", "workers",
}

func TestJSON(t *testing.T) {
	for name, change := range map[string]func(*demo.Config){
		"verified":     func(c *demo.Config) { c.FaultRate, c.IdleAsks = 0.5, 3 },
		"not verified": func(c *demo.Config) { c.Verify = false },
		"empty":        func(c *demo.Config) { c.FS, c.Verify = fstest.MapFS{}, false },
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, manyFiles(50), change)
			var out bytes.Buffer
			if err := r.WriteJSON(&out); err != nil {
				t.Fatal(err)
			}
			var object map[string]any
			if err := json.Unmarshal(out.Bytes(), &object); err != nil {
				t.Fatalf("%v in %s", err, out.Bytes())
			}
			if got := slices.Sorted(maps.Keys(object)); !slices.Equal(got, keys) {
				t.Errorf("the keys are %q, want %q", got, keys)
			}
			verify := name == "verified"
			if (object["verified"] == true) != verify || (object["speedup"] != nil) != verify {
				t.Errorf("verified is %v and speedup %v", object["verified"], object["speedup"])
			}
			for key, value := range object {
				if value == nil && !slices.Contains([]string{"verified", "speedup", "sequential_seconds"}, key) {
					t.Errorf("%s is null", key)
				}
			}
			var back demo.Report
			if err := json.Unmarshal(out.Bytes(), &back); err != nil || !reflect.DeepEqual(&back, r) {
				t.Errorf("read back as %+v (%v), want %+v", back, err, *r)
			}
		})
	}
}

func TestText(t *testing.T) {
	r := run(t, manyFiles(100), func(c *demo.Config) { c.FaultRate, c.Seed, c.IdleAsks = 0.3, 99, 2 })
	var out strings.Builder
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Indexed a tree", "files", "unique identifiers", "MB/s", "top identifier", "worker", "stolen", "parked",
		"under load", "idle", "P99", "seed 99", "panics injected", "verified: true", "speedup",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, out.String())
		}
	}
	r.Partial = true
	out.Reset()
	if err := r.WriteText(&out); err != nil || !strings.Contains(out.String(), "partial") {
		t.Errorf("the text of a partial report (%v) does not say so:\n%s", err, out.String())
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestBrokenWriter(t *testing.T) {
	r := run(t, fstest.MapFS{}, nil)
	w := brokenWriter{io.ErrClosedPipe}
	if err := r.WriteText(w); !errors.Is(err, w.err) {
		t.Errorf("WriteText returns %v, want %v", err, w.err)
	}
	if err := r.WriteJSON(w); !errors.Is(err, w.err) {
		t.Errorf("WriteJSON returns %v, want %v", err, w.err)
	}
}

func TestReasonsHaveNames(t *testing.T) {
	names := map[string]bool{}
	for _, r := range []demo.Reason{
		demo.Counted, demo.Unreadable, demo.Vanished, demo.Irregular, demo.Binary, demo.TooLarge, demo.Failed,
	} {
		names[r.String()] = true
	}
	if len(names) != 7 || demo.Reason(77).String() != "Reason(77)" {
		t.Errorf("the names are %v", names)
	}
}
