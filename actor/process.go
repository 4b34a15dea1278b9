package actor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// Process is what the body of an actor has that is written as a sequential
// process: a function with a stack of its own, which asks for its messages
// instead of being called with them. All else is as with other actors: PID and
// refs, lanes, asks, links, monitors, names, timers, children, supervision,
// kills, figures.
//
// A Process is the context of its incarnation, like [Context], and is given to
// whatever takes a context. Receive and its variants are for the body itself.
//
// # Selective receive
//
// [Process.ReceiveMatch] takes the first message that matches and leaves the
// others where they are. A receive offers first what earlier ones have left, then
// what comes, Control before Management before Data, and each message once. Messages
// that do not match are kept in the actor's stash, in the order in which they came, and
// so show in [Info] as Stashed. The stash goes back to the lanes when the incarnation
// ends and another may begin, and to the dead letters when the actor stops.
// [WithStash] says how many may be kept, 1024 unless told otherwise; see
// [ErrStashFull].
//
// # Its end
//
// The actor ends when its body returns, with the error as its reason, or with
// none. If it is asked to stop meanwhile, or a linked actor takes it along, it
// takes no more messages, its children end, and then the body's Receive returns
// [ErrStopped], or the reason, so that the body can clear up and return; a body
// that calls Receive once more is ended there, as by [runtime.Goexit], its
// deferred calls run, and that counts as a return. When the actor drains, Receive
// goes on until there is nothing left that is new.
//
// A kill does not wait for the body. If that waits in Receive, it gets
// [ErrKilled] and is otherwise as fenced off as any handler that was killed.
//
// # Cost
//
// A process has a stack for as long as it lives, 2 KB at least. A message costs
// four switches of coroutines besides what it costs any actor, 0.5 us in all, and
// no allocation; one that does not match is looked at without a switch. A receive
// looks at every message that is kept until one matches, 2 ns for each: with
// 10,000 of them, a receive takes 18 us.
type Process[M any] struct {
	*scope
	proc *process[M]
}

var (
	_ context.Context = (*Process[int])(nil)
	_ workers.Resumer = (*Process[int])(nil)
	_ Spawner         = (*Process[int])(nil)
)

// SpawnProcess starts an actor whose messages are received by body, which runs on
// a stack of its own, from the start in each incarnation. The actor can be restarted, as by
// [SpawnNew], and runs on the scheduler: other backends are refused.
//
// Until its first Receive the process counts as starting.
func SpawnProcess[M any](at Spawner, body func(p *Process[M]) error, opts ...Option) (Ref[M], error) {
	if body == nil {
		return Ref[M]{}, errNilBody
	}
	return SpawnNew(at, func() Actor[M] { return NewProcess(body) }, opts...)
}

// NewProcess returns the actor that body is, for one incarnation: for
// supervisors and all others that spawn actors by a function that makes them. It
// must be the whole of its actor, so it can't be an argument of [FirstOf], or
// embedded.
func NewProcess[M any](body func(p *Process[M]) error) Actor[M] { return &process[M]{main: body} }

var errNilBody = errors.New("actor: a process was given a nil body")

// Self returns the actor's own ref.
func (p *Process[M]) Self() Ref[M] { return Ref[M]{cell: p.p.impl.(*cell[M])} }

// Receive returns the next message. Messages that earlier receives have left come
// first. It waits without holding a worker.
//
// Ctx is mostly the process itself. If it is another one, and ends first, Receive
// returns its cause; what has come by then is looked at before. See [Process] for
// what it returns at the end of the process. Outside of the body it returns
// [ErrNotInHandler].
func (p *Process[M]) Receive(ctx context.Context) (M, error) { return p.ReceiveMatch(ctx, nil) }

// ReceiveMatch is Receive for the first message for which match returns true; nil
// matches all. Match may be called on another goroutine than the body's, while
// that waits. It should be quick, and must not wait nor use the process. If it
// panics, the process ends.
func (p *Process[M]) ReceiveMatch(ctx context.Context, match func(m M) bool) (M, error) {
	if own, ok := ctx.(*Process[M]); ok && own == p {
		ctx = nil
	}
	return p.receive(match, wish{ctx: ctx})
}

// ReceiveWithin is ReceiveMatch with a time after which it returns
// [ErrNoMessage]. A d of 0 or less looks at what has come and does not wait. It
// costs less than a context with a deadline: about 0.3 us for the timer.
func (p *Process[M]) ReceiveWithin(d time.Duration, match func(m M) bool) (M, error) {
	return p.receive(match, wish{timed: true, limit: max(0, d)})
}

func (p *Process[M]) receive(match func(M) bool, w wish) (m M, err error) {
	if p == nil || p.proc == nil {
		return m, errNoContext
	}
	b := &p.proc.body
	f := b.running()
	switch {
	case f == nil:
		return m, fmt.Errorf("%s receives outside of its body: %w", p.p, ErrNotInHandler)
	case b.over:
		runtime.Goexit()
	case p.fence.Load():
		b.over = true
		return m, fmt.Errorf("%s receives: %w", p.p, ErrFenced)
	}
	if err := p.proc.look(match); err != nil {
		return m, fmt.Errorf("%s receives: %w", p.p, err)
	}
	p.proc.match = match
	if !p.proc.chosen {
		b.arm(f, w)
	}
	b.wait(f)
	b.disarm()
	b.over = b.last
	if b.ghost { // The handler may be looking at a message, with what it was given for that.
		return m, b.verdict
	}
	m, err = p.proc.m, b.verdict
	var zero M
	p.proc.m, p.proc.match, b.verdict = zero, nil, nil
	return m, err
}

// Context returns the context of the message that was received last, as a handler
// has it for that message: if it was asked, with the asker's deadline and values;
// see [Context]. It is the process itself if that has nothing to add, and outside
// of the body.
func (p *Process[M]) Context() context.Context {
	if b := &p.proc.body; b.running() != nil && !b.ghost && p.proc.view != nil {
		return &received{p.proc.view, b}
	}
	return p
}

// received is the view of a message that a body has received.
type received struct {
	*scope
	body *body
}

// Value does the same as in [Context].
func (r *received) Value(key any) any {
	if _, ok := key.(workers.FrameKey); ok {
		return &r.body.frame
	}
	return r.scope.Value(key)
}

// ResumesFiber implements [workers.Resumer].
func (r *received) ResumesFiber(f *workers.Fiber) bool {
	if f != r.body.frame.Fiber() || f.Owner() != any(r.p) {
		return false
	}
	r.view().arm(f)
	return true
}

// Monitor has told make a message of the end of the actor with the given PID,
// which the process receives in its place among the messages of Data: after all
// that it had accepted before that end. It is for the body itself, and otherwise
// [Context.Monitor].
func (p *Process[M]) Monitor(id PID, told func(e Exit) M) (Monitor, error) {
	if told == nil {
		return Monitor{}, fmt.Errorf("actor: %s monitors %s with a nil function", p.p, id)
	}
	if p.proc.body.running() == nil {
		return Monitor{}, fmt.Errorf("%s monitors %s: %w", p.p, id, ErrNotInHandler)
	}
	m, err := p.scope.Monitor(id)
	if err != nil {
		return m, err
	}
	if p.proc.downs == nil {
		p.proc.downs = map[Monitor]func(Exit) M{}
	}
	p.proc.downs[m] = told
	return m, nil
}

// Demonitor does the same as in [Context].
func (p *Process[M]) Demonitor(m Monitor) bool {
	if b := &p.proc.body; b.running() != nil && !b.ghost {
		delete(p.proc.downs, m)
	}
	return p.scope.Demonitor(m)
}

// TrapExits has told make messages of the ends of actors that the process is
// linked to, instead of ending with them; nil has it end with them again. It is
// what a [Trapper] is for other actors, and lasts for the incarnation.
func (p *Process[M]) TrapExits(told func(e Exit) M) error {
	if p.proc.body.running() == nil {
		return fmt.Errorf("%s traps exits: %w", p.p, ErrNotInHandler)
	}
	p.p.mu.Lock()
	defer p.p.mu.Unlock()
	if err := p.absent(); err != nil {
		return fmt.Errorf("%s traps exits: %w", p.p, err)
	}
	p.proc.exited, p.proc.body.traps = told, told != nil
	return nil
}

// Checkpoint does the same as in [Context].
func (p *Process[M]) Checkpoint() error {
	if f := workers.Current(p); f != nil {
		f.Checkpoint()
	}
	return p.scope.Checkpoint()
}

// Value does the same as in [Context].
func (p *Process[M]) Value(key any) any {
	if _, ok := key.(workers.FrameKey); ok {
		return &p.proc.body.frame
	}
	return p.scope.Value(key)
}

// ResumesFiber implements [workers.Resumer].
func (p *Process[M]) ResumesFiber(f *workers.Fiber) bool {
	return f == p.proc.body.frame.Fiber() && f.Owner() == any(p.p)
}

func (p *Process[M]) spawner() (birthplace, error) {
	if p == nil || p.proc == nil {
		return birthplace{}, errNoContext
	}
	b, err := p.scope.spawner()
	b.fiber = workers.Current(p)
	return b, err
}
