// Package headline writes the table of figures that stands in the README: what an
// evaluation has measured of Troupe, beside channels and the best library in each
// row.
package headline

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/internal/bench/report"
)

// Begin and End are the lines of a document between which Into writes.
const (
	Begin = "<!-- The figures below are written by make evaluate. -->"
	End   = "<!-- The figures end here. -->"
)

// rows are the rows of an evaluation that are shown, and what they are called.
var rows = []struct{ row, what string }{
	{"ping-pong", "a message between two actors that wait for each other"},
	{"tell", "a message from one goroutine that does not wait"},
	{"tell4", "the same, from four goroutines"},
	{"ask-inside", "an ask inside a handler, with its answer"},
	{"ask-outside", "an ask from a goroutine, with its answer"},
	{"ring", "a hop in a ring of 1,000 actors"},
	{"big", "a message among 120 actors that talk at random"},
	{"spawn", "an actor's start, with its first message"},
	{"spawn-new", "the same in a program that grows: no stack is used again"},
	{"stop", "an actor's stop"},
	{"memory", "an idle actor"},
	{"memory-used", "an idle actor that has had messages"},
	{"skynet", "skynet: a tree of 100,000 actors"},
}

// libraries are compared, and the best of them is shown.
var libraries = []string{"protoactor", "hollywood", "goakt", "go-actor"}

// Table writes the table in Markdown. The lines come from an evaluation. It
// is an error if a row has no figure of Troupe, or none of channels.
func Table(out io.Writer, lines []report.Line) error {
	var text strings.Builder
	text.WriteString("| what | Troupe | channels | best library |\n|---|---|---|---|\n")
	for _, r := range rows {
		ours, base, best := find(lines, r.row)
		if ours == nil || base == nil {
			return fmt.Errorf("row %q has no figure of troupe or none of channels: it was not run, or has failed", r.row)
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s |\n", r.what, figure(ours), figure(base), figure(best))
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// find returns the lines of a row: ours, of channels, and of the best library;
// nil where there is none.
func find(lines []report.Line, row string) (ours, base, best *report.Line) {
	for i := range lines {
		l := &lines[i]
		if l.Workload != row {
			continue
		}
		switch l.Subject {
		case "troupe":
			ours = l
		case "channels":
			base = l
		}
		for _, name := range libraries {
			if l.Subject == name && (best == nil || l.Median < best.Median) {
				best = l
			}
		}
	}
	return ours, base, best
}

// figure says what was measured, without the part of the unit behind the slash:
// the row says of what it is.
func figure(l *report.Line) string {
	if l == nil {
		return ""
	}
	unit, _, _ := strings.Cut(l.Unit, "/")
	return thousands(strconv.FormatFloat(l.Median, 'f', 0, 64)) + " " + unit
}

// thousands puts commas into a whole number.
func thousands(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Into replaces what stands in the file between the lines Begin and End, an empty
// line on either side. It is an error if one of them is missing.
func Into(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, begun := bytes.Cut(old, []byte(Begin+"\n"))
	_, tail, ended := bytes.Cut(rest, []byte(End+"\n"))
	if !begun || !ended {
		return fmt.Errorf("%s has no lines %q and, after it, %q, between which the figures would stand", path, Begin, End)
	}
	return os.WriteFile(path, fmt.Appendf(nil, "%s%s\n\n%s\n\n%s\n%s", head, Begin, strings.TrimSpace(text), End, tail), 0o644)
}
