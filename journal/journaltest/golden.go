package journaltest

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/journal"
)

// GoldenVariable is the environment variable that, if it is "write", has [Golden] write
// the files that are missing.
const GoldenVariable = "TROUPE_GOLDEN"

// Golden tests that events are still encoded as they were, and that everything that was
// ever stored can be read. The folder has a file for each event and version of its
// layout, such as withdrawn.v2.json; it belongs to the source code, and no file of it is
// ever changed or removed. Samples has a value of each event in the set.
//
// When an encoding has changed by accident, the test fails. When the version of an event
// was raised, a new file joins the old one, which is then read by the upcasters.
func Golden[E any](t *testing.T, dir string, events *journal.Set[E], samples ...E) {
	t.Helper()
	if err := events.Err(); err != nil {
		t.Fatal(err)
	}
	missing := events.Names()
	for _, sample := range samples {
		e, err := events.Encode(sample)
		if err != nil {
			t.Error(err)
			continue
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == e.Type })
		compare(t, filepath.Join(dir, fmt.Sprintf("%s.v%d.%s", url.PathEscape(e.Type), e.Schema, url.PathEscape(e.Codec))), e)
	}
	if len(missing) > 0 {
		t.Errorf("there are no samples of %q", missing)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	for _, file := range files {
		readGolden(t, filepath.Join(dir, file.Name()), events)
	}
}

func compare(t *testing.T, path string, e journal.Encoded) {
	t.Helper()
	want, err := os.ReadFile(path)
	if os.IsNotExist(err) && os.Getenv(GoldenVariable) == "write" {
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, e.Data, 0o644)
		}
		want = e.Data
	}
	switch {
	case os.IsNotExist(err):
		t.Errorf("%s is missing; write it with %s=write go test -run %s", path, GoldenVariable, t.Name())
	case err != nil:
		t.Error(err)
	case !bytes.Equal(want, e.Data):
		t.Errorf("%s: the encoding has changed from\n%q to\n%q\nraise the version of %q, and add an Upcast for version %d", path, want, e.Data, e.Type, e.Schema)
	}
}

// readGolden fails unless the file can be read as an event.
func readGolden[E any](t *testing.T, path string, events *journal.Set[E]) {
	t.Helper()
	parts := strings.Split(filepath.Base(path), ".")
	n := len(parts)
	if n < 3 {
		t.Errorf("%s is not named as in withdrawn.v2.json", path)
		return
	}
	name, err := url.PathUnescape(strings.Join(parts[:n-2], "."))
	version, bad := strconv.Atoi(strings.TrimPrefix(parts[n-2], "v"))
	codec, worse := url.PathUnescape(parts[n-1])
	if err != nil || bad != nil || worse != nil {
		t.Errorf("%s is not named as in withdrawn.v2.json", path)
		return
	}
	data, err := os.ReadFile(path)
	if err == nil {
		_, err = events.Decode(journal.Record{Stream: path, Version: 1, Encoded: journal.Encoded{Type: name, Schema: version, Codec: codec, Data: data}})
	}
	if err != nil {
		t.Errorf("%s can't be read any more: %v", path, err)
	}
}
