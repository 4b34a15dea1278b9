package actor_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/wire/wiretest"
)

// A program is a random sequence of steps by several senders with several
// actors. Its model is what each sender knows: which of its messages were
// accepted, on which lane, and how many refused. At the end every accepted
// message was handled, in its sender's order, or is a dead letter.
type program struct {
	t         tester
	draw      *rapid.T     // Decides what the program is.
	sim       *simtest.Sim // It decides the schedule, or is nil.
	ctx       context.Context
	sys       *actor.System
	systems   []*actor.System // Sys, and the other one if the actors live apart.
	link      *wiretest.Link  // Between the two, or nil.
	actors    []*programActor
	echo      inSystems[question]     // Whom handlers ask.
	forwarder inSystems[forwardedAsk] // The players hand questions on to it.
	pump      *actor.Pump             // The loop of the actors of sys that live in one.
	loops     sync.WaitGroup          // The loop of the pump, and the main one.

	mu      sync.Mutex
	letters map[programMessage]int // Dead ones.
	dropped int                    // Of these, for want of room.
	// others are the dead letters that handlers have sent.
	others int
}

// tester is what a property test and a simulation have in common.
type tester interface {
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// programMessage is a message; no two are equal.
type programMessage struct {
	from, n int
	lane    actor.Lane
	failing bool
	inner   bool   // It was sent by a handler.
	pad     string // Counts for a limit in bytes.
	reply   actor.Reply[int]
}

func (l programMessage) String() string {
	return fmt.Sprintf("programMessage %d of %d on %v, failing: %v, by a handler: %v", l.n, l.from, l.lane, l.failing, l.inner)
}

func (l programMessage) key() programMessage {
	l.reply = actor.Reply[int]{}
	return l
}

// newProgram returns a program whose actors live in one system, and in so many extra ones.
func newProgram(t tester, draw *rapid.T, extra int) *program {
	p := &program{t: t, draw: draw, letters: map[programMessage]int{}}
	if p.sim, _ = t.(*simtest.Sim); p.sim != nil {
		p.ctx = p.sim.Context()
	} else {
		p.ctx = patience.Context(draw)
	}
	for range 1 + extra {
		sys, err := actor.NewSystem(actor.Config{
			MaxBlocking:  rapid.IntRange(1, 3).Draw(p.draw, "blocking"),
			Workers:      rapid.IntRange(1, 3).Draw(draw, "workers"),
			OnDeadLetter: p.noteDeadLetter,
		})
		if err != nil {
			t.Fatal(err)
		}
		p.systems = append(p.systems, sys)
	}
	if p.sys = p.systems[0]; extra > 0 {
		p.join()
	}
	p.turnLoops()
	p.echo = inEach(p, p.pick("echo"), actor.Func(answer))
	p.forwarder = inEach(p, p.pick("forwarder"), actor.Func(func(c *actor.Context[forwardedAsk], d forwardedAsk) error { return d.reply.Send(c, d.answer) }))
	for i := range rapid.IntRange(1, 3).Draw(draw, "actors") {
		p.spawn(rapid.Bool().Draw(draw, fmt.Sprint("restarted ", i)), rapid.IntRange(1, 8).Draw(draw, "capacity"), rapid.IntRange(1, 5).Draw(draw, "throughput"))
	}
	for _, a := range p.actors {
		if n := rapid.IntRange(-1, len(p.actors)-1).Draw(draw, "peer"); n >= 0 {
			if a.peer = p.actors[n]; a.ties { // The one may end with the other.
				a.stopped, a.peer.stopped = true, true
			}
		}
	}
	return p
}

func (p *program) noteDeadLetter(d actor.DeadLetter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l, ok := d.Message.(programMessage); ok && !l.inner {
		p.letters[l.key()]++
	} else {
		p.others++
	}
	//nolint:errorlint // An actor that had failed before wraps what its handler has met.
	if d.Reason == actor.ErrOverflow || d.Reason == actor.ErrMailboxLimit {
		p.dropped++
	}
}

// spawn adds an actor, under a parent that restarts it or at the top.
func (p *program) spawn(restarted bool, capacity, throughput int) {
	a := &programActor{of: p, home: p.pick("home"), accepted: map[programMessage]bool{}, seen: map[programMessage]bool{}}
	opts := append(a.draw(restarted), actor.WithThroughput(throughput))
	for _, l := range lanes {
		b := actor.Buffer(rapid.IntRange(0, 3).Draw(p.draw, "buffer"))
		opts = append(opts, actor.WithBuffer(l, b))
		if b != actor.Unbounded {
			opts = append(opts, actor.WithCapacity(l, capacity))
		}
		if burst := rapid.IntRange(0, 3).Draw(p.draw, "burst"); burst > 0 {
			opts = append(opts, actor.WithBurst(l, burst))
		}
		a.lossy = a.lossy || b == actor.Dropping || b == actor.Sliding
	}
	if then := actor.LimitAction(rapid.IntRange(0, 9).Draw(p.draw, "limit")); then <= actor.LimitRestart {
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
		a.ref, err = actor.Spawn(p.systems[a.home], a.incarnation(), opts...)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	a.refs = inAll(p, a.ref)
	p.actors = append(p.actors, a)
}

func (p *program) keptChild(a *programActor, opts []actor.Option) (parent actor.Ref[int], child actor.Ref[programMessage], err error) {
	ready := make(chan struct{})
	parent, err = actor.Spawn(p.systems[a.home], actor.Actor[int](&keeping[int]{hooks[int]{
		started: func(c *actor.Context[int]) (err error) {
			defer close(ready)
			child, err = actor.SpawnNew(c, a.incarnation, opts...)
			return err
		},
		exited: restart,
	}}))
	if p.sim != nil {
		p.sim.RunUntilIdle()
	}
	<-ready
	return parent, child, err
}

// act is what a sender does next.
type act struct {
	actor, kind, lane int
	fails             bool
}

var padding = strings.Repeat("x", 1200)

// sender sends letters, and is a goroutine or an actor.
type sender struct {
	of    *program
	n     int
	home  int // The number of its system.
	steps []act
	mu    *sync.Mutex // Guards the model; all senders share it.
}

func (s *sender) run(ctx context.Context) {
	for n, x := range s.steps {
		s.step(ctx, s.of.actors[x.actor], programMessage{from: s.n, n: n, lane: lanes[x.lane], failing: x.fails, pad: padding[:n%5*300]}, x.kind)
	}
}

// Receive has the sender do all its steps.
func (s *sender) Receive(c *actor.Context[question], q question) error {
	s.run(c)
	return q.reply.Send(c, s.n)
}

// step does what a sender does next, and notes what became of it.
func (s *sender) step(ctx context.Context, a *programActor, l programMessage, kind int) {
	ref := a.refs[s.home]
	to := ref.On(l.lane)
	var err error
	switch kind {
	case 0:
		err = to.TrySend(ctx, l)
	case 1:
		err = s.of.withdrawing(ctx, l.n, func(ctx context.Context) error { return to.Send(ctx, l) })
	case 2:
		var v int
		v, err = actor.Ask(ctx, to, func(r actor.Reply[int]) programMessage { l.reply = r; return l })
		if err == nil && v != l.n+1 {
			s.of.t.Errorf("the answer to %d is %d", l.n, v)
		}
		if errors.Is(err, actor.ErrNoReply) {
			err = nil // It was accepted, and then dropped, or its handler failed.
		}
	case 3:
		err = ref.Stop(ctx)
	case 4:
		err = ref.Drain(ctx)
	case 6:
		err = ref.Kill()
	case 7:
		if err = ref.StopWithin(ctx, time.Duration(l.n%3)*time.Millisecond); errors.Is(err, actor.ErrForced) {
			err = nil
		}
	default:
		err = to.Send(ctx, l)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case kind == 3 || kind == 4 || kind == 6 || kind == 7:
		a.killed = a.killed || kind >= 6
		if a.stopped = true; err != nil {
			s.of.t.Errorf("stop: %v", err)
		}
	case err == nil:
		a.accepted[l.key()] = true
		a.stopped = a.stopped || l.failing
	case errors.Is(err, actor.ErrStopped):
		a.refused++
	case !errors.Is(err, actor.ErrFull) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
		s.of.t.Errorf("send: %v", err)
	}
}

// withdrawing calls send with a context that is about to end.
func (p *program) withdrawing(ctx context.Context, n int, send func(context.Context) error) error {
	if p.sim != nil {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(1+n%3)*time.Microsecond)
		defer cancel()
		return send(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go cancel()
	return send(ctx)
}

// run draws senders, and returns when they have done what they do.
func (p *program) run() {
	rarity := rapid.SampledFrom([]int{7, 30, 250}).Draw(p.draw, "rarity") // Of ends.
	acts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) act {
		kinds := []int{0, 1, 2, 2, 5, 5, 5, 5}
		if rapid.IntRange(0, rarity).Draw(t, "end") == 5 {
			kinds = []int{3, 4, 6, 6, 7}
		}
		return act{
			rapid.IntRange(0, len(p.actors)-1).Draw(t, "actor"),
			rapid.SampledFrom(kinds).Draw(t, "kind"),
			rapid.IntRange(0, 2).Draw(t, "lane"),
			rapid.IntRange(0, rarity).Draw(t, "fail") == 6,
		}
	}), rapid.SampledFrom([]int{1, 40}).Draw(p.draw, "least"), 60)
	var mu sync.Mutex
	var outside []*sender
	var inside []actor.Ref[question]
	for n := range rapid.IntRange(1, 3).Draw(p.draw, "senders") {
		s := &sender{of: p, n: n, home: p.pick("sender"), steps: acts.Draw(p.draw, "steps"), mu: &mu}
		if p.sim == nil && rapid.Bool().Draw(p.draw, "outside") {
			outside = append(outside, s)
			continue
		}
		inside = append(inside, inEach(p, s.home, actor.Actor[question](s))[0])
	}
	var all sync.WaitGroup
	for _, s := range outside {
		all.Go(func() { s.run(p.ctx) })
	}
	for _, a := range actor.AskAll(p.ctx, inside, asking(0)) {
		if a.Err != nil {
			p.t.Errorf("a sender: %v", a.Err)
		}
	}
	all.Wait()
}

func TestRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newProgram(t, t, 0)
		p.run()
		p.check()
	})
}

// The same programs under schedules that a seed chooses, which decides about the program
// as well.
func TestRandomProgramsSimulated(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 100}, func(s *simtest.Sim) {
		drawn(s, func(draw *rapid.T) {
			p := newProgram(s, draw, 0)
			p.run()
			p.check()
		})
	})
}

// drawn calls f with what draws as the seed of the simulation has it.
func drawn(s *simtest.Sim, f func(draw *rapid.T)) {
	rapid.Custom(func(draw *rapid.T) bool {
		defer func() { // Else rapid would try again.
			if v := recover(); v != nil {
				s.Fatalf("panic: %v\n%s", v, debug.Stack())
			}
		}()
		f(draw)
		return rapid.Bool().Draw(draw, "end")
	}).Example(int(s.Rand().Int32()))
}

// mustEnd fails if something has not ended, and shows what there is.
func (p *program) mustEnd(err error) {
	if err == nil {
		return
	}
	var left []actor.Info
	for _, sys := range p.systems {
		for i := range sys.Infos(actor.PID{}) {
			left = append(left, i)
		}
	}
	stacks := make([]byte, 1<<20)
	p.t.Fatalf("%v\nleft: %+v\n%s", err, left, stacks[:runtime.Stack(stacks, true)])
}

// check stops the systems and compares what has happened with the model.
func (p *program) check() {
	p.arrive()
	for _, a := range p.actors {
		p.mustEnd(a.ref.Drain(p.ctx))
	}
	for _, sys := range p.systems {
		p.mustEnd(sys.Stop(p.ctx))
	}
	p.arrive() // The messages of handlers are dead letters by now.
	want := p.account()
	var dead, dropped int
	var got actor.Stats
	ok := p.until(func() bool { // The message of a timer may become a dead letter just now.
		p.mu.Lock()
		dead, dropped = want+p.others, p.dropped
		p.mu.Unlock()
		got = actor.Stats{}
		for _, sys := range p.systems {
			of := sys.Stats()
			got.DeadLetters, got.Dropped = got.DeadLetters+of.DeadLetters, got.Dropped+of.Dropped
		}
		return int(got.DeadLetters) == dead && int(got.Dropped) == dropped
	})
	if !ok {
		p.t.Fatalf("%d dead letters, want %d; %d messages were dropped, counted were %d", got.DeadLetters, dead, dropped, got.Dropped)
	}
}

// until waits for what nothing announces. It returns false if it does not come to it.
func (p *program) until(ok func() bool) bool {
	for !ok() {
		if p.sim != nil {
			p.sim.RunUntilIdle()
			return ok()
		}
		if runtime.Gosched(); p.ctx.Err() != nil {
			return false
		}
	}
	return true
}

// lettersOf returns how often a message that was not handled is a dead letter. It waits for the
// first time: a timer may just have made room for what it sends. The caller holds mu.
func (p *program) lettersOf(l programMessage) int {
	for p.sim == nil && p.letters[l] == 0 && p.ctx.Err() == nil {
		p.mu.Unlock()
		runtime.Gosched()
		p.mu.Lock()
	}
	return p.letters[l]
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
				p.t.Errorf("actor %d handled %v, which was not accepted or is here twice", i, l)
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
			if n := p.lettersOf(l); n != 1 {
				p.t.Errorf("%d dead letters of %v, which actor %d did not handle", n, l, i)
			}
		}
		total += len(a.accepted) + a.refused
	}
	return total
}
