package journals

import (
	"context"
	"math"
	"sort"
	"time"

	"github.com/troupe-go/troupe/journal"
)

// Last calls f for the last n events that match the filter, in their order, and returns the
// position after which newer ones come.
func Last(ctx context.Context, s journal.Store, n int, filter journal.Filter, f func(journal.Record) error) (journal.Position, error) {
	last, err := end(ctx, s)
	if err != nil || n == 0 {
		return last, err
	}
	// Positions have few gaps. A span that has too few events is doubled.
	var records []journal.Record
	for span := journal.Position(n); ; span *= 2 {
		from := journal.Position(0)
		if span < last {
			from = last - span
		}
		records = records[:0]
		for r, err := range s.Feed(ctx, from, filter) {
			if err != nil {
				return 0, err
			}
			if r.Position > last {
				break // It is newer than the end.
			}
			if records = append(records, r); len(records) > 2*n {
				records = append(records[:0], records[len(records)-n:]...)
			}
		}
		if len(records) >= n || from == 0 {
			break
		}
	}
	for _, r := range records[max(0, len(records)-n):] {
		if err := f(r); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// end returns the position of the last event, or 0. It looks some 60 times whether there
// is an event after a position.
func end(ctx context.Context, s journal.Store) (journal.Position, error) {
	var failed error
	n := sort.Search(math.MaxInt, func(position int) bool {
		for _, err := range s.Feed(ctx, journal.Position(position), journal.Filter{}) {
			if failed == nil {
				failed = err
			}
			return false
		}
		return true
	})
	return journal.Position(n), failed
}

// Follow calls f for each event after a position that matches the filter, and looks for
// newer ones at the interval, until ctx ends, whose cause it returns, or f returns an error.
func Follow(ctx context.Context, s journal.Store, after journal.Position, filter journal.Filter, every time.Duration, f func(journal.Record) error) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		for r, err := range s.Feed(ctx, after, filter) {
			if err == nil {
				after = r.Position
				err = f(r)
			}
			if err != nil {
				return err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
