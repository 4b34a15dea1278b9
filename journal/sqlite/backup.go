package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/troupe-go/troupe/journal"
)

// Backup writes the whole database, as it is at one moment, to a new file, while the
// journal goes on: commits do not wait. The file is synced when Backup returns, and Open
// opens it. There must be no file at the path. If ctx ends before the copying begins,
// nothing is written; a copy that has begun is finished. After an error, a file that is
// not whole is removed.
//
// The copy takes as long as all data takes to be read and written. Meanwhile SQLite
// can't cut its log, which grows by what is committed.
func (s *Store) Backup(ctx context.Context, path string) (err error) {
	if path == "" {
		return errors.New("sqlite: backup: the path is empty; a backup needs a new file")
	}
	if err := s.usable(ctx); err != nil {
		return err
	}
	// SQLite takes a relative path that begins with file: for a URI.
	if path, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("sqlite: backup: %w", err)
	}
	// VACUUM INTO takes an empty file. One that is made here is nobody else's.
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("sqlite: backup: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("sqlite: backup to %s: %w", path, err), os.Remove(path))
		}
	}()
	if err := file.Close(); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(context.WithoutCancel(ctx), "VACUUM INTO ?", path); err != nil {
		if reason := s.usable(context.Background()); errors.Is(reason, journal.ErrClosed) {
			return reason
		}
		return err
	}
	return syncFile(path)
}

// syncFile has the file's data on the disk, whatever SQLite has synced.
func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
