package inspect

import "time"

// Add counts a duration.
func Add(h *Histogram, d time.Duration) { h.add(d) }
