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
	// Reductions is how much the job has done by its own account: what it has spent by a
	// [Budget], and 1 for each checkpoint. A Budget passes it on at its next checkpoint,
	// some 20 us later. ReductionsLeft is how many of them are left until the
	// job yields to others of its priority; it is -1 if it never does, by Config.Reductions.
	// Both are 0 before the job begins and after it has ended.
	Reductions     uint64
	ReductionsLeft int
	// Started is when the job began, to about 10 ms, and zero before.
	Started time.Time
	// Worker is the id of the worker that the job is on, or was before it began to
	// wait. It is -1 before the job begins and after it has ended.
	Worker int
}
