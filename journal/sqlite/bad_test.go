package sqlite_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/sqlite"
)

// refused returns the error of Open, which leaves the file as it was.
func refused(t *testing.T, path string) error {
	t.Helper()
	before, _ := os.ReadFile(path) // It may be a folder.
	s, err := sqlite.Open(path)
	if err == nil {
		t.Errorf("%s is opened", path)
		return s.Close()
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Errorf("%s is not what it was", path)
	}
	return err
}

func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	wants(t, refused(t, text), text, "not a database")

	other := filepath.Join(dir, "other.db")
	if _, err := database(t, other).Exec("CREATE TABLE songs (title TEXT)"); err != nil {
		t.Fatal(err)
	}
	wants(t, refused(t, other), other, "another program", "sqlite.New")

	wants(t, refused(t, dir), dir)
	wants(t, refused(t, filepath.Join(dir, "no", "such", "folder.db")), "folder.db")
	wants(t, refused(t, ""), "path is empty")
}

func TestPathsOfAllKinds(t *testing.T) {
	for _, name := range []string{"a b.db", "a?b#c.db", "a%20b.db", "ä.db", "a&mode=ro.db"} {
		path := filepath.Join(t.TempDir(), name)
		s, err := sqlite.Open(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if err := errors.Join(appendTo(s, "a"), s.Close()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

// The version of the tables is above what this binary knows.
func TestOlderBinary(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if err := s.WriterExec("UPDATE journal_schema SET version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wants(t, refused(t, filepath.Join(dir, "journal.db")), "version 99", "too old")
}

func TestReadOnlyFile(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.New(database(t, "file:"+filepath.Join(dir, "journal.db")+"?mode=ro"))
	wants(t, err, "write to it", "readonly")
}

func TestDatabasesThatWillNotDo(t *testing.T) {
	_, err := sqlite.New(nil)
	wants(t, err, "nil database")
	_, err = sqlite.New(database(t, ":memory:"))
	wants(t, err, "memory", "needs a file")
	single := database(t, filepath.Join(t.TempDir(), "single.db"))
	single.SetMaxOpenConns(1)
	_, err = sqlite.New(single)
	wants(t, err, "one open connection")
}

// A journal lives beside tables of the program's own, and leaves the database open.
func TestNew(t *testing.T) {
	db := database(t, filepath.Join(t.TempDir(), "shared.db"))
	if _, err := db.Exec("CREATE TABLE songs (title TEXT)"); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		s, err := sqlite.New(db)
		if err != nil {
			t.Fatal(err)
		}
		if err := appendTo(s, "a"); err != nil {
			t.Fatal(err)
		}
		if got := count(t, s); got != n+1 {
			t.Errorf("there are %d events, want %d", got, n+1)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec("INSERT INTO songs VALUES ('x')"); err != nil {
		t.Errorf("the database is closed: %v", err)
	}
}

// A file that has reached its limit of pages refuses a write before the commit, and the
// store goes on when there is room again.
func TestFullDisk(t *testing.T) {
	s := open(t, t.TempDir())
	pages, err := s.WriterPragma("page_count")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.WriterPragma("max_page_count = " + strconv.Itoa(pages+4)); err != nil || n != pages+4 {
		t.Fatal(n, err)
	}
	err = appendTo(s, strings.Repeat("x", 100_000))
	wants(t, err, "full")
	if errors.Is(err, journal.ErrUnknownOutcome) {
		t.Errorf("the outcome is unknown: %v", err)
	}
	if got := count(t, s); got != 0 {
		t.Errorf("%d events are stored", got)
	}
	if _, err := s.WriterPragma("max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	if err := appendTo(s, "a"); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// A page in the middle of the file is torn: reading it is an error, never a gap.
func TestTornPage(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for range 40 {
		if err := appendTo(s, strings.Repeat("x", 3000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "journal.db")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	middle := len(data) / page / 2 * page
	copy(data[middle:], bytes.Repeat([]byte{0x5a}, page))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	n, failed := 0, error(nil)
	for _, err := range s.Read(t.Context(), "s", 0) {
		if failed = err; err == nil {
			n++
		}
	}
	wants(t, failed, "malformed")
	if n == 40 {
		t.Error("all events were read in spite of the torn page")
	}
	err = appendTo(s, "a")
	if !errors.Is(err, journal.ErrClosed) {
		t.Errorf("the store goes on: %v", err)
	}
	wants(t, err, "malformed")
}

// A commit fails, before anything is on the disk or after: in either case the outcome is
// unknown, and the store is closed for good, with that error.
func TestSyncFails(t *testing.T) {
	for name, after := range map[string]bool{"before": false, "after": true} {
		t.Run(name, func(t *testing.T) {
			db, disk := newFailing(t)
			s, err := sqlite.New(db)
			if err != nil {
				t.Fatal(err)
			}
			if err := appendTo(s, "a"); err != nil {
				t.Fatal(err)
			}
			disk.before.Store(!after)
			disk.after.Store(after)
			err = appendTo(s, "b")
			if !errors.Is(err, journal.ErrUnknownOutcome) || !errors.Is(err, errSync) {
				t.Errorf("the commit returns %v, want ErrUnknownOutcome and the failure", err)
			}
			disk.before.Store(false)
			disk.after.Store(false)
			if err := appendTo(s, "c"); !errors.Is(err, journal.ErrClosed) || !errors.Is(err, errSync) {
				t.Errorf("the next commit returns %v, want ErrClosed and the failure", err)
			}
			for _, err := range s.Read(t.Context(), "s", 0) {
				if !errors.Is(err, errSync) {
					t.Errorf("a read yields %v, want the failure", err)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			again, err := sqlite.New(db)
			if err != nil {
				t.Fatal(err)
			}
			want := 1
			if after {
				want = 2
			}
			if got := count(t, again); got != want {
				t.Errorf("%d events are stored, want %d", got, want)
			}
			if err := again.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// The connection that commits waits for the sync of each commit.
func TestCommitsAreSynced(t *testing.T) {
	const full = 2
	db, disk := newFailing(t)
	byDriver, err := sqlite.New(db)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := byDriver.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, s := range []*sqlite.Store{open(t, t.TempDir()), byDriver} {
		if n, err := s.WriterPragma("synchronous"); err != nil || n < full {
			t.Errorf("synchronous is %d, want %d at least (%v)", n, full, err)
		}
	}
	before := disk.commits.Load()
	for range 3 {
		if err := appendTo(byDriver, "a"); err != nil {
			t.Fatal(err)
		}
	}
	if got := disk.commits.Load() - before; got != 3 {
		t.Errorf("3 calls of Append made %d commits", got)
	}
}
