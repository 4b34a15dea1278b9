package planted

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// overlay writes the sources, which are by their absolute paths, and the
// description by which the go command puts them in the place of the originals.
func overlay(t *testing.T, sources map[string]string) (path string) {
	t.Helper()
	dir := t.TempDir()
	replace := make(map[string]string, len(sources))
	for original, source := range sources {
		changed := filepath.Join(dir, strconv.Itoa(len(replace))+filepath.Base(original))
		if err := os.WriteFile(changed, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[original] = changed
	}
	description, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, description, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// place returns the file in which the fault is to be planted, and where in it.
func place(t *testing.T, f Fault) (path, source string, offset int) {
	t.Helper()
	path, err := filepath.Abs(f.File)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	source = string(bytes)
	if n := strings.Count(source, f.Old); n != 1 {
		t.Fatalf("%s has the place for the fault %q %d times; it has moved, or is not unique:\n%s", f.File, f.Name, n, f.Old)
	}
	return path, source, strings.Index(source, f.Old)
}

// alone returns the source with nothing but the one fault.
func alone(t *testing.T, f Fault) map[string]string {
	t.Helper()
	path, source, _ := place(t, f)
	return map[string]string{path: strings.Replace(source, f.Old, f.New, 1)}
}
