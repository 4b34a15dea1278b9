package sqlite

import (
	"context"
	"fmt"
)

// mostKnown is how many streams a store remembers: some 150 bytes each.
const mostKnown = 4096

// known is how streams stood after the last transaction of the writer. It holds as long as no
// other connection has written to the file, which SQLite tells by a number. The number is
// looked at inside of a transaction, when nobody else can write any more.
type known struct {
	rows map[string]row
	at   int64 // The number.
}

// refresh forgets all if another connection has written. It is called in a transaction.
func (s *Store) refresh(ctx context.Context) error {
	var at int64
	if err := s.stmts.dataVersion.QueryRowContext(ctx).Scan(&at); err != nil {
		return fmt.Errorf("look whether others have written: %w", err)
	}
	if at != s.known.at {
		s.known = known{at: at}
	}
	return nil
}

// forget is called before a transaction that changes streams otherwise than by an append.
func (k *known) forget() { k.rows = nil }

// learn notes how the streams of a group stand, after their transaction was committed.
func (k *known) learn(g *group) {
	if k.rows == nil || len(k.rows) > mostKnown {
		k.rows = make(map[string]row, len(g.order))
	}
	for _, m := range g.order {
		if m.row.id != 0 {
			k.rows[m.name] = m.row
		}
	}
}
