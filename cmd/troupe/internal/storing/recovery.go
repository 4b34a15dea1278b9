package storing

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/sqlite"
)

// long is how many events the stream has that is recovered.
const long = 20_000

var recovery = suite.Workload{
	Name: "journal-recover", Family: suite.Journals, Baseline: raw, Unit: "µs/event", Per: time.Microsecond, Duration: time.Second,
	Size: long, TinySize: 100,
	Ops: func(n, size int) int { return n * size }, Want: func(n, size int) int64 { return int64(n * size) },
	About:   "an actor begins with 20,000 events of a SQLite file; by hand the same rows are read and their JSON decoded",
	Targets: []suite.Target{{Subject: troupe, Row: "journal-recover", Of: suite.RatioToBaseline, AtMost: 1 / 0.5}},
}

// onStream calls f with a store whose stream "0" has the events of the run, and its path.
func onStream(r *suite.Run, f func(store *sqlite.Store, path string) error) error {
	return inFile(func(path string) error {
		store, err := sqlite.Open(path)
		if err != nil {
			return err
		}
		const each = 1000
		for n := 0; n < r.Size && err == nil; n += each {
			w := &journal.Write{Stream: "0", Expected: uint64(n), Time: time.Now()}
			for i := n; i < min(n+each, r.Size); i++ {
				e, err := notes.Encode(note(i))
				if err != nil {
					return errors.Join(err, store.Close())
				}
				w.Events = append(w.Events, e)
			}
			err = errors.Join(store.Append(background, []*journal.Write{w}), w.Err)
		}
		if err == nil {
			err = f(store, path)
		}
		return errors.Join(err, store.Close())
	})
}

func recoverActor(r *suite.Run) (events int64, err error) {
	err = onStream(r, func(store *sqlite.Store, _ string) error {
		g, err := newGroup(store, 0, nil, actor.Config{})
		if err != nil {
			return err
		}
		for range r.N {
			r.Start()
			ref, err := actor.SpawnNew(g.sys, g.kind.For("0"))
			if err != nil {
				return errors.Join(err, g.sys.Stop(background))
			}
			n, err := ask(ref, true) // It is answered when all events are applied.
			r.Stop()
			if err != nil {
				return errors.Join(err, g.sys.Stop(background))
			}
			events += int64(n)
			if err := ref.Stop(background); err != nil {
				return err
			}
		}
		return g.sys.Stop(background)
	})
	return events, err
}

func readRows(r *suite.Run) (events int64, err error) {
	err = onStream(r, func(_ *sqlite.Store, path string) error {
		db, err := openSQLite(path)
		if err != nil {
			return err
		}
		for range r.N {
			r.Start()
			n, bad := readAll(db)
			r.Stop()
			events, err = events+n, errors.Join(err, bad)
		}
		return errors.Join(err, db.Close())
	})
	return events, err
}

// readAll reads the events of the stream and decodes them.
func readAll(db *sql.DB) (n int64, err error) {
	rows, err := db.Query("SELECT version, type, schema, codec, seconds, nanos, command, data FROM journal_events WHERE stream = 1 ORDER BY version")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var kind, codec, command, data sql.RawBytes
	for rows.Next() {
		var version, schema, seconds, nanos int64
		if err := rows.Scan(&version, &kind, &schema, &codec, &seconds, &nanos, &command, &data); err != nil {
			return n, err
		}
		var e noted
		if err := journal.JSON.Unmarshal(data, &e); err != nil {
			return n, err
		}
		if n++; version != n || e.N != int(n-1) {
			return n, fmt.Errorf("version %d has the number %d, where %d should come", version, e.N, n)
		}
	}
	return n, rows.Err()
}
