package cluster_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/wire"
)

// question is a message; an ask if Reply is set.
type question struct {
	N     int
	Reply actor.Reply[int]
}

// word is another type of messages.
type word struct{ Text string }

// site is several nodes in one bubble, whose time goes by when all of them wait.
type site struct {
	t       *testing.T
	network *memory.Network
	store   *memory.Store
	types   *wire.Registry
	began   time.Time

	mu    sync.Mutex
	alone map[string]bool // Nodes that the store does not answer. Guarded by mu.
}

// member is a node of a site.
type member struct {
	*cluster.Node
	sys     *actor.System
	engine  *memory.Engine
	letters chan actor.DeadLetter
}

// bubble runs a test with a site.
func bubble(t *testing.T, test func(s *site)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network, err := memory.NewNetwork()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = network.Close() }()
		s := &site{t: t, network: network, store: memory.NewStore(), types: &wire.Registry{}, began: time.Now(), alone: map[string]bool{}}
		wire.Register[question]("question", wire.In(s.types))
		wire.Register[word]("word", wire.In(s.types))
		wire.Register[int]("int", wire.In(s.types))
		s.store.Inject(func(op memory.Op) memory.Fault {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.alone[op.Node] {
				return memory.Fault{Kind: memory.Refuse}
			}
			return memory.Fault{}
		})
		test(s)
	})
}

// setAlone says whether the store answers a node.
func (s *site) setAlone(node string, yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alone[node] = yes
}

// system returns a system, which stops at the end.
func (s *site) system(note chan actor.DeadLetter) *actor.System {
	s.t.Helper()
	sys, err := actor.NewSystem(actor.Config{Workers: 2, AskTimeout: -1, OnDeadLetter: func(d actor.DeadLetter) {
		select {
		case note <- d:
		default:
		}
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := sys.Stop(context.Background()); err != nil {
			s.t.Error(err)
		}
	})
	return sys
}

func (s *site) config(name string) cluster.Config {
	return cluster.WithClock(cluster.Config{Name: name, Registry: s.types}, func() time.Duration { return time.Since(s.began) })
}

// join adds a node, which leaves at the end.
func (s *site) join(name string, change ...func(*cluster.Config)) member {
	s.t.Helper()
	m := member{letters: make(chan actor.DeadLetter, 1024)}
	m.sys = s.system(m.letters)
	m.engine = s.store.Engine(name, s.network.Bus(name))
	cfg := s.config(name)
	for _, f := range change {
		f(&cfg)
	}
	var err error
	if m.Node, err = cluster.Join(s.limit(), m.sys, m.engine, cfg); err != nil {
		s.t.Fatal(err)
	}
	s.leaveAtEnd(m.Node)
	return m
}

func (s *site) leaveAtEnd(n *cluster.Node) {
	s.t.Cleanup(func() {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		_ = n.Leave(over) // Some tests have left, or have cut the node off.
		<-n.Done()
	})
}

// limit returns a context that ends a test that hangs: nothing here takes an hour of the bubble's time.
func (s *site) limit() context.Context {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	s.t.Cleanup(cancel)
	return ctx
}

func (s *site) noErr(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// wantErr wants an error that is each of the given ones.
func (s *site) wantErr(err error, want ...error) {
	s.t.Helper()
	for _, w := range want {
		if !errors.Is(err, w) {
			s.t.Errorf("the error is %v; want %v", err, w)
		}
	}
}

// adder answers questions by what they ask for and one more.
func adder(ctx *actor.Context[question], q question) error { return q.Reply.Send(ctx, q.N+1) }

func spawn[M any](s *site, m member, h func(*actor.Context[M], M) error) actor.Ref[M] {
	s.t.Helper()
	ref, err := actor.Spawn(m.sys, actor.Func(h))
	s.noErr(err)
	return ref
}

func ask(ctx context.Context, ref actor.Ref[question], n int) (int, error) {
	return actor.Ask(ctx, ref, func(r actor.Reply[int]) question { return question{n, r} })
}

func await[T any](s *site, from <-chan T) (v T) {
	s.t.Helper()
	select {
	case v = <-from:
	case <-time.After(time.Hour):
		s.t.Fatal("nothing has come for an hour")
	}
	return v
}

// events returns a channel with what a node sees.
func (s *site) events(m member) <-chan cluster.Event {
	events := make(chan cluster.Event, 64)
	go func() {
		defer close(events)
		for e := range m.Events(context.Background()) {
			events <- e
		}
	}()
	return events
}

// until returns the next event of a kind about a node.
func (s *site) until(events <-chan cluster.Event, kind cluster.Kind, node string) cluster.Event {
	s.t.Helper()
	for {
		if e := await(s, events); e.Kind == kind && e.Member.Name == node {
			return e
		}
	}
}
