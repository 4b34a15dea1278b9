package actor_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
)

// The possible fates of the calls of nested_test.go.

// end notes how a call has ended, and looks whether it may end so.
func (n *nestedProgram) end(c *nestedCall, v int, err error) {
	c.ended++
	c.err = err
	now := n.s.Now()
	wrong := func(format string, args ...any) {
		n.s.Errorf("call %d of node%d, which ended by %v: %s", c.id, c.to, err, fmt.Sprintf(format, args...))
	}
	if !c.due.IsZero() && now.After(c.due) && now.After(c.made) {
		wrong("%v after its deadline", now.Sub(c.due))
	}
	switch {
	case err == nil:
		if v != c.id || len(c.accepted) != 1 || c.accepted[0] != nil {
			wrong("the answer is %d, and accepted were %v", v, c.accepted)
		}
	case errors.Is(err, errFailed) && len(c.accepted) == 1 && c.accepted[0] != nil:
	case len(c.accepted) != 0:
		wrong("accepted were %v", c.accepted)
	case errors.Is(err, actor.ErrCycle), errors.Is(err, actor.ErrNoReply), errors.Is(err, actor.ErrStopped),
		errors.Is(err, actor.ErrNotNeeded), errors.Is(err, actor.ErrFenced), errors.Is(err, actor.ErrFull):
	case errors.Is(err, context.DeadlineExceeded):
		if now.Before(c.due) && !c.stale {
			wrong("%v before its deadline", c.due.Sub(now))
		}
	case errors.Is(err, errGone):
		if !c.request.gone {
			wrong("nobody has cancelled the request")
		}
	case errors.Is(err, actor.ErrKilled):
		if len(n.killed) == 0 {
			wrong("nobody was killed")
		}
	case errors.Is(err, actor.ErrLateReply), errors.Is(err, context.Canceled):
		// The asker's own asker has gone on without it.
		if above := c.above; above == nil || above.ended == 0 && c.ctx.Err() == nil {
			wrong("nobody has left")
		}
	case errors.Is(err, errFailed): // One of the asker's handlers has failed, and its context has ended by that.
	default:
		wrong("nobody knows why")
	}
}

// looks looks at the context of a handler: it has ended if its asker has left, and has
// the asker's deadline if not.
func (n *nestedProgram) looks(x *actor.Context[nestedOrder], c *nestedCall) {
	if len(c.accepted) != 0 {
		return // It is the incarnation's own now.
	}
	if c.ended > 0 && x.Err() == nil {
		n.s.Errorf("the asker of call %d has left by %v, and its handler's context goes on", c.id, c.err)
	}
	if c.ended == 0 && c.ctx.Err() != nil && x.Err() == nil {
		n.s.Errorf("the context of call %d has ended by %v, and its handler's has not", c.id, context.Cause(c.ctx))
	}
	due, ok := x.Deadline()
	c.cut = c.cut || c.ended == 0 && !ok && !c.due.IsZero()
	if c.ended == 0 && ok && !due.Equal(c.due) {
		n.s.Errorf("call %d has the deadline %v, and its handler %v", c.id, c.due, due)
	}
}

// isOver reports whether the call, or one above for which it is made, has ended for
// its handler before its deadline: what is done for it is then done for nobody.
func (c *nestedCall) isOver() bool {
	for ; c != nil; c = c.above {
		if len(c.accepted) != 0 || errors.Is(c.err, actor.ErrCycle) || errors.Is(c.err, actor.ErrNoReply) {
			return true
		}
	}
	return false
}

// check looks at what is left when nothing happens any more.
func (n *nestedProgram) check() {
	for _, c := range n.calls {
		if c.began && c.ended != 1 && len(n.killed) == 0 {
			n.s.Errorf("call %d has ended %d times", c.id, c.ended)
		}
		if c.cut && !c.isOver() {
			n.s.Errorf("the handler of call %d was cut off from its asker", c.id)
		}
		if c.ended > 1 || len(c.accepted) > 1 {
			n.s.Errorf("call %d has ended %d times, and %d answers were accepted", c.id, c.ended, len(c.accepted))
		}
	}
	if waits := n.sys.Waits(); len(waits) != 0 {
		n.s.Errorf("somebody waits: %v", waits)
	}
	if late := n.sys.Stats().LateReplies; late != n.late {
		n.s.Errorf("%d late replies were counted of %d", late, n.late)
	}
}
