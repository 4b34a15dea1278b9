package steal

import (
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/sched"
)

// roster knows what runs on each worker, and counts which worker has taken how
// much from which. The jobs of a stage sign it themselves, since a scheduler
// does not keep such a list for others to read.
type roster struct {
	began time.Time
	// running is what a worker is on, or nil. Written by the jobs.
	running []atomic.Pointer[engagement]
	// taken counts, for each worker, the jobs that it began and that were
	// submitted on each other.
	taken [][]atomic.Uint64
}

// engagement is a job that runs.
type engagement struct {
	kind     string
	priority sched.Priority
	since    time.Duration // After the beginning of the roster.
	worker   int           // Written by the job itself.
}

func newRoster(workers int) *roster {
	r := &roster{began: time.Now(), running: make([]atomic.Pointer[engagement], workers)}
	r.taken = make([][]atomic.Uint64, workers)
	for i := range r.taken {
		r.taken[i] = make([]atomic.Uint64, workers)
	}
	return r
}

// outside is the origin of a job that was not submitted on a worker.
const outside = -1

// enter signs a job that begins on worker to, and was submitted on worker from.
func (r *roster) enter(kind string, p sched.Priority, from, to int) *engagement {
	e := &engagement{kind: kind, priority: p, since: time.Since(r.began), worker: to}
	r.running[to].Store(e)
	if from != outside && from != to {
		r.taken[to][from].Add(1)
	}
	return e
}

// resume signs a job that goes on, perhaps elsewhere, after others have run in
// its place.
func (r *roster) resume(e *engagement, worker int) {
	if r.running[worker].Load() == e {
		return
	}
	r.leave(e)
	e.worker = worker
	r.running[worker].Store(e)
}

// leave strikes a job out. If another has taken its line meanwhile, that one
// stays.
func (r *roster) leave(e *engagement) { r.running[e.worker].CompareAndSwap(e, nil) }

// on returns what a worker is on, and for how long.
func (r *roster) on(worker int) (kind string, since time.Duration) {
	if worker >= len(r.running) {
		return "", 0
	}
	e := r.running[worker].Load()
	if e == nil {
		return "", 0
	}
	return e.kind, time.Since(r.began) - e.since
}

// takenBy returns how much a worker has taken from each other.
func (r *roster) takenBy(worker int) map[int]uint64 {
	if worker >= len(r.taken) {
		return nil
	}
	from := map[int]uint64{}
	for other := range r.taken[worker] {
		if n := r.taken[worker][other].Load(); n > 0 {
			from[other] = n
		}
	}
	return from
}
