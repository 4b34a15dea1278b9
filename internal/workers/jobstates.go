package workers

import "github.com/troupe-go/troupe/internal/workers/jobstate"

// JobState says how far a job has come. Package sched says what each is.
type JobState = jobstate.State

// The states of a job. A job begins as pending and ends in one of the last
// four, which it never leaves.
const (
	JobPending   = jobstate.Pending
	JobStolen    = jobstate.Stolen
	JobRunning   = jobstate.Running
	JobPreempted = jobstate.Preempted
	JobWaiting   = jobstate.Waiting
	JobCompleted = jobstate.Completed
	JobFailed    = jobstate.Failed
	JobTimedOut  = jobstate.TimedOut
	JobCancelled = jobstate.Cancelled
)
