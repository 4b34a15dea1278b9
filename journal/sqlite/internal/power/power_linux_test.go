package power_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/leak"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/internal/appending"
	"github.com/troupe-go/troupe/journal/sqlite"
)

// childFile names the file into which a child process writes until it ends.
const childFile = "TROUPE_JOURNAL_CHILD"

// TestMain runs the tests, or the child of one.
func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		go func() { // The test has ended.
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(3)
		}()
		if err := child(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	leak.Main(m)
}

// closed is what a child says when its store has closed itself.
const closed = "the store is closed for good"

// child has actors append until the store fails, and looks whether it stays so.
func child(path string) error {
	store, err := sqlite.Open(path)
	if err != nil {
		return err
	}
	failed := appending.Run(store, os.Stdout, nil)
	w, err := appending.Write("0", 1)
	if err != nil {
		return err
	}
	again := store.Append(context.Background(), []*journal.Write{w})
	if !errors.Is(again, journal.ErrClosed) || !strings.Contains(again.Error(), "disk") {
		return fmt.Errorf("the next write returns %w", again)
	}
	for _, err := range store.Read(context.Background(), "0", 0) {
		if !errors.Is(err, journal.ErrClosed) {
			return fmt.Errorf("a read returns %w", err)
		}
	}
	_, err = fmt.Fprintln(os.Stdout, closed)
	return errors.Join(failed, err)
}

// machine is a child that appends to a journal on the disk.
type machine struct {
	cmd    *exec.Cmd
	errors strings.Builder
	books  *appending.Books
	closed bool // The child has said so.
}

// run has a child append on the disk until it has ended. It kills it when the power
// goes. It calls each after each acknowledged number.
func run(t *testing.T, d *disk, books *appending.Books, each func(n int)) *machine {
	t.Helper()
	dir := t.TempDir()
	unmount := mount(t, d, dir)
	defer unmount()
	m := &machine{cmd: exec.Command(os.Args[0]), books: books}
	m.cmd.Env = append(os.Environ(), childFile+"="+filepath.Join(dir, "journal.db"))
	m.cmd.Stderr = &m.errors
	alive, err := m.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close() //nolint:errcheck // The child has ended.
	var once sync.Once
	off := make(chan struct{})
	d.look(func() { d.cut = func() { once.Do(func() { close(off) }) } })
	ended, killed := make(chan struct{}), make(chan struct{})
	started := make(chan struct{})
	go func() {
		defer close(killed)
		select {
		case <-off:
			<-started
			_ = m.cmd.Process.Kill() // It may have ended.
		case <-ended:
		}
	}()
	books.Follow(t, m.cmd, func() { close(started) }, each, func(line string) {
		if m.closed = line == closed; !m.closed {
			t.Errorf("the child says %q", line)
		}
	})
	close(ended)
	<-killed
	return m
}

// check compares the books with what is left on the disk, and returns the folder of that.
func check(t *testing.T, d *disk, books *appending.Books) (dir string) {
	t.Helper()
	dir, looked := t.TempDir(), t.TempDir()
	if err := d.left(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(looked, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(filepath.Join(looked, "journal.db"))
	if err != nil {
		t.Fatalf("what is left can't be opened: %v", err)
	}
	books.Check(t, store)
	if faults, err := store.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("what is left has the faults %q (%v)", faults, err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The power goes in a random write, again and again: in the first of all, on the way to
// WAL mode, in a commit, in a checkpoint. All acknowledged events are there, whole and in
// order, and besides them only those that were under way.
func TestPowerGoes(t *testing.T) {
	d := newDisk()
	var books appending.Books
	for range lane.Rounds(3, 25, 1000) {
		d.cutAfter = 1 + rand.IntN(1+rand.IntN(3000))
		run(t, d, &books, func(int) {})
		var err error
		if d, err = load(check(t, d, &books)); err != nil {
			t.Fatal(err)
		}
	}
}

// The sync of a commit fails once. Nobody is told that the commit is stored, the store is
// closed for good with that error, and after the power went all is there that was
// acknowledged before.
func TestSyncOfACommitFails(t *testing.T) {
	for range lane.Rounds(1, 10, 200) {
		d := newDisk()
		var books appending.Books
		after := rand.IntN(20) // So few that there is no checkpoint yet.
		m := run(t, d, &books, func(n int) {
			const tooMany = 2000 // Of a store that goes on. A commit has 64 at most.
			switch n {
			case 1:
				d.look(func() { d.failing, d.failAfter = "journal.db-wal", after })
			case tooMany:
				d.look(d.turnOff)
			}
		})
		if !m.closed {
			t.Errorf("the store is not closed for good: %s", &m.errors)
		}
		check(t, d, &books)
	}
}

// The sync of a checkpoint fails once. SQLite keeps its log until a later checkpoint has
// written all of it again, so that the store goes on, and nothing is lost.
func TestSyncOfACheckpointFails(t *testing.T) {
	for range lane.Rounds(1, 5, 100) {
		d := newDisk()
		var books appending.Books
		failed := false
		d.failed = func() { failed = true }
		left := 500 + rand.IntN(3000)
		run(t, d, &books, func(n int) {
			d.look(func() {
				if n == 1 {
					d.failing = "journal.db"
				}
				if failed {
					left--
				}
				if left == 0 {
					d.turnOff()
				}
			})
		})
		if !failed {
			t.Error("no sync has failed")
		}
		check(t, d, &books)
	}
}

// The disk is full while many write. SQLite notices in the commit, so that the outcome is not
// known: the store closes, with that error. All acknowledged events are there, and with room
// again the journal goes on.
func TestDiskIsFull(t *testing.T) {
	d := newDisk()
	var books appending.Books
	full := 1 + rand.IntN(300)
	m := run(t, d, &books, func(n int) {
		const tooMany = 10_000 // Acknowledged by a store that does not notice.
		switch n {
		case full:
			d.look(func() { d.refuses = syscall.ENOSPC })
		case full + tooMany:
			d.look(d.turnOff)
		}
	})
	if !m.closed || !strings.Contains(m.errors.String(), "disk is full") {
		t.Errorf("the store does not say that the disk is full: %s", &m.errors)
	}
	check(t, d, &books)
	d.refuses = 0
	before := books.Acknowledged
	run(t, d, &books, func(n int) {
		if n == 100 {
			d.look(d.turnOff)
		}
	})
	check(t, d, &books)
	if books.Acknowledged == before {
		t.Error("with room again nothing is stored")
	}
}

// A disk that can't be written to is refused when the journal is opened, with its path.
func TestDiskIsReadOnly(t *testing.T) {
	for name, files := range map[string]bool{"without a journal": false, "with a journal": true} {
		t.Run(name, func(t *testing.T) {
			d := newDisk()
			var books appending.Books
			if files {
				run(t, d, &books, func(n int) {
					if n == 10 {
						d.look(d.turnOff)
					}
				})
				var err error
				if d, err = load(check(t, d, &books)); err != nil {
					t.Fatal(err)
				}
			}
			d.refuses = syscall.EROFS
			before := books.Acknowledged
			m := run(t, d, &books, func(int) {})
			if m.closed || books.Acknowledged != before || !strings.Contains(m.errors.String(), "journal.db") {
				t.Errorf("a read-only disk is not refused: %s", &m.errors)
			}
			check(t, d, &books)
		})
	}
}

// The disk of these tests keeps what was synced, and may lose the rest.
func TestDiskForgets(t *testing.T) {
	const synced, later = "synced", "written later"
	lost, kept, torn := 0, 0, 0
	for range 200 {
		d := newDisk()
		f, _ := d.create("f")
		long := strings.Repeat("x", 4*sector)
		if d.change(f, change{0, []byte(synced)}) != 0 || d.sync(f) != 0 || d.change(f, change{len(synced), []byte(later + long)}) != 0 {
			t.Fatal("the disk fails")
		}
		dir := t.TempDir()
		if err := d.left(dir); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, "f"))
		if err != nil || !strings.HasPrefix(synced+later+long, string(data)) || !strings.HasPrefix(string(data), synced) {
			t.Fatalf("the file has %q (%v)", data, err)
		}
		switch len(data) {
		case len(synced):
			lost++
		case len(synced + later + long):
			kept++
		default:
			torn++
		}
	}
	if lost == 0 || kept == 0 || torn == 0 {
		t.Errorf("of 200 disks %d have lost a write, %d have kept it, %d have a part of it; want some of each", lost, kept, torn)
	}
	d := newDisk()
	f, _ := d.create("f")
	d.failing = "f"
	if d.change(f, change{0, []byte("gone")}) != 0 || d.sync(f) == 0 || d.sync(f) != 0 {
		t.Error("the first sync should fail, and the second not")
	}
	if got := string(f.left()); string(f.data) != "gone" || got != "" {
		t.Errorf("the disk has %q after a failed sync and one that succeeded, want nothing", got)
	}
}
