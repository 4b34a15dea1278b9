package workers

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/internal/workers/jobstate"
)

// jobContext is the context that a job's function is given. It is the job under
// another type, so that it needs no memory: of the methods of a context and of
// a handle, Done would mean two things.
//
// It ends when the job is cancelled, when its time is up, when the caller's
// context ends, and when the job has ended. A context of package context, with
// its timer, is made only when somebody asks for Done; contexts derived from
// this one are then its children, and cost no goroutine.
type jobContext Job

var _ Resumer = (*jobContext)(nil)

// Deadline returns the time at which the job's time is up, or the earlier one
// of the caller's context.
func (c *jobContext) Deadline() (deadline time.Time, ok bool) {
	j := (*Job)(c)
	deadline, ok = j.parent().Deadline()
	if timeout := j.timeout(); timeout > 0 {
		if own := j.kind.s.epoch.Add(j.state.Load().Started() + timeout); !ok || own.Before(deadline) {
			return own, true
		}
	}
	return deadline, ok
}

// Done returns a channel that is closed when the context ends.
func (c *jobContext) Done() <-chan struct{} { return (*Job)(c).standard().Done() }

// Err returns nil until the context ends, then [context.Canceled] or
// [context.DeadlineExceeded].
func (c *jobContext) Err() error {
	j := (*Job)(c)
	word := j.state.Load()
	if word.State() == JobTimedOut {
		return context.DeadlineExceeded
	}
	if std := j.standardIfMade(); std != nil {
		if err := std.Err(); err != nil || !word.State().Ended() {
			return err
		}
		return context.Canceled // As it will say in a moment.
	}
	switch {
	case word.State().Ended() || word.Has(jobstate.MarkCancelled):
		return context.Canceled
	case j.timeIsUp(word.Started()):
		return j.standard().Err() // Which also knows the cause.
	case word&(jobstate.MarkLinked|jobstate.MarkCut) == jobstate.MarkLinked:
		return nil
	}
	return j.parent().Err()
}

// Value leads to the fiber, and else to the caller's context.
func (c *jobContext) Value(key any) any {
	j := (*Job)(c)
	if _, ok := key.(FrameKey); ok {
		return &j.on().frame
	}
	return j.value(key)
}

// value is Value for what is asked for rarely: apart, so that the stack of work
// that waits is small.
func (j *Job) value(key any) any {
	std := j.standardIfMade()
	if word := j.state.Load(); std == nil && (word.State().Ended() || word.Has(jobstate.MarkCancelled)) {
		std = j.standard() // It may be context.Cause that asks, and only that one knows the cause.
	}
	if std != nil {
		return std.Value(key)
	}
	if j.state.Load().Has(jobstate.MarkCancelled) {
		return j.standard().Value(key) // The caller may want the cause.
	}
	return j.parent().Value(key)
}

// ResumesFiber reports whether the end of the context resumes f; see [Resumer].
func (c *jobContext) ResumesFiber(f *Fiber) bool {
	j := (*Job)(c)
	if j.on() != f || f.job.Load() != j || j.state.State().Ended() {
		return false
	}
	j.link()
	return true
}

// timeIsUp reports whether the job's time is up, although nobody may have
// noticed yet. While that is far away, the scheduler's coarse clock will do.
func (j *Job) timeIsUp(started time.Duration) bool {
	timeout := j.timeout()
	if timeout <= 0 {
		return false
	}
	s := j.kind.s
	if s.coarse() < started+timeout-timeout/timeoutPart {
		return false
	}
	return s.now() >= started+timeout
}

// standardIfMade returns the context that Done has made, or nil.
func (j *Job) standardIfMade() context.Context {
	if rare := j.rare.Load(); rare != nil {
		if std := rare.standard.Load(); std != nil {
			return std.Context
		}
	}
	return nil
}

// standard returns a context of package context that ends when the job's does.
func (j *Job) standard() context.Context {
	if std := j.standardIfMade(); std != nil {
		return std
	}
	rare := j.rarely()
	rare.mu.Lock()
	defer rare.mu.Unlock()
	if std := rare.standard.Load(); std != nil {
		return std.Context
	}
	std := &standardContext{}
	std.Context, std.cancel = context.WithCancelCause(j.parent())
	if timeout := j.timeout(); timeout > 0 {
		at := j.kind.s.epoch.Add(j.state.Load().Started() + timeout)
		if j.state.State() == JobTimedOut {
			at = j.kind.s.epoch // The timer that said so may be ahead of the next.
		}
		std.Context, std.stop = context.WithDeadlineCause(std.Context, at, ErrJobTimeout)
	}
	rare.standard.Store(std)
	// Either the goroutine that ends the context sees it now, or its end is seen here.
	switch word := j.state.Load(); {
	case word.State() == JobTimedOut:
		// By its own timer. Else its error would be Canceled.
	case word.State().Ended() || word.Has(jobstate.MarkCancelled):
		std.end(rare.cause)
	case word.Has(jobstate.MarkCut):
		std.end(causeOf(j.parent())) // Which may be one that tells nobody.
	}
	return std.Context
}

// standardContext is a context of package context, and what ends it.
type standardContext struct {
	context.Context
	cancel context.CancelCauseFunc
	stop   context.CancelFunc // Of the timer, if there is one.
}

// end ends the context, unless it has ended. A nil cause means Canceled.
func (c *standardContext) end(cause error) {
	c.cancel(cause)
	if c.stop != nil {
		c.stop()
	}
}

// causeOf is [context.Cause] for the parent of a job, which may know it by itself.
func causeOf(parent context.Context) error {
	if own, ok := parent.(interface{ Cause() error }); ok {
		return own.Cause()
	}
	return context.Cause(parent)
}

// Cause is [context.Cause], without a context of package context for a job that
// was cancelled and has none.
func Cause(ctx context.Context) error {
	c, ok := ctx.(*jobContext)
	if !ok {
		return context.Cause(ctx)
	}
	j := (*Job)(c)
	word := j.state.Load()
	switch {
	case word.State() == JobTimedOut || j.standardIfMade() != nil:
		return context.Cause(ctx)
	case !word.Has(jobstate.MarkCancelled) && !word.State().Ended() && j.endsWithParent(word):
		return causeOf(j.parent())
	case !word.Has(jobstate.MarkCancelled):
		return context.Cause(ctx)
	}
	rare := j.rarely()
	rare.mu.Lock()
	defer rare.mu.Unlock()
	return rare.cause
}

// endsWithParent reports whether the context of a job that goes on has ended since
// the caller's has: whether the job was told, or would see it by itself, as in Err.
func (j *Job) endsWithParent(word jobstate.Value) bool {
	switch {
	case word.Has(jobstate.MarkCut):
		return true
	case word.Has(jobstate.MarkLinked) || j.timeIsUp(word.Started()):
		return false
	}
	return j.parent().Err() != nil
}
