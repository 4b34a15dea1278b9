package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
	"github.com/troupe-go/troupe/task"
)

// JobType says what a job is. Actors are none; see [Inspector.Actors].
type JobType string

// The types of jobs.
const (
	SingleJob JobType = "job"    // Of [sched.Scheduler.Go].
	StrandJob JobType = "strand" // See [strand.Go].
	TaskJob   JobType = "task"   // Of a [task.Group].
	OtherJob  JobType = "other"  // Of another package that builds on jobs.
)

// Job is a snapshot of a job that is under way: its function runs, or waits.
type Job struct {
	ID   uint64  `json:"id"`
	Type JobType `json:"type"`
	// Name is what a strand or a task was named, for a task else its function.
	Name string `json:"name,omitempty"`
	// Place is the file and line of a task's function.
	Place string `json:"place,omitempty"`
	Kind  string `json:"kind,omitempty"` // See [sched.WithKind].
	// State is "running", "waiting", "preempted", or "timed out" for one whose
	// function has not returned yet.
	State    string `json:"state"`
	Priority string `json:"priority"`
	// Worker is the one that it is on, or was before it began to wait.
	Worker int `json:"worker"`
	// Started is when it began, to about 10 ms, and AgeSeconds is since then.
	Started    time.Time `json:"started"`
	AgeSeconds float64   `json:"age_seconds"`
	// TimeoutSeconds is for how long it may run; 0 means that it may for ever.
	TimeoutSeconds float64 `json:"timeout_seconds,omitempty"`
	Steals         int     `json:"steals"`      // Up to 127.
	Preemptions    int     `json:"preemptions"` // Up to 511.
	// Stack is where it runs or waits; only [Inspector.Job] says so.
	Stack string `json:"stack,omitempty"`
}

// JobOrder says by what jobs are sorted.
type JobOrder string

// The orders. Where two are alike, the one with the lower id comes first.
const (
	ByID          JobOrder = "id"  // The default.
	ByAge         JobOrder = "age" // Oldest first.
	BySteals      JobOrder = "steals"
	ByPreemptions JobOrder = "preemptions"
)

// JobQuery says which jobs are wanted. Empty fields match everything.
type JobQuery struct {
	Type JobType `json:"type,omitempty"`
	// Name is what the name begins with.
	Name string `json:"name,omitempty"`
	// Search is a part of the name, or of the kind. A to Z are the same as a to z.
	Search string `json:"search,omitempty"`
	// Kind is the whole kind.
	Kind string `json:"kind,omitempty"`
	// State is one of the states of a [Job].
	State string `json:"state,omitempty"`
	// Sort is the order. Defaults to ByID.
	Sort JobOrder `json:"sort,omitempty"`
	// Limit is how many jobs a page has. Defaults to 100; at most 10,000.
	Limit int `json:"limit,omitempty"`
	// Cursor is the Next of the page before.
	Cursor string `json:"cursor,omitempty"`
}

// JobPage is a part of the jobs that were asked for.
type JobPage struct {
	Jobs []Job `json:"jobs"`
	// Next is the cursor of the next page, or "" after the last one.
	Next string `json:"next,omitempty"`
	// Total is how many are under way, whatever was asked for, and Matched how many
	// were found on all pages.
	Total   int `json:"total"`
	Matched int `json:"matched"`
	// Queued is about how many have not begun. They are in no list: what waits in a
	// worker's queue nobody else can look at. Tasks that wait in their group are
	// listed by [Inspector.Tasks].
	Queued int `json:"queued"`
}

// ErrNoJob is returned by Job for an id under which nothing is under way: the job
// waits in a queue, or has ended. See [actor.ErrStalePID] for actors.
var ErrNoJob = errors.New("no such job is under way; it may not have begun, or has ended")

// Jobs returns a page of the jobs that are under way: single jobs, strands and
// tasks. It returns an error for a type, an order, a state, a limit or a cursor
// that does not exist.
//
// It looks at all, for about 300 ns each and 1 us for a task, and keeps two pages at most.
// It stops nothing, and jobs pay nothing for being listed. Jobs that change between two
// pages may be missed, or be on both.
func (i *Inspector) Jobs(q JobQuery) (JobPage, error) {
	after, err := q.check()
	if err != nil {
		return JobPage{}, err
	}
	now := time.Now()
	found, total := newBest(q.Limit, (*jobRow).compare), 0
	var r jobRow // One for all, since it is on the heap.
	for j := range (*workers.Scheduler)(i.sys.Scheduler()).Jobs() {
		total++
		if r.fill(j, now, q.Sort); q.matches(&r.Job) {
			found.add(&r, after)
		}
	}
	rows, more := found.page()
	p := JobPage{Jobs: make([]Job, 0, len(rows)), Total: total, Matched: found.matched, Queued: max(0, i.sys.Scheduler().Stats().Jobs-total)}
	for n := range rows {
		p.Jobs = append(p.Jobs, rows[n].Job)
	}
	if more {
		p.Next = rows[len(rows)-1].cursor()
	}
	return p, nil
}

// Job returns a snapshot of a job that is under way, with its stack: for that the
// whole program is stopped for some us for each goroutine. It returns [ErrNoJob]
// if there is none.
func (i *Inspector) Job(id uint64) (Job, error) {
	for j := range (*workers.Scheduler)(i.sys.Scheduler()).Jobs() {
		if j.ID() == id {
			one := jobOf(j, time.Now())
			one.Stack = sched.StackOf(j.Goroutine)
			return one, nil
		}
	}
	return Job{}, fmt.Errorf("inspect: job %d: %w", id, ErrNoJob)
}

func jobOf(j workers.LiveJob, now time.Time) Job {
	info := j.Info()
	one := Job{
		ID: info.ID, Type: SingleJob, Kind: info.Kind, State: info.State.String(), Priority: info.Priority.String(), Worker: info.Worker,
		Started: info.Started, AgeSeconds: max(0, now.Sub(info.Started).Seconds()), TimeoutSeconds: info.Timeout.Seconds(),
		Steals: info.Steals, Preemptions: info.Preemptions,
	}
	switch b := j.Body.(type) {
	case nil:
	case *strand.Strand:
		one.Type, one.Name = StrandJob, b.Name()
	default:
		one.Type = OtherJob
		if t, ok := task.Of(b); ok {
			one.Type, one.Name, one.Place = TaskJob, t.Name, t.Place
		}
	}
	return one
}

// check fills in the defaults, and returns behind what the page begins.
func (q *JobQuery) check() (after *jobRow, err error) {
	q.Sort = cmp.Or(q.Sort, ByID)
	live := []string{sched.JobRunning.String(), sched.JobWaiting.String(), sched.JobPreempted.String(), sched.JobTimedOut.String()}
	switch {
	case !slices.Contains([]JobOrder{ByID, ByAge, BySteals, ByPreemptions}, q.Sort):
		return nil, fmt.Errorf("inspect: JobQuery.Sort is %.40q; use id, age, steals or preemptions", q.Sort)
	case !slices.Contains([]JobType{"", SingleJob, StrandJob, TaskJob, OtherJob}, q.Type):
		return nil, fmt.Errorf("inspect: JobQuery.Type is %.40q; use job, strand, task or other", q.Type)
	case q.State != "" && !slices.Contains(live, q.State):
		return nil, fmt.Errorf("inspect: JobQuery.State is %.40q; use one of %s", q.State, strings.Join(live, ", "))
	}
	if q.Limit, err = checkLimit("JobQuery", q.Limit); err != nil || q.Cursor == "" {
		return nil, err
	}
	after = &jobRow{}
	if n, err := fmt.Sscanf(q.Cursor+"\n", "%d@%d\n", &after.key, &after.ID); err != nil || n != 2 {
		return nil, fmt.Errorf("inspect: JobQuery.Cursor is %.40q; it must be the Next of a page, or empty", q.Cursor)
	}
	return after, nil
}

// jobRow is a job with what it is sorted by.
type jobRow struct {
	key int64
	Job
}

func (r *jobRow) cursor() string { return fmt.Sprintf("%d@%d", r.key, r.ID) }

// compare orders rows: the largest key first.
func (r *jobRow) compare(other *jobRow) int {
	return cmp.Or(cmp.Compare(other.key, r.key), cmp.Compare(r.ID, other.ID))
}

func (r *jobRow) fill(j workers.LiveJob, now time.Time, by JobOrder) {
	r.key, r.Job = 0, jobOf(j, now)
	switch by {
	case ByAge:
		r.key = -r.Started.UnixNano()
	case BySteals:
		r.key = int64(r.Steals)
	case ByPreemptions:
		r.key = int64(r.Preemptions)
	}
}

func (q *JobQuery) matches(j *Job) bool {
	return (q.Type == "" || j.Type == q.Type) && (q.Kind == "" || j.Kind == q.Kind) && (q.State == "" || j.State == q.State) &&
		strings.HasPrefix(j.Name, q.Name) && (holds(j.Name, q.Search) || holds(j.Kind, q.Search))
}
