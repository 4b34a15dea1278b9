package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/simtest"
)

// Under all schedules each frame is drawn or skipped, they are drawn in order, the last is
// drawn, and the camera is never held up.
func TestFrames(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		var out strings.Builder
		const count, every, draws = 30, time.Millisecond, 4 * time.Millisecond
		begun := time.Now()
		if err := (film{count, every, draws}).play(s.Context(), &out); err != nil {
			s.Fatal(err)
		}
		if took, most := time.Since(begun), count*every+2*draws; took > most {
			s.Errorf("it took %v, more than %v", took, most)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		last := 0
		for _, line := range lines[:len(lines)-1] {
			var n int
			if _, err := fmt.Sscanf(line, "frame %d", &n); err != nil || n <= last {
				s.Errorf("%q comes after frame %d: %v", line, last, err)
			}
			last = n
		}
		var frames, drawn, skipped, final int
		if _, err := fmt.Sscanf(lines[len(lines)-1], "%d frames: %d drawn, %d skipped, the last drawn is %d", &frames, &drawn, &skipped, &final); err != nil {
			s.Fatal(err)
		}
		if drawn != len(lines)-1 || drawn+skipped != frames || skipped == 0 || final != count || last != final {
			s.Errorf("it printed %q", lines)
		}
	})
}

// A film that is ended says why.
func TestFilmThatIsEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := film{3, time.Hour, time.Millisecond}.play(ctx, &strings.Builder{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
