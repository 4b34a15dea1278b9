package steal

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/dustin/go-humanize"

	"github.com/troupe-go/troupe/sched"
)

// The styles name the terminal's own sixteen colours, which fit its background.
var (
	strong = lipgloss.NewStyle().Bold(true)
	faint  = lipgloss.NewStyle().Faint(true)
	red    = lipgloss.NewStyle().Foreground(lipgloss.Red)
	yellow = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	green  = lipgloss.NewStyle().Foreground(lipgloss.Green)
	blue   = lipgloss.NewStyle().Foreground(lipgloss.Blue)
)

// priorityStyles colour the bars, from critical to low.
var priorityStyles = [4]lipgloss.Style{red, yellow, green, blue}

// stateStyles colour the states that are worth a look.
var stateStyles = map[sched.WorkerState]lipgloss.Style{
	sched.WorkerBlocked:    red,
	sched.WorkerPreempting: yellow,
	sched.WorkerStealing:   blue,
	sched.WorkerIdle:       faint,
}

// View draws the model on the whole screen.
func (m Model) View() tea.View {
	v := tea.NewView(m.draw())
	v.AltScreen = !m.ended
	v.WindowTitle = "troupe steal"
	return v
}

// The heights below which something is left out.
const (
	roomy  = 10
	usable = 4
)

// draw returns at most as many lines as there are, none wider than the screen.
// The most important part comes first, so that the smallest screen shows some of it.
func (m Model) draw() string {
	if m.ended || m.width < 1 || m.height < 1 {
		return ""
	}
	top, bottom := m.head(), []string{m.snap.Note, m.keys()}
	if m.height < roomy {
		top, bottom = top[:2], bottom[1:]
	}
	if m.height < usable {
		bottom = nil
	}
	switch room := m.height - len(top) - len(bottom); {
	case m.help:
		top, bottom = append(top[:1], help()...), nil
	case m.height < roomy:
		top = append(top, m.workers(room)...)
	default:
		top = append(top, m.table(room)...)
	}
	lines := append(top, bottom...)
	lines = lines[:min(len(lines), m.height)]
	fit := lipgloss.NewStyle().Inline(true).MaxWidth(m.width)
	for i, line := range lines {
		lines[i] = fit.Render(line)
	}
	return strings.Join(lines, "\n")
}

// head are the lines about the whole.
func (m Model) head() []string {
	s, rates := &m.snap, m.snap.RatesSince(&m.before)
	state := fmt.Sprintf("load %.0f %%", 100*s.Load)
	if s.Paused {
		state = yellow.Render("paused")
	}
	spares := fmt.Sprintf("%d spares", s.Spares)
	if s.SpareLimitReached > 0 {
		spares += red.Render(fmt.Sprintf(" (limit reached %d times)", s.SpareLimitReached))
	}
	return []string{
		fmt.Sprintf("%s %5.1f s  %s  %s", strong.Render("troupe steal"), s.At.Seconds(), s.stealing(), state),
		fmt.Sprintf("%s jobs/s  %s steals/s  %s waiting  critical %s",
			round(rates.Jobs), round(rates.Stolen), humanize.Comma(int64(s.waiting())), s.Critical),
		fmt.Sprintf("%s jobs  %s stolen  %d preempted  %d blocked  %s", humanize.Comma(int64(s.Total.Jobs)),
			humanize.Comma(int64(s.Total.Stolen)), s.Total.Preempted, s.Total.Blocked, spares),
	}
}

// stealing is the strategy, and what the workers make of it if they may choose.
func (s *Snapshot) stealing() string {
	if s.Strategy != Strategy(sched.StealAdaptive) {
		return s.Strategy.String()
	}
	chosen := map[sched.StealStrategy]int{}
	for _, w := range s.Workers {
		chosen[w.Steal.Strategy]++
	}
	var parts []string
	for _, strategy := range slices.Sorted(maps.Keys(chosen)) {
		parts = append(parts, fmt.Sprintf("%d %v", chosen[strategy], strategy))
	}
	return fmt.Sprintf("%v (%s)", s.Strategy, strings.Join(parts, ", "))
}

// table is the workers below a header, and a line for the shared queues.
func (m Model) table(room int) []string {
	c := columnsFor(m.width)
	lines := append([]string{faint.Render(c.header())}, m.workers(room-2)...)
	return append(lines, c.shared(m.snap.Shared))
}

// workers are a line for each worker, as far as there is room.
func (m Model) workers(room int) (lines []string) {
	rates := m.snap.RatesSince(&m.before)
	c := columnsFor(m.width)
	shown := m.snap.Workers
	if len(shown) > room {
		shown = shown[:max(room-1, 0)]
	}
	for i := range shown {
		lines = append(lines, c.worker(&shown[i], rates.Workers[shown[i].ID]))
	}
	if left := len(m.snap.Workers) - len(shown); left > 0 {
		lines = append(lines, faint.Render(fmt.Sprintf("and %d more workers", left)))
	}
	return lines
}

// keys is the last line: the most useful keys come first, for screens too narrow
// for all.
func (m Model) keys() string {
	parts := []string{strong.Render("?") + " help", strong.Render("q") + " quit"}
	for _, act := range acts[:More] {
		parts = append(parts, strong.Render(string(act.key))+" "+act.name)
	}
	parts = append(parts, strong.Render("+-")+" load")
	if line := strings.Join(parts, "  "); lipgloss.Width(line) <= m.width {
		return line
	}
	return strings.Join(parts, " ")
}

// help is what the key ? shows in place of the workers.
func help() []string {
	var lines []string
	for _, act := range acts {
		lines = append(lines, fmt.Sprintf("  %s  %s", strong.Render(string(act.key)), act.does))
	}
	return append(lines,
		"  "+strong.Render("?")+"  this help, and back",
		"  "+strong.Render("q")+"  quit",
		"",
		"The bars are the queues by priority: high, normal and low; a bar doubles",
		"its queue with each step. Last is from which worker how much was taken.",
	)
}

// flows says from which workers the most was taken, as far as there is room.
func flows(r WorkerRates, width int) (text string) {
	from := slices.SortedFunc(maps.Keys(r.From), func(a, b int) int {
		return cmp.Or(cmp.Compare(r.From[b], r.From[a]), a-b)
	})
	for i, other := range from {
		part := fmt.Sprintf("%d: %s", other, round(r.From[other]))
		if i > 0 {
			part = ", " + part
		}
		if len(text)+len(part) > width {
			break
		}
		text += part
	}
	return text
}
