package workers_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/workers"
)

// flood is how many pieces of work are on one worker of four, and spreadWithin how soon
// the others shall have their share.
const (
	flood        = 10_000
	spreadWithin = 100 * time.Millisecond
)

// offBalance returns by how much the load farthest from the mean differs from it, as a
// share of the mean. A load is what a worker has queued and what it runs.
func offBalance(s *workers.Scheduler) (worst float64) {
	pieces := held(s)
	mean := 1.0
	for _, n := range pieces {
		mean += float64(n) / float64(len(pieces))
	}
	for _, n := range pieces {
		worst = max(worst, max(float64(n)+1-mean, mean-float64(n)-1)/mean)
	}
	return worst
}

// fourWorkers runs pieces of work, of a millisecond each, on four workers in virtual time.
type fourWorkers struct {
	s     *workers.Scheduler
	clock *workers.Clock
	look  time.Duration // When the monitor compares the loads next.
	ran   [4]int
}

// step lets a millisecond pass, in which each worker runs what it finds.
func (d *fourWorkers) step() {
	if d.clock.Now() >= d.look {
		d.look = d.clock.Now() + d.s.Rebalance()
	}
	for i := range d.ran {
		n, _ := d.s.Worker(i).Poll()
		if n == nil {
			n, _ = d.s.Worker(i).Search()
		}
		if n != nil {
			d.s.Worker(i).Found()
			d.ran[i]++
		}
	}
	d.clock.Advance(time.Millisecond)
}

// untilLook lets time pass until the monitor has compared the loads once more.
func (d *fourWorkers) untilLook() {
	for next := d.look; d.look == next; {
		d.step()
	}
}

// TestLoadSpreads gives one worker 10,000 pieces of work at once: at the start, and when
// the interval between looks is longest. There the worst moment is right after a look.
func TestLoadSpreads(t *testing.T) {
	if invariants.Enabled {
		t.Skip("the queues are too short")
	}
	for name, c := range map[string]struct {
		looks int           // How many come before the load.
		after time.Duration // So long after the last of them it comes.
	}{
		"in the beginning":    {0, 0},
		"after a look":        {30, 0},
		"a while after it":    {30, 20 * time.Millisecond},
		"just before another": {30, 49 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			d := &fourWorkers{}
			d.s, d.clock = busy(workers.Config{Workers: 4, QueueCapacity: 2 * flood})
			for range c.looks {
				d.untilLook()
			}
			for until := d.clock.Now() + c.after; d.clock.Now() < until; {
				d.step()
			}
			load(d.s, flood)
			for until := d.clock.Now() + spreadWithin; d.clock.Now() < until; {
				d.step()
			}
			for i, n := range d.ran {
				if n == 0 {
					t.Errorf("worker %d has run nothing: %v", i, d.ran)
				}
			}
			if off := offBalance(d.s); off > 0.3 {
				t.Errorf("the loads are %v, up to %.2f of the mean away from it; %v were run", held(d.s), off, d.ran)
			}
		})
	}
}

// TestFloodOfAJobSpreads does it with workers that run, and a monitor. After a few jobs,
// each worker that comes to one is held by it, so that what is queued can only be handed
// over: to another worker, or to the queue that all share. Time begins to pass then, and so
// all jobs count as equally long; it passes as the monitor looks at it.
func TestFloodOfAJobSpreads(t *testing.T) {
	if invariants.Enabled {
		t.Skip("the queues are too short")
	}
	const few = 400
	ctx := guarded(t)
	clock := &workers.Clock{}
	s, err := workers.NewWithClock(workers.Config{Workers: 4, MaxSpares: -1, QueueCapacity: 2 * flood}, clock)
	if err != nil {
		t.Fatal(err)
	}
	patience.StopAtEnd(t, s)
	var ran [4]atomic.Int64
	var begun atomic.Int64
	end, all := make(chan struct{}), make(chan []*workers.Job, 1)
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		jobs := make([]*workers.Job, flood)
		for i := range jobs {
			jobs[i] = start(t, ctx, s, func(ctx context.Context) error {
				ran[workers.Current(ctx).Worker()].Add(1)
				if begun.Add(1) > few {
					<-end
				}
				return nil
			})
		}
		all <- jobs
		return nil
	}))
	eventually(t, ctx, "a few jobs to have run", func() bool { return begun.Load() > few })
	looks, passed := 0, time.Duration(0)
	eventually(t, ctx, "the monitor to look for 100 ms", func() bool {
		if n := clock.Read(); n != looks {
			looks = n
			passed += time.Millisecond
			clock.Advance(time.Millisecond)
		}
		return passed >= spreadWithin
	})
	for i := range ran {
		eventually(t, ctx, "each worker to run some", func() bool { return ran[i].Load() > 0 })
	}
	const share = (flood - few) / 4
	if pieces := held(s); float64(slices.Max(pieces)) > 1.3*share {
		t.Errorf("the workers have %v pieces of %d queued, want at most 0.3 more than %d for each", pieces, flood-few, share)
	}
	close(end)
	finish(t, ctx, receive(t, ctx, "the jobs", all)...)
}
