package sched

// What a fiber counts of its work is one number: in its low bits how often the work
// has given way or yielded, up to 511, and above them the reductions that it has made
// since it began, or yielded for their sake, up to maxReductions.
const (
	reductionsShift = 9
	maxPreemptions  = 1<<reductionsShift - 1
	maxReductions   = 1<<(32-reductionsShift) - 1
)

func (f *Fiber) reductions() int { return int(f.tally.Load() >> reductionsShift) }

func (f *Fiber) setReductions(n int) {
	f.tally.Store(uint32(min(n, maxReductions))<<reductionsShift | f.preemptions())
}

// preemptions returns how often the work has given way. Any goroutine may ask.
func (f *Fiber) preemptions() uint32 { return f.tally.Load() & maxPreemptions }

func (f *Fiber) countPreemption() {
	if tally := f.tally.Load(); tally&maxPreemptions != maxPreemptions {
		f.tally.Store(tally + 1)
	}
}
