package sched

import "time"

// JobInfo is a snapshot of a job.
type JobInfo struct {
	ID       uint64
	Kind     string // Empty if it was given none.
	State    JobState
	Priority Priority
	// Cost is the estimate of the time for which the job holds a worker: what
	// WithCost said, or the mean of the kind. 0 if neither is known.
	Cost time.Duration
	// Timeout is for how long the job may run; 0 means that it may for ever.
	Timeout time.Duration
	// Steals counts the workers that took the job from another, up to 127, and
	// Preemptions the times that it gave way to other work, up to 511.
	Steals, Preemptions int
	// Started is when the job began, to about 10 ms, and zero before.
	Started time.Time
	// Worker is the id of the worker that the job is on, or was before it began to
	// wait. It is -1 before the job begins and after it has ended.
	Worker int
}
