package steal_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/cmd/troupe/internal/steal"
	"github.com/troupe-go/troupe/sched"
)

// worker is one with some of everything.
func worker(id int, state sched.WorkerState, queued [4]int) steal.Worker {
	return steal.Worker{
		WorkerStats: sched.WorkerStats{ID: id, Spare: id >= 2, State: state, Queued: queued, Jobs: 100},
		Running:     "leaf", For: 150 * time.Microsecond, From: map[int]uint64{0: 5},
	}
}

func busyScene() *scene {
	return &scene{snap: steal.Snapshot{
		At: time.Second, Load: 0.6, Shared: [4]int{3, 0, 700, 1},
		Workers: []steal.Worker{
			worker(0, sched.WorkerWorking, [4]int{0, 1, 40, 1024}),
			worker(1, sched.WorkerBlocked, [4]int{}),
			worker(2, sched.WorkerStealing, [4]int{0, 0, 9, 0}),
		},
		Total: sched.WorkerStats{Jobs: 12_345, Stolen: 678, Preempted: 9, Blocked: 1}, Spares: 1,
		Critical: steal.Latency{Jobs: 20, P50: 7 * time.Microsecond, P99: 1500 * time.Microsecond},
	}}
}

// show returns the lines of a view after a second in which each worker took 40
// more from worker 0.
func show(t *testing.T, width, height int) []string {
	t.Helper()
	s := busyScene()
	m := steal.NewModel(s, time.Hour, 0)
	s.snap.At = 2 * time.Second
	s.snap.Total.Jobs += 1000
	for i := range s.snap.Workers {
		s.snap.Workers[i].From = map[int]uint64{0: 45}
	}
	m, _ = update(t, m, steal.Look)
	m, _ = update(t, m, tea.WindowSizeMsg{Width: width, Height: height})
	return strings.Split(styling.ReplaceAllString(m.View().Content, ""), "\n")
}

// styling are the sequences for colours and bold text.
var styling = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestWideView(t *testing.T) {
	text := strings.Join(show(t, 110, 24), "\n")
	for _, want := range []string{
		"2.0 s", "adaptive (3 adaptive)", "adaptive: configured", "load 60 %", "1,000 jobs/s", "704 waiting", "P50 7.0 µs P99 1.5 ms", "13,345 jobs", "678 stolen",
		"9 preempted", "1 blocked", "1 spares", "working", "blocked", "stealing", "2s", "1024", "leaf 150 µs", "0: 40",
		"shared", "critical 3", "700", "unbalance", "load",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the view lacks %q:\n%s", want, text)
		}
	}
}

func TestNarrowViews(t *testing.T) {
	for _, c := range []struct {
		width, height int
		want          []string
		lacks         []string
	}{
		{80, 24, []string{"0: 40", "leaf", "██", "1024", "p pause"}, nil},
		{60, 24, []string{"leaf", "█", "1024"}, []string{"0: 40"}},
		{50, 24, []string{"█", "1024"}, []string{"0: 40", "leaf"}},
		{35, 24, []string{"1024"}, []string{"█"}},
		{80, 7, []string{"1,000 jobs/s", "working", "blocked", "stealing", "? help"}, []string{"shared"}},
		{20, 5, []string{"troupe steal", "working", "and 2 more", "? help"}, nil},
		{80, 3, []string{"troupe steal", "and 3 more"}, []string{"? help"}},
		{80, 1, []string{"troupe steal"}, nil},
	} {
		text := strings.Join(show(t, c.width, c.height), "\n")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%dx%d lacks %q:\n%s", c.width, c.height, want, text)
			}
		}
		for _, not := range c.lacks {
			if strings.Contains(text, not) {
				t.Errorf("%dx%d has %q:\n%s", c.width, c.height, not, text)
			}
		}
	}
}

func TestViewFitsEveryScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := busyScene()
		for id := range rapid.IntRange(0, 300).Draw(t, "workers") {
			s.snap.Workers = append(s.snap.Workers, worker(id, sched.WorkerIdle, [4]int{id, id, id, 1 << (id % 40)}))
		}
		s.snap.SpareLimitReached = rapid.Uint64Range(0, 3).Draw(t, "limit")
		s.snap.Note = rapid.StringOf(rapid.RuneFrom([]rune("aé世 \t\n"))).Draw(t, "note")
		width, height := rapid.IntRange(0, 130).Draw(t, "width"), rapid.IntRange(0, 60).Draw(t, "height")
		var m tea.Model = steal.NewModel(s, time.Hour, 0)
		m, _ = m.Update(tea.WindowSizeMsg{Width: width, Height: height})
		if rapid.Bool().Draw(t, "help") {
			m, _ = m.Update(key("?"))
		}
		content := m.View().Content
		if content == "" {
			return
		}
		lines := strings.Split(content, "\n")
		if len(lines) > height {
			t.Errorf("%d lines on a screen of %d", len(lines), height)
		}
		for _, line := range lines {
			if w := lipgloss.Width(line); w > width {
				t.Errorf("%d columns on a screen of %d: %q", w, width, line)
			}
		}
	})
}

func TestBarGrowsWithTheQueue(t *testing.T) {
	last := ""
	for _, n := range []int{0, 1, 10, 100, 1000, 4000} {
		b := steal.Bar(n, 6)
		if lipgloss.Width(b) > 6 || n > 0 && b == last || lipgloss.Width(b) < lipgloss.Width(last) {
			t.Errorf("the bar of %d is %q, after %q", n, b, last)
		}
		last = b
	}
	if b := steal.Bar(-1, 6) + steal.Bar(9, 0); b != "" {
		t.Errorf("a bar of nothing, or without room, is %q", b)
	}
}

func TestShortTimes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		900: "0.9 µs", 150 * time.Microsecond: "150 µs", 20 * time.Millisecond: "20.0 ms", 3 * time.Second: "3.0 s",
	} {
		if got := steal.Short(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
