package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/leak"
	"github.com/troupe-go/troupe/internal/patience"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestEventsComeThroughAHandlerThatPanics has the handler panic at its first try of each second event.
func TestEventsComeThroughAHandlerThatPanics(t *testing.T) {
	var out strings.Builder
	tried := map[int]bool{}
	err := run(patience.Context(t), &out, 4, time.Millisecond, func(e event) {
		if e.number%2 == 0 && !tried[e.number] {
			tried[e.number] = true
			panic("a fault of the handler")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	var incoming, outgoing []string
	for _, line := range got {
		if strings.HasPrefix(line, "incoming ") {
			incoming = append(incoming, line)
		} else {
			outgoing = append(outgoing, line)
		}
	}
	want := []string{
		"incoming 1: Hello, world! (correlation c1)", "incoming 2: Hello, world! (correlation c2)",
		"incoming 3: Hello, world! (correlation c3)", "incoming 4: Hello, world! (correlation c4)",
	}
	if !slices.Equal(incoming, want) {
		t.Errorf("of the first topic it printed %q, want %q", incoming, want)
	}
	for i, line := range want {
		want[i] = strings.Replace(strings.Replace(line, "incoming", "outgoing", 1), "!", "! was seen", 1)
	}
	if !slices.Equal(outgoing, want) {
		t.Errorf("of the second topic it printed %q, want %q", outgoing, want)
	}
}
