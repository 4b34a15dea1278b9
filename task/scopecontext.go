package task

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// scopeContext is the context of the work in a scope: the scope under another
// type, so that it needs no memory. A context of package context is made only
// when somebody asks for Done; contexts derived from this one are then its
// children, and cost no goroutine. They report Canceled even where this one
// reports DeadlineExceeded; their cause is the same.
type scopeContext Scope

var _ workers.Resumer = (*scopeContext)(nil)

func (c *scopeContext) Deadline() (time.Time, bool) { return (*Scope)(c).due() }

func (c *scopeContext) Err() error { return (*Scope)(c).state() }

func (c *scopeContext) Done() <-chan struct{} {
	sc := (*Scope)(c)
	sc.link()
	return sc.standard().Done()
}

func (c *scopeContext) Value(key any) any {
	sc := (*Scope)(c)
	switch key.(type) {
	case scopeKey:
		return sc
	case workers.KeeperKey:
		if sc.keeper != nil {
			return sc.keeper
		}
		return sc.parent.Value(key)
	case workers.FrameKey:
		return sc.parent.Value(key)
	}
	// The caller may want the cause: then it called Err first, and Err has asked the contexts
	// around the scope. To do that here too would go through all scopes, for each of
	// them, when a wait below them links one with the other.
	if sc.ended.Load() {
		return sc.standard().Value(key)
	}
	sc.mu.Lock()
	std := sc.std
	sc.mu.Unlock()
	if std != nil {
		return std.Value(key)
	}
	return sc.parent.Value(key)
}

// ResumesFiber reports whether the end of the context resumes f; see
// [workers.Resumer]. Work that waits with this context is one after the other, so
// there is never more than one fiber to be resumed.
func (c *scopeContext) ResumesFiber(f *workers.Fiber) bool {
	sc := (*Scope)(c)
	sc.link()
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.ended.Load() {
		f.Resume(nil, workers.High)
	}
	sc.fiber = f
	return true
}

// standard returns a context of package context that ends with the scope.
func (sc *Scope) standard() context.Context {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.std == nil {
		sc.std, sc.endStd = context.WithCancelCause(context.WithoutCancel(sc.parent))
		if sc.ended.Load() {
			sc.endStd(sc.cause)
		}
	}
	return sc.std
}
