package troupe

import (
	"context"
	"runtime"
	"time"

	"github.com/troupe-go/troupe/sched"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// checkTurns is how often the loops with and without checks take turns, so that both see the same weather.
const checkTurns = 10

// checking measures what check takes in a job, beyond a loop without it.
func checking(loop func(ctx context.Context, n int)) suite.Func {
	return func(r *suite.Run) (int64, error) {
		s, err := sched.New(sched.Config{})
		if err != nil {
			return 0, err
		}
		var with, without time.Duration
		job, err := s.Go(background, func(ctx context.Context) error {
			share := (r.N + checkTurns - 1) / checkTurns
			for range checkTurns {
				begin := time.Now()
				bare(share)
				middle := time.Now()
				loop(ctx, share)
				without += middle.Sub(begin)
				with += time.Since(middle)
			}
			return nil
		})
		if err == nil {
			err = job.Wait(background)
		}
		// Less than 0.01 ns a check is lost in the noise of the clock.
		r.Took(max(with-without, time.Duration(r.N/100+1)))
		if stopped := s.Stop(background); err == nil {
			err = stopped
		}
		return int64(r.N), err
	}
}

func bare(n int) {
	x := 0
	for range n {
		x++
	}
	runtime.KeepAlive(x)
}

func spend(ctx context.Context, n int) {
	x, budget := 0, sched.NewBudget(ctx)
	for range n {
		x++
		budget.Spend(1)
	}
	runtime.KeepAlive(x)
}

func checkpoint(ctx context.Context, n int) {
	x := 0
	for range n {
		x++
		sched.Checkpoint(ctx)
	}
	runtime.KeepAlive(x)
}
