package remote_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/remote"
	"github.com/troupe-go/troupe/internal/session"
	"github.com/troupe-go/troupe/wire"
)

// deed is a message of a random program over several nodes.
type deed struct {
	Key   deedKey
	Body  []byte // Of the bytes that bodyOf returns.
	Reply actor.Reply[int]
	Next  actor.Ref[deed] // Answers in place of the receiver, unless it is zero.
	Inner bool            // It was handed on.
}

// deedKey names a deed. No two are equal.
type deedKey struct {
	From, N int
	Lane    actor.Lane
}

func bodyOf(k deedKey) []byte { return slices.Repeat([]byte{byte(k.From), byte(k.N)}, k.N%40*k.N%40*8) }

// reach is a random program: senders of several nodes, and actors that are at work for a while with each message, over a
// network with faults. Its model is what each sender knows.
type reach struct {
	t       *testing.T
	rand    *rand.Rand // Only of the goroutine that makes the program.
	network *memory.Network
	places  []place
	actors  []*reached
	broken  bool // The network is cut for longer than sessions live.

	mu      sync.Mutex // Guards the rest, and what actors have handled.
	sent    map[deedKey]*reached
	refused map[deedKey]error
	letters map[deedKey][]error
}

// reached is an actor of a program.
type reached struct {
	home    int
	refs    []actor.Ref[deed] // As each node has it.
	handled []deedKey
	stopped bool // Somebody stops it.
}

// pass lets virtual time pass.
func pass(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func newReach(t *testing.T, seed uint64) *reach {
	p := &reach{t: t, rand: rand.New(rand.NewPCG(seed, 3)), sent: map[deedKey]*reached{}, refused: map[deedKey]error{}, letters: map[deedKey][]error{}}
	var err error
	if p.network, err = memory.NewNetwork(); err != nil {
		t.Fatal(err)
	}
	p.network.Seed(seed)
	r := &wire.Registry{}
	wire.Register[deed]("deed", wire.In(r))
	wire.Register[int]("int", wire.In(r))
	for i := range 2 + p.rand.IntN(2) {
		name := string(rune('a' + i))
		sys, err := actor.NewSystem(actor.Config{Workers: 1 + p.rand.IntN(2), AskTimeout: -1, OnDeadLetter: p.letter})
		if err != nil {
			t.Fatal(err)
		}
		node, err := remote.Join(remote.Config{System: sys, Self: session.Node{Name: name, Birth: 3}, Bus: p.network.Bus(name), Registry: r})
		if err != nil {
			t.Fatal(err)
		}
		p.places = append(p.places, place{sys: sys, node: node})
	}
	for range 1 + p.rand.IntN(3) {
		p.spawn()
	}
	p.broken = p.rand.IntN(4) == 0
	return p
}

func (p *reach) spawn() {
	a := &reached{home: p.rand.IntN(len(p.places))}
	slow, capacity := time.Duration(p.rand.IntN(3))*10*time.Millisecond, 1+p.rand.IntN(4)
	ref, err := actor.Spawn(p.places[a.home].sys, actor.Func(func(ctx *actor.Context[deed], d deed) error {
		pass(ctx, slow)
		p.mu.Lock()
		if !d.Inner {
			a.handled = append(a.handled, d.Key)
		}
		p.mu.Unlock()
		if !slices.Equal(d.Body, bodyOf(d.Key)) {
			p.t.Errorf("the body of %v is not what was sent", d.Key)
		}
		if d.Next == (actor.Ref[deed]{}) {
			_ = d.Reply.Send(ctx, d.Key.N+1) // The asker may have left.
			return nil
		}
		if err := d.Next.TrySend(ctx, deed{Key: d.Key, Body: d.Body, Reply: d.Reply, Inner: true}); err != nil {
			_ = d.Reply.Send(ctx, d.Key.N+1) // As above.
		}
		return nil
	}), actor.WithCapacity(actor.Data, capacity), actor.WithCapacity(actor.Control, capacity))
	if err != nil {
		p.t.Fatal(err)
	}
	data, err := wire.Export(ref)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, at := range p.places {
		there, err := wire.Import[deed](at.sys, data)
		if err != nil {
			p.t.Fatal(err)
		}
		a.refs = append(a.refs, there)
	}
	p.actors = append(p.actors, a)
}

func (p *reach) letter(d actor.DeadLetter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m, ok := d.Message.(deed); ok && !m.Inner {
		p.letters[m.Key] = append(p.letters[m.Key], d.Reason)
	}
}

// sender returns what a sender does, which is drawn before it begins.
func (p *reach) sender(from int) func(ctx context.Context) {
	home := p.rand.IntN(len(p.places))
	var steps []func(ctx context.Context)
	for n := range 5 + p.rand.IntN(40) {
		a, which := p.actors[p.rand.IntN(len(p.actors))], actor.Lane(p.rand.IntN(3))
		next, kind := p.actors[p.rand.IntN(len(p.actors))].refs[home], p.rand.IntN(10)
		idle := time.Duration(max(0, p.rand.IntN(8)-5)) * 50 * time.Millisecond
		short := time.Duration(p.rand.IntN(30)) * time.Millisecond
		stops := p.rand.IntN(150) == 0
		steps = append(steps, func(ctx context.Context) {
			pass(ctx, idle)
			if stops {
				p.stop(ctx, a, home)
			}
			d := deed{Key: deedKey{from, n, which}}
			d.Body = bodyOf(d.Key)
			p.step(ctx, a, a.refs[home].On(which), d, kind, next, short)
			for i := range d.Body {
				if a.home != home {
					d.Body[i] = 0xdb // The memory is the sender's again.
				}
			}
		})
	}
	return func(ctx context.Context) {
		for _, s := range steps {
			s(ctx)
		}
	}
}

func (p *reach) stop(ctx context.Context, a *reached, from int) {
	p.mu.Lock()
	a.stopped = true
	p.mu.Unlock()
	if err := a.refs[from].Stop(ctx); err != nil && (!p.broken || !errors.Is(err, wire.ErrUnreachable)) {
		p.t.Errorf("stop: %v", err)
	}
}

// step sends one deed, and notes what became of it.
func (p *reach) step(ctx context.Context, a *reached, to actor.Ref[deed], d deed, kind int, next actor.Ref[deed], short time.Duration) {
	var err error
	switch {
	case kind <= 4:
		err = to.Send(ctx, d)
	case kind == 5:
		err = to.TrySend(ctx, d)
	case kind == 6:
		ctx, cancel := context.WithTimeout(ctx, short)
		defer cancel()
		err = to.Send(ctx, d)
	default:
		if kind == 9 {
			d.Next = next
		}
		within := ctx
		if kind == 8 {
			var cancel context.CancelFunc
			within, cancel = context.WithTimeout(ctx, short)
			defer cancel()
		}
		var v int
		v, err = actor.Ask(within, to, func(r actor.Reply[int]) deed { d.Reply = r; return d })
		if err == nil && v != d.Key.N+1 {
			p.t.Errorf("the answer to %v is %d", d.Key, v)
		}
		p.asked(a, d, kind, err)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.sent[d.Key] = a
		return
	}
	p.refused[d.Key] = err
	switch {
	case kind == 5 && errors.Is(err, actor.ErrFull), kind == 6 && errors.Is(err, context.DeadlineExceeded):
	case a.stopped && errors.Is(err, actor.ErrStopped), p.broken && errors.Is(err, wire.ErrUnreachable):
	default:
		p.t.Errorf("send %v: %v", d.Key, err)
	}
}

// asked judges the end of an ask. Of one that has failed, nobody knows whether it was handled.
func (p *reach) asked(a *reached, d deed, kind int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ends := a.stopped || kind == 9 && slices.ContainsFunc(p.actors, func(a *reached) bool { return a.stopped })
	switch {
	case err == nil:
		if !slices.Contains(a.handled, d.Key) {
			p.t.Errorf("%v is answered, and was not handled", d.Key)
		}
	case kind == 8 && errors.Is(err, context.DeadlineExceeded):
	case ends && (errors.Is(err, actor.ErrNoReply) || errors.Is(err, actor.ErrStopped)):
	case p.broken && errors.Is(err, wire.ErrUnreachable):
	default:
		p.t.Errorf("ask %v: %v", d.Key, err)
	}
}

// harm does this and that to the network until ctx ends, and then heals it.
func (p *reach) harm(draw *rand.Rand) func(ctx context.Context) {
	names := []string{"a", "b", "c"}[:len(p.places)]
	return func(ctx context.Context) {
		for ctx.Err() == nil {
			pass(ctx, time.Duration(draw.IntN(300))*time.Millisecond)
			from := draw.IntN(len(names))
			to := (from + 1 + draw.IntN(len(names)-1)) % len(names)
			bad := memory.Faults{Loss: draw.Float64() / 4, Double: draw.Float64() / 4, Reorder: draw.Float64() / 4, Jitter: time.Duration(draw.IntN(20)) * time.Millisecond}
			long := time.Duration(draw.IntN(3000)) * time.Millisecond
			if p.broken && draw.IntN(3) == 0 {
				long *= 10
			}
			switch draw.IntN(7) {
			case 0:
				_ = p.network.Set(bad)
			case 1:
				_ = p.network.Set(memory.Faults{})
			case 2: // A slow one.
				_ = p.network.SetPair(names[from], names[to], memory.Faults{Rate: 20_000, Delay: 30 * time.Millisecond})
			case 3:
				p.network.Cut(names[from], names[to])
				pass(ctx, long)
				p.recover(ctx, names[from], names[to])
			case 4:
				p.network.CutOneWay(names[from], names[to])
				pass(ctx, long)
				p.recover(ctx, names[from], names[to])
			case 5:
				p.network.Pause(names[from])
				pass(ctx, long)
				p.network.Resume(names[from])
				p.recover(ctx, names[from], names[to])
			case 6:
				_ = p.network.SetPair(names[from], names[to], bad)
			}
		}
		_ = p.network.Set(memory.Faults{})
	}
}

// recover ends a cut. Sessions get the time to go on with what was lost: cuts that follow each other are a long one.
func (p *reach) recover(ctx context.Context, a, b string) {
	p.network.Heal(a, b)
	_ = p.network.Set(memory.Faults{})
	pass(ctx, 5*time.Second)
}

// run has all senders do what they do.
func (p *reach) run(ctx context.Context) {
	harmed, heal := context.WithCancel(ctx)
	var faults, all sync.WaitGroup
	harm := p.harm(rand.New(rand.NewPCG(p.rand.Uint64(), 4)))
	for from := range 1 + p.rand.IntN(4) {
		run := p.sender(from)
		all.Go(func() { run(ctx) })
	}
	faults.Go(func() { harm(harmed) })
	all.Wait()
	heal()
	faults.Wait()
}

// check compares what has happened with the model.
func (p *reach) check(ctx context.Context) {
	for !p.settled() && ctx.Err() == nil {
		pass(ctx, time.Second)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	times := map[deedKey]int{}
	for i, a := range p.actors {
		last := map[[2]int]int{}
		for _, k := range a.handled {
			if times[k]++; times[k] > 1 {
				p.t.Errorf("%v is handled twice", k)
			}
			stream := [2]int{k.From, int(k.Lane)}
			if before, ok := last[stream]; ok && before > k.N && !p.broken {
				p.t.Errorf("actor %d has handled %v after message %d", i, k, before)
			}
			last[stream] = k.N
		}
	}
	for k, a := range p.sent {
		letters := p.letters[k]
		unconfirmed := slices.ContainsFunc(letters, func(err error) bool { return errors.Is(err, wire.ErrUnconfirmed) })
		switch {
		case times[k] == 0 && len(letters) == 0:
			p.t.Errorf("%v to an actor of node %d was accepted and is lost", k, a.home)
		case len(letters) > 0 && !a.stopped && !p.broken, times[k] > 0 && len(letters) > 0 && !unconfirmed, len(letters) > 2:
			p.t.Errorf("%v is handled %d times, and a dead letter for %v", k, times[k], letters)
		}
	}
	for k, err := range p.refused {
		if times[k] > 0 {
			p.t.Errorf("%v was refused (%v), and is handled", k, err)
		}
	}
}

// settled reports whether all that was accepted is handled or a dead letter.
func (p *reach) settled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	done := map[deedKey]bool{}
	for _, a := range p.actors {
		for _, k := range a.handled {
			done[k] = true
		}
	}
	for k := range p.sent {
		if !done[k] && len(p.letters[k]) == 0 {
			return false
		}
	}
	return true
}

func (p *reach) end(ctx context.Context) {
	for _, at := range p.places {
		if err := at.sys.Stop(ctx); err != nil {
			p.t.Error(err)
		}
	}
	for _, at := range p.places {
		if err := at.node.Close(ctx); err != nil {
			p.t.Error(err)
		}
	}
	if err := p.network.Close(); err != nil {
		p.t.Error(err)
	}
	if ctx.Err() != nil {
		p.t.Error("something has waited for ever")
	}
}

// TestRandomProgramsOverABadNetwork has programs of a seed run over a network that loses, doubles, reorders and delays frames, and
// that is cut, both ways or one way, slow or paused. An accepted message is handled once and in order, or a dead letter, and
// each wait ends.
func TestRandomProgramsOverABadNetwork(t *testing.T) {
	for seed := range uint64(lane.Rounds(10, 100, 10_000)) {
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
				defer cancel()
				p := newReach(t, seed)
				p.run(ctx)
				p.check(ctx)
				p.end(ctx)
			})
		})
		if !ok {
			t.Fatalf("seed %d", seed)
		}
	}
}
