package workers

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxKinds bounds how many kinds are told apart, so that a program that makes
	// up a name for each job does not fill the memory. Picked out of thin air.
	maxKinds = 1024
	// otherKind is the kind of the jobs that are beyond the bound.
	otherKind = "other"
	// costWeight is the part of a new measurement in the mean cost, as a divisor:
	// after eight jobs two thirds of a change are seen.
	costWeight = 8
	// maxPauses bounds for how long a job is measured that waits or gives way ever again:
	// each pause takes two looks at the clock, a quarter of a switch between strands. The
	// time that it took until then is its cost.
	maxPauses = 64
)

// jobKind is what is known of the jobs of one kind. A job without a kind has
// one too, whose name is empty.
type jobKind struct {
	s    *Scheduler // So that a job needs one pointer for both.
	name string
	_    [cacheLine]byte // All above is read for each job, what follows is written.
	// cost is the moving average of what was measured, in nanoseconds, and 0
	// before that. Written by any worker, which may undo another's measurement;
	// read by thieves.
	cost atomic.Int64
	// jobs and failed count those that have begun, and that ended badly. Workers
	// add to them, to jobs when they publish their figures.
	jobs, failed atomic.Uint64
}

// kinds are the kinds of a scheduler's jobs.
type kinds struct {
	none   jobKind
	byName sync.Map // string to *jobKind.

	mu sync.Mutex // Held to add one.
	n  int
}

// get returns the kind with the name.
func (k *kinds) get(name string) *jobKind {
	if name == "" {
		return &k.none
	}
	if kind, ok := k.byName.Load(name); ok {
		return kind.(*jobKind)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.n >= maxKinds {
		name = otherKind
	}
	kind, known := k.byName.LoadOrStore(name, &jobKind{s: k.none.s, name: name})
	if !known {
		k.n++
	}
	return kind.(*jobKind)
}

// learn takes a measurement into the mean cost.
func (k *jobKind) learn(cost time.Duration) {
	mean := k.cost.Load()
	if mean == 0 {
		k.cost.Store(max(1, int64(cost)))
		return
	}
	k.cost.Store(max(1, mean+(int64(cost)-mean)/costWeight))
}

// KindStats is what sched.KindStats documents.
type KindStats struct {
	Name     string
	Jobs     uint64
	Failed   uint64
	MeanCost time.Duration
}

func (k *jobKind) stats() KindStats {
	return KindStats{
		Name: k.name, Jobs: k.jobs.Load(), Failed: k.failed.Load(), MeanCost: time.Duration(k.cost.Load()),
	}
}

// stats returns the figures of all kinds, by name.
func (k *kinds) stats() (all []KindStats) {
	if none := k.none.stats(); none.Jobs != 0 {
		all = append(all, none)
	}
	k.byName.Range(func(_, kind any) bool {
		all = append(all, kind.(*jobKind).stats())
		return true
	})
	slices.SortFunc(all, func(a, b KindStats) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// kindCounter counts the jobs that a worker has begun: it mostly has many of one
// kind in a row, and counts them by itself.
type kindCounter struct {
	kind *jobKind // Of the last job.
	jobs uint64
}

// count counts a job that the worker has begun.
func (c *kindCounter) count(kind *jobKind) {
	if c.kind != kind {
		c.publish()
		c.kind = kind
	}
	c.jobs++
}

func (c *kindCounter) publish() {
	if c.jobs != 0 {
		c.kind.jobs.Add(c.jobs)
		c.jobs = 0
	}
}

// cost returns the estimated time for which n holds its worker, and 0 if that
// is not known. It reads nothing that changes once n is queued without being
// atomic, so thieves may ask about what lies in another's queue.
func (n *Node) cost() time.Duration {
	j := n.job()
	if j == nil {
		return 0
	}
	if o := j.options(); o != nil && o.cost != 0 {
		return o.cost
	}
	return time.Duration(j.kind.cost.Load())
}

// measure begins to measure what the job costs, if the worker has looked at the
// clock just before: so it is done for few of those jobs that are short. The first
// of a kind is measured in any case.
func (f *Fiber) measure(k *jobKind) {
	f.measuredFrom = 0
	if f.w.meter.fresh || k.cost.Load() == 0 {
		f.w.meter.fresh, f.pauses = false, 0
		f.measuredFrom = f.now()
	}
}

// pauseMeasure and continueMeasure leave out the time in which the fiber was left.
// They are called on the trampoline: a look at the clock takes more of a stack
// than is left of one that waits at 2 KB.
func (f *Fiber) pauseMeasure() {
	if f.measuredFrom != 0 {
		f.keepMeasured()
	}
}

func (f *Fiber) keepMeasured() {
	j := f.job.Load()
	if j == nil {
		return
	}
	f.measuredFrom -= f.now()
	if f.pauses++; f.pauses == maxPauses {
		j.kind.learn(-f.measuredFrom)
		f.measuredFrom = 0
	}
}

func (f *Fiber) continueMeasure() {
	if f.measuredFrom != 0 && f.job.Load() != nil {
		f.measuredFrom += f.now()
	}
}

// now is the scheduler's time, but never 0, which would mean that nothing is
// measured.
func (f *Fiber) now() time.Duration { return f.s.now() + 1 }

// measured returns for how long the job has held its worker, or 0 if that was
// not measured.
func (f *Fiber) measured() time.Duration {
	if f.measuredFrom == 0 {
		return 0
	}
	return max(1, f.now()-f.measuredFrom)
}
