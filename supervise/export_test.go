package supervise

import "time"

// Window is the count of restarts on its own, to be tried with given times.
type Window struct{ w window }

// NewWindow returns a window of the given configuration.
func NewWindow(intensity int, period time.Duration) (*Window, error) {
	cfg, err := Config{Intensity: intensity, Period: period}.withDefaults()
	return &Window{window{intensity: cfg.Intensity, period: cfg.Period}}, err
}

// Allow counts a restart.
func (w *Window) Allow(now time.Time) bool { return w.w.allow(now) }
