package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

// statements are prepared on the writer's connection.
type statements struct {
	stream, command, addStream, addEvent, setStream, addSnapshot *sql.Stmt
}

func (p *statements) prepare(ctx context.Context, conn *sql.Conn) (err error) {
	for _, s := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&p.stream, "SELECT id, version, fence, trimmed FROM journal_streams WHERE name = ?"},
		{&p.command, "SELECT EXISTS (SELECT 1 FROM journal_events WHERE stream = ? AND command = ?)"},
		{&p.addStream, "INSERT INTO journal_streams (name, version, fence) VALUES (?, 0, 0) RETURNING id"},
		{&p.addEvent, "INSERT INTO journal_events (stream, version, type, schema, codec, seconds, nanos, command, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"},
		{&p.setStream, "UPDATE journal_streams SET version = ?, fence = ? WHERE id = ?"},
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
	for _, s := range []*sql.Stmt{p.stream, p.command, p.addStream, p.addEvent, p.setStream, p.addSnapshot} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return err
}
