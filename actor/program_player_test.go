package actor_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
)

// player is an actor of a random program, and its model.
type player struct {
	of       *program
	ref      actor.Ref[letter]
	mu       sync.Mutex // A ghost and the next incarnation share the player.
	handled  []letter
	seen     map[letter]bool // Those that were put aside.
	accepted map[letter]bool
	refused  int
	stopped  bool // Somebody asked it to, or it failed.
	killed   bool // So a ghost may note a message late.
	lossy    bool // It drops messages for which there is no room.

	form    form
	asks    bool
	peer    *player // Whom it asks and tells of some messages, itself maybe, or nil.
	retries bool    // A message in which it fails comes again, so only the first time counts.
	stashes bool    // It puts some messages aside, once each.
	shrugs  bool    // It does not know some messages.
	hands   bool    // It has the clerk answer some.
	begets  bool    // It has children, and timers.
	ties    bool    // It links itself to its peer, and monitors it.
}

// chore is what the clerk does: it answers for somebody.
type chore struct {
	answer int
	reply  actor.Reply[int]
}

// form says what kind of actor a player is.
type form int

const (
	plain form = iota
	sequential
	picking // Sequential, and takes odd messages first.
	reading // Even messages only read.
	reenters
	blocks  // On goroutines that may block.
	threads // On a thread of its own.
	numForms
)

// disorders reports whether messages may be handled in another order than they came.
func (p *player) disorders() bool {
	return p.killed || p.stashes || p.form == picking || p.form == reading
}

// draw says what kind of actor the player is.
func (p *player) draw() (opts []actor.Option) {
	t := p.of.t
	p.form = form(rapid.IntRange(0, int(numForms)-1).Draw(t, "form"))
	p.asks, p.stashes = rapid.Bool().Draw(t, "asks"), rapid.Bool().Draw(t, "stashes")
	p.shrugs = rapid.Bool().Draw(t, "shrugs") && p.form != sequential && p.form != picking // These would end.
	p.hands, p.begets, p.ties = rapid.Bool().Draw(t, "hands"), rapid.Bool().Draw(t, "begets"), rapid.Bool().Draw(t, "ties")
	if p.retries = rapid.IntRange(0, 3).Draw(t, "retry") == 0; p.retries {
		opts = append(opts, actor.WithRetry(2))
	}
	switch rapid.IntRange(0, 7).Draw(t, "timeout") {
	case 0:
		opts = append(opts, actor.WithHandlerTimeout(time.Millisecond, actor.TimeoutCancel))
	case 1:
		opts = append(opts, actor.WithHandlerTimeout(time.Millisecond, actor.TimeoutStop))
		p.killed, p.stopped = true, true
	}
	switch p.form {
	case reading:
		opts = append(opts, actor.WithReadOnly(func(l letter) bool { return l.n%2 == 0 }), actor.WithMaxReaders(rapid.IntRange(1, 3).Draw(t, "readers")))
	case reenters:
		opts = append(opts, actor.WithReentrancy(actor.Reentrancy(rapid.IntRange(1, 2).Draw(t, "reentrancy"))),
			actor.WithMaxSuspended(rapid.IntRange(1, 3).Draw(t, "suspended")))
	case blocks:
		opts = append(opts, actor.WithBackend(actor.OnBlocking))
	case threads:
		opts = append(opts, actor.WithBackend(actor.OnOwnThread))
	}
	return opts
}

// incarnation returns the actor that the player is.
func (p *player) incarnation() actor.Actor[letter] {
	if p.form == sequential || p.form == picking {
		return actor.NewProcess(p.live)
	}
	return replayer{p}
}

// replayer hands its messages to the player, across restarts.
type replayer struct{ p *player }

func (r replayer) Receive(c *actor.Context[letter], l letter) error {
	if r.p.putAside(c, l) {
		return nil
	}
	return r.p.handle(c, l)
}

func (r replayer) Down(*actor.Context[letter], actor.Monitor, actor.Exit) error { return nil }

// live is the body of a sequential player.
func (p *player) live(x *actor.Process[letter]) error {
	for {
		l, err := letter{}, actor.ErrNoMessage
		if p.form == picking {
			l, err = x.ReceiveWithin(0, func(l letter) bool { return l.n%2 == 1 })
		}
		if errors.Is(err, actor.ErrNoMessage) {
			l, err = x.Receive(x)
		}
		if err == nil {
			err = p.handle(x, l)
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
func (p *player) putAside(c *actor.Context[letter], l letter) bool {
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
func (p *player) note(l letter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !l.inner && (!p.retries || !slices.Contains(p.handled, l.key())) {
		p.handled = append(p.handled, l.key())
	}
}

// performing is what a handler and the body of a process have.
type performing interface {
	context.Context
	actor.Spawner
	Checkpoint() error
	Link(id actor.PID) error
}

// handle is what all forms do with a message.
func (p *player) handle(c performing, l letter) error {
	p.note(l)
	p.settleDown(c, l)
	if p.asks && l.n%3 == 0 {
		_, _ = actor.Ask(c, p.of.echo, asking(1)) // It fails where the incarnation ends.
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
		return p.of.clerk.Send(c, chore{l.n + 1, l.reply})
	}
	return l.reply.Send(c, l.n+1)
}

// settleDown gives the player children, timers and ties.
func (p *player) settleDown(c performing, l letter) {
	if l.inner {
		return
	}
	if p.begets && l.n%8 == 5 {
		if child, err := actor.Spawn(c, actor.Func(answer)); err == nil {
			_, _ = actor.Ask(c, child, asking(1))
			_ = child.Send(c, question{n: 2})
		}
	}
	if p.begets && l.n%8 == 6 {
		_, _ = actor.SendAfter(c, time.Duration(l.n%3)*100*time.Microsecond, p.ref.On(l.lane), letter{n: l.n % 3, inner: true})
	}
	if p.ties && p.peer != nil && p.peer != p {
		switch l.n % 8 {
		case 1:
			_ = c.Link(p.peer.ref.PID())
		case 2:
			if x, ok := c.(*actor.Context[letter]); ok {
				_, _ = x.Monitor(p.peer.ref.PID())
			}
		}
	}
}

// consult asks or tells the player's peer something, which asks its own then. Rings of such
// asks, and of waits for room, end in errors.
func (p *player) consult(c context.Context, l letter) {
	inner := letter{n: l.n - 1, lane: l.lane, inner: true}
	switch {
	case p.peer == nil, l.inner && l.n <= 0:
		return
	case !l.inner:
		inner.n = 2
	}
	switch to := p.peer.ref.On(l.lane); l.n % 4 {
	case 1:
		_, _ = actor.Ask(c, to, func(r actor.Reply[int]) letter { inner.reply = r; return inner })
	case 2:
		_ = to.Send(c, inner)
	case 3:
		var all []actor.Ref[letter]
		for _, other := range p.of.actors {
			all = append(all, other.ref.On(l.lane))
		}
		_, _ = actor.AskQuorum(c, all, 1+l.n%len(all), func(r actor.Reply[int]) letter { return letter{n: inner.n, lane: l.lane, inner: true, reply: r} })
	}
}
