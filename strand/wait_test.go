package strand_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/troupe-go/troupe/strand"
)

// TestWaitsHoldNoWorker has two strands wait in all ways, for each other and for time, on one
// worker without spares. If one of them held it, the other would never come.
func TestWaitsHoldNoWorker(t *testing.T) {
	ctx, sc := guarded(t), newScheduler(t, 1)
	there, back := strand.NewChan[int](0), strand.NewChan[int](0)
	parked := make(chan *strand.Strand, 1)
	one := start(t, ctx, func(s *strand.Strand) error {
		if strand.Current(s) != s {
			return errors.New("the strand does not know itself")
		}
		for i := range 3 {
			if err := there.Send(s, i); err != nil {
				return err
			}
			if got, err := back.Receive(s); err != nil || got != i {
				return errors.Join(fmt.Errorf("%d came back, want %d", got, i), err)
			}
		}
		parked <- s
		return s.Park()
	}, strand.On(sc))
	two := start(t, ctx, func(s *strand.Strand) error {
		for range 3 {
			i, err := there.Receive(s)
			if err != nil {
				return err
			}
			if err := errors.Join(s.Sleep(time.Microsecond), back.Send(s, i)); err != nil {
				return err
			}
		}
		s.Yield()
		(<-parked).Unpark(s)
		return one.Join(s)
	}, strand.On(sc))
	join(t, ctx, two)
	job, err := sc.Go(ctx, one.Join)
	if err == nil {
		err = job.Wait(ctx) // From outside.
	}
	if err != nil {
		t.Error(err)
	}
}
