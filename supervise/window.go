package supervise

import "time"

// window counts the restarts of a period. It is half open: a restart that is
// exactly one period old does not count any more, so that a child that fails
// Intensity times in each period, evenly, is borne for ever.
type window struct {
	intensity int
	period    time.Duration
	recent    []time.Time
}

// allow counts a restart, and reports whether it is within the intensity.
func (w *window) allow(now time.Time) bool {
	w.forget(now)
	w.recent = append(w.recent, now)
	return len(w.recent) <= w.intensity
}

// count returns how many restarts there were within the last period.
func (w *window) count(now time.Time) int {
	w.forget(now)
	return len(w.recent)
}

func (w *window) forget(now time.Time) {
	old := 0
	for old < len(w.recent) && now.Sub(w.recent[old]) >= w.period {
		old++
	}
	w.recent = w.recent[old:]
}
