package actor_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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
	clerk  actor.Ref[chore]    // To whom they hand questions on.

	mu      sync.Mutex
	letters map[letter]int // Dead ones.
	dropped int            // Of these, for want of room.
	// others are the dead letters that handlers have sent.
	others int
}

// letter is a message; no two are equal.
type letter struct {
	from, n int
	lane    actor.Lane
	failing bool
	inner   bool // It was sent by a handler.
	reply   actor.Reply[int]
}

func (l letter) key() letter {
	l.reply = actor.Reply[int]{}
	return l
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
			if l, ok := d.Message.(letter); ok && !l.inner {
				p.letters[l.key()]++
			} else {
				p.others++
			}
			//nolint:errorlint // One that had failed before wraps what its handler has met.
			if d.Reason == actor.ErrOverflow || d.Reason == actor.ErrMailboxLimit {
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
	if p.clerk, err = actor.Spawn(p.sys, actor.Func(func(c *actor.Context[chore], d chore) error { return d.reply.Send(c, d.answer) })); err != nil {
		t.Fatal(err)
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "actors") {
		p.spawn(rapid.Bool().Draw(t, fmt.Sprint("restarted ", i)), rapid.IntRange(1, 8).Draw(t, "capacity"), rapid.IntRange(1, 5).Draw(t, "throughput"))
	}
	for _, a := range p.actors {
		if n := rapid.IntRange(-1, len(p.actors)-1).Draw(t, "peer"); n >= 0 {
			if a.peer = p.actors[n]; a.ties { // The one may end with the other.
				a.stopped, a.peer.stopped = true, true
			}
		}
	}
	return p
}

// spawn adds an actor, under a parent that restarts it or at the top.
func (p *program) spawn(restarted bool, capacity, throughput int) {
	a := &player{of: p, accepted: map[letter]bool{}, seen: map[letter]bool{}}
	opts := append(a.draw(), actor.WithThroughput(throughput))
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
		a.lossy = true
		if then == actor.LimitRestart {
			a.killed, a.stopped = true, a.stopped || !restarted
		}
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
	want := p.account()
	for { // What a timer has sent may become a dead letter just now.
		p.mu.Lock()
		dead, dropped := want+p.others, p.dropped
		p.mu.Unlock()
		s := p.sys.Stats()
		if int(s.DeadLetters) == dead && int(s.Dropped) == dropped {
			return
		}
		if runtime.Gosched(); p.ctx.Err() != nil {
			p.t.Fatalf("%d dead letters, want %d; %d messages were dropped, counted were %d", s.DeadLetters, dead, dropped, s.Dropped)
		}
	}
}

// account compares what the actors have handled with what was sent to them. It returns how
// many dead letters there are but those that handlers have sent.
func (p *program) account() (total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, a := range p.actors {
		last := map[[2]int]int{}
		for _, l := range a.handled {
			if !a.accepted[l] {
				p.t.Errorf("actor %d handled %+v, which was not accepted or is here twice", i, l)
			}
			delete(a.accepted, l)
			if a.retries || a.shrugs {
				total += p.letters[l] // It waited for another try, or nobody knew it.
			}
			key := [2]int{l.from, int(l.lane)}
			if before, ok := last[key]; ok && before > l.n && !a.disorders() {
				p.t.Errorf("actor %d handled message %d of sender %d after %d", i, l.n, l.from, before)
			}
			last[key] = l.n
		}
		if n := len(a.accepted); n > 0 && !a.stopped && !a.lossy && !a.stashes {
			p.t.Errorf("actor %d, which nobody stopped, has not handled %d messages", i, n)
		}
		for l := range a.accepted {
			if n := p.letters[l]; n != 1 {
				p.t.Errorf("%d dead letters of %+v, which actor %d did not handle", n, l, i)
			}
		}
		total += len(a.accepted) + a.refused
	}
	return total
}
