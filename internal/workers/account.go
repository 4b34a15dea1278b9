package workers

import (
	"github.com/troupe-go/troupe/internal/workers/counters"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// # Counting jobs
//
// The scheduler has to know when no job is left. One counter would be written
// twice for each job, by all workers and submitters. So each worker counts by
// itself what it accepts and what it ends, and publishes that before it rests;
// what comes from outside is counted apart. The sum is exact when all workers
// rest, which is when a stop asks for it. While they run it may be behind by
// what they did since they last looked at the clock.

// account is what is counted outside of the workers.
type account struct {
	// came is on a line of its own: submitters write it for each job, while
	// workers read what lies beside it for each job.
	_    [cacheLine]byte
	came xatomic.Uint64 // Accepted, or about to be refused. It also numbers jobs.
	_    [cacheLine]byte
	gone xatomic.Uint64 // Refused or given up.
}

// cacheLine is 64 bytes on amd64 and most arm64.
const cacheLine = 64

// workerIDShift leaves room for 10^13 jobs that a worker submits.
const workerIDShift = 44

// jobAccepted counts a job that work on the worker submits, and returns an id
// for it.
func (w *Worker) jobAccepted() uint64 {
	w.count.Accepted++
	return uint64(w.id+1)<<workerIDShift | w.count.Accepted
}

// jobEnded counts a job to its end on the worker.
func (w *Worker) jobEnded() { w.count.Ended++ }

// jobGone counts a job to its end outside of the workers.
func (s *Scheduler) jobGone() {
	s.account.gone.Add(1)
	s.settle()
}

// Comes counts work that is handed in from outside, as a job is, before it is queued. A Stop
// in between either sees the work or is seen by a caller that asks for it afterwards.
func (s *Scheduler) Comes() { s.account.came.Add(1) }

// Goes counts such work to its end outside of the workers.
func (s *Scheduler) Goes() { s.jobGone() }

// Counters returns what the fiber's worker counts by itself, for work that begins and ends
// as jobs do. It must be called from the fiber's goroutine.
func (f *Fiber) Counters() *counters.Counters { return &f.w.count }

// jobsLeft returns the number of jobs that were accepted and have not ended.
func (s *Scheduler) jobsLeft() int {
	// The jobs that have gone are read before those that have come, and the ended before
	// the accepted. So no job is subtracted that was not added.
	left := -int64(s.account.gone.Load())
	workers := *s.workers.Load()
	for _, w := range workers {
		left -= int64(w.published.Ended.Load())
	}
	for _, w := range workers {
		left += int64(w.published.Accepted.Load())
	}
	return int(left + int64(s.account.came.Load()))
}
