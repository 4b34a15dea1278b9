// Package paging reads long lists from databases in pages, so that a slow reader holds
// neither a connection nor the log of a file. It is for the stores of journals.
package paging

import (
	"context"
	"iter"
)

// Bounds of one page.
const (
	Rows  = 512     // The most rows.
	Bytes = 1 << 20 // A page ends with the row that reaches it.
)

// All yields what read returns, page by page. Read gets the last row of the page before,
// or nil, and reports whether its page is the final one. The rows that it returns beside
// an error are yielded before the error. All ends with the cause when ctx ends.
func All[T any](ctx context.Context, read func(last *T) (page []T, final bool, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		var last *T
		for final := false; !final; {
			page, isFinal, err := read(last)
			for i := range page {
				if cause := context.Cause(ctx); cause != nil {
					yield(none, cause)
					return
				}
				last = &page[i]
				if !yield(page[i], nil) {
					return
				}
			}
			if err != nil {
				yield(none, err)
				return
			}
			final = isFinal || len(page) == 0
		}
	}
}
