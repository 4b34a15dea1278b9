package sqlite_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/journal/internal/appending"
	"github.com/troupe-go/troupe/journal/sqlite"
)

// childFile names the file into which a child process writes until it is killed.
const childFile = "TROUPE_JOURNAL_CHILD"

// child has actors append until it is killed.
func child(path string) error {
	store, err := sqlite.Open(path)
	if err != nil {
		return err
	}
	point, err := newFailpoint(store, os.Getenv(childPoint))
	if err != nil {
		return err
	}
	return appending.Run(point, os.Stdout, point.told)
}

// childOf returns the command of a child.
func childOf(path string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childFile+"="+path), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// checkFile compares the books with the file.
func checkFile(t *testing.T, books *appending.Books, path string) {
	t.Helper()
	store, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	books.Check(t, store)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// Actors append in a process that is killed at a random moment, again and again on the
// same file. All acknowledged events are there, whole and in order, and besides them only
// those that were under way.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	var books appending.Books
	for range lane.Rounds(2, 50, 1000) {
		books.Kill(t, childOf(path), 1+rand.IntN(600), func() {})
		checkFile(t, &books, path)
	}
}

// Two processes append to the same streams of one file.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	store, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var books appending.Books
	n := 0
	books.Kill(t, childOf(path), 100, func() {
		if err := appendTo(store, "a"); err != nil {
			t.Errorf("after %d writes: %v", n, err)
		}
		n++
	})
	if got := count(t, store); got != n || n == 0 {
		t.Errorf("this process wrote %d events, and %d are stored", n, got)
	}
	books.Check(t, store)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}
