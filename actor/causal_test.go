package actor_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/simtest"
)

// A causalProgram is a random program whose messages carry all that led to them: the messages that
// were sent before, and their receivers. An actor that handles a message knows from it which
// other messages it must have got before, or never, on the same lane.
type causalProgram struct {
	tb      testing.TB
	actors  []*causalActor
	mu      sync.Mutex // Of the rest; handlers run at the same time.
	random  *rand.Rand
	ids     int
	handled int
	bound   int // How many orders there were to be kept.
}

// place is a lane of an actor.
type place struct {
	actor int
	lane  actor.Lane
}

// past has the messages that were sent, by their places.
type past map[place]map[int]bool

func (p past) merge(other past) {
	for at, ids := range other {
		if p[at] == nil {
			p[at] = map[int]bool{}
		}
		maps.Copy(p[at], ids)
	}
}

func (p past) clone() past {
	c := past{}
	c.merge(p)
	return c
}

// causalMessage is a message of a causalProgram. Its value of the past is not changed.
type causalMessage struct {
	id, fuel int
	past     past
	reply    actor.Reply[past]
}

// causalActor is an actor of a causalProgram, across its incarnations.
type causalActor struct {
	*causalProgram
	id  int
	ref actor.Ref[causalMessage]

	mu   sync.Mutex // For a ghost and the next incarnation.
	past past
	seen map[int]bool
	due  [3]map[int]int // The messages that must have come before, each by the message that said so.
}

func newCausalProgram(tb testing.TB, sys *actor.System, random *rand.Rand) *causalProgram {
	g := &causalProgram{tb: tb, random: random}
	for i := range 4 {
		r := &causalActor{causalProgram: g, id: i, past: past{}, seen: map[int]bool{}}
		for l := range r.due {
			r.due[l] = map[int]int{}
		}
		g.actors = append(g.actors, r)
	}
	for _, r := range g.actors {
		r.spawn(sys)
	}
	return g
}

// spawn starts the actor, below a parent that restarts it.
func (r *causalActor) spawn(sys *actor.System) {
	opts := []actor.Option{actor.WithThroughput(1 + r.draw(4)), actor.WithName(fmt.Sprint("actor ", r.id))}
	for _, l := range lanes {
		b := actor.Buffer(r.draw(4))
		opts = append(opts, actor.WithBuffer(l, b))
		if b != actor.Unbounded {
			opts = append(opts, actor.WithCapacity(l, 1+r.draw(3)))
		}
	}
	if r.draw(3) == 0 {
		opts = append(opts, actor.WithReentrancy(actor.FullReentrancy))
	}
	started := make(chan actor.Ref[causalMessage], 1)
	spawnActor(r.tb, sys, actor.Actor[int](&keeping[int]{hooks[int]{
		started: func(c *actor.Context[int]) error {
			ref, err := actor.SpawnNew(c, func() actor.Actor[causalMessage] { return actor.Func(r.receive) }, opts...)
			started <- ref
			return err
		},
		exited: func(c *actor.Context[int], e actor.Exit) error { return c.Restart(e.PID) },
	}}))
	r.ref = receive(r.tb, guarded(r.tb), started)
}

func (g *causalProgram) draw(n int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.random.IntN(n)
}

func (r *causalActor) receive(c *actor.Context[causalMessage], m causalMessage) error {
	r.take(c.Lane(), m)
	for range r.draw(4) {
		if m.fuel > 0 {
			r.tell(c, m.fuel-1)
		}
	}
	_ = m.reply.Send(c, r.knows())
	switch r.draw(20) {
	case 0:
		return errHook
	case 1:
		// A killed handler that goes on must not kill the next incarnation: its handler may have been handed a message and not noted it yet.
		if c.Err() == nil {
			return r.ref.Kill()
		}
	}
	return nil
}

// take notes the message, and looks whether it comes in its order.
func (r *causalActor) take(l actor.Lane, m causalMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if by, ok := r.due[l][m.id]; ok {
		r.tb.Errorf("actor %d has message %d on %v after message %d, to which it led", r.id, m.id, l, by)
	}
	r.seen[m.id] = true
	orders := 0
	for id := range m.past[place{r.id, l}] {
		orders++
		if !r.seen[id] {
			r.due[l][id] = m.id
		}
	}
	r.past.merge(m.past)
	r.causalProgram.mu.Lock()
	defer r.causalProgram.mu.Unlock()
	r.handled++
	r.bound += orders
}

func (r *causalActor) knows() past {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.past.clone()
}

// learns adds what was sent, and what an answer tells.
func (r *causalActor) learns(at place, id int, more past) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.past.merge(past{at: {id: true}})
	r.past.merge(more)
}

// tell sends a message to somebody, in some way.
func (r *causalActor) tell(c *actor.Context[causalMessage], fuel int) {
	at := place{r.draw(len(r.actors)), actor.Lane(r.draw(len(lanes)))}
	to := r.actors[at.actor].ref.On(at.lane)
	m := causalMessage{id: r.next(), fuel: fuel, past: r.knows()}
	var err error
	var answer past
	switch r.draw(5) {
	case 0:
		err = to.TrySend(c, m)
	case 1:
		answer, err = actor.Ask(c, to, func(reply actor.Reply[past]) causalMessage { m.reply = reply; return m })
	case 2:
		_, _ = actor.SendAfter(c, time.Duration(r.draw(3))*time.Millisecond, to, m)
		return // It is sent later, by nobody who goes on from there.
	default:
		err = to.Send(c, m)
	}
	if err == nil {
		r.learns(at, m.id, answer)
	}
}

func (g *causalProgram) next() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ids++
	return g.ids
}

// begin sends the first messages, from outside.
func (g *causalProgram) begin(ctx context.Context, n, fuel int) {
	outside := past{}
	for range n {
		at := place{g.draw(len(g.actors)), actor.Lane(g.draw(len(lanes)))}
		m := causalMessage{id: g.next(), fuel: fuel, past: outside.clone()}
		if err := g.actors[at.actor].ref.On(at.lane).Send(ctx, m); err == nil {
			outside.merge(past{at: {m.id: true}})
		}
	}
}

// Suppose that a message was sent before something that led to another message. An actor that
// gets both on one lane gets the earlier one first. The test covers all ways between them:
// restarts and kills, lanes that are full or drop, and reentrant actors.
func TestCausalOrder(t *testing.T) {
	lane.Check(t)
	bound := 0
	simtest.Run(t, simtest.Config{Schedules: 300}, func(s *simtest.Sim) {
		g := newCausalProgram(s, s.System(actor.Config{}), s.Rand())
		g.begin(s.Context(), 12, 5)
		s.Advance(time.Second)
		bound += g.bound
	})
	if bound == 0 {
		t.Error("there were no orders to be kept")
	}
}

// The same on several threads.
func TestCausalOrderOnWorkers(t *testing.T) {
	for seed := range uint64(20) {
		ctx := guarded(t)
		sys := newSystem(t, actor.Config{Workers: 3})
		g := newCausalProgram(t, sys, rand.New(rand.NewPCG(seed, 1)))
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { g.begin(ctx, 20, 3) })
		}
		all.Wait()
		wantNoErr(t, sys.Stop(ctx))
		if g.handled == 0 {
			t.Error("nothing was handled")
		}
	}
}
