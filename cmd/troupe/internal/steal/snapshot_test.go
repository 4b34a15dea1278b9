package steal_test

import (
	"testing"
	"time"

	"github.com/troupe-go/troupe/cmd/troupe/internal/steal"
	"github.com/troupe-go/troupe/sched"
)

func TestRates(t *testing.T) {
	with := func(at time.Duration, workers ...steal.Worker) *steal.Snapshot {
		s := &steal.Snapshot{At: at, Workers: workers}
		for _, w := range workers {
			s.Total.Jobs += w.Jobs
		}
		return s
	}
	one := func(id int, jobs, from0 uint64) steal.Worker {
		return steal.Worker{WorkerStats: sched.WorkerStats{ID: id, Jobs: jobs}, From: map[int]uint64{0: from0}}
	}
	before, now := with(time.Second, one(1, 100, 10)), with(3*time.Second, one(1, 300, 10), one(2, 1000, 50))
	r := now.RatesSince(before)
	if r.Jobs != 600 || r.Workers[1].Jobs != 100 || len(r.Workers[1].From) != 0 {
		t.Errorf("the rates are %+v, want 600 of all and 100 of worker 1, which took nothing", r)
	}
	if w := r.Workers[2]; w.Jobs != 0 || len(w.From) != 0 {
		t.Errorf("a worker that was not there before has the rates %+v", w)
	}
	if r := now.RatesSince(now); r.Jobs != 0 || r.Workers[1].Jobs != 0 {
		t.Errorf("without time between, the rates are %+v", r)
	}
}
