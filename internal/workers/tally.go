package workers

import (
	"github.com/troupe-go/troupe/internal/workers/settings"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// A fiber counts its work in one number. Its low bits say how often the work has given way
// or yielded, up to 511. The bits above are the reductions since it began, or last yielded
// for their sake, up to maxReductions.
const (
	reductionsShift = 9
	maxPreemptions  = 1<<reductionsShift - 1
	maxReductions   = 1<<(32-reductionsShift) - 1

	_ = uint(maxReductions-settings.MaxReductions) + uint(settings.MaxReductions-maxReductions) // They are equal.
)

// tally is that number. The zero tally has counted nothing.
type tally struct{ xatomic.Count32 }

func (t *tally) reductions() int { return int(t.Load() >> reductionsShift) }

func (t *tally) setReductions(n int) {
	t.Store(uint32(min(n, maxReductions))<<reductionsShift | t.preemptions())
}

// preemptions returns how often the work has given way. Any goroutine may ask.
func (t *tally) preemptions() uint32 { return t.Load() & maxPreemptions }

func (t *tally) countPreemption() {
	if n := t.Load(); n&maxPreemptions != maxPreemptions {
		t.Store(n + 1)
	}
}
