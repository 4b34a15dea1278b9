package actor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// errand is the context of one ask on its way. The asker's deadline, values and end
// also hold for the handling of the message, wherever it is handed on to, for as
// long as the asker waits. It belongs to the slot of the ask, which is not used
// again, so the holder of the message can look at it at any time.
//
// # Protocol
//
// An errand is open until the ask is answered or the asker leaves. Which of the
// two it is, the state of the slot decides (see asking), so that one of settle
// and leave is called, once. After settle nothing that happens to the asker
// matters: it mostly cancels its context as soon as it has the answer. After
// leave the errand has ended, and calls the functions that wait for its end.
//
// Nobody listens to the asker's context for that. The asker does so anyway while
// it waits, and leaves; and Err of an errand looks at the asker's
// context. The alternative, an entry in the asker's context for each ask,
// costs 300 ns, and goroutines at the end.
type errand struct {
	ctx   context.Context // The asker's.
	asker *proc           // The actor that ctx belongs to, or nil.
	up    address         // The ask that it was handling, if any.
	far   *farAsk         // Of an ask from another node; nil for others.

	phase atomic.Uint32
	mu    sync.Mutex
	told  []*func() // Whom to tell of the end, in the order in which they came.
	err   error     // Written before phase, as is cause.
	cause error
}

const (
	errandOpen uint32 = iota
	errandSettled
	errandLeft
)

// carries reports whether an ask with ctx has an errand: not with the context of
// an incarnation alone, or none at all.
func carries(ctx context.Context) bool {
	if c, ok := ctx.(interface{ plain() bool }); ok && c.plain() {
		return false
	}
	return ctx != background && ctx != todo
}

// begin is called before the ask by the code of asker, or nobody's, which handles up.
// A goroutine of a handler's asks for the handler that its context is of.
func (e *errand) begin(ctx context.Context, asker *proc, up address) {
	e.ctx, e.asker, e.up = ctx, asker, up
	if asker != nil {
		return
	}
	if c := scopeOf(ctx); c != nil {
		e.asker, e.up = c.p, c.askedBy(nil)
	}
}

// plain reports whether an ask by c carries nothing.
func (c *scope) plain() bool { return c.view() == nil }

// askedBy returns the ask that c handles. Of an incarnation's own scope only its
// handler knows that, whose fiber is the asker's.
func (c *scope) askedBy(asker *proc) address {
	if c.view() != nil || c.p == asker {
		return c.asked
	}
	return address{}
}

var background, todo = context.Background(), context.TODO()

// finality is the end of a context, and the cause.
type finality struct{ err, cause error }

// endIn returns the end of the asker's context if the answer, an error, tells that: the
// asker may not have come to it yet; see excuses. The context may be anybody's, so it is
// asked while the asker can still leave.
func (e *errand) endIn(answer error) (end finality) {
	if err := e.ctx.Err(); err != nil {
		if cause := context.Cause(e.ctx); errors.Is(answer, err) || errors.Is(answer, cause) {
			end = finality{err, cause}
		}
	}
	return end
}

// settle is called before the answer is made known, with what endIn has returned.
func (e *errand) settle(end finality) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err, e.cause = end.err, end.cause
	e.phase.Store(errandSettled)
	e.told = nil
}

// leave is called when the asker has left without an answer.
func (e *errand) leave() {
	end := finality{context.Canceled, ErrLateReply}
	if err := e.ctx.Err(); err != nil {
		end = finality{err, context.Cause(e.ctx)}
	}
	e.mu.Lock()
	e.err, e.cause = end.err, end.cause
	e.phase.Store(errandLeft)
	told := e.told
	e.told = nil
	e.mu.Unlock()
	for _, f := range told {
		(*f)()
	}
}

// tell has f called when the asker leaves, at once if it has. F must not wait.
// Forget is the end of that; it reports whether it was in time.
func (e *errand) tell(f func()) (forget func() bool) {
	e.mu.Lock()
	phase := e.phase.Load()
	if phase == errandOpen {
		e.told = append(e.told, &f)
	}
	e.mu.Unlock()
	if phase == errandLeft {
		f()
	}
	return func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		before := len(e.told)
		e.told = slices.DeleteFunc(e.told, func(other *func()) bool { return other == &f })
		return len(e.told) < before
	}
}

// end returns why the errand has ended, and the cause, or nil.
func (e *errand) end() (err, cause error) {
	switch e.phase.Load() {
	case errandSettled:
		return nil, nil
	case errandLeft:
		return e.err, e.cause
	}
	if err = e.ctx.Err(); err == nil {
		return nil, nil
	}
	cause = context.Cause(e.ctx)
	if e.phase.Load() == errandSettled {
		return nil, nil // It has ended afterwards.
	}
	return err, cause
}

func (e *errand) deadline() (time.Time, bool) {
	if e.phase.Load() == errandSettled {
		return time.Time{}, false
	}
	return e.ctx.Deadline()
}

// value returns what the asker's context has under a key, but for what is bound
// to the asker's own work.
func (e *errand) value(key any) any {
	if _, local := key.(workers.LocalKey); local {
		return nil
	}
	return e.ctx.Value(key)
}

// excuses reports whether err, which a handler has returned, says no more than
// that its asker has left, or would have if it had not been told the same first. It
// then deals with the message.
func (a *activation) excuses(e *errand, m letter, err error) bool {
	why, cause := e.end()
	if e.phase.Load() == errandSettled {
		why, cause = e.err, e.cause
	}
	if why == nil || !errors.Is(err, why) && !errors.Is(err, cause) {
		return false
	}
	if !errors.Is(err, cause) {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	a.abandon(m, err)
	return true
}
