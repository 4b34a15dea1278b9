package workers

import (
	"context"

	"github.com/troupe-go/troupe/internal/workers/jobstate"
)

// Cancel ends the job with a cause; nil means [context.Canceled]. See sched.Job.Cancel.
func (j *Job) Cancel(cause error) bool {
	if cause == nil {
		cause = context.Canceled
	}
	return j.known() && j.cancel(cause) != jobstate.FoundEnded
}

func (j *Job) cancel(cause error) jobstate.Cancellation {
	if j.state.State().Ended() {
		return jobstate.FoundEnded
	}
	rare := j.rarely()
	rare.mu.Lock()
	if rare.cause == nil {
		rare.cause = cause
	}
	what := j.state.TransitionToCancelled()
	rare.mu.Unlock()
	switch what {
	case jobstate.FoundQueued:
		j.release(nil)
		if b := j.body(); b != nil {
			b.Ended(nil)
		}
	case jobstate.FoundBegun:
		j.endContext()
	}
	return what
}

// endContext ends the context of a job that was cancelled, or whose time is up,
// while it runs or waits.
func (j *Job) endContext() {
	rare := j.rarely()
	rare.mu.Lock()
	cause, std := rare.cause, rare.standard.Load()
	rare.mu.Unlock()
	switch {
	case cause == nil:
		j.standard() // It tells the cause, whether or not somebody has asked for Done.
	case std != nil:
		std.end(cause)
	}
	j.on().Resume(nil, High)
	j.cutChildren()
}

// abandon gives up a job that has not begun.
func (j *Job) abandon() {
	if j.dropsEntry() {
		return // The other entry counts.
	}
	j.kind.s.bound.Leave()
	j.cancel(ErrStopped)
	j.kind.s.jobGone()
}

// release ends what hangs on a job that has ended.
func (j *Job) release(f *Fiber) {
	j.tell(f)
	rare := j.rare.Load()
	rare.mu.Lock()
	life, cause := rare.life, rare.cause
	rare.mu.Unlock()
	if std := rare.standard.Load(); std != nil && j.state.State() != JobTimedOut {
		std.end(cause)
	}
	if life != nil {
		j.releaseLife(rare, life)
	}
}

func (j *Job) releaseLife(rare *jobRare, life *jobLife) {
	rare.mu.Lock()
	timer, unlink, linked := life.timer, life.unlink, life.linked
	rare.mu.Unlock()
	if timer != nil {
		timer.Stop()
	}
	if unlink != nil {
		unlink()
	}
	j.cutChildren()
	if above, isJob := j.parent().(*jobContext); isJob && linked {
		(*Job)(above).disown(j)
	}
}
