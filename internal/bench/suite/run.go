package suite

import (
	"runtime"
	"time"
)

// Run is one execution of a workload by a subject.
type Run struct {
	N        int // Repetitions to do.
	Size     int // The workload's Size, or its TinySize.
	Workload *Workload

	running bool
	began   time.Time
	elapsed time.Duration
	before  runtime.MemStats
	mallocs uint64
	bytes   uint64

	samples   []time.Duration
	counted   int64
	inUse     uint64
	elsewhere bool // Another program did the work, whose allocations are unknown.
}

// Batches calls do with sizes that add up to N, each at most Size.
func (r *Run) Batches(do func(k int) error) error {
	for left := r.N; left > 0; {
		k := min(left, r.Size)
		if err := do(k); err != nil {
			return err
		}
		left -= k
	}
	return nil
}

// Start begins, or goes on with, what is measured.
func (r *Run) Start() {
	if r.running {
		return
	}
	r.running = true
	runtime.ReadMemStats(&r.before)
	r.began = time.Now()
}

// Stop ends what is measured, or interrupts it.
func (r *Run) Stop() {
	if !r.running {
		return
	}
	r.elapsed += time.Since(r.began)
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	r.mallocs += after.Mallocs - r.before.Mallocs
	r.bytes += after.TotalAlloc - r.before.TotalAlloc
	r.running = false
}

// Took notes how long what is measured took in another program, instead of Start
// and Stop.
func (r *Run) Took(d time.Duration) {
	r.elapsed += d
	r.elsewhere = true
}

// Grew notes by how many bytes the memory of another program has grown, instead
// of InUse.
func (r *Run) Grew(bytes uint64) { r.inUse += bytes }

// Sample notes one latency. It must not be called by several at a time.
func (r *Run) Sample(d time.Duration) {
	if r.samples == nil {
		r.samples = make([]time.Duration, 0, r.N)
	}
	r.samples = append(r.samples, d)
}

// Count notes the number that is the figure of a workload of kind Count.
func (r *Run) Count(n int64) { r.counted = n }

// InUse calls build and notes by how much the memory in use has grown, heap and
// stacks. The caller must still refer to the results of build when
// InUse returns.
func (r *Run) InUse(build func() error) error {
	before := inUse()
	r.Start()
	err := build()
	r.Stop()
	if after := inUse(); after > before {
		r.inUse = after - before
	}
	return err
}

func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // Memory that pools release is freed by a second cycle.
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
