package journal_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
	"github.com/troupe-go/troupe/supervise"
)

// added is the event of a counter, and other one that its set does not have.
type (
	added struct{ N int }
	other struct{ N int }
)

// call has a counter do something, and is answered when that returns nil.
type call struct {
	do    func(ctx *callContext, c *counter) error
	reply actor.Reply[int]
}

type callContext = journal.Context[call, any]

// counter keeps the sum of what was added.
type counter struct {
	self     *journal.Self
	total    int
	replayed int // How many events were applied before the first message.
	restored bool
}

func (c *counter) Apply(e any) {
	c.total += e.(added).N
	if c.self.Replaying() {
		c.replayed++
	}
}

func (c *counter) Receive(ctx *callContext, m call) error {
	if err := m.do(ctx, c); err != nil {
		return err
	}
	return m.reply.Send(ctx, c.total)
}

func (c *counter) Snapshot() (int, error) { return c.total, nil }

func (c *counter) Restore(total int) error {
	c.total, c.restored = total, true
	return nil
}

var numbers = journal.Events[any](journal.Event[added]("added"))

func newCounter(self *journal.Self) journal.Behaviour[call, any] { return &counter{self: self} }

// add returns a call that adds a number.
func add(n int) func(ctx *callContext, c *counter) error {
	return func(ctx *callContext, _ *counter) error { return ctx.Persist(added{n}) }
}

func look(*callContext, *counter) error { return nil }

// bench has a store, and supervised counters on it.
type bench struct {
	*testing.T
	ctx  context.Context
	j    *journal.Journal
	kind *journal.Kind[call, any]
	sys  *actor.System
	sup  *supervise.Supervisor
}

func newBench(t *testing.T, store journal.Store, change ...func(cfg *journal.Config[call, any])) *bench {
	t.Helper()
	sys, err := actor.NewSystem(actor.Config{Workers: 2, MaxSpares: -1})
	if err != nil {
		t.Fatal(err)
	}
	patience.StopAtEnd(t, sys)
	sup, err := supervise.Start(sys, supervise.Config{Intensity: 1000, Period: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, ctx: patience.Context(t), j: journal.New(store), sys: sys, sup: sup}
	cfg := journal.Config[call, any]{Journal: b.j, Events: numbers, New: newCounter, Stream: "counter/"}
	for _, f := range change {
		f(&cfg)
	}
	if b.kind, err = journal.Actor(cfg); err != nil {
		t.Fatal(err)
	}
	return b
}

// spawn starts a supervised counter.
func (b *bench) spawn(id string) actor.Ref[call] {
	b.Helper()
	ref, err := supervise.Spawn(b.ctx, b.sup, supervise.Child[call]{New: b.kind.For(id)})
	if err != nil {
		b.Fatal(err)
	}
	return ref
}

// ask has a counter do something, and returns its total.
func (b *bench) ask(ref actor.Ref[call], do func(ctx *callContext, c *counter) error) (int, error) {
	return actor.Ask(b.ctx, ref, func(r actor.Reply[int]) call { return call{do, r} })
}

// total fails unless the counter has the total after it has done something.
func (b *bench) total(ref actor.Ref[call], do func(ctx *callContext, c *counter) error, want int) {
	b.Helper()
	if got, err := b.ask(ref, do); err != nil || got != want {
		b.Errorf("the total is %d, want %d (%v)", got, want, err)
	}
}

// fails fails unless the counter fails with the reason.
func (b *bench) fails(ref actor.Ref[call], do func(ctx *callContext, c *counter) error, want error) {
	b.Helper()
	if _, err := b.ask(ref, do); !errors.Is(err, want) || !errors.Is(err, actor.ErrNoReply) {
		b.Errorf("the handler ends with %v, want %v", err, want)
	}
}

// gated is a store whose commits wait until they are let go.
type gated struct {
	*memory.Store
	begun chan int // The size of each batch.
	let   chan struct{}

	mu      sync.Mutex
	streams [][]string // Of each batch.
}

func newGated() *gated {
	return &gated{Store: memory.New(), begun: make(chan int, 1000), let: make(chan struct{}, 1000)}
}

func (g *gated) Append(ctx context.Context, batch []*journal.Write) error {
	g.mu.Lock()
	var names []string
	for _, w := range batch {
		names = append(names, w.Stream)
	}
	g.streams = append(g.streams, names)
	g.mu.Unlock()
	g.begun <- len(batch)
	<-g.let
	return g.Store.Append(ctx, batch)
}

// event returns a write of one event.
func event(stream string, size int) *journal.Write {
	return &journal.Write{Stream: stream, Expected: journal.AnyVersion, Events: []journal.Encoded{{Type: "e", Schema: 1, Data: make([]byte, size)}}}
}

// awaitEnd waits until the counter has ended.
func (b *bench) awaitEnd(ref actor.Ref[call]) {
	b.Helper()
	select {
	case <-ref.Done():
	case <-b.ctx.Done():
		b.Fatal("the actor does not end")
	}
}
