package storing

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/internal/pgserver"
	"github.com/troupe-go/troupe/journal/postgres"
)

var toPostgres = suite.Workload{
	Name: "journal-postgres", Family: suite.Journals, Baseline: raw, Unit: "µs/event", Per: time.Microsecond, Step: writers, Duration: 2 * time.Second,
	About:   "the same to PostgreSQL, a server of its own; by hand they are batches of pgx",
	Targets: []suite.Target{{Subject: troupe, Row: "journal-postgres", Of: suite.RatioToBaseline, AtMost: 1 / 0.5}},
}

// noPostgres says why there is no server, or returns "".
func noPostgres() string {
	if _, err := pgserver.Find(); err != nil {
		return err.Error()
	}
	return ""
}

// server is started once in a process, and ends with it.
var server = sync.OnceValues(pgserver.New)

var schemas atomic.Int64

// newSchema returns the address of empty tables.
func newSchema() (string, error) {
	s, err := server()
	if err != nil {
		return "", err
	}
	name := fmt.Sprint("run", schemas.Add(1))
	conn, err := pgx.Connect(background, s.URL(""))
	if err != nil {
		return "", err
	}
	_, err = conn.Exec(background, "CREATE SCHEMA "+name)
	return s.URL(name), errors.Join(err, conn.Close(background))
}

func persistToPostgres(r *suite.Run) (n int64, err error) {
	url, err := newSchema()
	if err != nil {
		return 0, err
	}
	store, err := postgres.Open(background, url)
	if err != nil {
		return 0, err
	}
	g, err := newGroup(store, writers, nil, actor.Config{})
	if err == nil {
		err = g.measure(r)
	}
	if err = errors.Join(err, store.Close()); err != nil {
		return 0, err
	}
	conn, err := pgx.Connect(background, url)
	if err != nil {
		return 0, err
	}
	err = conn.QueryRow(background, "SELECT count(*) FROM journal_events").Scan(&n)
	return n, errors.Join(err, conn.Close(background))
}

func batchesToPostgres(r *suite.Run) (n int64, err error) {
	url, err := newSchema()
	if err != nil {
		return 0, err
	}
	conn, err := pgx.Connect(background, url)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close(background)) }()
	const table = `CREATE TABLE events (position bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, stream bigint NOT NULL,
		version bigint NOT NULL, type text NOT NULL, at timestamptz NOT NULL, data bytea NOT NULL, UNIQUE (stream, version))`
	if _, err := conn.Exec(background, table); err != nil {
		return 0, err
	}
	r.Start()
	for n := 0; n < r.N; n += half {
		if err := sendBatch(conn, n); err != nil {
			return 0, err
		}
	}
	r.Stop()
	err = conn.QueryRow(background, "SELECT count(*) FROM events").Scan(&n)
	return n, err
}

// sendBatch stores the next events after n, each in the stream of another writer, in a
// transaction.
func sendBatch(conn *pgx.Conn, n int) error {
	batch := &pgx.Batch{}
	for i := n; i < n+half; i++ {
		data, err := encoded(i / writers)
		if err != nil {
			return err
		}
		batch.Queue("INSERT INTO events (stream, version, type, at, data) VALUES ($1, $2, $3, $4, $5)", i%writers, i/writers+1, "noted", time.Now(), data)
	}
	return pgx.BeginFunc(background, conn, func(tx pgx.Tx) error { return tx.SendBatch(background, batch).Close() })
}
