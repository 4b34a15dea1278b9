package actor_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/simtest"
)

// Trees of asks: random programs of actors that ask each other, one by one or several
// at once, hand replies on, fail, die, are killed, say nothing, or are too slow, each
// ask with a deadline of its own and some of them cancelled. A simple model says what
// may become of an ask.

// finale is what a handler does when it has asked all that it was told to ask.
type lastStep int

const (
	replies lastStep = iota
	failsReply
	handsOn // To another actor, which then does as it was told.
	saysNothing
	returnsError
	repliesTwice
	cancels // The request that it works for.
	kills   // Another actor, or itself.
	numDeeds
)

// way is how a handler asks.
type way int

const (
	oneByOne way = iota
	allAtOnce
	someAtOnce
	numWays
)

// nestedCall is one ask: to whom, for how long, and what is done there.
type nestedCall struct {
	id          int
	to          int
	limit       time.Duration // 0 for none of its own.
	asks        []*nestedCall
	way         way
	ghostAction lastStep
	other       int // Of handsOn and kills.
	pause       time.Duration
	above       *nestedCall
	request     *request

	// The fate of the call.
	began    bool
	made     time.Time
	stale    bool      // Its context had ended before.
	due      time.Time // Of the context with which it was asked.
	ctx      context.Context
	cut      bool // Its handler had no deadline any more, before the asker went on.
	ended    int
	err      error
	accepted []error // The replies that were sent and taken: nil for an answer, or the error.
}

type request struct {
	cancel context.CancelCauseFunc
	gone   bool
}

var (
	errGone   = errors.New("the request is cancelled")
	errFailed = errors.New("failed as it was told")
)

// nestedOrder is the message of a call.
type nestedOrder struct {
	call  *nestedCall
	moved bool
	reply actor.Reply[int]
}

// nest is one random program.
type nestedProgram struct {
	s      *simtest.Sim
	sys    *actor.System
	nodes  []actor.Ref[nestedOrder]
	silent actor.Ref[question]
	calls  []*nestedCall
	late   uint64
	killed map[actor.PID]bool
}

func TestNestedAsks(t *testing.T) {
	lane.Short(t)
	simtest.Run(t, simtest.Config{Schedules: 300}, func(s *simtest.Sim) {
		n := &nestedProgram{s: s, sys: s.System(actor.Config{}), killed: map[actor.PID]bool{}}
		modes := []actor.Reentrancy{actor.NoReentrancy, actor.NoReentrancy, actor.CallChainReentrancy, actor.FullReentrancy}
		for i := range 6 {
			n.nodes = append(n.nodes, spawn(s, n.sys, n.handle, actor.WithName(fmt.Sprint("node", i)),
				actor.WithCapacity(actor.Data, 1+s.Rand().IntN(3)), actor.WithReentrancy(modes[s.Rand().IntN(len(modes))])))
		}
		n.silent = spawn(s, n.sys, func(*actor.Context[question], question) error { return nil })
		for range 1 + s.Rand().IntN(4) {
			r := &request{}
			root := n.grow(s.Rand(), r, nil, 0)
			root.limit = time.Duration(1+s.Rand().IntN(50)) * time.Millisecond
			client := spawn(s, n.sys, func(c *actor.Context[int], _ int) error {
				ctx, cancel := context.WithCancelCause(c)
				defer cancel(nil)
				r.cancel = cancel
				n.ask(ctx, root)
				return nil
			})
			send(s, s.Context(), client, 1)
		}
		for s.RunUntilIdle(); s.AdvanceToNext(time.Second); s.RunUntilIdle() {
			continue
		}
		n.check()
	})
}

// grow makes a random tree of calls.
func (n *nestedProgram) grow(random *rand.Rand, r *request, above *nestedCall, depth int) *nestedCall {
	c := &nestedCall{id: len(n.calls) + 1, to: random.IntN(len(n.nodes)), above: above, request: r}
	n.calls = append(n.calls, c)
	if random.IntN(3) == 0 {
		c.limit = time.Duration(1+random.IntN(20)) * time.Millisecond
	}
	if random.IntN(3) == 0 {
		c.pause = time.Duration(1+random.IntN(10)) * time.Millisecond
	}
	c.way, c.other = way(random.IntN(int(numWays))), random.IntN(len(n.nodes))
	if random.IntN(2) == 0 {
		c.ghostAction = lastStep(random.IntN(int(numDeeds)))
	}
	for range random.IntN(4 - depth) {
		c.asks = append(c.asks, n.grow(random, r, c, depth+1))
	}
	return c
}

func message(c *nestedCall) func(actor.Reply[int]) nestedOrder {
	return func(r actor.Reply[int]) nestedOrder { return nestedOrder{call: c, reply: r} }
}

// begin notes that a call is made with the context.
func (n *nestedProgram) begin(ctx context.Context, c *nestedCall) {
	c.began, c.made, c.ctx, c.stale = true, n.s.Now(), ctx, ctx.Err() != nil
	c.due, _ = ctx.Deadline()
}

// ask makes one call.
func (n *nestedProgram) ask(ctx context.Context, c *nestedCall) {
	if c.limit > 0 {
		limited, cancel := context.WithTimeout(ctx, c.limit)
		defer cancel()
		ctx = limited
	}
	n.begin(ctx, c)
	v, err := actor.Ask(ctx, n.nodes[c.to], message(c))
	n.end(c, v, err)
}

// gather makes several at once, with one deadline.
func (n *nestedProgram) gather(ctx context.Context, asks []*nestedCall) {
	queries, answers := make([]actor.Query, len(asks)), make([]actor.Answer[int], len(asks))
	for i, c := range asks {
		n.begin(ctx, c)
		queries[i] = actor.Into(&answers[i], n.nodes[c.to], message(c))
	}
	_ = actor.Gather(ctx, queries...)
	for i, a := range answers {
		n.end(asks[i], a.Value, a.Err)
	}
}

// quorum makes several asks at once. One of them has to be answered.
func (n *nestedProgram) quorum(ctx context.Context, asks []*nestedCall) {
	var refs []actor.Ref[nestedOrder]
	for _, c := range asks {
		n.begin(ctx, c)
		refs = append(refs, n.nodes[c.to])
	}
	asked := 0
	answers, err := actor.AskQuorum(ctx, refs, 1, func(r actor.Reply[int]) nestedOrder {
		asked++
		return nestedOrder{call: asks[asked-1], reply: r}
	})
	good := 0
	for i, a := range answers {
		if n.end(asks[i], a.Value, a.Err); a.Err == nil {
			good++
		}
	}
	if good > 0 != (err == nil) {
		n.s.Errorf("a quorum with %d answers returned %v", good, err)
	}
}

// handle does as it was told.
func (n *nestedProgram) handle(x *actor.Context[nestedOrder], m nestedOrder) error {
	c := m.call
	if m.moved {
		return n.reply(x, c, m.reply, nil)
	}
	n.looks(x, c)
	switch {
	case c.way == allAtOnce:
		n.gather(x, c.asks)
	case c.way == someAtOnce && !slices.ContainsFunc(c.asks, func(a *nestedCall) bool { return n.nodes[a.to].PID() == x.PID() }):
		n.quorum(x, c.asks)
	default:
		for _, a := range c.asks {
			n.ask(x, a)
			n.looks(x, c)
		}
	}
	n.looks(x, c)
	if c.pause > 0 {
		limited, cancel := context.WithTimeout(x, c.pause)
		_, _ = actor.Ask(limited, n.silent, asking(0))
		cancel()
		n.looks(x, c)
	}
	switch c.ghostAction {
	case failsReply:
		return n.reply(x, c, m.reply, errFailed)
	case handsOn:
		m.moved = true
		if err := n.nodes[c.other].Send(x, m); err != nil {
			return nil //nolint:nilerr // Then nobody answers.
		}
		return nil
	case saysNothing:
		return nil
	case returnsError:
		return errFailed
	case cancels:
		c.request.gone = true
		c.request.cancel(errGone)
		n.looks(x, c)
	case kills:
		n.killed[n.nodes[c.other].PID()] = true
		wantNoErr(n.s, n.nodes[c.other].Kill())
	case repliesTwice:
		if err := n.reply(x, c, m.reply, nil); err != nil {
			return err
		}
	}
	return n.reply(x, c, m.reply, nil)
}

// reply sends an answer, or the error, and counts what comes too late.
func (n *nestedProgram) reply(x *actor.Context[nestedOrder], c *nestedCall, r actor.Reply[int], failure error) error {
	open := c.ended == 0
	var err error
	if failure == nil {
		err = r.Send(x, c.id)
	} else {
		err = r.Fail(x, failure)
	}
	switch {
	case err == nil:
		if c.accepted = append(c.accepted, failure); !open {
			n.s.Errorf("call %d was answered after it had ended by %v", c.id, c.err)
		}
	case errors.Is(err, actor.ErrLateReply):
		n.late++
	case errors.Is(err, actor.ErrReplied), errors.Is(err, actor.ErrFenced):
	default:
		n.s.Errorf("a reply to call %d returned %v", c.id, err)
	}
	return nil
}
