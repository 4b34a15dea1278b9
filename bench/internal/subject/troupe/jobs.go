package troupe

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/sched"

	"github.com/troupe-go/troupe/bench/internal/suite"
	"github.com/troupe-go/troupe/bench/internal/workload"
)

func schedule(do func(s *sched.Scheduler) (int64, error)) (result int64, err error) {
	s, err := sched.New(sched.Config{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Stop(background)) }()
	return do(s)
}

func flat(r *suite.Run) (int64, error) {
	return schedule(func(s *sched.Scheduler) (int64, error) {
		var sum atomic.Int64
		err := workload.Batches(r.N, r.Size, func(k int) error {
			var all sync.WaitGroup
			all.Add(k)
			job := func(context.Context) error {
				sum.Add(1)
				all.Done()
				return nil
			}
			r.Start()
			for range k {
				if _, err := s.Go(background, job); err != nil {
					return err
				}
			}
			all.Wait()
			r.Stop()
			return nil
		})
		return sum.Load(), err
	})
}

func forkJoin(r *suite.Run) (int64, error) {
	return schedule(func(s *sched.Scheduler) (int64, error) {
		var sum int64
		r.Start()
		for range r.N {
			var v int
			job, err := s.Go(background, func(ctx context.Context) (err error) {
				v, err = fib(ctx, s, r.Size)
				return err
			})
			if err != nil {
				return sum, err
			}
			if err := job.Wait(background); err != nil {
				return sum, err
			}
			sum += int64(v)
		}
		r.Stop()
		return sum, nil
	})
}

func fib(ctx context.Context, s *sched.Scheduler, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	var a int
	job, err := s.Go(ctx, func(ctx context.Context) (err error) {
		a, err = fib(ctx, s, n-1)
		return err
	})
	if err != nil {
		return 0, err
	}
	b, err := fib(ctx, s, n-2)
	return a + b, errors.Join(err, job.Wait(ctx))
}

func startIdle(r *suite.Run) (int64, error) {
	return schedule(func(s *sched.Scheduler) (int64, error) {
		return workload.RunStartIdle(r, func(job func()) error {
			_, err := s.Go(background, func(context.Context) error { job(); return nil })
			return err
		})
	})
}
