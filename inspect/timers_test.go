package inspect_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// ownTimer is the test's name for a timer.
type ownTimer struct {
	owner  actor.PID
	number uint64
}

// timerPages returns the timers on all pages.
func timerPages(tb testing.TB, i *inspect.Inspector, q inspect.TimerQuery) (all []ownTimer) {
	tb.Helper()
	var last time.Time
	for {
		p, err := i.Timers(q)
		wantNoErr(tb, err)
		for _, t := range p.Timers {
			if t.Due.Before(last) {
				tb.Fatalf("a timer that is due at %v comes behind %v", t.Due, last)
			}
			last = t.Due
			all = append(all, ownTimer{t.Owner, t.Number})
		}
		if q.Cursor = p.Next; p.Next == "" {
			return all
		}
		if len(p.Timers) != q.Limit {
			tb.Fatalf("a page of %d has %d timers", q.Limit, len(p.Timers))
		}
	}
}

// setter sets a timer to itself for each message.
type setter struct{}

func (setter) Receive(ctx *actor.Context[int], n int) error {
	_, err := actor.SendAfter(ctx, time.Duration(n)*time.Hour, ctx.Self(), 0)
	return err
}

func TestTimers(t *testing.T) {
	const hostile = `<script>alert("x")</script>`
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	ref := spawn(t, sys, actor.Actor[int](setter{}), actor.WithName(hostile))
	send(t, ctx, ref, 3, 1)
	to := spawn(t, sys, actor.Actor[int](sink{}), actor.WithName("sink"))
	ticker, err := actor.Every(sys, 2*time.Hour, to.On(actor.Control), 7)
	wantNoErr(t, err)
	until(t, ctx, func() bool { p, err := i.Timers(inspect.TimerQuery{}); return err == nil && p.Matched == 3 })
	p, err := i.Timers(inspect.TimerQuery{})
	wantNoErr(t, err)
	var due []float64
	for _, one := range p.Timers {
		due = append(due, one.InSeconds/3600)
	}
	if len(due) != 3 || due[0] > 1 || due[0] < .9 || due[1] > 2 || due[1] < 1.9 || due[2] > 3 || due[2] < 2.9 {
		t.Fatalf("they are due in %.3v hours, want 1, 2 and 3", due)
	}
	first, tick := p.Timers[0], p.Timers[1]
	if first.Owner != ref.PID() || first.OwnerName != hostile || first.To != ref.PID() || first.Message != "int" || first.Lane != "data" || first.EverySeconds != 0 || first.Number != 2 {
		t.Errorf("the first is %+v", first)
	}
	if tick.Owner != (actor.PID{}) || tick.To != to.PID() || tick.ToName != "sink" || tick.Lane != "control" || tick.EverySeconds != 7200 {
		t.Errorf("the second is %+v", tick)
	}
	for _, c := range []struct {
		q    inspect.TimerQuery
		want int
	}{
		{inspect.TimerQuery{Owner: ref.PID()}, 2}, {inspect.TimerQuery{System: true}, 1}, {inspect.TimerQuery{To: to.PID()}, 1},
		{inspect.TimerQuery{Name: "<script>"}, 2}, {inspect.TimerQuery{Name: "sin"}, 1}, {inspect.TimerQuery{Name: "other"}, 0},
	} {
		if p, err := i.Timers(c.q); err != nil || p.Matched != c.want || len(p.Timers) != c.want {
			t.Errorf("%+v: got %+v and error %v, want %d", c.q, p, err, c.want)
		}
	}
	if !ticker.Stop() {
		t.Error("the ticker is over")
	}
	wantNoErr(t, ref.Stop(ctx))
	until(t, ctx, func() bool { p, err := i.Timers(inspect.TimerQuery{}); return err == nil && p.Matched == 0 })
	if p, err := i.Timers(inspect.TimerQuery{Owner: ref.PID()}); err != nil || p.Matched != 0 {
		t.Errorf("an actor that has stopped has timers: %+v, %v", p, err)
	}
}

// Of many timers, many of them due at the same time, pages miss none and have none
// twice, and those that end meanwhile do no harm.
func TestPagesOfManyTimers(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	const n = 3500 // Of the system, more than are listed with one lock; and 500 of an actor.
	to := spawn(t, sys, actor.Actor[int](setter{}))
	var all []actor.Timer
	for range n {
		one, err := actor.SendAfter(sys, time.Hour, to, 0)
		wantNoErr(t, err)
		all = append(all, one)
	}
	for range 500 {
		send(t, ctx, to, 1)
	}
	until(t, ctx, func() bool { p, err := i.Timers(inspect.TimerQuery{}); return err == nil && p.Matched == n+500 })
	got := timerPages(t, i, inspect.TimerQuery{Limit: 333})
	slices.SortFunc(got, func(a, b ownTimer) int {
		if c := a.owner.Compare(b.owner); c != 0 {
			return c
		}
		return int(a.number) - int(b.number)
	})
	if len(slices.Compact(got)) != n+500 {
		t.Errorf("there are %d timers on the pages, want %d", len(slices.Compact(got)), n+500)
	}
	seen := 0
	for range sys.Timers() {
		if seen++; seen%2 == 0 && len(all) > 0 { // Of those that come next, and of those that were.
			all[0].Stop()
			all[len(all)-1].Stop()
			all = all[min(1, len(all)):max(1, len(all)-1)]
		}
	}
	if left, err := i.Timers(inspect.TimerQuery{System: true}); err != nil || left.Matched != len(all) || seen < left.Matched {
		t.Errorf("%d were listed while they were stopped, and then %d, error %v; %d are left", seen, left.Matched, err, len(all))
	}
}

func TestBadTimerQueries(t *testing.T) {
	i := newInspector(t, newSystem(t, actor.Config{}), quiet)
	base := serve(t, i, inspect.WebConfig{})
	for query, want := range map[string]string{
		"limit=10001":        "TimerQuery.Limit is 10001",
		"cursor=1@2":         "TimerQuery.Cursor is",
		"cursor=1@x@2":       "TimerQuery.Cursor is",
		"cursor=1@1.1@2y":    "TimerQuery.Cursor is",
		"owner=nobody":       "is no PID",
		"to=<b>":             "is no PID",
		"owner=1.1&system=1": "use one of the two",
	} {
		v, err := url.ParseQuery(query)
		wantNoErr(t, err)
		for _, at := range []string{"api/timers?", "api/stream?view=timers&"} {
			resp, body := request(t, "GET", base+at+v.Encode())
			wantStatus(t, resp, body, 400, want)
		}
	}
	resp, body := request(t, "GET", base+"api/timers?owner=77.1")
	wantStatus(t, resp, body, 200, `"timers":[]`)
}

func TestNamePages(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	var want []string
	for n := range 250 {
		name := fmt.Sprintf("shop/%03d <b>", n)
		spawn(t, sys, actor.Actor[int](sink{}), actor.WithRegistration(name))
		want = append(want, name)
	}
	gone := spawn(t, sys, actor.Actor[int](setter{}), actor.WithRegistration("shop/gone"))
	wantNoErr(t, gone.Stop(ctx))
	spawn(t, sys, actor.Actor[int](sink{}), actor.WithRegistration("other"))
	var got []string
	q := inspect.NameQuery{Prefix: "shop/", Limit: 50}
	for {
		p, err := i.NamePage(q)
		wantNoErr(t, err)
		if p.Matched != 250 || len(p.Names) != 50 {
			t.Fatalf("the page has %d names of %d, want 50 of 250", len(p.Names), p.Matched)
		}
		for _, n := range p.Names {
			got = append(got, n.Name)
		}
		if q.After = p.Next; p.Next == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the pages have %d names, want %d in order: %.200s", len(got), len(want), strings.Join(got, ", "))
	}
	if _, err := i.NamePage(inspect.NameQuery{Limit: -1}); err == nil || !strings.Contains(err.Error(), "NameQuery.Limit is -1") {
		t.Errorf("the error is %v", err)
	}
}
