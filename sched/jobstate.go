package sched

import "github.com/troupe-go/troupe/internal/workers"

// JobState says how far a job has come. Its method Ended reports whether the job has its
// result, and String returns the name of the state in lower case.
type JobState = workers.JobState

// The states of a job. A job begins as pending and ends in one of the last
// four, which it never leaves.
const (
	JobPending   JobState = workers.JobPending   // It is queued and has not begun.
	JobStolen    JobState = workers.JobStolen    // A thief carries it to its own queue, where it is pending again.
	JobRunning   JobState = workers.JobRunning   // Its function runs.
	JobPreempted JobState = workers.JobPreempted // It gave way at a checkpoint or a yield, or waits no longer, and is queued to go on.
	JobWaiting   JobState = workers.JobWaiting   // It waits by means of this module, and holds no worker.
	JobCompleted JobState = workers.JobCompleted // Its function returned nil.
	JobFailed    JobState = workers.JobFailed    // Its function returned an error, panicked, or called runtime.Goexit.
	JobTimedOut  JobState = workers.JobTimedOut  // Its time was up; its function may still run.
	JobCancelled JobState = workers.JobCancelled // It was cancelled, or given up by a stop, before it was done.
)
