package top_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/top"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/strand"
)

func (p *program) Jobs(_ context.Context, q inspect.JobQuery) (inspect.JobPage, error) {
	p.lists = append(p.lists, q)
	return inspect.JobPage{Jobs: []inspect.Job{
		{ID: 16, Type: inspect.SingleJob, State: "timed out"}, {ID: 17, Type: inspect.StrandJob, Name: "evil\x1b[2J", State: "waiting", AgeSeconds: 7},
	}, Next: "later", Total: 9, Matched: 5, Queued: 3}, p.err
}

func (p *program) Job(_ context.Context, id uint64) (inspect.Job, error) {
	if id != 17 {
		return inspect.Job{}, fmt.Errorf("no job %d", id)
	}
	return inspect.Job{ID: 17, Type: inspect.StrandJob, Name: "patient", State: "waiting", Place: "x.go:1", Stack: "goroutine 1 [select]:\nmain.waits\x1b]0;()\n"}, p.err
}

func (p *program) Timers(_ context.Context, q inspect.TimerQuery) (inspect.TimerPage, error) {
	p.lists = append(p.lists, q)
	return inspect.TimerPage{Timers: []inspect.Timer{
		{To: pid(4), ToName: "late", Lane: "data", Message: "int", InSeconds: -2},
		{Owner: pid(3), OwnerName: "evil\x1b[2J", To: pid(4), ToName: "target", Lane: "control", Message: "tick", InSeconds: 9, EverySeconds: 60, Missed: 2},
		{To: pid(4), ToName: "prompt", Lane: "data", Message: "int", InSeconds: -0.01},
	}, Matched: 3}, p.err
}

func (p *program) Names(_ context.Context, q inspect.NameQuery) (inspect.NamePage, error) {
	p.lists = append(p.lists, q)
	return inspect.NamePage{Names: []inspect.Name{{Name: "evil\x1b[2J", PID: pid(3)}}, Next: "evil"}, p.err
}

func (v *view) lastOf(p *program, want any) {
	v.Helper()
	if got := p.lists[len(p.lists)-1]; !reflect.DeepEqual(got, want) {
		v.Errorf("asked for %+v, want %+v", got, want)
	}
}

func TestModelShowsLists(t *testing.T) {
	p := &program{}
	v := newView(t, p)
	v.send(tea.WindowSizeMsg{Width: 100, Height: 24})
	v.keys("J")
	v.wants("5 jobs by age, 9 jobs under way, 3 queued, page 1", "timed out", "17", "strand", "7s")
	v.lastOf(p, inspect.JobQuery{Sort: inspect.ByAge, Limit: 200})
	v.keys("down", "enter")
	v.wants("strand 17 patient", "main.waits", "x.go:1")
	v.keys("esc")
	v.wants("5 jobs by age")
	v.keys("f", "s", "/", "e", "v", "enter", "right")
	v.wants("5 strands by id", `begin with "ev"`, "page 2")
	v.lastOf(p, inspect.JobQuery{Type: inspect.StrandJob, Sort: inspect.ByID, Name: "ev", Cursor: "later", Limit: 200})
	v.keys("S")
	v.lastOf(p, inspect.JobQuery{Type: inspect.StrandJob, Sort: inspect.ByAge, Name: "ev", Limit: 200})
	v.keys("T")
	v.wants("3 timers", "waits for room", "the system", "late<4.1>", "9s", "1m0s", "target<4.1>", "control", "tick, 2 missed")
	v.lastOf(p, inspect.TimerQuery{Limit: 200})
	v.keys("down", "enter")
	v.wants("actor3 <3.1>")
	v.keys("esc", "enter") // Of the first one, which the system has set, the receiver.
	v.wants("no actor 4.1")
	v.keys("N")
	v.wants("registered names", "evil")
	v.keys("right")
	v.lastOf(p, inspect.NameQuery{After: "evil", Limit: 200})
	v.keys("left", "enter")
	v.wants("actor3 <3.1>")
}

func TestModelBeginsWithAView(t *testing.T) {
	for view, want := range map[top.View]string{
		top.ActorsView: "by mailbox", top.TreeView: "as a tree", top.JobsView: "5 jobs", top.StrandsView: "5 strands", top.TimersView: "3 timers", top.NamesView: "registered names",
	} {
		v := newView(t, &program{})
		v.m = top.NewModel(&program{}, inspect.Query{Sort: inspect.ByMailbox}, view, time.Hour)
		v.run(v.m.Init())
		v.wants(want)
	}
}

// A name that is given for a list filters that list, and esc forgets it first.
func TestModelBeginsWithAName(t *testing.T) {
	for first, want := range map[top.View]func(name string) any{
		top.JobsView: func(name string) any { return inspect.JobQuery{Sort: inspect.ByAge, Name: name, Limit: 200} },
		top.StrandsView: func(name string) any {
			return inspect.JobQuery{Type: inspect.StrandJob, Sort: inspect.ByAge, Name: name, Limit: 200}
		},
		top.TimersView: func(name string) any { return inspect.TimerQuery{Name: name, Limit: 200} },
		top.NamesView:  func(name string) any { return inspect.NameQuery{Prefix: name, Limit: 200} },
	} {
		p := &program{}
		v := &view{t, top.NewModel(p, inspect.Query{Sort: inspect.ByMailbox, Name: "ev"}, first, time.Hour)}
		v.run(v.m.Init())
		v.wants(`begin with "ev"`)
		v.lastOf(p, want("ev"))
		v.keys("a")
		if asked := p.asked[len(p.asked)-1]; asked.Name != "" {
			t.Errorf("%s: actors are filtered by %q", first, asked.Name)
		}
		v.keys("esc")
		v.lastOf(p, want("ev"))
		v.keys("esc")
		v.lastOf(p, want(""))
	}
}

// In a list that keys have led to, esc forgets the filter and then goes back.
func TestModelForgetsAFilter(t *testing.T) {
	p := &program{}
	v := newView(t, p)
	v.send(tea.WindowSizeMsg{Width: 100, Height: 24})
	v.keys("N", "/", "e", "enter", "right")
	v.wants(`begin with "e"`, "page 2")
	v.keys("esc")
	v.wants("registered names, page 1")
	v.lastOf(p, inspect.NameQuery{Limit: 200})
	v.keys("esc")
	v.wants("by mailbox")
}

// Only a timer that is late waits for room, and is marked.
func TestModelMarksTimersThatWait(t *testing.T) {
	v := newView(t, &program{})
	v.send(tea.WindowSizeMsg{Width: 100, Height: 24})
	v.keys("T", "down") // The chosen row has no colour.
	for _, line := range strings.Split(v.text(), "\n") {
		plain := ansi.Strip(line)
		late, prompt := strings.Contains(plain, "late<"), strings.Contains(plain, "prompt<")
		if late && (!strings.HasPrefix(plain, "waits for room ") || plain == line) || prompt && (!strings.HasPrefix(plain, "due ") || plain != line) {
			t.Errorf("a timer is shown as %q", line)
		}
	}
	v.wants("late<", "prompt<")
}

// The largest page of names is asked for, and a larger one refused. Behind a full
// one there may be another.
func TestClientGetsTheLargestPageOfNames(t *testing.T) {
	there := 10_000
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limit, err := strconv.Atoi(r.FormValue("limit"))
		if err != nil || limit > 10_000 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"error": "the limit is %d"}`, limit)
			return
		}
		_ = json.NewEncoder(w).Encode(slices.Repeat([]inspect.Name{{Name: "x"}}, min(limit, there)))
	}))
	defer page.Close()
	c, err := top.NewClient(page.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, want := range []struct {
		there, limit, names int
		next                string
	}{{10_000, 10_000, 10_000, "x"}, {9_999, 10_000, 9_999, ""}, {10_000, 9_999, 9_999, "x"}, {9_999, 9_999, 9_999, ""}} {
		there = want.there
		p, err := c.Names(t.Context(), inspect.NameQuery{Limit: want.limit})
		if err != nil || len(p.Names) != want.names || p.Next != want.next {
			t.Errorf("%d of %d names: got %d, next %q, error %v", want.limit, want.there, len(p.Names), p.Next, err)
		}
	}
	if _, err := c.Names(t.Context(), inspect.NameQuery{Limit: 10_001}); err == nil || !strings.Contains(err.Error(), "the limit is 10001") {
		t.Errorf("a page that is too large: error %v", err)
	}
}

// The client asks a page of a real program, and its reports have what is there.
func TestClientGetsLists(t *testing.T) {
	ctx := patience.Context(t)
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	patience.StopAtEnd(t, sys)
	i, err := inspect.New(sys, inspect.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	page, err := i.Listen(":0", inspect.WebConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close() //nolint:errcheck // Others tell.
	c, err := top.NewClient(page.URL(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	idle := actor.Func(func(*actor.Context[int], int) error { return nil })
	for _, name := range []string{"a", "b", "c"} {
		ref, err := actor.Spawn(sys, idle, actor.WithName(name), actor.WithRegistration(name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := actor.SendAfter(sys, time.Hour, ref, 1); err != nil {
			t.Fatal(err)
		}
	}
	s, err := strand.Go(ctx, func(s *strand.Strand) error { <-s.Done(); return nil }, strand.Name("patient"), strand.On(sys.Scheduler()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { s.Cancel(context.Canceled); _ = s.Join(ctx) }()
	var text strings.Builder
	var jobs inspect.JobPage
	patience.Until(t, ctx, func() bool {
		jobs, err = c.Jobs(ctx, inspect.JobQuery{Type: inspect.StrandJob, Sort: inspect.ByAge, Limit: 5})
		return err != nil || len(jobs.Jobs) == 1
	})
	if err != nil {
		t.Fatal(err)
	}
	if j, err := c.Job(ctx, jobs.Jobs[0].ID); err != nil || !strings.Contains(j.Stack, "TestClientGetsLists") {
		t.Errorf("the job is %+v, error %v", j, err)
	}
	names, err := c.Names(ctx, inspect.NameQuery{Limit: 2})
	if err != nil || len(names.Names) != 2 || names.Next != "b" {
		t.Errorf("the names are %+v, error %v", names, err)
	}
	if names, err = c.Names(ctx, inspect.NameQuery{Limit: 2, After: names.Next}); err != nil || len(names.Names) != 1 || names.Next != "" {
		t.Errorf("the names are %+v, error %v", names, err)
	}
	timers, err := c.Timers(ctx, inspect.TimerQuery{Limit: 2})
	if err != nil || timers.Matched != 3 || len(timers.Timers) != 2 || timers.Next == "" {
		t.Errorf("the timers are %+v, error %v", timers, err)
	}
	for _, err := range []error{top.WriteJobs(&text, jobs), top.WriteTimers(&text, timers), top.WriteNames(&text, names)} {
		if err != nil {
			t.Error(err)
		}
	}
	for _, part := range []string{"1 of 1 under way", "patient", "3 timers", "the system", "data       int", "PID"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("the reports have no %q:\n%s", part, &text)
		}
	}
	if strings.Contains(text.String(), "\x1b") {
		t.Error("a report has an escape sequence")
	}
}
