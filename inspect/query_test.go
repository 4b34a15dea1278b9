package inspect_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// pages returns the PIDs on all pages.
func pages(tb testing.TB, i *inspect.Inspector, q inspect.Query) (ids []actor.PID) {
	tb.Helper()
	for {
		p, err := i.Actors(q)
		wantNoErr(tb, err)
		for _, a := range p.Actors {
			ids = append(ids, a.PID)
		}
		before := q.Cursor
		if q.Cursor = p.Next; p.Next == "" {
			return ids
		}
		if p.Next == before {
			tb.Fatalf("the page after %s is the same again", before)
		}
		if len(p.Actors) != q.Limit {
			tb.Fatalf("a page of %d has %d actors", q.Limit, len(p.Actors))
		}
	}
}

func TestPages(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	const n = 250
	var ids []actor.PID
	for j := range n {
		ref := spawn(t, sys, actor.Actor[int](sink{}), actor.WithName(fmt.Sprintf("sink-%d", j)))
		for range j % 7 {
			send(t, ctx, ref, 1)
		}
		ids = append(ids, ref.PID())
	}
	other := spawn(t, sys, actor.Actor[bool](failer{}), actor.WithName("other"))
	until(t, ctx, func() bool {
		p, err := i.Actors(inspect.Query{State: "waiting", Sort: inspect.ByHandled, Limit: 1})
		return err == nil && p.Matched == n+1
	})
	for _, limit := range []int{1, 7, 250, 251} {
		q := inspect.Query{Name: "sink-", Limit: limit}
		if got := pages(t, i, q); !slices.Equal(got, ids) {
			t.Errorf("in pages of %d by PID there are %d of %d, or in another order", limit, len(got), n)
		}
		q.Sort = inspect.ByHandled
		want := slices.SortedStableFunc(slices.Values(ids), func(a, b actor.PID) int {
			return slices.Index(ids, b)%7 - slices.Index(ids, a)%7
		})
		if got := pages(t, i, q); !slices.Equal(got, want) {
			t.Errorf("in pages of %d by what was handled there are %d of %d, or in another order", limit, len(got), n)
		}
	}
	if got := pages(t, i, inspect.Query{Kind: "inspect_test.failer", Limit: 10}); !slices.Equal(got, []actor.PID{other.PID()}) {
		t.Errorf("of the other kind are %v", got)
	}
	if got := pages(t, i, inspect.Query{Name: "sink-24", Limit: 5}); len(got) != 11 {
		t.Errorf("%d names begin so, want 11", len(got))
	}
	for search, want := range map[string]int{"INK-24": 11, ".FAIL": 1, "sink-249": 1, "nobody": 0} {
		if got := pages(t, i, inspect.Query{Search: search, Limit: 5}); len(got) != want {
			t.Errorf("%d actors have %q in their names or kinds, want %d", len(got), search, want)
		}
	}
}

func TestQueryNonsense(t *testing.T) {
	i := newInspector(t, newSystem(t, actor.Config{}), quiet)
	for _, q := range []inspect.Query{
		{Sort: "size"}, {State: "asleep"}, {Limit: -1}, {Limit: 10001}, {Cursor: "x"}, {Cursor: "1@<script>"}, {Cursor: "@1.2"},
	} {
		if _, err := i.Actors(q); err == nil {
			t.Errorf("%+v was accepted", q)
		}
	}
}
