package suite

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"time"
)

// Figure is what one run says about one row.
type Figure struct {
	Row   string
	Value float64
	// Allocs and Bytes are per operation. They are nil where an operation is not
	// well defined.
	Allocs, Bytes *float64
}

const (
	// aim is how long a run is planned, in parts of the duration that is wanted. Runs
	// get quicker as they warm up.
	aim = 1.1
	// enough is how long a run must be, in the same parts, to plan another from it.
	// Shorter ones say too little where the machine has other work. Longer ones would
	// cost as much as the run that counts.
	enough = 0.25
	// most is the number of repetitions beyond which none is tried. So many take longer
	// than any duration, if they do anything.
	most = 1 << 30
)

// Measure finds the number of repetitions that take about as long as duration, and
// returns the figures of a run that was planned with this number. It begins with few
// and tries more, at least twice as many each time, which warms the workload up. Every
// run's result is checked. It is an error if the runs do not get longer.
//
// The plan is made from the first run that takes a quarter of duration. The planned run
// counts, whether it is slow or quick: to repeat it until it is long enough would select
// those that were slow by chance. Only if it takes less than the quarter is it one more
// trial. Its plan was made from a run that was four times too slow.
func Measure(w *Workload, f Func, duration time.Duration) ([]Figure, error) {
	if w.Duration > 0 {
		duration = min(w.Duration, 4*duration)
	}
	if w.N > 0 {
		if _, err := once(w, f, min(100, w.N), w.Size); err != nil {
			return nil, err
		}
		return figures(once(w, f, w.fixed(duration), w.Size))
	}
	for n, planned := w.step(), false; ; {
		r, err := once(w, f, n, w.Size)
		if err != nil {
			return nil, err
		}
		long := r.part(duration) >= enough
		if long && planned {
			return figures(r, nil)
		}
		if !long && n > most {
			return nil, fmt.Errorf("%d repetitions took only %v; set N of workload %s if its time does not grow", n, r.elapsed, w.Name)
		}
		n, planned = r.next(duration), long
	}
}

// next is the number of repetitions for the run after r: the plan if r was long enough,
// or else a trial.
func (r *Run) next(duration time.Duration) int {
	part := r.part(duration)
	if part >= enough {
		return r.times(max(1, aim/part))
	}
	return r.times(min(max(2, aim*enough/part), r.maxGrowth()))
}

// part is how long r took, in parts of duration.
func (r *Run) part(duration time.Duration) float64 {
	return float64(max(r.elapsed, time.Microsecond)) / float64(duration)
}

// times returns factor times the repetitions of r, rounded up to a multiple of Step.
func (r *Run) times(factor float64) int {
	step := r.Workload.step()
	return int(math.Ceil(float64(r.N)*factor/float64(step))) * step
}

// maxGrowth is how many times as many repetitions the next trial may have. A cold run
// says little about a much longer one. Another program restarts for each trial, which
// takes longer than the trial, so there are fewer trials.
func (r *Run) maxGrowth() float64 {
	if r.elsewhere {
		return 1000
	}
	return 20
}

// Smoke runs a workload once and as small as it gets.
func Smoke(w *Workload, f Func) ([]Figure, error) {
	return figures(once(w, f, cmp.Or(w.TinyN, w.step()), w.TinySize))
}

func once(w *Workload, f Func, n, size int) (*Run, error) {
	r := &Run{N: n, Size: size, Workload: w}
	runtime.GC()
	got, err := f(r)
	if err != nil {
		return nil, err
	}
	if want := w.want(n, size); got != want {
		return nil, fmt.Errorf("wrong result: got %d, want %d, for n=%d and size %d", got, want, n, size)
	}
	if r.running || r.elapsed == 0 {
		return nil, fmt.Errorf("the subject did not call Start and Stop")
	}
	if w.Kind == Latency && len(r.samples) != n {
		return nil, fmt.Errorf("%d samples were taken, not %d", len(r.samples), n)
	}
	return r, nil
}

func figures(r *Run, err error) ([]Figure, error) {
	if err != nil {
		return nil, err
	}
	w, rows := r.Workload, r.Workload.Rows()
	switch w.Kind {
	case Memory:
		return []Figure{{Row: rows[0], Value: float64(r.inUse) / float64(r.N)}}, nil
	case Count:
		return []Figure{{Row: rows[0], Value: float64(r.counted)}}, nil
	case Latency:
		all := make([]Figure, len(rows))
		for i, p := range w.Percentiles {
			all[i] = Figure{Row: rows[i], Value: float64(Percentile(r.samples, p)) / w.per()}
		}
		return all, nil
	default:
		ops := float64(w.ops(r.N, r.Size))
		f := Figure{Row: rows[0], Value: float64(r.elapsed.Nanoseconds()) / ops / w.per()}
		if !r.elsewhere {
			allocs, bytes := float64(r.mallocs)/ops, float64(r.bytes)/ops
			f.Allocs, f.Bytes = &allocs, &bytes
		}
		return []Figure{f}, nil
	}
}
