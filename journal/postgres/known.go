package postgres

import (
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/troupe-go/troupe/journal"
)

// mostKnown is how many streams a store remembers: some 150 bytes each.
const mostKnown = 4096

// known is how streams stood after the last append of this store. It holds as long as nobody
// else has changed a stream, which the row of journal_head tells. An append that goes by it
// reads nothing: it takes the row for granted, and is undone if it was wrong.
type known struct {
	mu   sync.Mutex // Held while an append goes by what is known. Others read meanwhile.
	head head
	rows map[string]stream
}

// head is the row of journal_head.
type head struct{ position, changes int64 }

// errChanged says that somebody else has changed a stream, or that what is known is no longer true.
var errChanged = errors.New("another process has written")

// recall returns the group of a batch by what is known, or nil if that does not say how all of
// its streams stand, if one of the writes would be refused, or asks whether a command is done, or if nothing would be
// written: then the tables have to say so.
func (k *known) recall(batch []*journal.Write) *group {
	if len(k.rows) == 0 {
		return nil
	}
	g := &group{head: k.head, streams: make(map[string]*stream, len(batch))}
	changed := false
	for _, w := range batch {
		st := g.streams[w.Stream]
		if st == nil {
			row, ok := k.rows[w.Stream]
			if !ok {
				return nil
			}
			st = &row
			g.streams[w.Stream] = st
		}
		if w.Once != "" && len(w.Events) == 0 {
			return nil // A question: no row would tell that the command is done.
		}
		if g.admit(w); w.Err != nil {
			return nil
		}
		changed = changed || st.changed
	}
	if !changed {
		return nil // Nothing would show that the head is another one.
	}
	return g
}

// learn notes how the streams of a group stand, after their transaction was committed.
func (k *known) learn(g *group) {
	if len(k.rows) > mostKnown || k.head != g.head {
		k.rows = nil // The group has read what others have written.
	}
	if k.rows == nil {
		k.rows = make(map[string]stream, len(g.streams))
	}
	for name, st := range g.streams {
		if st.id != 0 {
			k.rows[name] = stream{id: st.id, version: st.version, fence: st.fence}
		}
	}
	k.head = g.after()
}

// storeKnown queues what the group has changed, for a transaction that fails with errChanged unless the head is as known.
func (g *group) storeKnown(tell *pgx.Batch) {
	changed, after, c := g.changed(), g.after(), &g.events
	tell.Queue(syncOn)
	tell.Queue("UPDATE journal_head SET position = $1, changes = $2 WHERE position = $3 AND changes = $4",
		after.position, after.changes, g.head.position, g.head.changes).Exec(wantRows(1))
	tell.Queue("UPDATE journal_streams s SET version = c.version, fence = c.fence"+
		" FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS c (id, version, fence) WHERE s.id = c.id",
		changed.ids, changed.versions, changed.fences).Exec(wantRows(len(changed.ids)))
	if len(c.names) == 0 {
		return
	}
	ids := make([]int64, len(c.names))
	for i, name := range c.names {
		ids[i] = g.streams[string(name)].id
	}
	tell.Queue("INSERT INTO journal_events (position, stream, version, type, schema, codec, seconds, nanos, command, data)"+
		" SELECT $1::bigint + e.n, e.stream, e.version, e.type, e.schema, e.codec, e.seconds, e.nanos, e.command, e.data"+
		" FROM unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bytea[], $7::bigint[], $8::integer[], $9::bytea[], $10::bytea[])"+
		" WITH ORDINALITY AS e (stream, version, type, schema, codec, seconds, nanos, command, data, n)",
		g.head.position, ids, c.versions, c.types, c.schemas, c.codecs, c.seconds, c.nanos, c.commands, c.data)
}

// wantRows fails with errChanged unless a statement has changed that many rows.
func wantRows(n int) func(tag pgconn.CommandTag) error {
	return func(tag pgconn.CommandTag) error {
		if tag.RowsAffected() != int64(n) {
			return errChanged
		}
		return nil
	}
}
