package actor_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
)

// programActor is an actor of a random program, and its model.
type programActor struct {
	of       *program
	ref      actor.Ref[programMessage]
	home     int                       // The number of its system.
	refs     inSystems[programMessage] // As the systems have its ref.
	mu       sync.Mutex                // A ghost and the next incarnation share the programActor.
	handled  []programMessage
	seen     map[programMessage]bool // The letters that were put aside.
	accepted map[programMessage]bool
	refused  int
	stopped  bool // Somebody asked it to, or it failed.
	killed   bool // So a ghost may note a message late.
	lossy    bool // It drops messages for which there is no room.

	form    form
	asks    bool
	peer    *programActor // Whom it asks and tells of some messages, itself maybe, or nil.
	retries bool          // A message in which it fails comes again, so only the first time counts.
	stashes bool          // It puts some messages aside, once each.
	shrugs  bool          // It does not know some messages.
	hands   bool          // The forwarder answers some of its asks.
	begets  bool          // It has children, and timers.
	ties    bool          // It links itself to its peer, and monitors it.
	changes bool          // It becomes something else now and then.
	ticks   bool          // It has messages come again and again.
	ticking []actor.Timer
	inner   atomic.Int32 // Messages that came from actors and timers.
}

// forwardedAsk is a message of the forwarder: it answers for another actor.
type forwardedAsk struct {
	answer int
	reply  actor.Reply[int]
}

// form says what kind of actor a programActor is.
type form int

const (
	plain form = iota
	sequential
	picking // Sequential, and takes odd messages first.
	reading // Even messages only read.
	reenters
	blocks  // On goroutines that may block.
	threads // On a thread of its own.
	pumped  // In somebody else's loop.
	mains   // On the main thread.
	numForms
)

// disorders reports whether messages may be handled in another order than they came.
func (p *programActor) disorders() bool {
	return p.killed || p.stashes || p.form == picking || p.form == reading
}

// draw says what kind of actor the programActor is. Only one that is restarted can have its
// messages come again.
func (p *programActor) draw(restarted bool) (opts []actor.Option) {
	t := p.of.draw
	p.form = form(rapid.IntRange(0, int(numForms)-1).Draw(t, "form"))
	p.asks, p.stashes = rapid.Bool().Draw(t, "asks"), rapid.Bool().Draw(t, "stashes")
	p.shrugs = rapid.Bool().Draw(t, "shrugs") && p.form != sequential && p.form != picking // These would end.
	p.hands, p.begets, p.ties = rapid.Bool().Draw(t, "hands"), rapid.Bool().Draw(t, "begets"), rapid.Bool().Draw(t, "ties")
	if p.retries = rapid.IntRange(0, 3).Draw(t, "retry") == 0 && restarted; p.retries {
		opts = append(opts, actor.WithRetry(2))
	}
	p.changes, p.ticks = rapid.Bool().Draw(t, "changes"), rapid.Bool().Draw(t, "ticks")
	if n := rapid.IntRange(0, 15).Draw(t, "timeout"); n < len(timeouts) {
		opts = append(opts, timeouts[n]...)
		if n >= firstStopping {
			p.killed, p.stopped = true, true
		}
	}
	switch p.form {
	case reading:
		opts = append(opts, actor.WithReadOnly(func(l programMessage) bool { return l.n%2 == 0 }), actor.WithMaxReaders(rapid.IntRange(1, 3).Draw(t, "readers")))
	case reenters:
		opts = append(opts, actor.WithReentrancy(actor.Reentrancy(rapid.IntRange(1, 2).Draw(t, "reentrancy"))),
			actor.WithMaxSuspended(rapid.IntRange(1, 3).Draw(t, "suspended")))
	case blocks:
		opts = append(opts, actor.WithBackend(actor.OnBlocking))
	case threads:
		opts = append(opts, actor.WithBackend(actor.OnOwnThread))
	case pumped:
		p.home = 0
		opts = append(opts, actor.WithPump(p.of.pump))
	case mains:
		p.home = 0
		opts = append(opts, actor.WithBackend(actor.OnMainThread))
	}
	return opts
}

// timeouts are those that a programActor may have.
var timeouts = [][]actor.Option{
	{actor.WithHandlerTimeout(time.Millisecond, actor.TimeoutCancel)},
	{actor.WithSendTimeout(time.Millisecond, actor.TimeoutWarn), actor.WithAskTimeout(time.Millisecond, actor.TimeoutCancel)},
	{actor.WithTimeoutFor(actor.TimeoutCancel, func(l programMessage) time.Duration { return time.Duration(l.n%2) * time.Millisecond })},
	{actor.WithHandlerTimeout(time.Millisecond, actor.TimeoutStop)},
	{actor.WithAskTimeout(time.Millisecond, actor.TimeoutStop), actor.WithHandlerTimeout(time.Millisecond, actor.TimeoutCancel)},
	{actor.WithTimeoutFor(actor.TimeoutStop, func(l programMessage) time.Duration { return time.Duration(l.n%2) * time.Millisecond })},
}

const firstStopping = 3 // Of timeouts.

// incarnation returns the actor that the programActor is.
func (p *programActor) incarnation() actor.Actor[programMessage] {
	r := &programHandler{p: p}
	switch {
	case p.form == sequential || p.form == picking:
		return actor.NewProcess(func(x *actor.Process[programMessage]) error { return p.live(x, r) })
	case p.changes:
		return composed{actor.FirstOf(actor.Func(func(*actor.Context[programMessage], programMessage) error { return actor.ErrUnhandled }), actor.Actor[programMessage](r))}
	}
	return r
}

// programHandler is an incarnation of a programActor, to whom it hands its messages.
type programHandler struct {
	p      *programActor
	depth  int          // Of its behaviours.
	active atomic.Int32 // How many handlers are at work.
	writes atomic.Int32 // Of these, those that may write.
}

func (r *programHandler) Receive(c *actor.Context[programMessage], l programMessage) error {
	return r.receive(c, l, 0)
}

// receive is the behaviour with so many below it.
func (r *programHandler) receive(c *actor.Context[programMessage], l programMessage, depth int) error {
	r.begin(l)
	defer r.end(l)
	reads := r.p.form == reading && l.n%2 == 0
	if !reads && r.p.form != reenters && depth != r.depth {
		r.p.of.t.Errorf("%v is handled by behaviour %d, want %d", l, depth, r.depth)
	}
	if r.p.changes && !reads && !l.inner {
		r.change(c, l)
	}
	if r.p.putAside(c, l) {
		return nil
	}
	return r.p.handle(c, l)
}

// change has the actor become something else, or go back.
func (r *programHandler) change(c *actor.Context[programMessage], l programMessage) {
	switch now := r.depth; l.n % 5 {
	case 1:
		r.depth++
		if err := c.Become(func(c *actor.Context[programMessage], l programMessage) error { return r.receive(c, l, now+1) }); err != nil {
			r.depth--
		}
	case 3:
		if err := c.Unbecome(); err == nil {
			r.depth--
		}
	}
}

// begin notes that a message is being handled, by this incarnation alone, and checks that no
// other is but those that may be at the same time.
func (r *programHandler) begin(l programMessage) {
	writes := int32(1)
	if r.p.form == reading && l.n%2 == 0 {
		writes = 0
	}
	active, writing := r.active.Add(1), r.writes.Add(writes)
	if r.p.form != reenters && active > 1 && writing > 0 {
		r.p.of.t.Errorf("%d handlers of an actor of form %d are at work, of which %d may write", active, r.p.form, writing)
	}
}

func (r *programHandler) end(l programMessage) {
	r.active.Add(-1)
	if r.p.form != reading || l.n%2 != 0 {
		r.writes.Add(-1)
	}
}

func (r *programHandler) Down(*actor.Context[programMessage], actor.Monitor, actor.Exit) error {
	return nil
}

// composed is one of several that try in turn.
type composed struct{ actor.Actor[programMessage] }

func (c composed) Down(*actor.Context[programMessage], actor.Monitor, actor.Exit) error { return nil }

// live is the body of a sequential programActor.
func (p *programActor) live(x *actor.Process[programMessage], r *programHandler) error {
	for {
		l, err := programMessage{}, actor.ErrNoMessage
		if p.form == picking {
			l, err = x.ReceiveWithin(0, func(l programMessage) bool { return l.n%2 == 1 })
		}
		if errors.Is(err, actor.ErrNoMessage) {
			l, err = x.Receive(x)
		}
		if err == nil {
			err = func() error {
				r.begin(l)
				defer r.end(l)
				return p.handle(x, l)
			}()
		}
		if errors.Is(err, actor.ErrLateReply) {
			err = nil // Which ends a process, and no other actor.
		}
		if err != nil {
			return err
		}
	}
}

// putAside reports whether the message was put aside, as some are that nobody waits for.
// Others bring them back.
func (p *programActor) putAside(c *actor.Context[programMessage], l programMessage) bool {
	if !p.stashes || l.inner {
		return false
	}
	if l.n%4 == 1 {
		_, _ = c.Unstash()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.n%7 != 3 || l.reply != (actor.Reply[int]{}) || p.seen[l] || p.form == reading && l.n%2 == 0 {
		return false
	}
	p.seen[l] = true
	return c.Stash(l) == nil // Else the actor was killed, or stops.
}

// note keeps in mind that the message is being handled.
func (p *programActor) note(l programMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !l.inner && (!p.retries || !slices.Contains(p.handled, l.key())) {
		p.handled = append(p.handled, l.key())
	}
}

// performing is what a handler and the body of a process have.
type programContext interface {
	context.Context
	actor.Spawner
	Checkpoint() error
	Link(id actor.PID) error
}

// handle is what all forms do with a message.
func (p *programActor) handle(c programContext, l programMessage) error {
	p.note(l)
	p.settleDown(c, l)
	if p.asks && l.n%3 == 0 {
		_, _ = actor.Ask(c, p.of.echo[p.home], asking(1)) // It fails where the incarnation ends.
	}
	p.consult(c, l)
	if l.failing {
		switch l.n % 3 {
		case 0:
			return errHook
		case 1:
			panic(errHook)
		default:
			return failures["goexit"].fail()
		}
	}
	switch {
	case l.n%5 == 0:
		_ = c.Checkpoint()
	case l.n%11 == 4 && p.shrugs && !l.inner:
		return actor.ErrUnhandled
	case l.n%6 == 2 && p.hands:
		return p.of.forwarder[p.home].Send(c, forwardedAsk{l.n + 1, l.reply})
	}
	return l.reply.Send(c, l.n+1)
}

// settleDown gives the programActor children, timers and ties.
func (p *programActor) settleDown(c programContext, l programMessage) {
	if l.inner {
		// Else ticks that come faster than they are handled keep all else from its turn.
		if p.ticks && p.inner.Add(1)%100 == 0 {
			p.stopTicking()
		}
		return
	}
	if p.begets && l.n%8 == 5 {
		if child, err := actor.Spawn(c, actor.Func(answer)); err == nil {
			_, _ = actor.Ask(c, child, asking(1))
			_ = child.Send(c, question{n: 2})
		}
	}
	if p.begets && l.n%8 == 6 {
		_, _ = actor.SendAfter(c, time.Duration(l.n%3)*100*time.Microsecond, p.ref.On(l.lane), programMessage{n: l.n % 3, inner: true})
	}
	if p.ticks {
		p.tick(c, l)
	}
	if p.ties && p.peer != nil && p.peer != p {
		switch l.n % 8 {
		case 1:
			_ = c.Link(p.peer.refs[p.home].PID())
		case 2:
			if x, ok := c.(*actor.Context[programMessage]); ok {
				_, _ = x.Monitor(p.peer.refs[p.home].PID())
			}
		}
	}
}

// tick has messages come again and again, until another message stops that.
func (p *programActor) tick(c programContext, l programMessage) {
	switch l.n % 8 {
	case 4, 7:
		if t, err := actor.Every(c, time.Duration(1+l.n%3)*100*time.Microsecond, p.ref.On(l.lane), programMessage{n: l.n % 3, pad: l.pad, inner: true}); err == nil {
			p.mu.Lock()
			p.ticking = append(p.ticking, t)
			p.mu.Unlock()
		}
	case 0, 3:
		p.stopTicking()
	}
}

func (p *programActor) stopTicking() {
	p.mu.Lock()
	all := p.ticking
	p.ticking = nil
	p.mu.Unlock()
	for _, t := range all {
		t.Stop()
	}
}

// consult asks or tells the programActor's peer something, which asks its own then. Rings of such
// asks, and of waits for room, end in errors.
func (p *programActor) consult(c context.Context, l programMessage) {
	inner := programMessage{n: l.n - 1, lane: l.lane, inner: true, pad: l.pad}
	switch {
	case p.peer == nil, l.inner && l.n <= 0:
		return
	case !l.inner:
		inner.n = 2
	}
	if p.of.link != nil { // Rings over both systems are found by nobody, and end with the time.
		var cancel context.CancelFunc
		c, cancel = context.WithTimeout(c, time.Millisecond)
		defer cancel()
	}
	switch to := p.peer.refs[p.home].On(l.lane); l.n % 4 {
	case 1:
		_, _ = actor.Ask(c, to, func(r actor.Reply[int]) programMessage { inner.reply = r; return inner })
	case 2:
		_ = to.Send(c, inner)
	case 3:
		var all []actor.Ref[programMessage]
		for _, other := range p.of.actors {
			all = append(all, other.refs[p.home].On(l.lane))
		}
		_, _ = actor.AskQuorum(c, all, 1+l.n%len(all), func(r actor.Reply[int]) programMessage {
			return programMessage{n: inner.n, lane: l.lane, inner: true, reply: r}
		})
	}
}
