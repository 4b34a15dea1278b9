package storing

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/journal/sqlite"
)

var toSQLite = suite.Workload{
	Name: "journal-sqlite", Family: suite.Journals, Baseline: raw, Unit: "µs/event", Per: time.Microsecond, Step: writers, Duration: 2 * time.Second,
	About: "64 actors persist events one by one, all at once, to a SQLite file with full sync",
	Targets: []suite.Target{
		{Subject: troupe, Row: "journal-sqlite", Of: suite.RatioToBaseline, AtMost: 1 / 0.6},
		{Subject: troupe, Row: "journal-sqlite", Of: suite.RatioToBaseline, AtMost: 1. / 15, To: single},
	},
}

func persistToSQLite(r *suite.Run) (n int64, err error) {
	err = inFile(func(path string) error {
		store, err := sqlite.Open(path)
		if err != nil {
			return err
		}
		g, err := newGroup(store, writers, nil, actor.Config{})
		if err == nil {
			err = g.measure(r)
		}
		if err = errors.Join(err, store.Close()); err == nil {
			n, err = countRows(path, "journal_events")
		}
		return err
	})
	return n, err
}

// openSQLite opens a file with the driver and the settings of the store.
func openSQLite(path string) (*sql.DB, error) {
	pragmas := url.Values{"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)"}}
	return sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: pragmas.Encode()}).String())
}

func countRows(path, table string) (n int64, err error) {
	db, err := openSQLite(path)
	if err != nil {
		return 0, err
	}
	err = db.QueryRow("SELECT count(*) FROM " + table).Scan(&n)
	return n, errors.Join(err, db.Close())
}

func groupsToSQLite(r *suite.Run) (int64, error)  { return insertToSQLite(r, half, nil) }
func singlesToSQLite(r *suite.Run) (int64, error) { return insertToSQLite(r, 1, nil) }

// insertToSQLite is what a program writes that has one stream for each of 64 writers,
// and trusts itself with their versions: a statement that is prepared, in transactions of size
// events. It tells how long each takes, if told is not nil.
func insertToSQLite(r *suite.Run, size int, told func(time.Duration)) (n int64, err error) {
	err = inFile(func(path string) error {
		db, err := openSQLite(path)
		if err != nil {
			return err
		}
		err = insertAll(r, db, size, told)
		if err = errors.Join(err, db.Close()); err == nil {
			n, err = countRows(path, "events")
		}
		return err
	})
	return n, err
}

func insertAll(r *suite.Run, db *sql.DB, size int, told func(time.Duration)) (err error) {
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	const table = `CREATE TABLE events (position INTEGER PRIMARY KEY, stream INTEGER NOT NULL, version INTEGER NOT NULL,
		type TEXT NOT NULL, at INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE (stream, version))`
	if _, err := conn.ExecContext(ctx, table); err != nil {
		return err
	}
	insert, err := conn.PrepareContext(ctx, "INSERT INTO events (stream, version, type, at, data) VALUES (?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	r.Start()
	defer r.Stop()
	for n := 0; n < r.N; n += size {
		begin := time.Now()
		if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			return err
		}
		for i := n; i < n+size; i++ {
			data, err := encoded(i / writers)
			if err != nil {
				return err
			}
			if _, err := insert.ExecContext(ctx, i%writers, i/writers+1, "noted", time.Now().UnixNano(), data); err != nil {
				return err
			}
		}
		if _, err := conn.ExecContext(ctx, "COMMIT"); err != nil {
			return err
		}
		if told != nil {
			told(time.Since(begin))
		}
	}
	return nil
}
