package workers

import (
	"context"
	"errors"
	"time"

	"github.com/troupe-go/troupe/internal/workers/jobstate"
)

// Run runs the job. It is called by the scheduler.
func (j *Job) Run(f *Fiber, _ Priority) {
	if !j.begin(f) {
		return
	}
	defer j.finish(f)
	var err error
	if own, ok := j.node.runner.(*function); ok {
		err = own.release()((*jobContext)(j))
	} else {
		err = j.node.runner.(Body).Do((*jobContext)(j))
	}
	f.w.returned(err) // On the worker where it is by now.
}

// finish ends a job whose function has returned, or has left otherwise.
func (j *Job) finish(f *Fiber) {
	f.ComeBack()
	err, returned := f.w.verdict, f.w.hasReturned
	f.w.verdict, f.w.hasReturned = nil, false
	if !returned {
		err = Caught(recover())
	}
	j.end(f, err)
}

// returned hands what a job's function has returned to finish, which comes at
// once. On the stack it would take room from the function's own waits.
func (w *Worker) returned(err error) { w.verdict, w.hasReturned = err, true }

// release returns the job's function, and drops the reference to it.
func (own *function) release() (fn func(context.Context) error) {
	fn, own.fn = own.fn, nil
	return fn
}

// begin starts the job on f. It returns false if the job was cancelled before, or has begun
// by another entry.
func (j *Job) begin(f *Fiber) bool {
	begun := j.transitionToBegun(f)
	if !begun && j.dropsEntry() {
		return false // The other entry counts.
	}
	j.kind.s.bound.Leave()
	if !begun {
		f.w.jobEnded()
	} else if rare := j.rare.Load(); rare != nil && (rare.twice.Load() || rare.second.Load() != nil) {
		j.inherit(f)
	}
	return begun
}

func (j *Job) transitionToBegun(f *Fiber) bool {
	second := false
	var o *jobOptions
	if rare := j.rare.Load(); rare != nil {
		o, second = rare.options, rare.second.Load() == f
	}
	if !second {
		j.fiber = f
	}
	now := f.w.coarse()
	timed := o != nil && o.timed && o.timeout > 0
	if timed || j.kind.s.exactStart {
		now = j.kind.s.now()
	}
	if second && !j.state.TransitionFromClaimed(now) || !second && !j.state.TransitionToRunning(now) {
		return false
	}
	f.job.Store(j)
	f.w.kind.count(j.kind)
	f.measure(j.kind)
	if timed {
		rare := j.rare.Load()
		rare.mu.Lock()
		// With the context's own timer, if there will be one.
		rare.lives().timer = time.AfterFunc(j.state.Load().Started()+o.timeout-now, InOrder(j.timeOut))
		rare.mu.Unlock()
	}
	return true
}

// end is called on the job's fiber when its function is done.
func (j *Job) end(f *Fiber, err error) {
	outcome := JobCompleted
	if err != nil {
		if cut, ok := j.node.runner.(CutBody); ok && cut.KeepCut(err) {
			outcome = JobCancelled
		} else {
			outcome = j.fail(err)
		}
		if r := j.kind.s.recorder.Load(); r != nil {
			r.failed(j, f, err)
		}
	}
	if cost := f.measured(); cost != 0 {
		j.kind.learn(cost)
	}
	if !j.state.TransitionToEnded(outcome, f.tally.preemptions()) {
		j.kind.s.overdue.Add(-1)
	} else if outcome == JobFailed || outcome == JobTimedOut {
		j.kind.failed.Add(1)
	}
	if j.rare.Load() != nil {
		j.release(f)
	}
	if b := j.body(); b != nil {
		b.Ended(f)
	}
	f.w.jobEnded()
}

// fail keeps the error with which the function ended, and returns the state to
// which that leads.
func (j *Job) fail(err error) JobState {
	rare := j.rarely()
	rare.mu.Lock()
	defer rare.mu.Unlock()
	rare.err = err
	outcome := JobFailed
	if j.state.Load().Has(jobstate.MarkCancelled) && (errors.Is(err, context.Canceled) || errors.Is(err, rare.cause)) {
		outcome = JobCancelled
	} else if std := rare.standard.Load(); std != nil && errors.Is(context.Cause(std.Context), ErrJobTimeout) {
		outcome = JobTimedOut
	}
	return outcome
}
