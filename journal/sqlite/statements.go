package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

// statements are prepared on the writer's connection.
type statements struct {
	stream, streams, command, addStream, addSnapshot, dataVersion *sql.Stmt

	addEvent, addSomeEvents, addManyEvents    *sql.Stmt
	setStream, setSomeStreams, setManyStreams *sql.Stmt
}

func (p *statements) prepare(ctx context.Context, conn *sql.Conn) (err error) {
	for _, s := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&p.stream, "SELECT id, version, fence, trimmed FROM journal_streams WHERE name = ?"},
		{&p.dataVersion, "PRAGMA data_version"},
		{&p.command, "SELECT EXISTS (SELECT 1 FROM journal_events WHERE stream = ? AND command = ?)"},
		{&p.addStream, "INSERT INTO journal_streams (name, version, fence) VALUES (?, 0, 0) RETURNING id"},
		{&p.streams, "SELECT name, id, version, fence FROM journal_streams WHERE name IN (" + repeated("?", manyStreams) + ")"},
		{&p.addEvent, insertEvents(1)},
		{&p.addSomeEvents, insertEvents(someRows)},
		{&p.addManyEvents, insertEvents(manyRows)},
		{&p.setStream, updateStreams(1)},
		{&p.setSomeStreams, updateStreams(someRows)},
		{&p.setManyStreams, updateStreams(manyRows)},
		{&p.addSnapshot, "INSERT INTO journal_snapshots (stream, version, type, schema, codec, data) VALUES (?, ?, ?, ?, ?, ?)" +
			" ON CONFLICT (stream) DO UPDATE SET version = excluded.version, type = excluded.type, schema = excluded.schema," +
			" codec = excluded.codec, data = excluded.data WHERE excluded.version >= version"},
	} {
		if *s.to, err = conn.PrepareContext(ctx, s.text); err != nil {
			return err
		}
	}
	return nil
}

func (p *statements) close() (err error) {
	for _, s := range []*sql.Stmt{
		p.stream, p.streams, p.command, p.addStream, p.addSnapshot, p.dataVersion,
		p.addEvent, p.addSomeEvents, p.addManyEvents, p.setStream, p.setSomeStreams, p.setManyStreams,
	} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return err
}
