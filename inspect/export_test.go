package inspect

import "time"

// Add counts a duration.
func Add(h *Histogram, d time.Duration) { h.add(d) }

// GraphOf makes the graph of waits that need not be there.
var GraphOf = graphOf
