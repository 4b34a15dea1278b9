package actor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/workers"
)

// body is the function of a process, apart from the type of the messages. It has
// a fiber of its own for as long as it lives.
//
// # Protocol
//
// The body runs only while a handler or a hook of its actor does, which waits
// for it meanwhile: the handler of a message begins when the body gets the
// message, and returns when the body asks for the next one. So a process is an actor like all
// others, and the time from one receive to the next counts as a handler's:
// with timeouts, measures, the answer for the asker, the
// fence after a kill.
//
// The field state says whether the body or the handler runs. A goroutine that moves it
// away from waiting, by compare-and-swap, owns the fields below. Mostly that is the
// handler: it writes the message for the body, and then sets the body running. It can also
// be a body that finds itself fenced off. Only the body moves state back to waiting, and
// then wakes the handler.
//
// The alternative: the body itself is the activation of its actor while it is in Receive.
// It would take messages without the four switches (0.2 us) that each costs now. It was not
// tried: the rules of handlers would not hold for such a body, so all their code would be
// there twice.
type body struct {
	node  workers.Node
	frame workers.Frame // Leads to the body's fiber, where the actor's own leads to the handler's.
	scope *scope        // Of the incarnation. Written once, before the body begins.
	main  func() error
	state atomic.Uint32
	traps bool // Whether TrapExits has set a function. Guarded by proc.mu.

	// The side that state names owns the rest.
	handler *workers.Fiber  // The handler that waits for the body.
	lane    Lane            // The lane of the message that the body is given.
	kept    [numLanes]int32 // How many messages the body has passed over so far. They are in the stash.
	verdict error           // Why the body gets no message.
	last    bool            // This message is the last one.
	over    bool            // The body has got the last message.
	ghost   bool            // It goes on although it was killed, and leaves the process's fields to the handler.
	reason  error           // Why the body has ended.
	wish    wish            // Until when the body waits.
	due     time.Time       // The time until which wish waits.
	alarm   alarm           // Made on first use.
}

// wish says until when a receive waits: until a context ends, or for a time.
type wish struct {
	ctx   context.Context
	timed bool
	limit time.Duration
	// cancel ends what watches ctx.
	cancel func() bool
}

const (
	bodyRunning uint32 = iota
	bodyWaiting
	bodyClaimed // The handler is about to set it running.
	bodyEnded
)

// begin starts the body on a fiber of its own, and returns when it waits.
func (b *body) begin(x *scope, main func() error) error {
	p := x.p
	if err := p.opts.suitProcess(); err != nil {
		return fmt.Errorf("%w (%s)", err, p)
	}
	f := workers.Current(x)
	if f == nil {
		return ErrKilled
	}
	b.scope, b.main, b.handler = x, main, f
	p.mu.Lock()
	if x.absent() != nil { // Killed just now: the body in its place is the next incarnation's.
		p.mu.Unlock()
		return ErrKilled
	}
	p.rareLocked().body = b
	p.mu.Unlock()
	b.node.Init(b)
	if p.opts.placed {
		if err := f.SubmitTo(&b.node, p.opts.priority, p.opts.place); err != nil {
			return fmt.Errorf("actor: the body of %s: %w", p, err)
		}
	} else {
		f.SubmitNext(&b.node)
	}
	return b.await(f)
}

// suitProcess returns why an actor with the options can't be a process, or nil.
func (o *options) suitProcess() error {
	switch {
	case o.host != nil:
		return errors.New("actor: a process runs on the scheduler; leave out its backend")
	case o.reentrancy != NoReentrancy:
		return errors.New("actor: a process receives by itself; leave out WithReentrancy")
	}
	return nil
}

// Run runs the body. It is called by the scheduler.
func (b *body) Run(f *workers.Fiber, _ workers.Priority) {
	b.frame.Enter(f)
	f.SetOwner(b.scope.p)
	f.SetPriority(b.scope.p.opts.priority)
	d := deskOf(f) // Where codeOn finds it.
	d.body = b
	returned := false
	defer func() {
		switch v := recover(); {
		case returned:
		case v != nil:
			b.reason = workers.NewPanicError(v)
		case !b.over:
			b.reason = ErrGoexit
		}
		d.body = nil
		b.end(f)
	}()
	b.reason = b.main()
	returned = true
}

// end makes the end of the body known.
func (b *body) end(f *workers.Fiber) {
	f.ComeBack()
	if b.alarm != nil {
		b.alarm.Stop()
	}
	f.SetOwner(nil)
	p := b.scope.p
	if b.ghost {
		p.sys.ghostGone()
	}
	p.mu.Lock()
	owned := p.rare != nil && p.rare.body == b
	if owned {
		p.rare.body = nil
	}
	p.mu.Unlock()
	b.setOrphan(false)
	if !owned {
		p.sys.scheduler.Release() // See disownBody.
	}
	handler := b.handler
	b.state.Store(bodyEnded)
	handler.Resume(f, workers.High)
}

// running returns the body's fiber if the body calls it, else nil.
func (b *body) running() *workers.Fiber {
	f := b.frame.Current()
	if f == nil || f.Owner() != any(b.scope.p) {
		return nil
	}
	return f
}

// wait gives the turn to the handler, and returns when the body has it again.
func (b *body) wait(f *workers.Fiber) {
	handler := b.handler
	b.state.Store(bodyWaiting)
	handler.ResumeNext(f)
	f.Explain(func() string { return "for a message" })
	for b.state.Load() != bodyRunning {
		if b.scope.fence.Load() && b.state.CompareAndSwap(bodyWaiting, bodyRunning) {
			b.ghost, b.last = true, true
			b.verdict = b.scope.p.whyKilled()
			b.scope.p.sys.ghostCame()
			break
		}
		f.Suspend()
	}
	f.SetPriority(b.scope.p.opts.priorityOf(b.lane))
}

// claim takes the turn for the handler, before it calls goOn. It returns false if
// the body has it, since it was killed.
func (b *body) claim() bool { return b.state.CompareAndSwap(bodyWaiting, bodyClaimed) }

// goOn gives the turn to the body, with a message of a lane or the reason why
// there is none, and returns when it waits again, or has ended.
func (b *body) goOn(verdict error, which Lane) error {
	b.verdict, b.lane = verdict, which
	invariants.Yield()
	f := workers.Current(b.scope)
	if f == nil { // It was killed meanwhile, and the next activation has begun.
		b.state.Store(bodyWaiting)
		b.rouse(nil)
		if verdict == nil {
			return errNotGiven
		}
		return ErrKilled
	}
	b.handler = f
	b.state.Store(bodyRunning)
	b.frame.Fiber().ResumeNext(f)
	return b.await(f)
}

// rouse has a body that waits look whether it was killed. From is the fiber of the
// caller, if any.
func (b *body) rouse(from *workers.Fiber) {
	if f := b.frame.Fiber(); f != nil {
		f.Resume(from, workers.High)
	}
}

// setOrphan tells the scheduler whether anybody waits for the body. A caller that says so
// holds proc.mu, and has found the body with its proc.
func (b *body) setOrphan(is bool) {
	if f := b.frame.Fiber(); f != nil {
		f.SetOrphan(is)
	}
}

// await waits until the body waits in its turn, or has ended, and then for its
// actor to end.
func (b *body) await(f *workers.Fiber) error {
	f.Explain(func() string { return "for the body of a process" })
	for b.state.Load() == bodyRunning {
		f.Suspend()
	}
	if b.state.Load() == bodyWaiting {
		return nil
	}
	if b.reason == nil {
		b.scope.Stop()
		return nil
	}
	return endedBy(b.reason)
}

// finish has the body come to its end, if it has not ended.
func (b *body) finish(reason error) {
	if !b.claim() {
		return // It has ended, or has not begun.
	}
	b.last = true
	err := b.goOn(reason, numLanes)
	if err == nil || errors.Is(err, reason) || errors.Is(err, ErrStopped) {
		return
	}
	b.scope.p.sys.log().Error("process failed at its end", slog.String("pid", b.scope.p.pid.String()),
		slog.String("name", b.scope.p.opts.name), slog.Any("reason", err))
}

// rouseBody is rouse for the body of p, if there is one.
func (p *proc) rouseBody() {
	p.mu.Lock()
	var b *body
	if p.rare != nil {
		b = p.rare.body
	}
	p.mu.Unlock()
	if b != nil {
		b.rouse(nil)
	}
}

// disownBody ends the tie between the actor and the body of a killed incarnation. If the
// body has not ended, it resumes the body, which then finds the raised fence, and has the
// scheduler wait for it. Without that the scheduler could stop too early: a killer that
// has begun to resume the body, and is slow to queue it, leaves no trace of it.
func (a *activation) disownBody() {
	a.mu.Lock()
	var b *body
	if a.rare != nil {
		b, a.rare.body = a.rare.body, nil
	}
	if b != nil {
		a.sys.scheduler.Retain() // Released by body.end.
	}
	a.mu.Unlock()
	if b != nil {
		b.rouse(a.f)
	}
}

// endedBy returns the reason of an actor whose body has returned err. From a
// handler, some errors would end nothing.
func endedBy(err error) error {
	if isUnhandled(err) || errors.Is(err, ErrLateReply) {
		return &bodyError{err}
	}
	return err
}

type bodyError struct{ err error }

func (e *bodyError) Error() string { return e.err.Error() }

// arm sets what ends the receive that is about to wait.
func (b *body) arm(f *workers.Fiber, w wish) {
	p := b.scope.p
	b.wish = w
	switch {
	case w.ctx != nil && w.ctx.Done() != nil:
		b.wish.cancel = context.AfterFunc(w.ctx, b.ring)
	case !w.timed:
	case w.limit == 0:
		b.due = p.sys.clock.Now()
		p.mark(f, &signal{alarm: true})
	default:
		b.due = p.sys.clock.Now().Add(w.limit)
		if b.alarm == nil {
			b.alarm = p.sys.clock.AfterFunc(w.limit, b.ring)
		} else {
			b.alarm.Reset(w.limit)
		}
	}
}

// ring puts an alarm behind all that has come by now. It is called by a goroutine of
// its own.
func (b *body) ring() {
	p := b.scope.p
	ring := func() { p.mark(nil, &signal{alarm: true}) }
	if !p.sys.scheduler.Later(p.String, ring) {
		ring()
	}
}

func (b *body) disarm() {
	switch w := &b.wish; {
	case w.cancel != nil:
		w.cancel()
	case w.limit > 0:
		b.alarm.Stop()
	}
	b.wish = wish{}
}

// late returns why the receive does not wait any longer, or nil: an alarm may
// belong to another receive.
func (b *body) late(now time.Time) error {
	switch w := &b.wish; {
	case w.ctx != nil && w.ctx.Err() != nil:
		return context.Cause(w.ctx)
	case w.timed && !now.Before(b.due):
		return fmt.Errorf("%s, within %v: %w", b.scope.p, w.limit, ErrNoMessage)
	}
	return nil
}
