package demo

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/word"
)

// run is one run of the demo.
type run struct {
	cfg     Config
	tree    tree
	report  Report
	indexes []*word.Index
	files   int // How many files there are, or zero while that isn't known.
}

// Run indexes what cfg says. When ctx ends before the work does, the report has what was found so far and says that it
// is partial. The error is [ErrInput] when cfg can't be run, and another one when an actor failed that was not meant
// to.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	r := &run{cfg: cfg, tree: tree{cfg.FS, cfg.MaxFileSize}, report: newReport(cfg)}
	if cfg.Verify {
		r.warm(ctx)
	}
	if err := r.index(ctx); err != nil {
		return nil, err
	}
	r.report.setIndexes(r.indexes, cfg.Top)
	if cfg.Verify && ctx.Err() == nil {
		r.verify(ctx)
	}
	r.report.Partial = ctx.Err() != nil
	return &r.report, nil
}

// warm reads everything once, so that neither of the counts that are compared pays for the disk.
func (r *run) warm(ctx context.Context) {
	meter := new(meter)
	defer r.cfg.watch(Warming, meter.tally)()
	if err := unstuck(ctx, func() error { return readAll(ctx, r.tree, meter) }); err == nil {
		r.files = int(meter.files.Load())
	}
}

// index lets a troupe do the work.
func (r *run) index(ctx context.Context) error {
	sys, err := actor.NewSystem(actor.Config{
		Name:    "demo",
		Workers: r.cfg.Workers,
		Logger:  slog.New(slog.DiscardHandler), // Injected faults would fill it.
	})
	if err != nil {
		return err
	}
	if !r.cfg.Keep {
		defer stop(ctx, sys)
	}
	if r.cfg.Started != nil {
		if err := r.cfg.Started(sys); err != nil {
			return err
		}
	}
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &troupe{faults: &faults{rate: r.cfg.FaultRate, seed: r.cfg.Seed}}
	if err := t.assemble(working, sys, r.cfg, func(err error) { cancel(&failure{err}) }); err != nil {
		return failed(working, err)
	}
	runtime.GC() // The measured work should not pay for earlier garbage.
	return r.direct(working, sys, t)
}

func stop(ctx context.Context, sys *actor.System) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	_ = sys.Stop(ctx)
}

// failure is the cause for which the work is cancelled when an actor died that was not meant to.
type failure struct{ error }

// failed returns the error that ended the work, unless the work was interrupted from outside.
func failed(ctx context.Context, err error) error {
	if died := (*failure)(nil); errors.As(context.Cause(ctx), &died) {
		return died.error
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// direct has the troupe do the work and then takes stock.
func (r *run) direct(ctx context.Context, sys *actor.System, t *troupe) error {
	loaded := newProber(t.query, r.cfg.AskEvery)
	end := r.cfg.watch(Indexing, t.sampler(r.files))
	began := time.Now()
	tally, err := r.work(ctx, t, loaded)
	if err != nil {
		tally = t.halt(ctx)
	}
	r.report.setTally(tally, time.Since(began))
	r.report.setUrgent(loaded.latency())
	r.report.setWorkers(sys.Scheduler().Stats())
	end()
	if err := failed(ctx, err); err != nil {
		return err
	}
	r.files = tally.Total
	r.measureIdle(ctx, t)
	r.report.Panics, r.report.Restarts = int(t.faults.injected.Load()), t.tokenizing.Restarts()
	r.indexes, err = t.indexes(ctx)
	return failed(ctx, err)
}

// work waits for the troupe's work while the prober asks.
func (r *run) work(ctx context.Context, t *troupe, p *prober) (Tally, error) {
	done := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() { _ = p.probe(ctx, math.MaxInt, done) })
	defer asking.Wait()
	defer close(done)
	return t.work(ctx, r.cfg.Survey && r.files == 0)
}

// measureIdle asks the same queries of the same index with nothing else to do.
func (r *run) measureIdle(ctx context.Context, t *troupe) {
	if r.cfg.IdleAsks < 1 || ctx.Err() != nil {
		return
	}
	defer r.cfg.watch(Measuring, func() Tally { return Tally{} })()
	idle := newProber(t.query, r.cfg.AskEvery)
	_ = idle.probe(ctx, r.cfg.IdleAsks, ctx.Done())
	r.report.setIdle(idle.latency())
}

// verify counts everything once more, sequentially, and compares.
func (r *run) verify(ctx context.Context) {
	sequential := &recount{tree: r.tree, meter: &meter{total: r.files}}
	defer r.cfg.watch(Recounting, sequential.meter.tally)()
	runtime.GC() // As before the work.
	if err := unstuck(ctx, func() error { return sequential.run(ctx) }); err != nil {
		return
	}
	r.report.Differences = differences(&r.report, r.indexes, sequential)
	r.report.Verified = new(len(r.report.Differences) == 0)
	r.report.SequentialSeconds = new(sequential.took.Seconds())
	r.report.Speedup = new(speedup(sequential.took.Seconds(), r.report.Seconds))
}

func speedup(sequential, concurrent float64) float64 {
	if concurrent <= 0 {
		return 0
	}
	return sequential / concurrent
}
