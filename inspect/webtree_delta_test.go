package inspect_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// deltaRow is what a page knows a row by, and its text.
type deltaRow struct {
	PID     string `json:"pid"`
	Handled uint64 `json:"handled"`
}

type delta struct {
	Whole   bool       `json:"whole"`
	Head    int        `json:"head"`
	Tail    int        `json:"tail"`
	Rows    []deltaRow `json:"rows"`
	Changed []deltaRow `json:"changed"`
}

// apply does what the page does.
func (d delta) apply(old []deltaRow) []deltaRow {
	if d.Whole {
		return d.Rows
	}
	now := slices.Concat(old[:d.Head], d.Rows, old[len(old)-d.Tail:])
	for _, c := range d.Changed {
		now[slices.IndexFunc(now, func(r deltaRow) bool { return r.PID == c.PID })] = c
	}
	return now
}

// The changes of each message make of the old rows the new ones, and have no row that is as it was and where it was, at the
// beginning and the end.
func TestTreeDeltasMakeTheRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		next := inspect.NewTreeDeltas()
		var page []deltaRow
		for look := range rapid.IntRange(1, 6).Draw(t, "looks") {
			numbers := rapid.SliceOfNDistinct(rapid.IntRange(0, 11), 0, 8, rapid.ID).Draw(t, "actors")
			slices.Sort(numbers)
			var rows []inspect.TreeRow
			var want []deltaRow
			for _, n := range numbers {
				var r inspect.TreeRow
				id, err := actor.ParsePID(fmt.Sprintf("%d.1", n))
				if err != nil {
					t.Fatal(err)
				}
				r.PID, r.Handled = id, rapid.Uint64Range(0, 1).Draw(t, "handled")
				rows, want = append(rows, r), append(want, deltaRow{fmt.Sprintf("%d.1", n), r.Handled})
			}
			before := page
			v, err := next(rows)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			var d delta
			if err := json.Unmarshal(text, &d); err != nil {
				t.Fatal(err)
			}
			if page = d.apply(page); !slices.Equal(page, want) {
				t.Fatalf("look %d: %v and %s make %v, not %v", look, before, text, page, want)
			}
			if d.Whole != (look == 0) {
				t.Fatalf("look %d is whole: %v", look, d.Whole)
			}
			if slices.Equal(before, page) && look > 0 && len(d.Rows)+len(d.Changed) != 0 {
				t.Fatalf("look %d tells of %s, and nothing has changed", look, text)
			}
		}
	})
}

// While no actor does anything, a page gets no rows after the first message. A message that is handled changes one row.
func TestTreeStreamTellsChanges(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	refs := make([]actor.Ref[int], 150)
	for n := range refs {
		refs[n] = spawn(t, sys, actor.Actor[int](sink{}))
	}
	until(t, ctx, func() bool { // None is about to begin, which would be a change.
		return !slices.ContainsFunc(refs, func(r actor.Ref[int]) bool {
			info, err := sys.Info(r.PID())
			return err != nil || info.State != actor.Waiting
		})
	})
	url := serve(t, newInspector(t, sys, quiet), inspect.WebConfig{Every: 50 * time.Millisecond})
	next, _ := listen(t, url+"api/stream?view=tree&delta=1")
	var page []deltaRow
	tell := func() (d delta) {
		t.Helper()
		m, ok := next()
		if !ok {
			t.Fatal("the stream has ended")
		}
		wantNoErr(t, json.Unmarshal(m.View, &d))
		page = d.apply(page)
		return d
	}
	if d := tell(); !d.Whole || len(page) != 150 {
		t.Fatalf("the first message has %d rows", len(page))
	}
	for range 3 {
		if d := tell(); d.Head != 150 || len(d.Rows)+len(d.Changed) != 0 {
			t.Errorf("nothing has happened, and the page is told %+v", d)
		}
	}
	send(t, ctx, refs[70], 1)
	for page[70].Handled == 0 {
		if d := tell(); len(d.Rows) != 0 || len(d.Changed) > 1 {
			t.Errorf("one message was handled, and the page is told %+v", d)
		}
	}
}
