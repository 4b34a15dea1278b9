package top

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// Lists are what a program has besides actors.
type Lists interface {
	Jobs(ctx context.Context, q inspect.JobQuery) (inspect.JobPage, error)
	Job(ctx context.Context, id uint64) (inspect.Job, error)
	Timers(ctx context.Context, q inspect.TimerQuery) (inspect.TimerPage, error)
	Names(ctx context.Context, q inspect.NameQuery) (inspect.NamePage, error)
}

// parameters leaves out what is empty.
func parameters(limit int, all map[string]string) url.Values {
	v := url.Values{"limit": {strconv.Itoa(limit)}}
	for name, value := range all {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// Jobs returns a page of the jobs that are under way.
func (c *Client) Jobs(ctx context.Context, q inspect.JobQuery) (p inspect.JobPage, err error) {
	return p, c.get(ctx, "jobs", parameters(q.Limit, map[string]string{
		"type": string(q.Type), "name": q.Name, "kind": q.Kind, "state": q.State, "sort": string(q.Sort), "cursor": q.Cursor,
	}), &p)
}

// Job returns one job, with its stack.
func (c *Client) Job(ctx context.Context, id uint64) (j inspect.Job, err error) {
	return j, c.get(ctx, "jobs/"+strconv.FormatUint(id, 10), nil, &j)
}

// Timers returns a page of the timers.
func (c *Client) Timers(ctx context.Context, q inspect.TimerQuery) (p inspect.TimerPage, err error) {
	return p, c.get(ctx, "timers", parameters(q.Limit, map[string]string{"name": q.Name, "cursor": q.Cursor}), &p)
}

// maxNames is how many names a program hands out at once.
const maxNames = 10_000

// Names returns a page of the registered names. How many there are on all pages it
// does not know. Behind a page of as many as are handed out at once there may be an
// empty one.
func (c *Client) Names(ctx context.Context, q inspect.NameQuery) (p inspect.NamePage, err error) {
	limit := q.Limit
	if limit < maxNames {
		limit++ // One more than is shown says that there is another page.
	}
	err = c.get(ctx, "names", parameters(limit, map[string]string{"prefix": q.Prefix, "after": q.After}), &p.Names)
	if len(p.Names) == limit {
		p.Names = p.Names[:q.Limit]
		p.Next = p.Names[q.Limit-1].Name
	}
	return p, err
}

// WriteJobs writes jobs as a table.
func WriteJobs(w io.Writer, p inspect.JobPage) error {
	rows := []string{fmt.Sprintf("%d of %d under way, %d queued\n", p.Matched, p.Total, p.Queued), jobTitles}
	for _, j := range p.Jobs {
		rows = append(rows, jobRow(j))
	}
	return writeRows(w, rows)
}

// WriteTimers writes timers as a table.
func WriteTimers(w io.Writer, p inspect.TimerPage) error {
	rows := []string{fmt.Sprintf("%d timers, the next due first\n", p.Matched), timerTitles}
	for _, t := range p.Timers {
		rows = append(rows, timerRow(t))
	}
	return writeRows(w, rows)
}

// WriteNames writes names as a table.
func WriteNames(w io.Writer, p inspect.NamePage) error {
	rows := []string{nameTitles}
	for _, n := range p.Names {
		rows = append(rows, nameRow(n))
	}
	return writeRows(w, rows)
}

func writeRows(w io.Writer, rows []string) error {
	for _, row := range rows {
		if _, err := fmt.Fprintln(w, strings.TrimRight(ansi.Strip(row), " ")); err != nil {
			return err
		}
	}
	return nil
}

var (
	jobTitles   = fmt.Sprintf("%-10s %-7s %-9s %10s %7s %7s %9s  %s", "JOB", "TYPE", "STATE", "SINCE", "WORKER", "STOLEN", "PREEMPTED", "NAME")
	timerTitles = fmt.Sprintf("%-14s %8s %s %s %-10s %s", "DUE IN", "EVERY", cell("OWNER"), cell("TO"), "LANE", "MESSAGE")
	nameTitles  = fmt.Sprintf("%-9s  %s", "PID", "NAME")
)

// cell is a place for the name of an actor.
func cell(text string) string { return pad(ansi.Truncate(text, 18, "…"), 18) }

func jobRow(j inspect.Job) string {
	name := clean(j.Name)
	if j.Kind != "" {
		name = strings.TrimSpace(name + " (" + clean(j.Kind) + ")")
	}
	row := fmt.Sprintf("%-10d %-7s %-9s %10s %7d %7d %9d  %s", j.ID, clean(string(j.Type)), clean(j.State), seconds(j.AgeSeconds), j.Worker, j.Steals, j.Preemptions, name)
	if j.State == "timed out" {
		return red.Render(row)
	}
	return row
}

func timerRow(t inspect.Timer) string {
	due, every, owner := "due", "", "the system"
	waits := t.InSeconds < -1 // One that is less late may just be on its way.
	switch {
	case waits:
		due = "waits for room"
	case t.InSeconds > 0:
		due = seconds(t.InSeconds)
	}
	if t.EverySeconds > 0 {
		every = seconds(t.EverySeconds)
	}
	if t.Owner != (actor.PID{}) {
		owner = clean(t.OwnerName) + t.Owner.String()
	}
	row := fmt.Sprintf("%-14s %8s %s %s %-10s %s", due, every, cell(owner), cell(clean(t.ToName)+t.To.String()), clean(t.Lane), clean(t.Message))
	if t.Missed > 0 {
		row += fmt.Sprintf(", %d missed", t.Missed)
	}
	if waits {
		return yellow.Render(row)
	}
	return row
}

func nameRow(n inspect.Name) string { return fmt.Sprintf("%-9s  %s", n.PID, clean(n.Name)) }

// describeJob returns the lines about one job.
func describeJob(j *inspect.Job) (lines []string) {
	add := func(name, format string, values ...any) {
		lines = append(lines, fmt.Sprintf("%-11s ", name)+fmt.Sprintf(format, values...))
	}
	add("state", "%s for %s at most, %s priority, worker %d", clean(j.State), seconds(j.AgeSeconds), clean(j.Priority), j.Worker)
	if j.TimeoutSeconds > 0 {
		add("timeout", "%s", seconds(j.TimeoutSeconds))
	}
	add("moved", "stolen %d times, preempted %d times", j.Steals, j.Preemptions)
	for _, f := range [][2]string{{"kind", j.Kind}, {"place", j.Place}} {
		if f[1] != "" {
			add(f[0], "%s", clean(f[1]))
		}
	}
	return append(append(lines, ""), stackLines(j.Stack)...)
}
