package suite

import (
	"fmt"
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

// Measure repeats a workload with growing N, which warms it up, until a run
// takes as long as duration, and returns the figures of the last. Every run's
// result is checked.
func Measure(w *Workload, f Func, duration time.Duration) ([]Figure, error) {
	if w.Duration > 0 {
		duration = min(w.Duration, 4*duration)
	}
	n := w.step()
	if w.N > 0 {
		if _, err := once(w, f, min(100, w.N), w.Size); err != nil {
			return nil, err
		}
		return figures(once(w, f, w.fixed(duration), w.Size))
	}
	for warm := false; ; warm = true {
		r, err := once(w, f, n, w.Size)
		if err != nil {
			return nil, err
		}
		if warm && r.elapsed >= duration*3/4 {
			return figures(r, nil)
		}
		grow := 1.1 * float64(duration) / float64(max(r.elapsed, time.Microsecond))
		grow = min(max(grow, 1), r.maxGrowth())
		n = (int(float64(n)*grow) + w.step() - 1) / w.step() * w.step()
	}
}

// maxGrowth is by how much the next run may be longer, which warms up as well.
// Another program is started anew for each run, which takes longer than the run.
func (r *Run) maxGrowth() float64 {
	if r.elsewhere {
		return 1000
	}
	return 20
}

// Smoke runs a workload once and as small as it gets.
func Smoke(w *Workload, f Func) ([]Figure, error) {
	return figures(once(w, f, max(w.TinyN, w.step()), w.TinySize))
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
