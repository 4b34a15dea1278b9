package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/journal"
)

// A batch takes few statements, whatever the number of its writes: one reads how up to 32
// streams stand, one stores up to 16 events, and one up to 16 new versions of streams. A
// statement for each of them costs as much again as what it does, in the driver and in
// database/sql.

// chunk sizes of statements: as many rows as there are left, from the largest down.
const (
	manyStreams = 32
	manyRows    = 16
	someRows    = 4
	// mostBytes is how much data one statement takes, as it is copied.
	mostBytes = 1 << 20
)

// member is a stream of a group: how it stands, with what the group has added.
type member struct {
	name    string
	row     row
	known   bool // The row need not be read.
	changed bool
	done    map[string]bool // Commands of this group.
}

// addition is an event of a group.
type addition struct {
	stream  *member
	version int64
	command []byte
	write   *journal.Write
	event   *journal.Encoded
}

// group is a batch on its way into the tables.
type group struct {
	writes  []*journal.Write
	members map[string]*member
	order   []*member
	events  []addition
}

// newGroup returns a batch as a group. Nothing is known of its streams.
func newGroup(batch []*journal.Write) *group {
	g := &group{writes: batch, members: make(map[string]*member, len(batch))}
	for _, w := range batch {
		if g.members[w.Stream] == nil {
			m := &member{name: w.Stream}
			g.members[w.Stream] = m
			g.order = append(g.order, m)
		}
	}
	return g
}

// recall takes how streams stand from rows that hold.
func (g *group) recall(rows map[string]row) {
	for _, m := range g.order {
		m.row, m.known = rows[m.name]
	}
}

// writeAll stores the writes of a group, or refuses them, in the present transaction.
func (s *Store) writeAll(ctx context.Context, g *group) error {
	if err := s.readMembers(ctx, g); err != nil {
		return fmt.Errorf("read the streams: %w", err)
	}
	for _, w := range g.writes {
		if err := s.admit(ctx, g, w); err != nil {
			return fmt.Errorf("write to stream %q: %w", w.Stream, err)
		}
	}
	for _, m := range g.order {
		if m.changed && m.row.id == 0 {
			if err := s.stmts.addStream.QueryRowContext(ctx, []byte(m.name)).Scan(&m.row.id); err != nil {
				return fmt.Errorf("add stream %q: %w", m.name, err)
			}
		}
	}
	if err := s.addEvents(ctx, g.events); err != nil {
		return fmt.Errorf("add events: %w", err)
	}
	return s.setStreams(ctx, g.order)
}

// readMembers reads how the streams of the group stand that are not known.
func (s *Store) readMembers(ctx context.Context, g *group) error {
	unknown := make([]*member, 0, len(g.order))
	for _, m := range g.order {
		if !m.known {
			unknown = append(unknown, m)
		}
	}
	if len(unknown) < someRows {
		for _, m := range unknown {
			r, err := s.stream(ctx, m.name)
			if err != nil {
				return err
			}
			m.row = r
		}
		return nil
	}
	for from := 0; from < len(unknown); from += manyStreams {
		names := make([]any, manyStreams)
		for i := range names {
			names[i] = []byte(unknown[min(from+i, len(unknown)-1)].name) // The last one fills up.
		}
		if err := g.scan(s.stmts.streams.QueryContext(ctx, names...)); err != nil {
			return err
		}
	}
	return nil
}

// scan takes the rows of some streams.
func (g *group) scan(rows *sql.Rows, err error) error {
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // Err tells.
	var name sql.RawBytes
	for rows.Next() {
		var r row
		if err := rows.Scan(&name, &r.id, &r.version, &r.fence); err != nil {
			return err
		}
		g.members[string(name)].row = r
	}
	return rows.Err()
}

// admit decides about one write, and adds its events to the group.
func (s *Store) admit(ctx context.Context, g *group, w *journal.Write) error {
	m := g.members[w.Stream]
	r := &m.row
	done := m.done[w.Once]
	if r.id != 0 && w.Once != "" && !done {
		if err := s.stmts.command.QueryRowContext(ctx, r.id, []byte(w.Once)).Scan(&done); err != nil {
			return err
		}
	}
	events := w.Events
	if !w.Admit(uint64(r.version), uint64(r.fence), done) {
		events = nil
	}
	if fence := int64(w.Fence); fence > r.fence {
		r.fence, m.changed = max(r.fence, fence), true
	}
	for i := range events {
		var command []byte
		if i == 0 && w.Once != "" {
			command = []byte(w.Once)
			if m.done == nil {
				m.done = map[string]bool{}
			}
			m.done[w.Once] = true
		}
		r.version++
		m.changed = true
		g.events = append(g.events, addition{m, r.version, command, w, &events[i]})
	}
	return nil
}

// addEvents stores the events. Their positions are in their order.
func (s *Store) addEvents(ctx context.Context, events []addition) error {
	const columns = 9
	args := make([]any, 0, columns*manyRows)
	for len(events) > 0 {
		statement, n := s.stmts.addEvent, 1
		switch {
		case len(events) >= manyRows && bytesOf(events[:manyRows]) <= mostBytes:
			statement, n = s.stmts.addManyEvents, manyRows
		case len(events) >= someRows && bytesOf(events[:someRows]) <= mostBytes:
			statement, n = s.stmts.addSomeEvents, someRows
		}
		args = args[:0]
		for _, a := range events[:n] {
			args = append(args, a.stream.row.id, a.version, []byte(a.event.Type), a.event.Schema, []byte(a.event.Codec),
				a.write.Time.Unix(), a.write.Time.Nanosecond(), a.command, notNil(a.event.Data))
		}
		if _, err := statement.ExecContext(ctx, args...); err != nil {
			return err
		}
		events = events[n:]
	}
	return nil
}

func bytesOf(events []addition) (n int) {
	for _, a := range events {
		n += len(a.event.Data)
	}
	return n
}

// setStreams stores the new versions and fences.
func (s *Store) setStreams(ctx context.Context, members []*member) error {
	const columns = 3
	args := make([]any, 0, columns*manyRows)
	changed := make([]*member, 0, len(members))
	for _, m := range members {
		if m.changed {
			changed = append(changed, m)
		}
	}
	for members = changed; len(members) > 0; {
		statement, n := s.stmts.setStream, 1
		switch {
		case len(members) >= manyRows:
			statement, n = s.stmts.setManyStreams, manyRows
		case len(members) >= someRows:
			statement, n = s.stmts.setSomeStreams, someRows
		}
		args = args[:0]
		for _, m := range members[:n] {
			args = append(args, m.row.version, m.row.fence, m.row.id)
		}
		if _, err := statement.ExecContext(ctx, args...); err != nil {
			return fmt.Errorf("set the versions of streams: %w", err)
		}
		members = members[n:]
	}
	return nil
}

// repeated returns a text n times, with commas between.
func repeated(text string, n int) string {
	return strings.Repeat(text+", ", n-1) + text
}

// The statements below say OR ROLLBACK. Without it SQLite copies each page that a statement of
// many rows changes, to be able to undo this statement alone: some 32 pages for a batch of 32 streams, in a
// temporary file. Nothing needs that here, since an error ends the whole transaction.

// insertEvents returns a statement that stores n events.
func insertEvents(n int) string {
	return "INSERT OR ROLLBACK INTO journal_events (stream, version, type, schema, codec, seconds, nanos, command, data) VALUES " +
		repeated("(?, ?, ?, ?, ?, ?, ?, ?, ?)", n)
}

// updateStreams returns a statement that stores the versions and fences of n streams.
func updateStreams(n int) string {
	return "UPDATE OR ROLLBACK journal_streams SET version = new.column1, fence = new.column2 FROM (VALUES " +
		repeated("(?, ?, ?)", n) + ") AS new WHERE id = new.column3"
}
