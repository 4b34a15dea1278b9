package troupe

import (
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Strands are this project's strands.
var Strands = suite.Subject{
	Name:  "strands",
	About: "strand.Run with its default configuration",
	Runs: map[string]suite.Func{
		workload.PingPong: strandPingPong,
		jobs.Yield:        strandYield,
	},
	Notes: map[string]string{
		workload.PingPong: "two strands and two of their channels, without room",
		jobs.Yield:        "one worker",
	},
}

func strandYield(r *suite.Run) (int64, error) {
	return jobs.RunYield(func(a, b jobs.Party) error {
		return strand.Run(background, sched.Config{Workers: 1, MaxSpares: -1}, func(s *strand.Strand) error {
			live := func(p jobs.Party) func(s *strand.Strand) error {
				return func(s *strand.Strand) error {
					p.Live(s.Yield)
					return nil
				}
			}
			one, err := strand.Go(s, live(a))
			if err != nil {
				return err
			}
			other, err := strand.Go(s, live(b))
			if err != nil {
				return err
			}
			return errors.Join(one.Join(s), other.Join(s))
		})
	})(r)
}

func strandPingPong(r *suite.Run) (handled int64, err error) {
	err = strand.Run(background, sched.Config{}, func(s *strand.Strand) error {
		there, back := strand.NewChan[int](0), strand.NewChan[int](0)
		play := func(in, out *strand.Chan[int], count *int64) func(s *strand.Strand) error {
			return func(s *strand.Strand) error {
				for left := range in.All(s) {
					if *count++; left == 0 {
						return out.Close(s)
					}
					if err := out.Send(s, left-1); err != nil || left == 1 {
						return err
					}
				}
				return nil
			}
		}
		var counts [2]int64
		one, err := strand.Go(s, play(there, back, &counts[0]))
		if err != nil {
			return err
		}
		other, err := strand.Go(s, play(back, there, &counts[1]))
		if err != nil {
			return err
		}
		r.Start()
		err = errors.Join(there.Send(s, r.N-1), one.Join(s), other.Join(s))
		r.Stop()
		handled = total(counts[:])
		return err
	})
	return handled, err
}

// memoryStrand parks strands, and afterwards wakes each.
func memoryStrand(r *suite.Run) (int64, error) {
	var woken atomic.Int64
	err := strand.Run(background, sched.Config{}, func(s *strand.Strand) error {
		all := make([]*strand.Strand, r.N)
		idle := func(s *strand.Strand) error {
			if err := s.Park(); err != nil {
				return err
			}
			woken.Add(1)
			return nil
		}
		err := r.InUse(func() error { return park(s, all, idle) })
		if err != nil {
			return err
		}
		for _, one := range all {
			one.Unpark(s)
		}
		for _, one := range all {
			if err := one.Join(s); err != nil {
				return err
			}
		}
		runtime.KeepAlive(all)
		return nil
	})
	return woken.Load(), err
}

// park starts a strand for each place and returns when all of them wait.
func park(s *strand.Strand, all []*strand.Strand, idle func(s *strand.Strand) error) error {
	for i := range all {
		var err error
		if all[i], err = strand.Go(s, idle); err != nil {
			return err
		}
	}
	for _, one := range all {
		for one.State() != sched.JobWaiting {
			s.Yield()
		}
	}
	return nil
}
