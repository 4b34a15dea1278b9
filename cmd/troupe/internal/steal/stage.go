package steal

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/troupe-go/troupe/sched"
)

// Stage is a scheduler under load. Its methods are safe for concurrent use.
type Stage struct {
	s      *sched.Scheduler
	roster *roster
	began  time.Time
	over   chan struct{} // Closed at the end: whatever runs returns.
	feeder sync.WaitGroup
	queued atomic.Int64 // Jobs that were submitted and have not ended.
	held   time.Duration

	mu        sync.Mutex
	closed    bool
	load      float64
	paused    bool
	strategy  Strategy
	performed [numActs]uint64
	note      string // Says what the last act did.
	taken     *hdrhistogram.Histogram
	failed    error
}

// Open starts a scheduler and feeds it.
func Open(cfg Config) (*Stage, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	s, err := sched.New(cfg.scheduler())
	if err != nil {
		return nil, err
	}
	const longest, digits = int64(time.Minute), 3
	st := &Stage{
		s: s, roster: newRoster(cfg.Workers + maxSpares), began: time.Now(), over: make(chan struct{}),
		held: heldFor, load: cfg.Load, strategy: cfg.Strategy, taken: hdrhistogram.New(1, longest, digits),
	}
	st.feeder.Go(func() {
		defer st.contain()
		st.feed(cfg)
	})
	return st, nil
}

// Close ends the load and stops the scheduler. Queued jobs are given up; running
// jobs return within a moment.
func (st *Stage) Close(ctx context.Context) error {
	st.mu.Lock()
	if !st.closed {
		st.closed = true
		close(st.over)
	}
	st.mu.Unlock()
	st.feeder.Wait()
	return errors.Join(st.s.Stop(ctx), st.Err())
}

// Err returns why the stage can't go on, or nil.
func (st *Stage) Err() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.failed
}

// fail notes the first failure.
func (st *Stage) fail(err error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.failed == nil {
		st.failed = err
	}
}

// contain turns a panic of the feeder into a failure, so that the program
// that shows the stage can restore the terminal first.
func (st *Stage) contain() {
	if v := recover(); v != nil {
		st.fail(fmt.Errorf("feeding the scheduler: panic: %v\n%s", v, debug.Stack()))
	}
}

// isOver reports whether the stage is being closed.
func (st *Stage) isOver() bool {
	select {
	case <-st.over:
		return true
	default:
		return false
	}
}

// submit submits a job that signs the roster. Ctx is the context of the
// job that submits it, or one of no job.
func (st *Stage) submit(ctx context.Context, kind string, p sched.Priority, body func(ctx context.Context, h *hands)) error {
	from := outside
	if id, ok := sched.WorkerOf(ctx); ok {
		from = id
	}
	st.queued.Add(1)
	_, err := st.s.Go(ctx, func(ctx context.Context) error {
		defer st.queued.Add(-1)
		if st.isOver() {
			return nil
		}
		id, _ := sched.WorkerOf(ctx)
		h := &hands{st: st, ctx: ctx, entry: st.roster.enter(kind, p, from, id)}
		defer func() { st.roster.leave(h.entry) }()
		body(ctx, h)
		return nil
	}, sched.WithPriority(p))
	if err != nil {
		st.queued.Add(-1)
	}
	return err
}

// hands are what a job works with.
type hands struct {
	st    *Stage
	ctx   context.Context // The job's.
	entry *engagement
}

// worker returns the id of the worker that the job is on.
func (h *hands) worker() int {
	id, _ := sched.WorkerOf(h.ctx)
	return id
}

// work computes for d, with a checkpoint every few microseconds.
func (h *hands) work(d time.Duration) {
	for began := time.Now(); time.Since(began) < d && !h.st.isOver(); {
		for range 64 {
			if time.Since(began) >= d {
				return
			}
		}
		sched.Checkpoint(h.ctx)
		h.st.roster.resume(h.entry, h.worker())
	}
}
