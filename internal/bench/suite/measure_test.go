package suite_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// spin takes 10 µs for each repetition, in a synctest bubble exactly.
func spin(r *suite.Run) (int64, error) {
	r.Start()
	defer r.Stop()
	time.Sleep(time.Duration(r.N) * 10 * time.Microsecond) //nolint:forbidigo // The time of a bubble.
	return int64(r.N), nil
}

func TestMeasureGrowsUntilTheRunIsLongEnough(t *testing.T) { synctest.Test(t, measureGrows) }

func measureGrows(t *testing.T) {
	var sizes []int
	w := &suite.Workload{Name: "spin", Step: 3}
	figures, err := suite.Measure(w, func(r *suite.Run) (int64, error) {
		sizes = append(sizes, r.N)
		return spin(r)
	}, 5*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	// 20 times as many at most, then what takes 1.1 of a quarter of 5 ms, then of all.
	if want := []int{3, 60, 138, 552}; !slices.Equal(sizes, want) {
		t.Errorf("repetitions were %v, want %v", sizes, want)
	}
	for _, n := range sizes {
		if n%3 != 0 {
			t.Errorf("%d repetitions is not a multiple of Step", n)
		}
	}
	if f := figures[0]; f.Row != "spin" || f.Value != 10_000 || f.Allocs == nil || f.Bytes == nil {
		t.Errorf("figure = %+v, want 10,000 ns of row spin, with allocations", f)
	}
}

// A Measure with so many runs has lost its way.
const endless = 20

var errEndless = errors.New("a call of Measure does not come to an end")

// scripted is a workload whose repetitions take each as long, but for some runs, in
// the time of a bubble.
type scripted struct {
	each  time.Duration
	odd   map[int]time.Duration // The time of a whole run, by its number from 1.
	sizes []int                 // Repetitions of each run.
}

func (s *scripted) run(r *suite.Run) (int64, error) {
	if s.sizes = append(s.sizes, r.N); len(s.sizes) == endless {
		return 0, errEndless
	}
	took, odd := s.odd[len(s.sizes)]
	if !odd {
		took = time.Duration(r.N) * s.each
	}
	r.Start()
	defer r.Stop()
	time.Sleep(took) //nolint:forbidigo // The time of a bubble.
	return int64(r.N), nil
}

// TestMeasureReportsThePlannedRun has repetitions that take a good part of the 100 ms
// wanted, and runs that are far slower than the others, as when another program has
// the processors. The figure must be what a repetition takes: an early Measure repeated
// a run of 55 to 75 ms until one of them was slow, and returned that one.
func TestMeasureReportsThePlannedRun(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		scripted

		want []int
	}{
		"55 ms":              {scripted{each: 55 * ms}, []int{1, 2}},
		"60 ms":              {scripted{each: 60 * ms}, []int{1, 2}},
		"75 ms":              {scripted{each: 75 * ms}, []int{1, 2}},
		"37 ms":              {scripted{each: 37 * ms}, []int{1, 3}},
		"110 ms":             {scripted{each: 110 * ms}, []int{1, 1}},
		"a slow one later":   {scripted{each: 60 * ms, odd: map[int]time.Duration{3: 90 * ms}}, []int{1, 2}},
		"a slow start":       {scripted{each: 60 * ms, odd: map[int]time.Duration{1: 120 * ms, 3: 90 * ms}}, []int{1, 1}},
		"a very slow start":  {scripted{each: 5 * ms, odd: map[int]time.Duration{1: 500 * ms}}, []int{1, 1, 6, 22}},
		"a slow second step": {scripted{each: 10_000, odd: map[int]time.Duration{2: 80 * ms}}, []int{1, 20, 28, 560, 2750, 11_000}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				figures, err := suite.Measure(&suite.Workload{Name: "scripted"}, c.run, 100*ms)
				if err != nil {
					t.Fatalf("%v, with the repetitions %v, want %v", err, c.sizes, c.want)
				}
				if !slices.Equal(c.sizes, c.want) {
					t.Errorf("repetitions were %v, want %v", c.sizes, c.want)
				}
				if v := figures[0].Value; v != float64(c.each) {
					t.Errorf("the figure is %v, want %v", time.Duration(v), c.each)
				}
			})
		})
	}
}

// TestMeasureGivesUp has runs that take no longer with more repetitions.
func TestMeasureGivesUp(t *testing.T) {
	runs := 0
	_, err := suite.Measure(&suite.Workload{Name: "idle"}, func(r *suite.Run) (int64, error) {
		if runs++; runs == endless {
			return 0, errEndless
		}
		r.Took(time.Microsecond)
		return int64(r.N), nil
	}, 100*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "repetitions took only 1µs") {
		t.Errorf("after %d runs the error is %v, want one that tells what they took", runs, err)
	}
}

func TestOpsAndPer(t *testing.T) { synctest.Test(t, opsAndPer) }

func opsAndPer(t *testing.T) {
	w := &suite.Workload{
		Name: "spin", TinyN: 100, Per: time.Microsecond, Ops: func(n, _ int) int { return n / 10 },
	}
	figures, err := suite.Smoke(w, spin)
	if err != nil {
		t.Fatal(err)
	}
	if v := figures[0].Value; v != 100 {
		t.Errorf("1 ms in 10 operations is %v µs each, want 100", v)
	}
}

func TestSmokeIsAsSmallAsItGets(t *testing.T) { synctest.Test(t, smokeIsSmall) }

func smokeIsSmall(t *testing.T) {
	for _, c := range []struct{ step, tiny, want int }{{0, 0, 1}, {50, 0, 50}, {50, 5, 5}, {0, 5, 5}, {5, 50, 50}} {
		_, err := suite.Smoke(&suite.Workload{Name: "spin", Step: c.step, TinyN: c.tiny}, func(r *suite.Run) (int64, error) {
			if r.N != c.want {
				t.Errorf("with Step %d and TinyN %d there are %d repetitions, want %d", c.step, c.tiny, r.N, c.want)
			}
			return spin(r)
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestAllocations(t *testing.T) {
	var keep [][]byte
	w := &suite.Workload{Name: "allocate", TinyN: 1000}
	figures, err := suite.Smoke(w, func(r *suite.Run) (int64, error) {
		keep = make([][]byte, 0, r.N)
		r.Start()
		for range r.N {
			keep = append(keep, make([]byte, 64))
		}
		r.Stop()
		return int64(len(keep)), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if f := figures[0]; *f.Allocs < 1 || *f.Allocs > 1.5 || *f.Bytes < 64 || *f.Bytes > 80 {
		t.Errorf("%v allocations and %v bytes, want 1 and 64", *f.Allocs, *f.Bytes)
	}
}

func TestLatencyRows(t *testing.T) {
	w := &suite.Workload{Name: "wait", Kind: suite.Latency, Percentiles: []float64{50, 98.5}, TinyN: 100}
	figures, err := suite.Smoke(w, func(r *suite.Run) (int64, error) {
		r.Start()
		for i := range r.N {
			r.Sample(time.Duration(i + 1))
		}
		r.Stop()
		return int64(r.N), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(figures) != 2 || figures[0].Row != "wait-p50" || figures[0].Value != 50 ||
		figures[1].Row != "wait-p98.5" || figures[1].Value != 99 || figures[0].Allocs != nil {
		t.Errorf("figures = %+v, want 50 and 99 without allocations", figures)
	}
}

func TestCountIsTheNumber(t *testing.T) {
	figures, err := suite.Smoke(&suite.Workload{Name: "count", Kind: suite.Count}, func(r *suite.Run) (int64, error) {
		r.Start()
		r.Stop()
		r.Count(42)
		return int64(r.N), nil
	})
	if err != nil || len(figures) != 1 || figures[0].Row != "count" || figures[0].Value != 42 || figures[0].Allocs != nil {
		t.Errorf("figures = %+v, %v, want 42 without allocations", figures, err)
	}
}

func TestMemoryIsPerRepetition(t *testing.T) {
	w := &suite.Workload{Name: "keep", Kind: suite.Memory, TinyN: 10_000}
	keep := make([]*[1024]byte, w.TinyN)
	figures, err := suite.Smoke(w, func(r *suite.Run) (int64, error) {
		err := r.InUse(func() error {
			for i := range keep {
				keep[i] = new([1024]byte)
			}
			return nil
		})
		runtime.KeepAlive(keep)
		return int64(len(keep)), err
	})
	if err != nil {
		t.Fatal(err)
	}
	if v := figures[0].Value; v < 1000 || v > 1500 {
		t.Errorf("%v bytes each, want about 1,024", v)
	}
}

func TestMeasuredElsewhere(t *testing.T) {
	w := &suite.Workload{Name: "away", TinyN: 10}
	figures, err := suite.Smoke(w, func(r *suite.Run) (int64, error) {
		r.Took(50 * time.Nanosecond)
		return int64(r.N), nil
	})
	if err != nil || figures[0].Value != 5 || figures[0].Allocs != nil || figures[0].Bytes != nil {
		t.Errorf("figures = %+v, %v, want 5 ns and no allocations", figures, err)
	}
	w.Kind = suite.Memory
	figures, err = suite.Smoke(w, func(r *suite.Run) (int64, error) {
		r.Took(1)
		r.Grew(640)
		return int64(r.N), nil
	})
	if err != nil || figures[0].Value != 64 {
		t.Errorf("figures = %+v, %v, want 64 bytes", figures, err)
	}
}

func TestFaultyRunsAreErrors(t *testing.T) {
	failure := errors.New("a failure of its own")
	for name, c := range map[string]struct {
		kind suite.Kind
		f    suite.Func
		want string
	}{
		"wrong result": {f: func(r *suite.Run) (int64, error) { n, err := spin(r); return n + 1, err },
			want: "wrong result: got 2, want 1"},
		"error":        {f: func(*suite.Run) (int64, error) { return 0, failure }, want: failure.Error()},
		"no Start":     {f: func(r *suite.Run) (int64, error) { return int64(r.N), nil }, want: "did not call Start"},
		"no Stop":      {f: func(r *suite.Run) (int64, error) { r.Start(); return int64(r.N), nil }, want: "did not call Start"},
		"lost samples": {kind: suite.Latency, f: spin, want: "0 samples"},
	} {
		w := &suite.Workload{Name: "faulty", Kind: c.kind, Percentiles: []float64{50}}
		if _, err := suite.Smoke(w, c.f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want one with %q", name, err, c.want)
		}
		if _, err := suite.Measure(w, c.f, time.Millisecond); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, measured: error is %v, want one with %q", name, err, c.want)
		}
	}
}

func TestAFixedNumberIsLessInAShortRun(t *testing.T) {
	for _, c := range []struct {
		isFor time.Duration
		want  []int
	}{
		{0, []int{100, 5000}},
		{10 * time.Millisecond, []int{100, 5000}},
		{50 * time.Millisecond, []int{100, 1000}},
	} {
		var sizes []int
		w := &suite.Workload{Name: "note", N: 5000, NFor: c.isFor}
		_, err := suite.Measure(w, func(r *suite.Run) (int64, error) {
			sizes = append(sizes, r.N)
			r.Start()
			r.Took(time.Millisecond)
			r.Stop()
			return int64(r.N), nil
		}, 10*time.Millisecond)
		if err != nil || !slices.Equal(sizes, c.want) {
			t.Errorf("N for %v: repetitions were %v, %v, want %v", c.isFor, sizes, err, c.want)
		}
	}
}
