package top

import (
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/inspect"
)

// actorName is what an actor is called, or "" if it has no name.
func actorName(a inspect.Actor) string {
	if a.Name == "" && len(a.Names) > 0 {
		return clean(a.Names[0])
	}
	return clean(a.Name)
}

// describe returns the lines about one actor: first what may be wrong with it.
func describe(a *ActorLook) (lines []string) {
	add := func(format string, values ...any) { lines = append(lines, fmt.Sprintf(format, values...)) }
	stack := func(text string) { lines = append(lines, stackLines(text)...) }
	if a.Gone {
		add("%s", red.Render("it has stopped; these are its last errors"))
	}
	if h := a.Handler; h != nil {
		text := fmt.Sprintf("it has been handling %s (%s) for %s", clean(h.Message), clean(h.Handler), seconds(h.Seconds))
		if h.Message == "" {
			text = fmt.Sprintf("it has been in %s for %s", clean(h.Handler), seconds(h.Seconds))
		}
		if h.Slow {
			text = red.Render(text)
		}
		lines = append(lines, text)
		stack(h.Stack)
	}
	for _, w := range a.Around {
		text := fmt.Sprintf("%s%s waits for %s%s (%s)", clean(w.FromName), w.From, clean(w.ToName), w.To, w.Kind)
		if w.InCycle {
			text = red.Render(text + ", in a ring")
		}
		lines = append(lines, text)
	}
	if !a.Gone {
		facts(a, add)
	}
	for _, f := range slices.Backward(a.Failures) {
		add("")
		lines = append(lines, red.Render(fmt.Sprintf("%s %s: %s", f.Time.Local().Format("15:04:05"), clean(f.Exit), clean(f.Error))))
		stack(f.Stack)
	}
	return lines
}

// stackLines returns the lines of a stack, set off.
func stackLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		lines = append(lines, "    "+clean(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "  ")))
	}
	return lines
}

func facts(a *ActorLook, add func(string, ...any)) {
	add("%s, %s priority, up %s, %d messages handled, %d restarts", a.State, a.Priority, seconds(a.UptimeSeconds), a.Handled, a.Restarts)
	for _, l := range a.Lanes {
		text := fmt.Sprintf("%d of %d", l.Length, l.Capacity)
		if l.Capacity == 0 {
			text = fmt.Sprintf("%d, without a limit", l.Length)
		}
		if l.Dropped > 0 {
			text += fmt.Sprintf(", %d were dropped", l.Dropped)
		}
		if l.Senders > 0 {
			text += fmt.Sprintf(", %d senders wait for room", l.Senders)
		}
		add("%-11s %s", l.Name, text)
	}
	add("kind        %s", clean(a.Kind))
	add("messages    %s", clean(a.Message))
	for _, f := range []struct {
		name  string
		value any
		there bool
	}{
		{"names", clean(strings.Join(a.Names, ", ")), len(a.Names) > 0},
		{"parent", a.Parent, a.Parent.Number() != 0}, {"children", a.Children, a.Children > 0},
		{"links", a.Links, len(a.Links) > 0}, {"monitors", a.Monitors, len(a.Monitors) > 0},
		{"monitored", a.MonitoredBy, a.MonitoredBy > 0}, {"stashed", a.Stashed, a.Stashed > 0}, {"timers", a.Timers, a.Timers > 0},
	} {
		if f.there {
			add("%-11s %v", f.name, f.value)
		}
	}
}
