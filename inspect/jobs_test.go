package inspect_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
	"github.com/troupe-go/troupe/task"
)

// parkStrands starts n strands that wait until the test ends.
func parkStrands(tb testing.TB, ctx context.Context, s *sched.Scheduler, n int, opts ...strand.Option) (all []*strand.Strand) {
	tb.Helper()
	begun := make(chan struct{}, n)
	for range n {
		one, err := strand.Go(ctx, func(s *strand.Strand) error {
			begun <- struct{}{}
			return s.Park()
		}, append(opts, strand.On(s))...)
		wantNoErr(tb, err)
		all = append(all, one)
		tb.Cleanup(func() { one.Cancel(nil) })
	}
	for range n {
		<-begun
	}
	return all
}

// jobPages returns the ids on all pages.
func jobPages(tb testing.TB, i *inspect.Inspector, q inspect.JobQuery) (ids []uint64) {
	tb.Helper()
	for {
		p, err := i.Jobs(q)
		wantNoErr(tb, err)
		for _, j := range p.Jobs {
			ids = append(ids, j.ID)
		}
		if p.Next == "" {
			return ids
		}
		if len(p.Jobs) != q.Limit {
			tb.Fatalf("a page of %d has %d jobs", q.Limit, len(p.Jobs))
		}
		if p.Next == q.Cursor {
			tb.Fatalf("the page behind %s is the same again", q.Cursor)
		}
		q.Cursor = p.Next
	}
}

// Single jobs, strands and tasks are listed while they are under way, each as what
// it is, with its name as it was given.
func TestJobsOfEachType(t *testing.T) {
	const hostile = "<img src=x onerror=\"alert(1)\">\x00\u202e"
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	s := sys.Scheduler()
	release := make(chan struct{})
	wait := func(context.Context) error { <-release; return nil }
	single, err := s.Go(ctx, wait, sched.WithKind("export"))
	wantNoErr(t, err)
	named := parkStrands(t, ctx, s, 1, strand.Name(hostile))[0]
	group, err := task.NewGroup[int](ctx, task.AllCompleted[int](), task.On(s), task.Name("fetch"))
	wantNoErr(t, err)
	one, err := group.GoNamed("page", func(ctx context.Context) (int, error) { return 0, wait(ctx) })
	wantNoErr(t, err)
	until(t, ctx, func() bool {
		p, err := i.Jobs(inspect.JobQuery{})
		return err == nil && p.Total == 3
	})
	want := func(q inspect.JobQuery, id uint64, check func(inspect.Job) bool) {
		t.Helper()
		p, err := i.Jobs(q)
		wantNoErr(t, err)
		if p.Total != 3 || p.Matched != 1 || len(p.Jobs) != 1 || p.Jobs[0].ID != id || p.Next != "" || !check(p.Jobs[0]) {
			t.Errorf("%+v: got %+v, want job %d", q, p, id)
		}
	}
	want(inspect.JobQuery{Type: inspect.SingleJob}, single.ID(), func(j inspect.Job) bool {
		return j.Kind == "export" && j.State == "running" && !j.Started.IsZero() && j.Priority == "normal"
	})
	want(inspect.JobQuery{Kind: "export"}, single.ID(), func(j inspect.Job) bool { return j.Type == inspect.SingleJob })
	want(inspect.JobQuery{State: "waiting"}, named.ID(), func(j inspect.Job) bool { return j.Type == inspect.StrandJob && j.Name == hostile })
	want(inspect.JobQuery{Name: "<img"}, named.ID(), func(inspect.Job) bool { return true })
	want(inspect.JobQuery{Type: inspect.TaskJob}, one.ID(), func(j inspect.Job) bool {
		return j.Name == "page" && strings.HasPrefix(j.Place, "jobs_test.go:")
	})

	got, err := i.Job(named.ID())
	wantNoErr(t, err)
	if got.Name != hostile || !strings.Contains(got.Stack, "strand.(*Strand).Park") {
		t.Errorf("the strand is %+v", got)
	}
	close(release)
	wantNoErr(t, single.Wait(ctx))
	until(t, ctx, func() bool { _, err := i.Job(single.ID()); return err != nil })
	_, err = i.Job(single.ID())
	wantErr(t, err, inspect.ErrNoJob)
	_, err = group.Join(ctx)
	wantNoErr(t, err)
}

// Strands are listed in pages, in each order. None is missing or there twice. The API
// lists the same.
func TestPagesOfManyStrands(t *testing.T) {
	n := 25_000 // Two full pages and a part of one. BenchmarkJobs has 100,000.
	if testing.Short() || raceEnabled {
		n = 5000
	}
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	parked := parkStrands(t, ctx, sys.Scheduler(), n)
	var want []uint64
	for _, s := range parked {
		want = append(want, s.ID())
	}
	slices.Sort(want)
	if got := jobPages(t, i, inspect.JobQuery{Type: inspect.StrandJob, Limit: 10_000}); !slices.Equal(got, want) {
		t.Errorf("in pages by id there are %d strands, want %d, or they are in another order", len(got), n)
	}
	for _, by := range []inspect.JobOrder{inspect.ByAge, inspect.ByPreemptions} {
		got := jobPages(t, i, inspect.JobQuery{Sort: by, Limit: 10_000})
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("in pages by %s there are %d strands, want %d", by, len(got), n)
		}
	}
	base := serve(t, i, inspect.WebConfig{})
	resp, body := request(t, "GET", base+"api/strands?limit=2&sort=age")
	wantStatus(t, resp, body, 200, fmt.Sprintf(`"total":%d,"matched":%d`, n, n))
	resp, body = request(t, "GET", base+"api/jobs?type=job")
	wantStatus(t, resp, body, 200, `"jobs":[],`)
	resp, body = request(t, "GET", base+"api/jobs/"+fmt.Sprint(want[0]))
	wantStatus(t, resp, body, 200, "strand.(*Strand).Park")
	for _, s := range parked {
		s.Cancel(nil)
	}
	until(t, ctx, func() bool { p, err := i.Jobs(inspect.JobQuery{}); return err == nil && p.Total == 0 })
	resp, body = request(t, "GET", base+"api/jobs/"+fmt.Sprint(want[0]))
	wantStatus(t, resp, body, 410, "no such job is under way")
}

// Jobs that wait in a queue are counted.
func TestQueuedJobsAreCounted(t *testing.T) {
	ctx := guarded(t)
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1})
	wantNoErr(t, err)
	patience.StopAtEnd(t, s)
	sys := newSystem(t, actor.Config{Scheduler: s})
	i := newInspector(t, sys, quiet)
	running, release := make(chan struct{}), make(chan struct{})
	_, err = s.Go(ctx, func(context.Context) error { close(running); <-release; return nil })
	wantNoErr(t, err)
	<-running
	for range 3 {
		_, err = s.Go(ctx, func(context.Context) error { return nil })
		wantNoErr(t, err)
	}
	p, err := i.Jobs(inspect.JobQuery{})
	wantNoErr(t, err)
	if p.Total != 1 || p.Queued != 3 {
		t.Errorf("%d are under way and %d queued, want 1 and 3", p.Total, p.Queued)
	}
	close(release)
}

func TestBadJobQueries(t *testing.T) {
	i := newInspector(t, newSystem(t, actor.Config{}), quiet)
	base := serve(t, i, inspect.WebConfig{})
	for query, want := range map[string]string{
		"sort=<b>":                      `JobQuery.Sort is \"\u003cb\u003e\"`,
		"type=actor":                    "use job, strand, task or other",
		"state=pending":                 "use one of running, waiting, preempted, timed out",
		"limit=10001":                   "JobQuery.Limit is 10001",
		"limit=-1":                      "parameter limit",
		"cursor=1@":                     "JobQuery.Cursor is",
		"cursor=1@2x":                   "JobQuery.Cursor is",
		"cursor=x":                      "JobQuery.Cursor is",
		"cursor=99999999999999999999@1": "JobQuery.Cursor is",
	} {
		name, value, _ := strings.Cut(query, "=")
		for _, at := range []string{"api/jobs?", "api/strands?", "api/stream?view=jobs&"} {
			if at == "api/strands?" && name == "type" {
				continue // It has its own.
			}
			resp, body := request(t, "GET", base+at+name+"="+url.QueryEscape(value))
			wantStatus(t, resp, body, 400, want)
		}
	}
	for id, status := range map[string]int{"x": 400, "-1": 400, "99999999999999999999": 400, "7": 410} {
		resp, body := request(t, "GET", base+"api/jobs/"+id)
		wantStatus(t, resp, body, status, "job")
	}
}

// The eldest comes first, and the pages are in that order.
func TestJobsByAge(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	var want []uint64
	for range 5 {
		want = append(want, parkStrands(t, ctx, sys.Scheduler(), 1)[0].ID())
		last := time.Now()
		patience.Until(t, ctx, func() bool { return time.Since(last) > 2*time.Millisecond })
	}
	if got := jobPages(t, i, inspect.JobQuery{Sort: inspect.ByAge, Limit: 2}); !slices.Equal(got, want) {
		t.Errorf("by age the jobs are %v, want %v", got, want)
	}
}
