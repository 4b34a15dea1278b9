package sched

import "iter"

// LiveJob is a job that has begun and has not ended.
type LiveJob struct {
	*Job
	// Goroutine is the number under which stack dumps list the job; see [StackOf].
	Goroutine uint64
}

// Jobs returns the jobs of the scheduler that have begun and whose functions have
// not returned: jobs of Go, strands and tasks,
// also jobs that were cancelled or have timed out and go on. They come in no order.
// Jobs that begin or end meanwhile may be missing. All others are among them, and each
// comes once.
//
// It stops nothing, and costs jobs nothing. It takes about 50 ns for each fiber,
// gives way to other goroutines every 256, and holds no lock while the caller
// looks at a job, however long that takes.
func (s *Scheduler) Jobs() iter.Seq[LiveJob] {
	return func(yield func(LiveJob) bool) {
		for j := range s.workers().Jobs() {
			if !yield(LiveJob{(*Job)(j.Job), j.Goroutine}) {
				return
			}
		}
	}
}
