package inspect_test

import (
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// attentive looks often, and finds handlers stuck soon.
var attentive = inspect.Config{ProbeEvery: -1, ScanEvery: soon, StuckAfter: 20 * time.Millisecond}

func find(i *inspect.Inspector, kind inspect.FindingKind) (inspect.Finding, bool) {
	all := i.Findings()
	n := slices.IndexFunc(all, func(f inspect.Finding) bool { return f.Kind == kind })
	if n < 0 {
		return inspect.Finding{}, false
	}
	return all[n], true
}

type query struct {
	deep  bool
	reply actor.Reply[int]
}

// asker asks the next one, and the last one waits for a channel.
type asker struct {
	next actor.Ref[query]
	open chan struct{}
}

func (a *asker) Receive(ctx *actor.Context[query], q query) error {
	if a.open != nil {
		<-a.open
		return q.reply.Send(ctx, 1)
	}
	n, err := actor.Ask(ctx, a.next, func(r actor.Reply[int]) query { return query{true, r} })
	if err != nil {
		return err
	}
	return q.reply.Send(ctx, n)
}

// Of a chain of asks the last actor is the finding, as the others wait for it. When it goes on there is none.
func TestStuckHandlerIsTheRoot(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	open := make(chan struct{})
	last := spawn(t, sys, &asker{open: open}, actor.WithName("last"))
	middle := spawn(t, sys, &asker{next: last}, actor.WithName("middle"))
	first := spawn(t, sys, &asker{next: middle}, actor.WithName("first"))
	i := newInspector(t, sys, attentive)
	answered := make(chan error, 1)
	go func() {
		_, err := actor.Ask(actor.WithoutAskTimeout(ctx), first, func(r actor.Reply[int]) query { return query{false, r} })
		answered <- err
	}()
	until(t, ctx, func() bool {
		f, ok := find(i, inspect.StuckHandler)
		return ok && f.Count == 2
	})
	f, _ := find(i, inspect.StuckHandler)
	if f.Name != "last" || f.Level != slog.LevelError || !strings.HasPrefix(f.Text, "last stuck for ") ||
		!strings.HasSuffix(f.Text, ", it receives from a channel, 2 handlers wait") || f.View != "actor/"+pidText(t, last.PID()) {
		t.Errorf("the finding is %+v", f)
	}
	for _, f := range i.Findings() {
		if f.Name != "last" {
			t.Errorf("this blames a victim: %v", f)
		}
	}
	if m := i.Metrics(); m.StuckHandlers != 1 || m.Findings["stuck_handler"] != 1 || m.LongestHandlerSeconds <= 0 {
		t.Errorf("the metrics are %+v", m)
	}
	close(open)
	wantNoErr(t, <-answered)
	until(t, ctx, func() bool { return len(i.Findings()) == 0 })
}

func pidText(tb testing.TB, id actor.PID) string {
	tb.Helper()
	text, err := id.MarshalText()
	wantNoErr(tb, err)
	return string(text)
}

// A process that waits for messages, and a handler of a reentrant actor that waits for an actor, are not stuck.
func TestWaitingIsNotStuck(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, attentive)
	received := make(chan int, 1)
	process := spawn(t, sys, actor.NewProcess(func(p *actor.Process[int]) error {
		for {
			n, err := p.Receive(p)
			if err != nil {
				return err
			}
			received <- n
		}
	}), actor.WithName("process"))
	send(t, ctx, process, 1)
	<-received
	open := make(chan struct{})
	last := spawn(t, sys, &asker{open: open}, actor.WithName("last"))
	middle := spawn(t, sys, &asker{next: last}, actor.WithName("middle"), actor.WithReentrancy(actor.FullReentrancy))
	for range 3 {
		go func() {
			_, _ = actor.Ask(actor.WithoutAskTimeout(ctx), middle, func(r actor.Reply[int]) query { return query{false, r} })
		}()
	}
	t.Cleanup(func() { close(open) })
	// The last one is stuck later than the others began to wait.
	until(t, ctx, func() bool {
		f, ok := find(i, inspect.StuckHandler)
		return ok && f.Name == "last" && f.Count >= 3
	})
	for _, f := range i.Findings() {
		if f.Name != "last" {
			t.Errorf("this is none: %v", f)
		}
	}
}

// A handler that was killed and has not returned is an orphan, and not a stuck handler of the actor that goes on.
func TestOrphanIsFound(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	held := spawn(t, sys, g, actor.WithName("held"))
	i := newInspector(t, sys, attentive)
	g.hold(t, ctx, held)
	wantNoErr(t, sys.Kill(held.PID()))
	until(t, ctx, func() bool {
		f, ok := find(i, inspect.Orphaned)
		_, stuck := find(i, inspect.StuckHandler)
		return ok && f.Name == "held" && !stuck && strings.HasPrefix(f.Text, "1 killed handler still runs, held for ")
	})
	close(g.open)
	until(t, ctx, func() bool { return len(i.Findings()) == 0 })
}

// A stuck handler and an orphan beside it are both located, look after look.
func TestOrphanBesideAStuckHandler(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	killed, stuck := newGate(), newGate()
	one, two := spawn(t, sys, killed, actor.WithName("killed")), spawn(t, sys, stuck, actor.WithName("stuck"))
	i := newInspector(t, sys, attentive)
	killed.hold(t, ctx, one)
	stuck.hold(t, ctx, two)
	t.Cleanup(func() { close(killed.open); close(stuck.open) })
	wantNoErr(t, sys.Kill(one.PID()))
	located := func() bool {
		a, _ := find(i, inspect.Orphaned)
		b, _ := find(i, inspect.StuckHandler)
		return a.Name == "killed" && strings.Contains(a.Text, "receives from a channel") && strings.Contains(b.Text, "receives from a channel")
	}
	until(t, ctx, located)
	for begin := time.Now(); time.Since(begin) < 200*time.Millisecond; {
		if !located() {
			t.Fatalf("after they were located: %v", i.Findings())
		}
	}
}

// The page has the findings, also when there are none.
func TestFindingsOnThePage(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, attentive)
	page, err := i.Handler(inspect.WebConfig{Trusted: true})
	wantNoErr(t, err)
	get := func() string {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(ctx, "GET", "http://127.0.0.1/api/findings", nil)
		page.ServeHTTP(w, r)
		return strings.TrimSpace(w.Body.String())
	}
	if text := get(); text != "[]" {
		t.Errorf("without findings the page says %q", text)
	}
	g := newGate()
	ref := spawn(t, sys, g, actor.WithName("evil <b>"))
	g.hold(t, ctx, ref)
	t.Cleanup(func() { close(g.open) })
	until(t, ctx, func() bool { return get() != "[]" })
	var found []inspect.Finding
	wantNoErr(t, json.Unmarshal([]byte(get()), &found))
	if len(found) != 1 || found[0].Name != "evil <b>" || found[0].Level != slog.LevelWarn || !strings.HasSuffix(found[0].Text, "nobody waits") {
		t.Errorf("found %+v", found)
	}
}

// With StuckAfter or ScanEvery of -1 nothing is found.
func TestFindingsCanBeLeftOut(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	without := attentive
	without.StuckAfter = -1
	never := attentive
	never.ScanEvery = -1
	with, i, j := newInspector(t, sys, attentive), newInspector(t, sys, without), newInspector(t, sys, never)
	g := newGate()
	ref := spawn(t, sys, g)
	g.hold(t, ctx, ref)
	t.Cleanup(func() { close(g.open) })
	until(t, ctx, func() bool { return len(with.Findings()) > 0 })
	if found := append(i.Findings(), j.Findings()...); len(found) > 0 {
		t.Errorf("found %v", found)
	}
	if _, err := inspect.New(sys, inspect.Config{StuckAfter: -2}); err == nil || !strings.Contains(err.Error(), "StuckAfter") {
		t.Errorf("StuckAfter of -2: %v", err)
	}
}
