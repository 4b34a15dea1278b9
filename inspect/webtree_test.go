package inspect_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

type branch struct {
	Name  string    `json:"name"`
	PID   actor.PID `json:"pid"`
	Depth int       `json:"depth"`
	Wrong int       `json:"wrong"`
	Next  actor.PID `json:"next"`
	Later bool      `json:"later"`
}

// branches returns the rows of the tree that come first.
func branches(t *testing.T, url, query string) (rows []branch) {
	t.Helper()
	next, _ := listen(t, url+"api/stream?view=tree"+query)
	m, ok := next()
	if !ok {
		t.Fatal("the stream has ended")
	}
	wantNoErr(t, json.Unmarshal(m.View, &rows))
	return rows
}

// nest spawns an actor that is stuck behind 250 siblings.
func nest(open chan struct{}) func(*actor.Context[int], int) error {
	return func(ctx *actor.Context[int], depth int) error {
		if depth > 0 {
			below, err := actor.Spawn(ctx, actor.Func(nest(open)), actor.WithName("inner"))
			if err != nil {
				return err
			}
			return below.Send(ctx, depth-1)
		}
		for range 250 {
			if _, err := actor.Spawn(ctx, actor.Actor[int](sink{})); err != nil {
				return err
			}
		}
		stuck, err := actor.Spawn(ctx, actor.Func(func(*actor.Context[int], int) error { <-open; return nil }), actor.WithName("culprit"))
		if err != nil {
			return err
		}
		return stuck.Send(ctx, 1)
	}
}

// A finding about an actor is shown at all above it, folded or not; and the way to it can be unfolded, though
// it is behind 250 others. The children of an actor are shown in parts.
func TestTreeLeadsToTheWorst(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	open := make(chan struct{})
	t.Cleanup(func() { close(open) })
	outer := spawn(t, sys, actor.Func(nest(open)), actor.WithName("outer"))
	i := newInspector(t, sys, attentive) // Before the handlers begin: it does not know of those that had begun.
	send(t, ctx, outer, 3)
	var culprit inspect.Finding
	until(t, ctx, func() bool { f, ok := find(i, inspect.StuckHandler); culprit = f; return ok && f.Name == "culprit" })
	until(t, ctx, func() bool { return len(sys.Handlers()) == 1 }) // The handlers that have spawned others have returned,
	until(t, ctx, func() bool { return len(i.Findings()) == 1 })   // and are no findings, however slow the machine is.
	url := serve(t, i, inspect.WebConfig{})

	// The page of the workers has a link to it.
	until(t, ctx, func() bool { h := i.Workers().Holders; return len(h) == 1 && h[0].PID == culprit.PID })

	rows := branches(t, url, "&closed="+pidText(t, outer.PID()))
	if len(rows) != 1 || rows[0].Name != "outer" || rows[0].Wrong != 1 {
		t.Errorf("folded, the tree is %+v", rows)
	}
	rows = branches(t, url, "&worst=1&closed="+pidText(t, outer.PID()))
	at := -1
	for n, r := range rows {
		if r.PID == culprit.PID {
			at = n
		}
	}
	// Four above it, itself, and the first 200 of its siblings.
	if at != 4 || rows[at].Depth != 4 || rows[at].Wrong != 1 || len(rows) != 205 {
		t.Fatalf("the culprit is row %d of %d", at, len(rows))
	}
	parent := rows[3]
	if parent.Wrong != 1 || parent.Next == (actor.PID{}) || parent.Later {
		t.Errorf("its parent is %+v", parent)
	}
	rest := branches(t, url, "&worst=1&from="+pidText(t, parent.PID)+":"+pidText(t, parent.Next))
	// 251 children without the first 200.
	if len(rest) != 4+51 || rest[3].Next != (actor.PID{}) || !rest[3].Later || rest[len(rest)-1].PID != culprit.PID {
		t.Errorf("there are %d rows below %+v", len(rest), rest[3])
	}
	if gone := branches(t, url, "&worst=1&from="+pidText(t, parent.PID)+":7777777.1"); len(gone) != 205 || gone[3].Later {
		t.Errorf("after one that has stopped there are %d rows", len(gone))
	}
}

// The actors at the top are shown in parts, too.
func TestTopOfTheTreeInParts(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	for range 201 {
		spawn(t, sys, actor.Actor[int](sink{}))
	}
	url := serve(t, newInspector(t, sys, quiet), inspect.WebConfig{})
	rows := branches(t, url, "")
	last := rows[len(rows)-1]
	if len(rows) != 201 || last.PID != (actor.PID{}) || last.Next != rows[199].PID || last.Later {
		t.Fatalf("there are %d rows, and at the end %+v", len(rows), last)
	}
	rest := branches(t, url, "&from=:"+pidText(t, last.Next))
	if len(rest) != 2 || !rest[1].Later || rest[1].Next != (actor.PID{}) {
		t.Errorf("the rest is %+v", rest)
	}
	for _, bad := range []string{"x", "1.1:x", "x:1.1", "1.1"} {
		if resp, body := request(t, http.MethodGet, url+"api/stream?view=tree&from="+bad); resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, "PID") {
			t.Errorf("from=%s is answered with %d %s", bad, resp.StatusCode, body)
		}
	}
}
