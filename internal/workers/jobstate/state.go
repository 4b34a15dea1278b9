package jobstate

import "fmt"

// State says how far a job has come. Package sched says what each is.
type State uint8

// The states of a job. A job begins as pending and ends in one of the last
// four, which it never leaves.
const (
	Pending State = iota
	Stolen
	Running
	Preempted
	Waiting
	Completed
	Failed
	TimedOut
	Cancelled
)

var names = [...]string{
	"pending", "stolen", "running", "preempted", "waiting", "completed", "failed", "timed out", "cancelled",
}

// String returns the state's name in lower case.
func (st State) String() string {
	if int(st) < len(names) {
		return names[st]
	}
	return fmt.Sprintf("JobState(%d)", uint8(st))
}

// Ended reports whether the job has its result.
func (st State) Ended() bool { return st >= Completed }
