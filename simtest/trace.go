package simtest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// trace is what happened in a run, line by line. Of a long one it keeps the
// beginning and the end.
type trace struct {
	begun time.Time
	head  []string
	tail  []string // A ring.
	next  int      // In the ring.
	n     int      // Lines that were added.
}

// maxTrace bounds the lines of head and of tail: the first and the last are the
// ones that tell most.
const maxTrace = 5_000

func (t *trace) add(kind, text string) {
	if t.begun.IsZero() {
		t.begun = time.Now()
	}
	t.n++
	line := fmt.Sprintf("%10s  %-8s %s", time.Since(t.begun), kind, text)
	switch {
	case len(t.head) < maxTrace:
		t.head = append(t.head, line)
	case len(t.tail) < maxTrace:
		t.tail = append(t.tail, line)
	default:
		t.tail[t.next] = line
		t.next = (t.next + 1) % maxTrace
	}
}

// lines returns the lines that were kept, in order.
func (t *trace) lines() []string {
	all := slices.Clone(t.head)
	if left := t.n - len(t.head) - len(t.tail); left > 0 {
		all = append(all, fmt.Sprintf("%10s  ... %d lines are not kept", "", left))
	}
	return append(append(all, t.tail[t.next:]...), t.tail[:t.next]...)
}

// shown is how many lines at the end of a trace are printed.
const shown = 60

// ending formats the end of a trace.
func ending(lines []string) string {
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
