package steal

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/troupe-go/troupe/sched"
)

// Report writes a line every so often, until ctx ends, the stage fails or, if
// duration is positive, that has passed.
func Report(ctx context.Context, st *Stage, out io.Writer, every, duration time.Duration) error {
	if every < MinEvery {
		return fmt.Errorf("%w: the interval must be at least %v, not %v", ErrInput, MinEvery, every)
	}
	var end <-chan time.Time
	if duration > 0 {
		timer := time.NewTimer(duration)
		defer timer.Stop()
		end = timer.C
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for before := st.Snapshot(); ; {
		select {
		case <-ctx.Done():
			return st.Err()
		case <-end:
			return st.Err()
		case <-tick.C:
		}
		if err := st.Err(); err != nil {
			return err
		}
		snap := st.Snapshot()
		if _, err := io.WriteString(out, Line(&snap, &before)); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
		before = snap
	}
}

// lineWorkers is how many workers a line tells of.
const lineWorkers = 8

// Line sums up a snapshot, and what has happened since an earlier one.
func Line(s, earlier *Snapshot) string {
	rates := s.RatesSince(earlier)
	parts := []string{
		fmt.Sprintf("%.1f s", s.At.Seconds()),
		s.Strategy.String(),
		fmt.Sprintf("%s jobs (%s/s)", humanize.Comma(int64(s.Total.Jobs)), round(rates.Jobs)),
		fmt.Sprintf("%d waiting", s.waiting()),
		fmt.Sprintf("%s stolen (%s/s)", humanize.Comma(int64(s.Total.Stolen)), round(rates.Stolen)),
		fmt.Sprintf("%d preempted", s.Total.Preempted),
		fmt.Sprintf("%d blocked", s.Total.Blocked),
		fmt.Sprintf("%d spares", s.Spares),
		"critical " + s.Critical.String(),
	}
	if s.Note != "" && s.Note != earlier.Note {
		parts = append(parts, s.Note)
	}
	line := strings.Join(parts, ", ")
	for i := range s.Workers {
		if i == lineWorkers {
			line += fmt.Sprintf(" | and %d more", len(s.Workers)-i)
			break
		}
		line += " | " + s.Workers[i].describe(rates.Workers[s.Workers[i].ID])
	}
	return line + "\n"
}

// waiting is how much is queued anywhere.
func (s *Snapshot) waiting() (n int) {
	for p := range s.Shared {
		n += s.Shared[p] + s.Total.Queued[p]
	}
	return n
}

// describe says what the worker does in a few words.
func (w *Worker) describe(r WorkerRates) string {
	text := fmt.Sprintf("%d %v", w.ID, w.State)
	if w.Running != "" {
		text += " on " + w.Running
		if w.State == sched.WorkerBlocked {
			text += fmt.Sprintf(" for %.1f s", w.For.Seconds())
		}
	}
	if n := total(w.Queued); n > 0 {
		text += fmt.Sprintf(" %d queued", n)
	}
	for _, from := range slices.Sorted(maps.Keys(r.From)) {
		text += fmt.Sprintf(" %s/s from %d", round(r.From[from]), from)
	}
	return text
}

func total(queued [4]int) (n int) {
	for _, q := range queued {
		n += q
	}
	return n
}

// String returns the percentiles.
func (l Latency) String() string {
	if l.Jobs == 0 {
		return "not measured"
	}
	return fmt.Sprintf("P50 %s P99 %s", short(l.P50), short(l.P99))
}

// short formats a time with two or three digits.
func short(d time.Duration) string {
	switch {
	case d < 10*time.Microsecond:
		return fmt.Sprintf("%.1f µs", float64(d)/float64(time.Microsecond))
	case d < time.Millisecond:
		return fmt.Sprintf("%.0f µs", float64(d)/float64(time.Microsecond))
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

// round formats a rate.
func round(rate float64) string { return humanize.Comma(int64(rate + 0.5)) }
