package workers

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/internal/workers/jobstate"
)

// JobInfo is what sched.JobInfo documents.
type JobInfo struct {
	ID                  uint64
	Kind                string
	State               JobState
	Priority            Priority
	Cost                time.Duration
	Timeout             time.Duration
	Steals, Preemptions int
	Reductions          uint64
	ReductionsLeft      int
	Started             time.Time
	Worker              int
}

// ID returns a number that no other job of the scheduler has. It costs nothing.
func (j *Job) ID() uint64 {
	if !j.known() {
		return 0
	}
	return j.id &^ (idInBody | idPlaced)
}

// State returns how far the job has come, which may have changed by the time
// that it is looked at. It costs a few loads.
func (j *Job) State() JobState {
	if !j.known() {
		return JobPending
	}
	_, st := j.now()
	return st
}

// now returns the job's word and its state. Until the function has returned, whether
// it runs, and how often it has given way, is the fiber's to say.
func (j *Job) now() (word jobstate.Value, st JobState) {
	if word = j.state.Load(); !word.IsLive() {
		return word, word.State()
	}
	doing, preempted := j.on().doing(), j.on().tally.preemptions()
	if word = j.state.Load(); !word.IsLive() {
		return word, word.State() // So the fiber may have told of other work.
	}
	if st = word.State(); st == JobRunning {
		st = doing
	}
	return word.Preempted(preempted), st
}

// doing tells the state of a job on f that has begun.
func (f *Fiber) doing() JobState {
	switch {
	case f.state.IsSuspended():
		return JobWaiting
	case f.isOn():
		return JobRunning
	case f.state.IsSuspended(): // It has begun to wait since the first look.
		return JobWaiting
	}
	return JobPreempted
}

// Kind returns the name of the job's kind.
func (j *Job) Kind() string {
	if !j.known() {
		return ""
	}
	return j.kind.name
}

// String returns the job's number and its kind, if it has one.
func (j *Job) String() string {
	if !j.known() {
		return "no job"
	}
	if kind := j.Kind(); kind != "" {
		return fmt.Sprintf("job %d (%s)", j.ID(), kind)
	}
	return fmt.Sprintf("job %d", j.ID())
}

// Priority returns the priority under which the job was submitted.
func (j *Job) Priority() Priority {
	if !j.known() {
		return Normal
	}
	return j.state.Load().Priority()
}

// Info returns a snapshot of the job. It costs a few loads.
func (j *Job) Info() JobInfo {
	if !j.known() {
		return JobInfo{Worker: -1}
	}
	word, st := j.now()
	info := JobInfo{
		ID: j.ID(), Kind: j.kind.name, State: st, Priority: word.Priority(),
		Cost: j.node.cost(), Timeout: j.timeout(),
		Steals: word.Steals(), Preemptions: word.Preemptions(), Worker: -1,
	}
	if started := word.Started(); started != 0 {
		info.Started = j.kind.s.epoch.Add(started)
	}
	if word.IsLive() {
		info.Worker = int(j.on().on.Load())
		j.describeReductions(&info)
	}
	return info
}

// describeReductions fills in what the job, which has begun, has spent. If it has ended
// meanwhile, that would be the count of other work.
func (j *Job) describeReductions(info *JobInfo) {
	sum, left := j.on().reductionsOf(j), j.on().ReductionsLeft()
	if j.state.Load().IsLive() {
		info.Reductions, info.ReductionsLeft = sum, left
	}
}
