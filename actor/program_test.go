package actor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
)

// A program is a random sequence of steps by several senders with several
// actors. Its model is what each sender knows: which of its messages were
// accepted, on which lane, and how many refused. At the end every accepted
// message was handled, in its sender's order, or is a dead letter.
type program struct {
	t      *rapid.T
	ctx    context.Context
	sys    *actor.System
	actors []*player
	echo   actor.Ref[question] // Whom handlers ask.

	mu      sync.Mutex
	letters map[letter]int
	dropped int // Of these, for want of room.
	// questions are those to the echo that came when it had stopped.
	questions int
}

// letter is a message; no two are equal.
type letter struct {
	from, n int
	lane    actor.Lane
	failing bool
	reply   actor.Reply[int]
}

func (l letter) key() letter {
	l.reply = actor.Reply[int]{}
	return l
}

// player is an actor of the program, and its model.
type player struct {
	ref      actor.Ref[letter]
	mu       sync.Mutex // A ghost and the next incarnation share the player.
	handled  []letter
	accepted map[letter]bool
	refused  int
	stopped  bool // Somebody asked it to, or it failed.
	killed   bool // So a ghost may note a message late.
	lossy    bool // It drops messages for which there is no room.
	form     form
	asks     actor.Ref[question] // The zero Ref: nobody.
	retries  bool                // A message in which it fails comes again, so only the first time counts.
}

// form says what kind of actor a player is.
type form int

const (
	plain form = iota
	sequential
	picking // Sequential, and takes odd messages first.
	reading // Even messages only read.
	reenters
	numForms
)

func (p *player) disorders() bool { return p.killed || p.form == picking || p.form == reading }

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
		if err != nil {
			return err
		}
	}
}

func (p *player) Receive(c *actor.Context[letter], l letter) error { return p.handle(c, l) }

func (p *player) handle(c interface {
	context.Context
	Checkpoint() error
}, l letter) error {
	p.mu.Lock()
	if !p.retries || !slices.Contains(p.handled, l.key()) {
		p.handled = append(p.handled, l.key())
	}
	p.mu.Unlock()
	if p.asks != (actor.Ref[question]{}) && l.n%3 == 0 {
		_, _ = actor.Ask(c, p.asks, asking(1)) // It fails where the incarnation ends.
	}
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
	if l.n%5 == 0 {
		_ = c.Checkpoint()
	}
	return l.reply.Send(c, l.n+1)
}

// replayer hands its messages to the player, across restarts.
type replayer struct{ *player }

// incarnation returns the actor that the player is.
func (p *player) incarnation() actor.Actor[letter] {
	if p.form == sequential || p.form == picking {
		return actor.NewProcess(p.live)
	}
	return replayer{p}
}

func newProgram(t *rapid.T) *program {
	p := &program{t: t, letters: map[letter]int{}}
	p.ctx = patience.Context(t)
	var err error
	p.sys, err = actor.NewSystem(actor.Config{
		Workers: rapid.IntRange(1, 3).Draw(t, "workers"),
		OnDeadLetter: func(d actor.DeadLetter) {
			p.mu.Lock()
			defer p.mu.Unlock()
			l, ok := d.Message.(letter)
			if !ok {
				p.questions++
				return
			}
			p.letters[l.key()]++
			switch d.Reason { //nolint:errorlint // One that had failed before wraps what its handler has met.
			case actor.ErrOverflow, actor.ErrMailboxLimit:
				p.dropped++
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if p.echo, err = actor.Spawn(p.sys, actor.Func(answer)); err != nil {
		t.Fatal(err)
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "actors") {
		p.spawn(rapid.Bool().Draw(t, fmt.Sprint("restarted ", i)), rapid.IntRange(1, 8).Draw(t, "capacity"), rapid.IntRange(1, 5).Draw(t, "throughput"))
	}
	return p
}

// spawn adds an actor, under a parent that restarts it or at the top.
func (p *program) spawn(restarted bool, capacity, throughput int) {
	a := &player{accepted: map[letter]bool{}}
	opts := append(a.draw(p), actor.WithThroughput(throughput))
	for _, l := range lanes {
		b := actor.Buffer(rapid.IntRange(0, 3).Draw(p.t, "buffer"))
		opts = append(opts, actor.WithBuffer(l, b))
		if b != actor.Unbounded {
			opts = append(opts, actor.WithCapacity(l, capacity))
		}
		if burst := rapid.IntRange(0, 3).Draw(p.t, "burst"); burst > 0 {
			opts = append(opts, actor.WithBurst(l, burst))
		}
		a.lossy = a.lossy || b == actor.Dropping || b == actor.Sliding
	}
	if then := actor.LimitAction(rapid.IntRange(0, 5).Draw(p.t, "limit")); then <= actor.LimitRestart {
		opts = append(opts, actor.WithMailboxLimit(actor.MailboxLimit{Items: 2 * capacity, Bytes: 2000, Then: then}))
		a.lossy, a.killed = true, then == actor.LimitRestart
		a.stopped = a.killed && !restarted
	}
	var err error
	if restarted {
		_, a.ref, err = p.keptChild(a, opts)
	} else {
		a.ref, err = actor.Spawn(p.sys, a.incarnation(), opts...)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.actors = append(p.actors, a)
}

// draw says what kind of actor the player is.
func (p *player) draw(of *program) (opts []actor.Option) {
	p.form = form(rapid.IntRange(0, int(numForms)-1).Draw(of.t, "form"))
	if rapid.Bool().Draw(of.t, "asks") {
		p.asks = of.echo
	}
	if p.retries = rapid.IntRange(0, 3).Draw(of.t, "retry") == 0; p.retries {
		opts = append(opts, actor.WithRetry(2))
	}
	switch p.form {
	case reading:
		opts = append(opts, actor.WithReadOnly(func(l letter) bool { return l.n%2 == 0 }), actor.WithMaxReaders(rapid.IntRange(1, 3).Draw(of.t, "readers")))
	case reenters:
		opts = append(opts, actor.WithReentrancy(actor.Reentrancy(rapid.IntRange(1, 2).Draw(of.t, "reentrancy"))),
			actor.WithMaxSuspended(rapid.IntRange(1, 3).Draw(of.t, "suspended")))
	}
	return opts
}

func (p *program) keptChild(a *player, opts []actor.Option) (parent actor.Ref[int], child actor.Ref[letter], err error) {
	ready := make(chan struct{})
	parent, err = actor.Spawn(p.sys, actor.Actor[int](&keeping[int]{hooks[int]{
		started: func(c *actor.Context[int]) (err error) {
			defer close(ready)
			child, err = actor.SpawnNew(c, a.incarnation, opts...)
			return err
		},
		exited: restart,
	}}))
	<-ready
	return parent, child, err
}

// step does what a sender does next, and notes what became of it.
func (p *program) step(a *player, l letter, kind int, mu *sync.Mutex) {
	to := a.ref.On(l.lane)
	var err error
	switch kind {
	case 0:
		err = to.TrySend(p.ctx, l)
	case 1:
		ctx, cancel := context.WithCancel(p.ctx)
		go cancel()
		err = to.Send(ctx, l)
		cancel()
	case 2:
		var v int
		v, err = actor.Ask(p.ctx, to, func(r actor.Reply[int]) letter { l.reply = r; return l })
		if err == nil && v != l.n+1 {
			p.t.Errorf("the answer to %d is %d", l.n, v)
		}
		if errors.Is(err, actor.ErrNoReply) {
			err = nil // It was accepted, and then dropped, or its handler failed.
		}
	case 3:
		err = a.ref.Stop(p.ctx)
	case 4:
		err = a.ref.Drain(p.ctx)
	case 6:
		err = a.ref.Kill()
	default:
		err = to.Send(p.ctx, l)
	}
	mu.Lock()
	defer mu.Unlock()
	switch {
	case kind == 3 || kind == 4 || kind == 6:
		a.killed = a.killed || kind == 6
		if a.stopped = true; err != nil {
			p.t.Errorf("stop: %v", err)
		}
	case err == nil:
		a.accepted[l.key()] = true
		a.stopped = a.stopped || l.failing
	case errors.Is(err, actor.ErrStopped):
		a.refused++
	case !errors.Is(err, actor.ErrFull) && !errors.Is(err, context.Canceled):
		p.t.Errorf("send: %v", err)
	}
}

func TestRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newProgram(t)
		type act struct{ actor, kind, lane, fail int }
		acts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) act {
			return act{
				rapid.IntRange(0, len(p.actors)-1).Draw(t, "actor"),
				rapid.SampledFrom([]int{0, 0, 1, 2, 2, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3, 4, 6, 6}).Draw(t, "kind"),
				rapid.IntRange(0, 2).Draw(t, "lane"),
				rapid.IntRange(0, 15).Draw(t, "fail"),
			}
		}), 1, 60)
		var mu sync.Mutex
		var all sync.WaitGroup
		for s := range rapid.IntRange(1, 3).Draw(t, "senders") {
			steps := acts.Draw(t, "steps")
			all.Go(func() {
				for n, x := range steps {
					p.step(p.actors[x.actor], letter{from: s, n: n, lane: lanes[x.lane], failing: x.fail == 0}, x.kind, &mu)
				}
			})
		}
		all.Wait()
		p.check()
	})
}

// check stops the system and compares what has happened with the model.
func (p *program) check() {
	for _, a := range p.actors {
		if err := a.ref.Drain(p.ctx); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := p.sys.Stop(p.ctx); err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	total := p.questions
	for i, a := range p.actors {
		last := map[[2]int]int{}
		for _, l := range a.handled {
			if !a.accepted[l] {
				p.t.Errorf("actor %d handled %+v, which was not accepted or is here twice", i, l)
			}
			delete(a.accepted, l)
			if a.retries {
				total += p.letters[l] // It waited for another try.
			}
			key := [2]int{l.from, int(l.lane)}
			if before, ok := last[key]; ok && before > l.n && !a.disorders() {
				p.t.Errorf("actor %d handled message %d of sender %d after %d", i, l.n, l.from, before)
			}
			last[key] = l.n
		}
		if n := len(a.accepted); n > 0 && !a.stopped && !a.lossy {
			p.t.Errorf("actor %d, which nobody stopped, has not handled %d messages", i, n)
		}
		for l := range a.accepted {
			if n := p.letters[l]; n != 1 {
				p.t.Errorf("%d dead letters of %+v, which actor %d did not handle", n, l, i)
			}
		}
		total += len(a.accepted) + a.refused
	}
	if n := p.sys.Stats().Dropped; int(n) != p.dropped {
		p.t.Errorf("%d messages were dropped, counted were %d", p.dropped, n)
	}
	if n := p.sys.Stats().DeadLetters; int(n) != total {
		p.t.Errorf("%d dead letters, want %d", n, total)
	}
}
