package simtest

import (
	"fmt"
	"strings"
	"time"
)

// trace is what happened in a run, line by line.
type trace struct {
	begun time.Time
	lines []string
}

// maxTrace bounds the lines that are kept; the first and the last are the ones
// that tell most.
const maxTrace = 20_000

func (t *trace) add(kind, text string) {
	if len(t.lines) >= maxTrace {
		t.lines = append(t.lines[:maxTrace/2], t.lines[maxTrace/2+1:]...)
	}
	if t.begun.IsZero() {
		t.begun = time.Now()
	}
	t.lines = append(t.lines, fmt.Sprintf("%10s  %-8s %s", time.Since(t.begun), kind, text))
}

// shown is how many lines at the end of a trace are printed.
const shown = 60

// String returns the end of the trace.
func (t *trace) String() string {
	lines := t.lines
	var b strings.Builder
	if left := len(lines) - shown; left > 0 {
		fmt.Fprintf(&b, "      ... %d lines before\n", left)
		lines = lines[left:]
	}
	for _, line := range lines {
		b.WriteString("    " + line + "\n")
	}
	return b.String()
}

// parts returns where two traces of the same schedule differ first, or "".
func parts(a, b *trace) string {
	for i := range max(len(a.lines), len(b.lines)) {
		x, y := "(the end)", "(the end)"
		if i < len(a.lines) {
			x = strings.TrimSpace(a.lines[i])
		}
		if i < len(b.lines) {
			y = strings.TrimSpace(b.lines[i])
		}
		if x != y {
			return fmt.Sprintf("line %d of the trace is\n    %s\nthe first time, and\n    %s\nthe second", i+1, x, y)
		}
	}
	return ""
}
