package paging_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/journal/internal/paging"
)

var errRead = errors.New("on order")

// upTo returns a reader of the numbers from 1 to n, in pages of 3.
func upTo(n int) func(last *int) ([]int, bool, error) {
	return func(last *int) (page []int, final bool, err error) {
		from := 0
		if last != nil {
			from = *last
		}
		for i := from + 1; i <= n && len(page) < 3; i++ {
			page = append(page, i)
		}
		return page, len(page) < 3, nil
	}
}

func TestAll(t *testing.T) {
	for n := range 10 {
		var want, got []int
		for i := range n {
			want = append(want, i+1)
		}
		for v, err := range paging.All(t.Context(), upTo(n)) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, v)
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %d rows there are %v", n, got)
		}
	}
}

// A reader that says that there is more, and has nothing, ends the list.
func TestEmptyPage(t *testing.T) {
	for v, err := range paging.All(t.Context(), func(*int) ([]int, bool, error) { return nil, false, nil }) {
		t.Errorf("there is a row %d (%v)", v, err)
	}
}

func TestErrorComesAfterItsRows(t *testing.T) {
	var got []int
	var last error
	for v, err := range paging.All(t.Context(), func(*int) ([]int, bool, error) { return []int{1, 2}, false, errRead }) {
		if last = err; err == nil {
			got = append(got, v)
		}
	}
	if !slices.Equal(got, []int{1, 2}) || !errors.Is(last, errRead) {
		t.Errorf("got %v and %v, want two rows and then the error", got, last)
	}
}

func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	n := 0
	var last error
	for _, err := range paging.All(ctx, upTo(100)) {
		if last = err; err == nil {
			n++
		}
		if n == 2 {
			cancel(errRead)
		}
	}
	if n != 2 || !errors.Is(last, errRead) {
		t.Errorf("after %d rows the error is %v, want the cause after 2", n, last)
	}
}
