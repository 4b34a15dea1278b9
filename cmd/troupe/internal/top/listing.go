package top

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// listing is a list of the program that is shown page by page.
type listing struct {
	prefix  string // Shows only names that begin with it.
	cursor  string
	cursors []string // Of the pages before this one.
	next    string   // Of the page behind it, or "".
}

// The key f goes through jobTypes, and the key s through jobOrders.
var (
	jobTypes  = []inspect.JobType{"", inspect.StrandJob, inspect.TaskJob, inspect.SingleJob, inspect.OtherJob}
	jobOrders = []inspect.JobOrder{inspect.ByAge, inspect.ByID, inspect.BySteals, inspect.ByPreemptions}
)

// isListing reports whether the screen is a list of the program other than the list of
// actors.
func (s screen) isListing() bool { return s == jobsScreen || s == timersScreen || s == namesScreen }

// askList asks for a list, or for one job.
func askList(ctx context.Context, source Source, s screen, l listing, jobs inspect.JobQuery, id uint64) (any, error) {
	switch s {
	case jobsScreen:
		jobs.Name, jobs.Cursor, jobs.Limit = l.prefix, l.cursor, pageLength
		return source.Jobs(ctx, jobs)
	case jobScreen:
		return source.Job(ctx, id)
	case timersScreen:
		return source.Timers(ctx, inspect.TimerQuery{Name: l.prefix, Cursor: l.cursor, Limit: pageLength})
	default:
		return source.Names(ctx, inspect.NameQuery{Prefix: l.prefix, After: l.cursor, Limit: pageLength})
	}
}

// takeList takes an answer of askList.
func (m *Model) takeList(data any) {
	switch data := data.(type) {
	case inspect.JobPage:
		m.jobs, m.lists[m.screen].next = data, data.Next
	case inspect.Job:
		m.job = data
	case inspect.TimerPage:
		m.timers, m.lists[m.screen].next = data, data.Next
	case inspect.NamePage:
		m.names, m.lists[m.screen].next = data, data.Next
	}
}

// pageList turns the pages of a list.
func (m Model) pageList(next bool) (tea.Model, tea.Cmd) {
	l := &m.lists[m.screen]
	switch last := len(l.cursors) - 1; {
	case next && l.next != "":
		l.cursors = append(slices.Clip(l.cursors), l.cursor)
		l.cursor = l.next
	case !next && last >= 0:
		l.cursor, l.cursors = l.cursors[last], l.cursors[:last]
	default:
		return m, nil
	}
	return m.turnTo(m.screen)
}

// listFrom shows the first page of a list, of the names that begin with prefix.
func (m Model) listFrom(s screen, prefix string) (tea.Model, tea.Cmd) {
	m.lists[s] = listing{prefix: prefix}
	return m.show(s)
}

// sortJobs shows jobs in the next order, or the previous one; ofType shows the jobs
// of the next type.
func (m Model) sortJobs(next bool) (tea.Model, tea.Cmd) {
	m.jobQuery.Sort = another(jobOrders, m.jobQuery.Sort, next)
	return m.listFrom(jobsScreen, m.lists[jobsScreen].prefix)
}

func (m Model) ofType() (tea.Model, tea.Cmd) {
	if m.screen == jobsScreen {
		m.jobQuery.Type = another(jobTypes, m.jobQuery.Type, true)
	}
	return m.listFrom(jobsScreen, m.lists[jobsScreen].prefix)
}

// another returns what comes behind now in a round, or before it.
func another[T comparable](all []T, now T, next bool) T {
	by := 1
	if !next {
		by = len(all) - 1
	}
	return all[(max(0, slices.Index(all, now))+by)%len(all)]
}

// whatList says what is shown of a list.
func (m Model) whatList() (text string) {
	l := m.lists[m.screen]
	switch m.screen {
	case jobsScreen:
		kinds := map[inspect.JobType]string{
			"": "jobs", inspect.StrandJob: "strands", inspect.TaskJob: "tasks", inspect.SingleJob: "single jobs", inspect.OtherJob: "other jobs",
		}
		text = fmt.Sprintf("%d %s by %s, %d jobs under way, %d queued", m.jobs.Matched, kinds[m.jobQuery.Type], m.jobQuery.Sort, m.jobs.Total, m.jobs.Queued)
	case jobScreen:
		return fmt.Sprintf("%s %d %s", clean(string(m.job.Type)), m.jobID, clean(m.job.Name))
	case timersScreen:
		text = fmt.Sprintf("%d timers, the next due first", m.timers.Matched)
	default:
		text = "registered names"
	}
	if l.prefix != "" {
		text += fmt.Sprintf(", names that begin with %q", clean(l.prefix))
	}
	if page := len(l.cursors) + 1; page > 1 || l.next != "" {
		text += fmt.Sprintf(", page %d", page)
	}
	return text
}

// listRows are the rows of a list, or the lines about one job.
func (m Model) listRows() (titles string, rows []string) {
	switch m.screen {
	case jobsScreen:
		for _, j := range m.jobs.Jobs {
			rows = append(rows, jobRow(j))
		}
		return jobTitles, rows
	case jobScreen:
		if m.loaded {
			rows = describeJob(&m.job)
		}
		return "", rows
	case timersScreen:
		for _, t := range m.timers.Timers {
			rows = append(rows, timerRow(t))
		}
		return timerTitles, rows
	default:
		for _, n := range m.names.Names {
			rows = append(rows, nameRow(n))
		}
		return nameTitles, rows
	}
}

// open opens the chosen row: a job, or the actor that it is about.
func (m Model) open() (tea.Model, tea.Cmd) {
	if m.screen == jobsScreen && m.at < len(m.jobs.Jobs) {
		m.jobID = m.jobs.Jobs[m.at].ID
		return m.show(jobScreen)
	}
	if pid := m.chosen(); pid != "" {
		m.pid = pid
		return m.show(actorScreen)
	}
	return m, nil
}

// chosenOfList is chosen for a list.
func (m Model) chosenOfList() string {
	switch {
	case m.screen == namesScreen && m.at < len(m.names.Names):
		return textOf(m.names.Names[m.at].PID)
	case m.screen == timersScreen && m.at < len(m.timers.Timers):
		if t := m.timers.Timers[m.at]; t.Owner != (actor.PID{}) {
			return textOf(t.Owner)
		}
		return textOf(m.timers.Timers[m.at].To)
	}
	return ""
}
