package entity_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/entity"
	"github.com/troupe-go/troupe/internal/kernel/standin"
	"github.com/troupe-go/troupe/internal/patience"
)

var (
	guarded = patience.Context
	ended   = patience.Ended
	until   = patience.Until
)

// nowhere carries nothing.
type nowhere struct{ standin.Carrier }

func valid() error { return nil }

func newSystem(tb testing.TB, cfg actor.Config) *actor.System {
	tb.Helper()
	sys, err := actor.NewSystem(cfg)
	wantNoErr(tb, err)
	patience.StopAtEnd(tb, sys)
	_, err = standin.Join(sys, standin.Node{Name: "a", Birth: 7}, nowhere{})
	wantNoErr(tb, err)
	return sys
}

// host starts a host of a fresh system.
func host(tb testing.TB, kinds ...entity.Registered) (*entity.Host, *actor.System) {
	tb.Helper()
	sys := newSystem(tb, actor.Config{})
	h, err := entity.StartOn(patience.Context(tb), sys, valid, entity.Kinds(kinds...))
	wantNoErr(tb, err)
	return h, sys
}

// command is a message of the tests: an ask if Reply is set.
type command struct {
	From, N int
	Reply   actor.Reply[int]
	Do      func(ctx *actor.Context[command]) error
}

// books has what the actors of a test have done.
type books struct {
	mu       sync.Mutex
	there    map[string]int // How many incarnations there are of an id.
	begun    map[string]int
	ended    map[string]int
	handled  map[string][]command
	problems []string
}

func newBooks() *books {
	return &books{there: map[string]int{}, begun: map[string]int{}, ended: map[string]int{}, handled: map[string][]command{}}
}

// clerk is an actor that keeps the books.
type clerk struct {
	b  *books
	id string
	n  int
}

func (b *books) kind(cfg entity.Config[command]) *entity.Kind[command] {
	cfg.New = b.make
	return entity.Register("clerk", cfg)
}

func (b *books) make(id string) func() actor.Actor[command] {
	return func() actor.Actor[command] { return &clerk{b: b, id: id} }
}

func (c *clerk) Started(*actor.Context[command]) error {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	c.b.begun[c.id]++
	if c.b.there[c.id]++; c.b.there[c.id] > 1 {
		c.b.problems = append(c.b.problems, "two activations of "+c.id)
	}
	return nil
}

func (c *clerk) Stopped(*actor.Context[command], error) {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	c.b.ended[c.id]++
	c.b.there[c.id]--
}

func (c *clerk) Receive(ctx *actor.Context[command], m command) error {
	c.n++
	c.b.mu.Lock()
	c.b.handled[c.id] = append(c.b.handled[c.id], command{From: m.From, N: m.N})
	c.b.mu.Unlock()
	if m.Do != nil {
		if err := m.Do(ctx); err != nil {
			return err
		}
	}
	if m.Reply != (actor.Reply[int]{}) {
		return m.Reply.Send(ctx, c.n)
	}
	return nil
}

// count returns how many incarnations of an id have begun and ended.
func (b *books) count(id string) (begun, ended int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.begun[id], b.ended[id]
}

func (b *books) got(id string) []command {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]command(nil), b.handled[id]...)
}

// check says what is wrong in the books: each of the sent messages is to be handled once, in the order of its sender.
func (b *books) check(tb testing.TB, id string, sent map[int]int) {
	tb.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		tb.Error(p)
	}
	last := map[int]int{}
	for _, m := range b.handled[id] {
		if m.N != last[m.From]+1 {
			tb.Errorf("%s has handled message %d of sender %d after its message %d", id, m.N, m.From, last[m.From])
		}
		last[m.From] = m.N
	}
	for from, n := range sent {
		if last[from] != n {
			tb.Errorf("%s has handled %d of %d messages of sender %d", id, last[from], n, from)
		}
	}
}

func ask(ctx context.Context, ref actor.Ref[command]) (int, error) {
	return actor.Ask(ctx, ref, func(r actor.Reply[int]) command { return command{Reply: r} })
}

func wantAnswer(tb testing.TB, ctx context.Context, ref actor.Ref[command], want int) {
	tb.Helper()
	got, err := ask(ctx, ref)
	wantNoErr(tb, err)
	if got != want {
		tb.Fatalf("the answer is %d, and was to be %d", got, want)
	}
}

func wantNoErr(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func wantErr(tb testing.TB, got, want error) {
	tb.Helper()
	if !errors.Is(got, want) {
		tb.Fatalf("got error %v, want one that wraps %v", got, want)
	}
}

// soon is an Idle that a test waits for.
const soon = 10 * time.Millisecond
