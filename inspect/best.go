package inspect

import (
	"fmt"
	"slices"
)

// best keeps the first so many, in an order, of what it is shown one by one: so a
// page of a hundred thousand needs memory for two pages, and a comparison with
// the last of the page for each.
type best[T any] struct {
	limit   int
	compare func(a, b *T) int
	kept    []*T
	spare   []*T // Were kept once, and are used again.
	matched int
	full    bool // The first limit of kept are in order, and nothing behind the last of them counts.
}

// add gets an item that matches, and copies it if it keeps it. The page has only items behind after, if
// that is not nil.
func (b *best[T]) add(x *T, after *T) {
	b.matched++
	switch {
	case after != nil && b.compare(x, after) <= 0, b.full && b.compare(x, b.kept[b.limit-1]) >= 0:
		return
	}
	if b.kept = append(b.kept, b.copy(x)); len(b.kept) == 2*b.limit {
		b.cut()
	}
}

func (b *best[T]) copy(x *T) *T {
	if n := len(b.spare); n > 0 {
		one := b.spare[n-1]
		b.spare, *one = b.spare[:n-1], *x
		return one
	}
	one := *x
	return &one
}

func (b *best[T]) cut() {
	slices.SortFunc(b.kept, b.compare)
	if len(b.kept) >= b.limit {
		b.spare = append(b.spare, b.kept[b.limit:]...)
		b.kept, b.full = b.kept[:b.limit], true
	}
}

// page returns the page, in order, and whether there are more behind it. The
// limit that best was made with is one more than the page's.
func (b *best[T]) page() (all []T, more bool) {
	b.cut()
	kept := b.kept
	if b.full {
		kept = kept[:b.limit-1]
	}
	all = make([]T, 0, len(kept))
	for _, one := range kept {
		all = append(all, *one)
	}
	return all, b.full
}

// newBest is for a page of limit entries.
func newBest[T any](limit int, compare func(a, b *T) int) *best[T] {
	return &best[T]{limit: limit + 1, compare: compare}
}

// checkLimit returns the limit with its default.
func checkLimit(of string, limit int) (int, error) {
	if limit < 0 || limit > maxLimit {
		return 0, fmt.Errorf("inspect: %s.Limit is %d; it must be 1 to %d, or 0 for %d", of, limit, maxLimit, defaultLimit)
	}
	if limit == 0 {
		return defaultLimit, nil
	}
	return limit, nil
}
