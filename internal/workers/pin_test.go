package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/topology"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

func newPinned(tb testing.TB, width, spares int) *workers.Scheduler {
	tb.Helper()
	if !topology.CanPin {
		tb.Skip("threads can't be bound to processors here")
	}
	return newScheduler(tb, workers.Config{Workers: width, MaxSpares: spares, PinWorkers: true})
}

// TestPinnedWorkersStayOnTheirProcessors has jobs that yield and suspend look
// where they are.
func TestPinnedWorkersStayOnTheirProcessors(t *testing.T) {
	ctx := guarded(t)
	cpus := topology.Local().CPUs
	s := newPinned(t, len(cpus)+1, 0)
	var jobs []*workers.Job
	for range 200 {
		jobs = append(jobs, start(t, ctx, s, func(ctx context.Context) error {
			f := workers.Current(ctx)
			worker := f.Worker()
			for range 20 {
				if got := f.Worker(); got != worker {
					return fmt.Errorf("a job of worker %d goes on on %d", worker, got)
				}
				if got, want := topology.Here(), cpus[worker%len(cpus)].ID; worker < s.Workers() && got != want {
					return fmt.Errorf("worker %d is on processor %d, want %d", worker, got, want)
				}
				f.Yield(workers.Normal)
				resumeSoon(f)
			}
			return nil
		}))
	}
	finish(t, ctx, jobs...)
	for _, w := range s.Stats().Workers[:s.Workers()] {
		if want := cpus[w.ID%len(cpus)].ID; w.CPU != want {
			t.Errorf("worker %d calls processor %d its own, want %d", w.ID, w.CPU, want)
		}
	}
}

// resumeSoon suspends f until a goroutine has resumed it.
func resumeSoon(f *workers.Fiber) {
	var over atomic.Bool
	go func() { over.Store(true); f.Resume(nil, workers.Normal) }()
	for !over.Load() {
		f.Suspend()
	}
}

// TestPinnedWorkersSurvive mixes all that moves fibers about: waits, yields,
// checkpoints with critical work, forks, blocks that need spares, and Goexit. A
// fiber that is resumed by another thread than its own ends the process.
func TestPinnedWorkersSurvive(t *testing.T) {
	lane.Short(t)
	ctx := guarded(t)
	s := newPinned(t, 3, 20)
	const rounds, width, blockers = 60, 60, 4
	for round := range rounds {
		var jobs []*workers.Job
		var blocked atomic.Int64
		gate := make(chan struct{})
		for i := range width {
			jobs = append(jobs, start(t, ctx, s, func(ctx context.Context) error {
				f := workers.Current(ctx)
				switch i % 6 {
				case 0: // Asks, in a chain.
					inner, err := s.Go(ctx, func(ctx context.Context) error {
						resumeSoon(workers.Current(ctx))
						return nil
					})
					if err != nil {
						return err
					}
					return inner.Wait(ctx)
				case 1: // Blocks, in more jobs than there are workers.
					if i < 6*blockers {
						if blocked.Add(1) == blockers {
							close(gate)
						}
						<-gate
					}
				case 2: // Gives way to critical work.
					urgent, err := s.Go(ctx, func(context.Context) error { return nil }, workers.WithPriority(workers.Critical))
					if err != nil {
						return err
					}
					f.Checkpoint()
					return urgent.Wait(ctx)
				case 3: // Ends its fiber, with others away.
					resumeSoon(f)
					runtime.Goexit()
				case 4:
					f.Yield(workers.Low)
					resumeSoon(f)
				default:
					time.AfterFunc(time.Duration(i)*time.Microsecond, func() { f.Resume(nil, workers.High) })
					f.Suspend()
				}
				return nil
			}, workers.WithPriority(workers.Priority(1+i%3))))
		}
		for i, j := range jobs {
			if err := j.Wait(ctx); i%6 == 3 && !errors.Is(err, workers.ErrGoexit) || i%6 != 3 && err != nil {
				t.Fatalf("round %d, job %d: %v", round, i, err)
			}
		}
	}
	if !invariants.Enabled && (*sched.Scheduler)(s).Stats().Total().Suspended < rounds {
		t.Error("hardly anything was suspended; the test tests nothing")
	}
}

// occupyRegular occupies a worker that is not a spare: on a slow machine the
// spare may come first.
func occupyRegular(tb testing.TB, ctx context.Context, s *workers.Scheduler) (release func()) {
	tb.Helper()
	gate := make(chan struct{})
	for {
		begun := make(chan bool, 1)
		submit(tb, s, workers.Critical, func(f *workers.Fiber, _ workers.Priority) {
			regular := f.Worker() < s.Workers()
			begun <- regular
			if regular {
				<-gate
			}
		})
		if receive(tb, ctx, "a worker to occupy", begun) {
			return func() { close(gate) }
		}
	}
}

// TestPinnedSpareStaysForItsFibers suspends a job on a spare worker, and then
// lets the worker that it stands in for come back.
func TestPinnedSpareStaysForItsFibers(t *testing.T) {
	ctx := guarded(t)
	s := newPinned(t, 1, 1)
	release := occupyRegular(t, ctx, s)
	on := make(chan *workers.Fiber, 1)
	var over atomic.Bool
	j := start(t, ctx, s, func(ctx context.Context) error {
		f := workers.Current(ctx)
		on <- f
		for !over.Load() {
			f.Suspend()
		}
		if got := f.Worker(); got != 1 {
			return fmt.Errorf("resumed on worker %d, want the spare", got)
		}
		return nil
	})
	f := receive(t, ctx, "the job", on)
	if cpu := s.Stats().Workers[1].CPU; cpu != -1 && topology.Local().Flat() {
		t.Errorf("the spare is bound to processor %d", cpu)
	}
	release()
	for range 20 {
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }))
		if stateOf(s, 1) == workers.WorkerRetired {
			t.Fatal("the spare retired while a fiber of its own was away")
		}
	}
	over.Store(true)
	f.Resume(nil, workers.Normal)
	finish(t, ctx, j)
	retireSpares(t, ctx, s, 1)
}

// TestPinnedWorkerOutlivesGoexit ends fibers by Goexit, again and again, while
// another is away that only this thread can continue.
func TestPinnedWorkerOutlivesGoexit(t *testing.T) {
	lane.Short(t)
	ctx := guarded(t)
	s := newPinned(t, 1, -1)
	for _, away := range []bool{true, false} {
		var over atomic.Bool
		on := make(chan *workers.Fiber, 1)
		var waiting *workers.Job
		var f *workers.Fiber
		if away {
			waiting = start(t, ctx, s, func(ctx context.Context) error {
				on <- workers.Current(ctx)
				for !over.Load() {
					workers.Current(ctx).Suspend()
				}
				return nil
			})
			f = receive(t, ctx, "the job", on)
		}
		for range 1000 {
			j := start(t, ctx, s, func(context.Context) error { runtime.Goexit(); return nil })
			if err := j.Wait(ctx); !errors.Is(err, workers.ErrGoexit) {
				t.Fatal(err)
			}
		}
		if away {
			over.Store(true)
			f.Resume(nil, workers.Normal)
			finish(t, ctx, waiting)
		}
	}
}

// TestPinnedGoexitCostsNoMemory has nothing away, so that nothing has to be kept.
func TestPinnedGoexitCostsNoMemory(t *testing.T) {
	lane.Check(t)
	const jobs, limit = 5000, 3 << 19 // About 300 bytes each.
	ctx := guarded(t)
	s := newPinned(t, 1, -1)
	stacks := func() uint64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	before := stacks()
	for range jobs {
		j := start(t, ctx, s, func(context.Context) error { runtime.Goexit(); return nil })
		if err := j.Wait(ctx); !errors.Is(err, workers.ErrGoexit) {
			t.Fatal(err)
		}
	}
	if after := stacks(); after > before+limit {
		t.Errorf("%d Goexits took %d KB of stacks", jobs, (after-before)/1024)
	}
}

// TestPinningFails asks for a processor that there is not.
func TestPinningFails(t *testing.T) {
	if !topology.CanPin {
		if _, err := workers.New(workers.Config{PinWorkers: true}); err == nil {
			t.Error("pinned where that is not possible")
		}
		return
	}
	m := topology.Machine{CPUs: []topology.CPU{{ID: 0}, {ID: 60_000}}}
	if s, err := workers.NewOn(workers.Config{Workers: 2, PinWorkers: true}, m); err == nil {
		t.Errorf("a worker was pinned to a processor that does not exist: %+v", s.Stats())
	}
}

// BenchmarkPinned is what BenchmarkSuspendResume does, on pinned workers.
func BenchmarkPinnedSuspendResume(b *testing.B) {
	s := newPinned(b, 0, 0)
	benchmarkSuspendResume(b, s)
}
