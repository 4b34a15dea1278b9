package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/troupe-go/troupe/internal/pgserver"
)

var shared struct {
	once sync.Once
	s    *pgserver.Server
	err  error
}

// theServer returns the server of all tests, which starts with the first that needs it.
func theServer(tb testing.TB) *pgserver.Server {
	tb.Helper()
	shared.once.Do(func() { shared.s, shared.err = pgserver.New() })
	if errors.Is(shared.err, pgserver.ErrNone) {
		tb.Skip(shared.err)
	}
	if shared.err != nil {
		tb.Fatal(shared.err)
	}
	return shared.s
}

// endServer ends the server, if there is one.
func endServer() {
	if shared.s != nil {
		shared.s.Remove()
	}
}

// schema returns the address of a new, empty schema.
func schema(tb testing.TB, s *pgserver.Server, name string) string {
	tb.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.URL(""))
	if err != nil {
		tb.Fatal(err)
	}
	_, err = conn.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+name)
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		tb.Fatal(err)
	}
	return s.URL(name)
}
