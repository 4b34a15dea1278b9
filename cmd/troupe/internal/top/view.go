package top

import (
	"fmt"
	"log/slog"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/troupe-go/troupe/inspect"
)

// The styles name the terminal's own sixteen colours, which fit its background.
var (
	strong   = lipgloss.NewStyle().Bold(true)
	faint    = lipgloss.NewStyle().Faint(true)
	red      = lipgloss.NewStyle().Foreground(lipgloss.Red)
	yellow   = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	inverted = lipgloss.NewStyle().Reverse(true)
)

// View draws the model on the whole screen.
func (m Model) View() tea.View {
	v := tea.NewView(m.draw())
	v.AltScreen = !m.ended
	v.WindowTitle = "troupe top"
	return v
}

// around is how many lines there are besides the rows: the head, the worst of what is wrong, the line of
// what is shown, the titles of the columns, and the keys.
const around = 5

// room is how many rows can be seen.
func (m Model) room() int { return m.height - around }

// draw returns at most as many lines as there are, none wider than the screen.
func (m Model) draw() string {
	if m.ended || m.width < 1 || m.height < 1 {
		return ""
	}
	lines := []string{m.head(), m.worst(), m.what()}
	if m.help {
		lines = append(lines, help()...)
	} else {
		titles, rows := m.titles(), m.rows()
		lines = append(lines, faint.Render(titles))
		for n := m.top; n < len(rows) && n < m.top+max(1, m.room()); n++ {
			row := rows[n]
			if n == m.at && m.screen != actorScreen && m.screen != jobScreen && m.screen != workersScreen {
				row = inverted.Render(pad(ansi.Strip(row), m.width))
			}
			lines = append(lines, row)
		}
		for len(lines) < m.height-1 {
			lines = append(lines, "")
		}
		lines = append(lines[:min(len(lines), max(1, m.height-1))], m.foot())
	}
	lines = lines[:min(len(lines), m.height)]
	fit := lipgloss.NewStyle().Inline(true).MaxWidth(m.width)
	for i, line := range lines {
		lines[i] = fit.Render(line)
	}
	return strings.Join(lines, "\n")
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}

// head is about the whole program.
func (m Model) head() string {
	s := &m.look.Sample
	text := fmt.Sprintf("%s  %d actors  %.0f messages/s  %d in mailboxes  %d waits", strong.Render(clean(m.look.Name)), s.Actors, s.HandledPerSecond, s.Mailbox, s.Waits)
	if s.InCycle > 0 {
		text += red.Render(fmt.Sprintf("  %d in a ring", s.InCycle))
	}
	if s.SlowHandlers > 0 {
		text += fmt.Sprintf("  %d slow handlers", s.SlowHandlers)
	}
	if m.paused {
		text += yellow.Render("  paused")
	}
	return text
}

// worst is the first of what is wrong.
func (m Model) worst() string {
	switch n := len(m.wrong); n {
	case 0:
		return faint.Render("nothing is wrong")
	case 1:
		return findingRow(m.wrong[0])
	default:
		return findingRow(m.wrong[0]) + faint.Render(fmt.Sprintf("  and %d more: !", n-1))
	}
}

// findingRow is red where others suffer.
func findingRow(f inspect.Finding) string {
	if f.Level > slog.LevelWarn {
		return red.Render(clean(f.Text))
	}
	return yellow.Render(clean(f.Text))
}

// what says what is shown, or what is wrong.
func (m Model) what() string {
	switch {
	case m.typing:
		return "names that begin with: " + m.typed + "▏"
	case m.problem != nil:
		return red.Render(clean(m.problem.Error()) + "; trying again")
	case !m.loaded:
		return faint.Render("asking the program")
	}
	switch m.screen {
	case treeScreen:
		return "all actors as a tree"
	case actorScreen:
		return "actor " + actorName(m.actor.Actor) + " <" + m.pid + ">"
	case workersScreen:
		return fmt.Sprintf("%d workers are awake, %d jobs are under way", m.workers.Awake, m.workers.Jobs)
	case waitsScreen:
		return fmt.Sprintf("%d waits, %d of them in a ring", m.waits.Total, m.waits.InCycle)
	case findingsScreen:
		return fmt.Sprintf("what is wrong now: %d findings", len(m.wrong))
	case eventsScreen:
		return fmt.Sprintf("the last %d events", len(m.events))
	case jobsScreen, jobScreen, timersScreen, namesScreen:
		return m.whatList()
	}
	text := fmt.Sprintf("by %s", m.query.Sort)
	if m.query.Name != "" {
		text += fmt.Sprintf(", names that begin with %q", clean(m.query.Name))
	}
	if m.look.Matched >= 0 {
		text += fmt.Sprintf(", %d of %d", m.look.Matched, m.look.Total)
	}
	if page := len(m.cursors) + 1; page > 1 || m.look.Next != "" {
		text += fmt.Sprintf(", page %d", page)
	}
	return text
}

func (m Model) foot() string {
	keys := "? help  q quit  ! wrong  ↑↓ choose  enter open  s sort  / filter  a actors  t tree  J jobs  w workers  g waits  e events  T timers  N names  p pause"
	if m.screen == actorScreen || m.screen == jobScreen {
		keys = "↑↓ scroll  esc back  p pause  ? help  q quit"
	}
	return faint.Render(keys)
}

func help() (lines []string) {
	for _, k := range keyHelp {
		lines = append(lines, pad("  "+k[0], 16)+k[1])
	}
	return append(lines, faint.Render("any key goes on"))
}

// titles are the titles of the columns.
func (m Model) titles() string {
	switch m.screen {
	case listScreen:
		return columns("ACTOR", "PID", "STATE", "MAILBOX", "PER S", "HANDLED", "SLOW", "RESTARTS", "UP", "KIND")
	case treeScreen:
		return columns("ACTOR", "PID", "STATE", "MAILBOX", "BELOW", "HANDLED", "SLOW", "RESTARTS", "UP", "KIND")
	case workersScreen:
		return fmt.Sprintf("%-8s %-11s %9s %12s %10s %9s %10s", "WORKER", "STATE", "QUEUED", "RAN", "STOLEN", "PARKED", "PREEMPTED")
	case waitsScreen:
		return fmt.Sprintf("%-34s %-5s %-34s", "WHO", "HOW", "ON")
	case findingsScreen:
		return "WHAT"
	case eventsScreen:
		return fmt.Sprintf("%-9s %-16s %s", "TIME", "KIND", "WHAT")
	case jobsScreen, timersScreen, namesScreen:
		titles, _ := m.listRows()
		return titles
	}
	return ""
}

// columns lays out a row of actors, what matters most within 80 places; the name
// gives way where it is too long.
func columns(name, pid, state, mailbox, rate, handled, slow, restarts, up, kind string) string {
	return fmt.Sprintf("%s %-9s %-8s %7s %8s %7s %10s %8s %9s  %s",
		pad(ansi.Truncate(name, 24, "…"), 24), pid, state, mailbox, slow, rate, handled, restarts, up, kind)
}

// rows are all of what is shown, also those out of sight.
func (m Model) rows() (rows []string) {
	switch m.screen {
	case listScreen:
		for _, a := range m.look.Actors {
			rate := "-"
			if r, ok := m.rates[a.PID.String()]; ok {
				rate = fmt.Sprintf("%.0f", r)
			}
			rows = append(rows, actorRow(actorName(a), a, rate))
		}
	case treeScreen:
		for _, b := range flatten(m.tree, 0) {
			below := ""
			if b.Children > 0 {
				below = fmt.Sprint(b.Children)
			}
			rows = append(rows, actorRow(strings.Repeat("  ", b.depth)+actorName(b.Actor), b.Actor, below))
		}
	case actorScreen:
		if m.loaded {
			rows = describe(&m.actor)
		}
	case findingsScreen:
		for _, f := range m.wrong {
			rows = append(rows, findingRow(f))
		}
	case workersScreen:
		rows = m.workerRows()
	case waitsScreen:
		for _, w := range m.waits.Waits {
			row := fmt.Sprintf("%s %-5s %s", pad(ansi.Truncate(clean(w.FromName)+w.From.String(), 34, "…"), 34), w.Kind, clean(w.ToName)+w.To.String())
			if w.InCycle {
				row = red.Render(row + "  in a ring")
			}
			rows = append(rows, row)
		}
	case eventsScreen:
		for _, e := range m.events {
			rows = append(rows, eventRow(e))
		}
	case jobsScreen, jobScreen, timersScreen, namesScreen:
		_, rows = m.listRows()
	}
	return rows
}

func actorRow(name string, a inspect.Actor, rate string) string {
	slow := ""
	if a.Handler != nil {
		slow = seconds(a.Handler.Seconds)
	}
	row := columns(name, a.PID.String(), a.State, fmt.Sprint(a.Mailbox), rate, fmt.Sprint(a.Handled), slow, fmt.Sprint(a.Restarts), seconds(a.UptimeSeconds), clean(a.Kind))
	if a.Handler != nil && a.Handler.Slow {
		return red.Render(row)
	}
	return row
}

func eventRow(e inspect.Event) string {
	row := fmt.Sprintf("%-9s %-16s %s", e.Time.Local().Format("15:04:05"), clean(string(e.Kind)), clean(e.Text))
	switch {
	case e.Level >= 8:
		return red.Render(row)
	case e.Level >= 4:
		return yellow.Render(row)
	}
	return row
}

func (m Model) workerRows() (rows []string) {
	for _, w := range m.workers.Workers {
		queued := 0
		for _, n := range w.Queued {
			queued += n
		}
		name := fmt.Sprint(w.ID)
		if w.Spare {
			name += " spare"
		}
		row := fmt.Sprintf("%-8s %-11s %9d %12d %10d %9d %10d", name, w.State, queued, w.Ran, w.Stolen, w.Parked, w.Preempted)
		if w.State == "blocked" {
			row = red.Render(row)
		}
		rows = append(rows, row)
	}
	for _, h := range m.workers.Holders {
		rows = append(rows, red.Render(fmt.Sprintf("worker %d has been on %s for %s", h.Worker, clean(h.Work), seconds(h.Seconds))))
	}
	return rows
}
