package terminal_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/cmd/troupe/internal/terminal"
	"github.com/troupe-go/troupe/internal/patience"
)

// TestReaderSeesAnswers: an answer is seen wherever the output is cut, and once.
func TestReaderSeesAnswers(t *testing.T) {
	answer := string(terminal.Status('k'))
	output := "some text " + answer + " \x1b[24;1H and more"
	for size := 1; size <= len(output); size++ {
		x, err := terminal.NewSeen(terminal.Reader)
		if err != nil {
			t.Fatal(err)
		}
		var seen []rune
		for text := output; text != ""; {
			n := min(size, len(text))
			if err := x.Output(patience.Context(t), text[:n]); err != nil {
				t.Fatal(err)
			}
			text = text[n:]
			seen = append(seen, x.Shown()...)
			if end := strings.Index(output, answer) + len(answer); len(output)-len(text) >= end && len(seen) != 1 {
				t.Fatalf("in pieces of %d, %d bytes show %q", size, len(output)-len(text), seen)
			}
		}
		if string(seen) != "k" {
			t.Errorf("in pieces of %d the reader sees %q", size, seen)
		}
	}
}
