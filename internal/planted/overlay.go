package planted

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// overlay writes the sources, keyed by their absolute paths, and a description
// for the flag -overlay of the go command, which then reads them instead of the originals.
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
