package workers

import (
	"iter"
	"runtime"
)

// The fibers tell which jobs are under way: each job that has begun is on one until it
// ends, and all fibers are listed. So a job costs nothing for being listed. Queued jobs are
// in the workers' own queues, into which nobody else may look. They are only counted; see
// [Stats].

// LiveJob is a job that has begun and has not ended.
type LiveJob struct {
	*Job
	// Body is what the job lies in, such as a strand or a task; nil for a job of
	// [Scheduler.Go].
	Body Body
	// Goroutine is under which number stack dumps list the job; see [StackOf].
	Goroutine uint64
}

// jobBatch is how many fibers are looked at while their list is locked. Each is a
// cache miss or two: 20 us.
const jobBatch = 256

// Jobs returns the jobs of the scheduler that have begun and whose functions have not
// returned. See sched.Scheduler.Jobs.
func (s *Scheduler) Jobs() iter.Seq[LiveJob] {
	return func(yield func(LiveJob) bool) {
		if s == nil {
			return
		}
		v := s.fibers.BeginVisit()
		defer s.fibers.EndVisit(v)
		some := make([]LiveJob, 0, jobBatch)
		for more := true; more; {
			some = some[:0]
			more = s.fibers.VisitSome(v, jobBatch, func(f *Fiber) {
				if j := f.job.Load(); j != nil && j.isLive() {
					some = append(some, LiveJob{j, j.body(), f.number()})
				}
			})
			for _, j := range some {
				if !yield(j) {
					return
				}
			}
			runtime.Gosched()
		}
	}
}

// isLive reports whether the job is between its beginning and its function's
// return.
func (j *Job) isLive() bool { return j.state.Load().IsLive() }
