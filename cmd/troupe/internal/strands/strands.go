// Package strands measures what strands cost, beside goroutines, in one run: what is
// waited for at first hand ([Measure]), and all that is asked of them, by the means of
// package bench ([Workloads]).
package strands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

// Config says what to measure.
type Config struct {
	Count    int // How many are idle at the same time.
	Switches int // How many switches are timed.
	Workers  int // Defaults to GOMAXPROCS; switches are timed on one.
}

// Bounds of what makes sense.
const (
	MaxCount   = 20_000_000
	manyAtMost = 100_000 // So many take turns where stacks shall be cold.
)

// Report is what was found. Its JSON is documented by the names of its fields.
type Report struct {
	Count      int     `json:"count"`
	Workers    int     `json:"workers"`
	Partial    bool    `json:"partial"`
	Strands    Figures `json:"strands"`
	Goroutines Figures `json:"goroutines"`
}

// Figures are measurements of strands, or of goroutines. A figure that was not measured is 0.
type Figures struct {
	SpawnSeconds float64 `json:"spawn_s"`         // Until all wait.
	BytesEach    float64 `json:"bytes_each"`      // Heap and stacks, while all wait.
	SwitchTwo    float64 `json:"ns_switch_two"`   // A yield of one of two.
	SwitchMany   float64 `json:"ns_switch_many"`  // A yield of one of Among.
	Among        int     `json:"among"`           // Count, but at most 100,000.
	EndSeconds   float64 `json:"wake_and_join_s"` // From waking the first to the end of the last.
}

// Measure makes all measurements, or as many as it can until ctx ends.
func Measure(ctx context.Context, cfg Config) (Report, error) {
	if cfg.Workers == 0 {
		cfg.Workers = runtime.GOMAXPROCS(0)
	}
	r := Report{Count: cfg.Count, Workers: cfg.Workers}
	many := min(cfg.Count, manyAtMost)
	r.Strands.Among, r.Goroutines.Among = many, many
	for _, part := range []func() error{
		func() error { return idleStrands(ctx, cfg, &r.Strands) },
		func() error { return idleGoroutines(ctx, cfg, &r.Goroutines) },
		func() error { return switches(ctx, cfg.Switches, 2, &r.Strands.SwitchTwo, &r.Goroutines.SwitchTwo) },
		func() error {
			return switches(ctx, cfg.Switches, many, &r.Strands.SwitchMany, &r.Goroutines.SwitchMany)
		},
	} {
		if ctx.Err() != nil {
			break
		}
		if err := part(); err != nil && ctx.Err() == nil {
			return r, err
		}
		debug.FreeOSMemory()
	}
	r.Partial = ctx.Err() != nil
	return r, nil
}

// idleStrands has the strands wait, all at the same time.
func idleStrands(ctx context.Context, cfg Config, f *Figures) error {
	return strand.Run(ctx, sched.Config{Workers: cfg.Workers}, func(s *strand.Strand) error {
		all := make([]*strand.Strand, cfg.Count)
		before, began := memory(), time.Now()
		var ended strand.WaitGroup
		for i := range all {
			var err error
			if all[i], err = ended.Go(s, (*strand.Strand).Park); err != nil {
				return err
			}
			if err := s.Checkpoint(); err != nil {
				return err
			}
		}
		for _, one := range all {
			for one.State() != sched.JobWaiting {
				if s.Yield(); s.Err() != nil {
					return s.Err()
				}
			}
		}
		f.SpawnSeconds = time.Since(began).Seconds()
		f.BytesEach = each(memory(), before, cfg.Count)
		began = time.Now()
		for _, one := range all {
			one.Unpark(s)
		}
		err := ended.Wait(s)
		f.EndSeconds = time.Since(began).Seconds()
		return err
	})
}

// idleGoroutines does the same with goroutines.
func idleGoroutines(ctx context.Context, cfg Config, f *Figures) error {
	count := cfg.Count
	gate := make(chan struct{})
	var ready, ended sync.WaitGroup
	open := sync.OnceFunc(func() { close(gate); ended.Wait() })
	defer open()
	before, began := memory(), time.Now()
	for i := range count {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		ready.Add(1)
		ended.Add(1)
		go func() {
			ready.Done()
			<-gate
			ended.Done()
		}()
	}
	ready.Wait()
	f.SpawnSeconds = time.Since(began).Seconds()
	f.BytesEach = each(memory(), before, count)
	began = time.Now()
	open()
	f.EndSeconds = time.Since(began).Seconds()
	return nil
}

// memory is what heap and stacks take.
func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

func each(now, before uint64, count int) float64 {
	return float64(int64(now-before)) / float64(count)
}

// switches has so many yield to each other, in turns of strands and goroutines, and
// takes the best of three, which others on the machine disturb least.
func switches(ctx context.Context, total, among int, strands, goroutines *float64) error {
	rounds := max(1, total/among)
	best := [2]float64{math.Inf(1), math.Inf(1)}
	for range 3 {
		took, err := yieldStrands(ctx, among, rounds)
		if err != nil {
			return err
		}
		best[0] = min(best[0], float64(took)/float64(among*rounds))
		if took, err = yieldGoroutines(ctx, among, rounds); err != nil {
			return err
		}
		best[1] = min(best[1], float64(took)/float64(among*rounds))
	}
	*strands, *goroutines = best[0], best[1]
	return nil
}

// turns measures the turns of so many from when the last has begun until the first
// has had all of its own. So neither their starts and ends are in it, nor the first
// time that each comes back to what it has in memory.
type turns struct {
	among int
	begun atomic.Int64
	began atomic.Pointer[time.Time] // Written by the last, read by the first to end.
	ended sync.Once
	took  time.Duration
}

// begin comes before the first of rounds+1 turns. One of these turns is on the way to began.
func (t *turns) begin() {
	if t.begun.Add(1) == int64(t.among) {
		now := time.Now()
		t.began.Store(&now)
	}
}

// end comes after the last.
func (t *turns) end() {
	if began := t.began.Load(); began != nil {
		t.ended.Do(func() { t.took = time.Since(*began) })
	}
}

func yieldStrands(ctx context.Context, among, rounds int) (time.Duration, error) {
	t := turns{among: among}
	err := strand.Run(ctx, sched.Config{Workers: 1, MaxSpares: -1}, func(s *strand.Strand) error {
		var ready, ended strand.WaitGroup
		if err := ready.Add(s, among); err != nil {
			return err
		}
		all := make([]*strand.Strand, among)
		for i := range all {
			var err error
			if all[i], err = ended.Go(s, func(s *strand.Strand) error {
				if err := errors.Join(ready.Done(s), s.Park()); err != nil {
					return err
				}
				t.begin()
				for i := range rounds + 1 {
					if s.Yield(); i%1024 == 0 && s.Err() != nil {
						return s.Err()
					}
				}
				t.end()
				return nil
			}); err != nil {
				return err
			}
		}
		if err := ready.Wait(s); err != nil {
			return err
		}
		for _, one := range all {
			one.Unpark(s)
		}
		return ended.Wait(s)
	})
	return t.took, err
}

func yieldGoroutines(ctx context.Context, among, rounds int) (time.Duration, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	t := turns{among: among}
	gate := make(chan struct{})
	var ready, ended sync.WaitGroup
	for range among {
		ready.Add(1)
		ended.Go(func() {
			ready.Done()
			<-gate
			t.begin()
			for i := range rounds + 1 {
				if i%1024 == 0 && ctx.Err() != nil {
					return
				}
				runtime.Gosched()
			}
			t.end()
		})
	}
	ready.Wait()
	close(gate)
	ended.Wait()
	return t.took, ctx.Err()
}

// WriteJSON writes the report as one JSON object on one line.
func (r *Report) WriteJSON(w io.Writer) error { return json.NewEncoder(w).Encode(r) }

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	state := ""
	if r.Partial {
		state = " (partial; what is missing is 0)"
	}
	s, g := r.Strands, r.Goroutines
	_, err := fmt.Fprintf(w, `%s idle, %d workers%s
%-32s %12s %12s
%-32s %10.3f s %10.3f s
%-32s %10.0f B %10.0f B
%-32s %10.3f s %10.3f s
%-32s %9.0f ns %9.0f ns
%-32s %9.0f ns %9.0f ns
`, humanize.Comma(int64(r.Count)), r.Workers, state,
		"", "strands", "goroutines",
		"start them, until all wait", s.SpawnSeconds, g.SpawnSeconds,
		"memory of each", s.BytesEach, g.BytesEach,
		"wake all, until the last ends", s.EndSeconds, g.EndSeconds,
		"a switch between two", s.SwitchTwo, g.SwitchTwo,
		"a switch among "+humanize.Comma(int64(s.Among)), s.SwitchMany, g.SwitchMany)
	return err
}
