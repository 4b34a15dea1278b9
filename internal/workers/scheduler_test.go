package workers_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

func TestConfigIsValidated(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  workers.Config
		says []string // The mistake, the value, and the remedy.
	}{
		{"workers", workers.Config{Workers: -1}, []string{"Config.Workers", "-1", "positive", "GOMAXPROCS"}},
		{"spares", workers.Config{MaxSpares: -2}, []string{"Config.MaxSpares", "-2", "-1 for none"}},
		{"blocked after", workers.Config{BlockedAfter: -time.Second}, []string{"Config.BlockedAfter", "-1s", "positive"}},
		{"age after", workers.Config{AgeAfter: -time.Second}, []string{"Config.AgeAfter", "-1s", "-1 for never"}},
		{"reductions", workers.Config{Reductions: -2}, []string{"Config.Reductions", "-2", "-1 for no yielding"}},
		{"steal", workers.Config{MaxSteal: -1}, []string{"Config.MaxSteal", "-1", "positive"}},
		{"backoff", workers.Config{BackoffMin: -time.Second}, []string{"Config.BackoffMin", "-1s", "positive"}},
		{"longest backoff", workers.Config{BackoffMax: -time.Second}, []string{"Config.BackoffMax", "-1s", "positive"}},
		{"backoffs", workers.Config{BackoffMin: 2 * time.Second, BackoffMax: time.Second},
			[]string{"Config.BackoffMax is 1s", "less than Config.BackoffMin", "2s"}},
		{"depth", workers.Config{PreemptionDepth: -2}, []string{"Config.PreemptionDepth", "-2", "-1 for none"}},
		{"large depth", workers.Config{PreemptionDepth: 65}, []string{"Config.PreemptionDepth", "65", "at most 64"}},
		{"capacity", workers.Config{QueueCapacity: -7}, []string{"Config.QueueCapacity", "-7", "positive"}},
		{"large capacity", workers.Config{QueueCapacity: 1<<20 + 1}, []string{"Config.QueueCapacity", "1048577", "at most 1048576"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := workers.New(c.cfg)
			if err == nil {
				_ = s.Stop(guarded(t))
				t.Fatal("accepted")
			}
			checkSays(t, err, append(c.says, "sched: ")...)
		})
	}
}

func TestZeroConfigIsGood(t *testing.T) {
	s := newScheduler(t, workers.Config{})
	if got, want := s.Workers(), runtime.GOMAXPROCS(0); got != want {
		t.Errorf("%d workers, want GOMAXPROCS, which is %d", got, want)
	}
	finish(t, guarded(t), start(t, guarded(t), s, func(context.Context) error { return nil }))
}

func TestSubmitRefusesWhatIsWrong(t *testing.T) {
	s := newScheduler(t, workers.Config{Workers: 1})
	w := newWork(func(*workers.Fiber, workers.Priority) { t.Error("refused work ran") })
	checkSays(t, s.Submit(&w.Node, 4), "sched: ", "priority 4", "use Critical, High, Normal or Low")
	checkSays(t, s.Submit(&workers.Node{}, workers.Normal), "sched: ", "no runner", "Init")
	if err := s.Stop(guarded(t)); err != nil {
		t.Fatal(err)
	}
	if err := s.Submit(&w.Node, workers.Normal); !errors.Is(err, workers.ErrStopped) {
		t.Errorf("submit after stop: %v", err)
	}
}

// TestEveryJobRunsOnce mixes many submitters with jobs that return, fail,
// panic, end their goroutine, block, wait, and yield.
func TestEveryJobRunsOnce(t *testing.T) {
	const submitters, each = 8, 300
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 3})
	failure := errors.New("failure")
	var runs [submitters * each]atomic.Int32
	var open atomic.Int64 // Of the jobs that block, until there are 4 more.
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range submitters {
		all.Go(func() {
			for k := range each {
				id := i*each + k
				j, err := s.Go(ctx, func(ctx context.Context) error {
					runs[id].Add(1)
					switch k % 8 {
					case 1:
						return failure
					case 2:
						panic(failure)
					case 3:
						runtime.Goexit()
					case 4:
						if open.Add(1) == submitters {
							close(gate)
						}
						if k == 4 {
							<-gate
						}
					case 5:
						child, err := s.Go(ctx, func(context.Context) error { return nil })
						if err != nil {
							return err
						}
						return child.Wait(ctx)
					case 6:
						workers.Current(ctx).Yield(workers.Low)
					}
					return nil
				}, workers.WithPriority(workers.Priority(k%4)))
				if err != nil {
					t.Error(err)
					return
				}
				err = j.Wait(ctx)
				want := [8]error{1: failure, 2: failure, 3: workers.ErrGoexit}[k%8]
				if !errors.Is(err, want) {
					t.Errorf("job %d: got %v, want %v", id, err, want)
				}
			}
		})
	}
	all.Wait()
	for id := range runs {
		if n := runs[id].Load(); n != 1 {
			t.Fatalf("job %d ran %d times", id, n)
		}
	}
	// The last job is counted as ended just after its waiters were told.
	eventually(t, ctx, "all jobs to be counted as ended", func() bool { return s.Stats().Jobs == 0 })
}

// TestNodeRunsOncePerSubmission queues one node from many sides at a time.
func TestNodeRunsOncePerSubmission(t *testing.T) {
	const submitters, each = 4, 500
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	var runs atomic.Int64
	var again atomic.Int64
	var w *work
	w = newWork(func(f *workers.Fiber, p workers.Priority) {
		if runs.Add(1)%3 == 0 && again.Add(1) <= 100 {
			f.Submit(&w.Node, p)
		}
	})
	var all sync.WaitGroup
	for i := range submitters {
		all.Go(func() {
			for range each {
				if err := s.Submit(&w.Node, workers.Priority(i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if got, want := runs.Load(), int64(submitters*each+100); got != want {
		t.Fatalf("%d runs, want %d", got, want)
	}
}

func TestOverflowOfQueuesLosesNothing(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2, QueueCapacity: 2})
	const n = 1000
	var runs [n]atomic.Int32
	outer := start(t, ctx, s, func(ctx context.Context) error {
		jobs := make([]*workers.Job, n)
		for i := range jobs {
			var err error
			if jobs[i], err = s.Go(ctx, func(context.Context) error { runs[i].Add(1); return nil }); err != nil {
				return err
			}
		}
		for _, j := range jobs {
			if err := j.Wait(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	finish(t, ctx, outer)
	for i := range runs {
		if got := runs[i].Load(); got != 1 {
			t.Fatalf("job %d ran %d times", i, got)
		}
	}
}

// TestSchedulersDoNotMix has a job of one scheduler wait for a job of another:
// it must go on where it belongs, so that the other one can stop meanwhile.
func TestSchedulersDoNotMix(t *testing.T) {
	ctx := guarded(t)
	home, away := newScheduler(t, workers.Config{Workers: 1}), newScheduler(t, workers.Config{Workers: 1})
	begun, gate := make(chan struct{}), make(chan struct{})
	back, quit := make(chan struct{}), make(chan struct{})
	j := start(t, ctx, home, func(ctx context.Context) error {
		other, err := away.Go(ctx, func(context.Context) error { close(begun); <-gate; return nil })
		if err != nil {
			return err
		}
		if err := other.Wait(ctx); err != nil {
			return err
		}
		close(back)
		<-quit
		return nil
	})
	receive(t, ctx, "the job away", begun)
	eventually(t, ctx, "the job at home to suspend", func() bool {
		return inState(home, workers.WorkerIdle) == 1
	})
	close(gate)
	receive(t, ctx, "the job at home to go on", back)
	if err := away.Stop(ctx); err != nil {
		t.Errorf("a scheduler without work does not stop: %v", err)
	}
	close(quit)
	finish(t, ctx, j)
}
