package simtest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/internal/sim"
)

// trace is what happened in a run, line by line. Of a very long one it keeps the
// beginning and the end.
type trace struct {
	begun time.Time // When the program began.

	mu   sync.Mutex // The body may run beside a step that wakes it.
	head []string
	tail []string // A ring.
	next int      // In the ring.
	n    int      // Lines that were added.
}

// maxTrace bounds the lines of head and of tail: what 100,000 steps leave, the default
// limit, is kept as a whole.
const maxTrace = 200_000

func (t *trace) add(kind, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	line := fmt.Sprintf("%10s  %-8s %s", t.when(), kind, text)
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

// when is the time since the beginning.
func (t *trace) when() string {
	d := time.Since(t.begun)
	if d >= sim.Horizon {
		return "never" // Nothing came while the engine waited for so long.
	}
	return d.String()
}

// lines returns the lines that were kept, in order.
func (t *trace) lines() []string {
	all := slices.Clone(t.head)
	if left := t.n - len(t.head) - len(t.tail); left > 0 {
		all = append(all, fmt.Sprintf("%10s  ... %d lines are not kept", "", left))
	}
	return append(append(all, t.tail[t.next:]...), t.tail[:t.next]...)
}

// Of a long trace, so many lines are printed of its beginning and of its end.
const (
	shownFirst = 20
	shownLast  = 60
)

// isLong reports whether a trace has more lines than are printed.
func isLong(lines []string) bool { return len(lines) > shownFirst+shownLast }

// excerpt formats a trace, of a long one its beginning and its end.
func excerpt(lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		switch left := len(lines) - shownFirst - shownLast; {
		case left <= 0 || i < shownFirst || i >= len(lines)-shownLast:
			b.WriteString("    " + line + "\n")
		case i == shownFirst:
			fmt.Fprintf(&b, "      ... %d lines are left out\n", left)
		}
	}
	return b.String()
}

// save writes a long trace to a file, which it leaves behind.
func (f *Failure) save(test string) {
	if !isLong(f.Trace) {
		return
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\*?<>|:"' `, r) {
			return '_'
		}
		return r
	}, test)
	file, err := os.CreateTemp("", fmt.Sprintf("simtest-%.80s-*.txt", name))
	if err == nil {
		_, err = file.WriteString(strings.Join(f.Trace, "\n") + "\n")
		if closed := file.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		f.Messages = append(f.Messages, fmt.Sprintf("(the whole trace could not be written to a file: %v)", err))
		return
	}
	f.File = file.Name()
}
