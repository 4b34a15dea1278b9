package sqlite_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// After an erasure, no file has the data.
func TestErasedDataIsOverwritten(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	const secret = "born on 4 May 1972"
	if err := appendTo(s, strings.Repeat(secret, 1000), secret); err != nil {
		t.Fatal(err)
	}
	has := func() bool {
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(data, []byte(secret)) {
				return true
			}
		}
		return false
	}
	if !has() {
		t.Error("the secret is in no file before it is erased: the test looks at the wrong place")
	}
	if _, err := s.Erase(t.Context(), "s", time.Now()); err != nil {
		t.Fatal(err)
	}
	if has() {
		t.Error("a file still has the secret")
	}
}

// A store that was opened to read does not delete.
func TestReadOnlyKeeper(t *testing.T) {
	dir := t.TempDir()
	if err := appendTo(open(t, dir), "x"); err != nil {
		t.Fatal(err)
	}
	s := readOnly(t, dir)
	_, erase := s.Erase(t.Context(), "s", time.Now())
	wants(t, erase, "was opened to be read")
	wants(t, s.MovePosition(t.Context(), "p", 0, 1), "was opened to be read")
}
