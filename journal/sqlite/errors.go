package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/journal"
)

// Result codes of SQLite, https://sqlite.org/rescode.html. The upper bits say more.
const (
	codeIO      = 10
	codeCorrupt = 11
	codeNotDB   = 26
)

// usable returns an error if the store is closed, or ctx has ended.
func (s *Store) usable(ctx context.Context) error {
	s.state.RLock()
	defer s.state.RUnlock()
	if s.closed != nil {
		return s.closed
	}
	return context.Cause(ctx)
}

// fail closes the store for good, for a reason that further calls return. The first
// reason counts.
func (s *Store) fail(reason error) {
	s.state.Lock()
	defer s.state.Unlock()
	if s.closed == nil {
		s.closed = reason
	}
}

// failed returns the error of a statement. A disk that fails closes the store for good: what
// is read or written after that can't be relied on. See OpenReadOnly for the exception.
func (s *Store) failed(what string, err error) error {
	var c interface{ Code() int }
	if !s.readOnly && errors.As(err, &c) {
		switch c.Code() & 0xff {
		case codeIO, codeCorrupt, codeNotDB:
			s.fail(fmt.Errorf("%w, after its file has failed: %w", journal.ErrClosed, err))
		}
	}
	return fmt.Errorf("sqlite: %s: %w", what, err)
}
