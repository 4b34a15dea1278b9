package workers

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/internal/workers/jobstate"
)

// Body is a job of a package that builds on jobs: a record of its own in which the [Job] is
// embedded, so that a piece of work is one allocation. It has no timeout, since such a
// package has deadlines of its own.
type Body interface {
	Runner // The Job's.
	// Parent returns the context that the job's is derived from: always the same,
	// to any goroutine. If it has a method Cause() error, that is asked for the cause
	// of its end.
	Parent() context.Context
	// Do is the job's function.
	Do(ctx context.Context) error
	// Ended is called once, when the job has its result: on its fiber f, or, if it
	// never began, on whichever goroutine gave it up, where f is nil. The job
	// counts until Ended has returned. It must not wait.
	Ended(f *Fiber)

	inRecord
}

// CutBody is what a Body may be, so that the end of a job which was cut off by
// ParentEnded, and by nothing else, takes no memory.
type CutBody interface {
	Body
	// KeepCut is called, before Ended, with the error that Do returned. If it reports
	// true, the job counts as cancelled, and the Body keeps the error.
	KeepCut(err error) bool
	// CutError returns the error that KeepCut has kept, or nil. It is called when the
	// job has ended, by any goroutine.
	CutError() error
}

// IsCut reports whether ParentEnded was called for the job, and Cancel was not.
func IsCut(b Body) bool {
	word := b.record().state.Load()
	return word&(jobstate.MarkCut|jobstate.MarkCancelled) == jobstate.MarkCut
}

// inRecord is implemented by a Job, and so by what embeds one.
type inRecord interface{ record() *Job }

// Admission says how [Scheduler.Adopt] takes a job on.
type Admission struct {
	Kind     string // See WithKind.
	Priority Priority
	// From is the fiber of the caller, or nil.
	From *Fiber
	// Wait says that the caller may wait for room; see Config.MaxQueued. Otherwise
	// the job is accepted beyond the bound.
	Wait bool
	// Nested says that the caller keeps a job that has begun from ending until
	// Adopt returns. Then the job is accepted even if the scheduler is stopping.
	Nested bool
}

// Adopt accepts a job, which from now on has an id, counts, and can be cancelled, but is
// not queued yet: that is left to [Scheduler.Enqueue], which must follow once, also for a
// job that was cancelled. It returns the errors of [Scheduler.Go].
func (s *Scheduler) Adopt(b Body, a Admission) error {
	if a.Priority >= numPriorities {
		return fmt.Errorf("sched: unknown priority %d; use Critical, High, Normal or Low", a.Priority)
	}
	j := b.record()
	j.kind = &s.kinds.none
	if a.Kind != "" {
		j.kind = s.kinds.get(a.Kind)
	}
	j.node.Init(b)
	j.state.Init(a.Priority)
	var err error
	if a.From.Within(s) == nil {
		a.From = nil
	}
	switch {
	case a.Wait && a.From == nil:
		err = s.accept(b.Parent(), j)
	case !s.bound.Enter():
		err = s.full()
	case a.From != nil:
		j.id = a.From.w.jobAccepted()
	case a.Nested:
		j.id = s.account.came.Add(1)
	default:
		err = s.count(j)
	}
	if err != nil {
		j.kind = nil // It is no job.
		return err
	}
	j.id |= idInBody
	return nil
}

// ContextOf returns the context that is given to the job's function, also before
// the job has begun; until then it must not be asked for [FrameKey]. It costs
// nothing, and is of no use before Adopt.
func ContextOf(b Body) Resumer { return (*jobContext)(b.record()) }

// FiberOf returns the fiber on which the job has begun, where it stays to its end, or
// nil if it has not begun or never will. After the end it is the same, and may run
// other work. It costs a load of the job's state.
func FiberOf(b Body) *Fiber {
	j := b.record()
	if j.state.Load().Started() == 0 { // It may be cancelled, and taken out of the queue just now.
		return nil
	}
	return j.on()
}

// Enqueue queues a job that was adopted: on the worker below from, which must
// be the caller's fiber, or, if from is nil, for all workers.
func (s *Scheduler) Enqueue(from *Fiber, b Body) {
	j := b.record()
	s.enqueue(from, &j.node, j.state.Load().Priority())
	if rare := j.rare.Load(); rare != nil {
		rare.mu.Lock()
		entry, _ := j.inheritLocked(rare, false)
		rare.mu.Unlock()
		entry.queue(s)
	}
}

// ParentEnded tells the job that its Parent has ended, for a Parent whose Done
// returns nil. The job's context has ended then; if it waits, it waits no longer.
// That takes no lock and no memory. It reports false, and does nothing, if the job
// has not begun or has ended.
func ParentEnded(b Body) bool {
	j := b.record()
	if j.state.State() != JobRunning {
		return false
	}
	j.cutOff()
	if rare := j.rare.Load(); rare != nil {
		if std := rare.standard.Load(); std != nil { // Else standard sees the mark.
			std.end(causeOf(j.parent()))
		}
	}
	return true
}

// idInBody marks the id of a job that lies in a Body. No worker's id comes near.
const idInBody = 1 << 63

// idPlaced marks the id of a job that was queued at a place.
const idPlaced = 1 << 62

// record finds the job in a Body.
func (j *Job) record() *Job { return j }

// body returns the Body that the job lies in, or nil if it is the job of a function.
func (j *Job) body() Body {
	if j.id&idInBody == 0 {
		return nil
	}
	return j.node.runner.(Body)
}

// parent returns the context from which the job's is derived.
func (j *Job) parent() context.Context {
	if own, ok := j.node.runner.(*function); ok {
		return own.parent
	}
	return j.node.runner.(Body).Parent()
}
