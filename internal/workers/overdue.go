package workers

import "time"

// # When a job's time is up
//
// A job with a timeout of its own has a timer. The timeout that all jobs have by
// default must cost next to nothing, since hardly any job ever comes near it. So
// there is no timer and no reading of the clock at a job's start: the worker
// notes the monitor's coarse time in the job's state, and the monitor goes over
// the fibers, on which running and suspended jobs alike are found. It does so 32
// times in the time that is allowed, so a job may be late by so much, or early by
// the 8 ms between two looks of the monitor. Timeouts under a second are
// measured from an exact start.
//
// The function of such a job may go on, since nothing can stop it. It keeps its
// worker, like any work that takes long, and counts as overdue until it returns.

const (
	// timeoutPart is the part of the timeout, as a divisor, by which a job may be
	// late: 1 s of the default.
	timeoutPart = 32
	// exactUnder is the timeout below which 24 ns are spent on reading the clock
	// when a job starts.
	exactUnder = time.Second
	// patrolMin and patrolMax bound the time between two rounds over the fibers.
	patrolMin = time.Millisecond
	patrolMax = time.Second
	// patrolBatch is how many fibers are looked at in one look of the monitor: 0.1
	// ms, while their list is locked.
	patrolBatch = 4096
)

// patrol goes over the fibers, or a part of them, if it is time for it, and
// times out the jobs that are overdue.
func (s *Scheduler) patrol(now time.Duration) {
	if s.cfg.JobTimeout == 0 {
		return
	}
	var late []*Job
	s.fibers.Patrol(now, s.patrolEvery(), patrolBatch, func(f *Fiber) {
		if j := f.job.Load(); j != nil && j.isLate(now) {
			late = append(late, j)
		}
	})
	for _, j := range late {
		j.timeOut()
	}
}

// patrolEvery is the time between two rounds over the fibers.
func (s *Scheduler) patrolEvery() time.Duration {
	return min(patrolMax, max(patrolMin, s.cfg.JobTimeout/timeoutPart))
}

// isLate reports whether the job has begun and its time is up.
func (j *Job) isLate(now time.Duration) bool {
	timeout := j.timeout()
	word := j.state.Load()
	return timeout > 0 && word.State() == JobRunning && now-word.Started() >= timeout
}

// timeOut ends the job while its function goes on. The caller is no fiber.
func (j *Job) timeOut() {
	s := j.kind.s
	if !j.state.TransitionToTimedOut() {
		return
	}
	s.overdue.Add(1)
	j.kind.failed.Add(1)
	j.tell(nil)
	j.endContext()
}

// coarse is the time at the monitor's last look. It lags behind by up to 8 ms
// while anything runs.
func (s *Scheduler) coarse() time.Duration { return time.Duration(s.coarseClock.Load()) }

// coarse is the time as the worker knows it without looking at the clock. When
// the monitor has slept, the worker has too, and looked at the clock since.
func (w *Worker) coarse() time.Duration { return max(w.s.coarse(), w.meter.clockAt) }
