package journals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/postgres"
	"github.com/troupe-go/troupe/journal/sqlite"
)

// Store is a store that lists its streams.
type Store interface {
	journal.Store
	journal.Catalog
	journal.Keeper
	io.Closer
}

// ErrUnknownStream is returned for a stream that a journal does not have.
var ErrUnknownStream = errors.New("no such stream")

// Open opens the journal of a SQLite file, or of a PostgreSQL URL, to read it.
func Open(ctx context.Context, target string) (Store, error) {
	if isURL(target) {
		return opened(postgres.OpenReadOnly(ctx, target))
	}
	if err := checkPath(target); err != nil {
		return nil, err
	}
	return opened(sqlite.OpenReadOnly(target))
}

// openEmpty opens a journal to write to it. A SQLite file is made, if there is none.
func openEmpty(ctx context.Context, target string) (s Store, err error) {
	if isURL(target) {
		s, err = opened(postgres.Open(ctx, target))
	} else if err = checkPath(target); err == nil {
		s, err = opened(sqlite.Open(target))
	}
	if err != nil {
		return nil, err
	}
	for info, err := range s.Streams(ctx, "", "") {
		if err == nil {
			err = fmt.Errorf("%s has streams, such as %q; restore writes to an empty journal alone", Redacted(target), info.Name)
		}
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// opened keeps a nil pointer from being taken for a store.
func opened[S Store](s S, err error) (Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

func isURL(target string) bool {
	return strings.HasPrefix(target, "postgres://") || strings.HasPrefix(target, "postgresql://")
}

// checkPath returns an error for a URL of another kind, for which SQLite would look among the files.
func checkPath(target string) error {
	if scheme, _, ok := strings.Cut(target, "://"); ok {
		return fmt.Errorf("%s: a journal is a SQLite file or a postgres:// URL, not one of %s://", Redacted(target), scheme)
	}
	return nil
}

// Redacted returns the target without a password.
func Redacted(target string) string {
	u, err := url.Parse(target)
	if err != nil || !isURL(target) && u.User == nil {
		return target
	}
	if q := u.Query(); q.Has("password") {
		q.Set("password", "xxxxx") // As Redacted writes it.
		u.RawQuery = q.Encode()
	}
	return u.Redacted()
}

// Find returns how a stream stands, or [ErrUnknownStream].
func Find(ctx context.Context, s journal.Catalog, name string) (journal.StreamInfo, error) {
	for info, err := range s.Streams(ctx, name, "") { // The stream itself is the first with its name as a prefix.
		if err != nil {
			return info, err
		}
		if info.Name == name {
			return info, nil
		}
		break
	}
	return journal.StreamInfo{}, fmt.Errorf("%w: %q; troupe journal ls lists the streams", ErrUnknownStream, name)
}
