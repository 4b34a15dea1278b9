package steal

import (
	"fmt"
	"math/bits"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/troupe-go/troupe/sched"
)

// columns say how much of a worker is shown: what a narrow screen has no room
// for is left out, from the right.
type columns struct {
	state, bar, running, flows, how int // Widths; 0 leaves the column out.
}

const (
	idWidth     = 4
	stateWidth  = 11
	countWidth  = 5
	leastBar    = 3
	mostBar     = 12
	runWidth    = 16
	flowsWidth  = 18
	howWidth    = 22
	queuesShown = 3 // High, normal and low; critical work is in the shared queue.
)

// columnsFor returns what fits into a width. The bars get what is left.
func columnsFor(width int) columns {
	c := columns{state: stateWidth, running: runWidth, flows: flowsWidth, how: howWidth}
	room := func() int { return (width - c.width()) / queuesShown }
	if room() < leastBar {
		c.how = 0
	}
	if room() < leastBar {
		c.flows = 0
	}
	if room() < leastBar {
		c.running = 0
	}
	if room() >= leastBar {
		c.bar = min(room(), mostBar)
	}
	return c
}

func (c columns) width() int {
	return idWidth + c.state + queuesShown*(c.bar+countWidth+1) + c.running + c.flows + c.how
}

// header names the columns.
func (c columns) header() string {
	text := fmt.Sprintf("%-*s%-*s", idWidth, "", c.state, "state")
	for p := sched.High; p <= sched.Low; p++ {
		text += fmt.Sprintf("%-*s ", c.bar+countWidth, p)
	}
	if c.running > 0 {
		text += fmt.Sprintf("%-*s", c.running, "running")
	}
	if c.flows > 0 {
		text += fmt.Sprintf("%-*s", c.flows, "took/s from")
	}
	if c.how > 0 {
		text += "steals"
	}
	return text
}

func (c columns) worker(w *Worker, r WorkerRates) string {
	name := fmt.Sprintf("%d", w.ID)
	if w.Spare {
		name += "s"
	}
	state := fmt.Sprintf("%-*s", c.state, w.State)
	if style, ok := stateStyles[w.State]; ok {
		state = style.Render(state)
	}
	line := fmt.Sprintf("%-*s%s", idWidth, name, state) + c.queues(w.Queued)
	if c.running > 0 {
		what := ""
		if w.Running != "" {
			what = w.Running + " " + short(w.For)
		}
		line += fmt.Sprintf("%-*s", c.running, what)
	}
	if c.flows > 0 {
		line += fmt.Sprintf("%-*s", c.flows, flows(r, c.flows-1))
	}
	if c.how > 0 {
		line += fmt.Sprintf("%v: %v", w.Steal.Strategy, w.Steal.Reason)
	}
	return line
}

// shared is the line of the queues that all workers share.
func (c columns) shared(queued [4]int) string {
	line := fmt.Sprintf("%-*s", idWidth+c.state, "shared") + c.queues(queued)
	if queued[sched.Critical] > 0 {
		line += red.Render(fmt.Sprintf("critical %d", queued[sched.Critical]))
	}
	return line
}

// queues are the bars of a worker's queues, each with the number.
func (c columns) queues(queued [4]int) (text string) {
	for p := sched.High; p <= sched.Low; p++ {
		bar := bar(queued[p], c.bar)
		pad := strings.Repeat(" ", c.bar-lipgloss.Width(bar))
		text += priorityStyles[p].Render(bar) + pad + fmt.Sprintf("%*d ", countWidth, queued[p])
	}
	return text
}

// bar is a number on a logarithmic scale: 2,048 and more fill it.
func bar(n, width int) string {
	const full = 12 // Bits.
	eighths := min(bits.Len(uint(max(n, 0))), full) * 8 * width / full
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}
