package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/sqlite"
)

// A backup that is made while many events are appended has all that were acknowledged
// before it began, whole and in order. It can be opened, and written to.
func TestBackupWhileWriting(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	stop, ended := make(chan struct{}), make(chan error, 1)
	wrote := make(chan struct{}, 1)
	go func() {
		for {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			if err := appendTo(s, "a", "b"); err != nil {
				ended <- err
				return
			}
			select {
			case wrote <- struct{}{}:
			default:
			}
		}
	}()
	<-wrote
	acknowledged := count(t, s)
	path := filepath.Join(dir, "backup.db")
	err := s.Backup(t.Context(), path)
	close(stop)
	if err := errors.Join(err, <-ended); err != nil {
		t.Fatal(err)
	}
	copied, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	n := count(t, copied)
	if n < acknowledged || n > count(t, s) || n%2 != 0 {
		t.Errorf("the backup has %d events, the journal had %d before and %d after; commits have 2 each", n, acknowledged, count(t, s))
	}
	if err := errors.Join(appendTo(copied, "c"), copied.Close()); err != nil {
		t.Error(err)
	}
}

func TestBackupRefuses(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if err := appendTo(s, "a"); err != nil {
		t.Fatal(err)
	}
	wants(t, s.Backup(t.Context(), ""), "path is empty")
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	wants(t, s.Backup(t.Context(), there), there, "exists")
	if text, err := os.ReadFile(there); err != nil || !bytes.Equal(text, []byte("text")) {
		t.Errorf("the file has %q now (%v)", text, err)
	}
	wants(t, s.Backup(t.Context(), filepath.Join(dir, "no", "folder")), "folder")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(dir, "backup.db")
	if err := s.Backup(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), path); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("a closed store returns %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a backup that was refused leaves a file (%v)", err)
	}
}
