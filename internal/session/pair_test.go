package session_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/session"
)

// pair is two nodes whose frames a test carries by hand, in a time of its own.
type pair struct {
	t     testing.TB
	now   time.Time
	nodes [2]*node
}

// node is one of them.
type node struct {
	pair        *pair
	i           int
	self        session.Node
	end         *session.End
	s           *session.Session // The latest.
	all         []*session.Session
	got         []got
	unconfirmed []got
	ended       []error
	forged      map[session.Lane]uint64 // The last number of forge.
	full        map[uint64]bool
	deliver     func(s *session.Session, m *session.Message) session.Verdict
}

// got is a message as it was delivered or handed back.
type got struct {
	session.Message
	text string
	err  error
}

func newPair(t testing.TB, change func(cfg *session.Config)) *pair {
	t.Helper()
	p := &pair{t: t, now: time.Unix(1000, 0)}
	network, err := memory.NewNetwork()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"a", "b"} {
		n := &node{pair: p, i: i, self: session.Node{Name: name, Birth: uint64(7 + i)}, full: map[uint64]bool{}}
		cfg := session.Config{
			Bus: network.Bus(name), Self: n.self, Offer: []byte("offer of " + name),
			Deliver: func(s *session.Session, m *session.Message) session.Verdict {
				if n.deliver != nil {
					return n.deliver(s, m)
				}
				return n.take(m)
			},
			Unconfirmed: func(_ *session.Session, m *session.Message, err error) {
				n.unconfirmed = append(n.unconfirmed, copyOf(m, err))
			},
			Ended: func(_ *session.Session, err error) { n.ended = append(n.ended, err) },
		}
		if change != nil {
			change(&cfg)
		}
		n.end, err = session.NewManual(cfg, func() time.Time { return p.now })
		if err != nil {
			t.Fatal(err)
		}
		p.nodes[i] = n
	}
	return p
}

func copyOf(m *session.Message, err error) got {
	c := got{*m, string(m.Payload), err}
	c.Payload, c.Values, c.Chain = nil, slices.Clone(m.Values), slices.Clone(m.Chain)
	return c
}

func (n *node) take(m *session.Message) session.Verdict {
	if n.full[m.Target] {
		return session.Full
	}
	n.got = append(n.got, copyOf(m, nil))
	return session.Taken
}

func (n *node) other() *node { return n.pair.nodes[1-n.i] }

// open has the node begin a session.
func (n *node) open() *session.Session {
	n.pair.t.Helper()
	s, err := n.end.Open(n.other().self)
	if err != nil {
		n.pair.t.Fatal(err)
	}
	n.s = s
	return s
}

// frames takes all frames that the node has to send now.
func (n *node) frames() [][]byte {
	var all [][]byte
	for _, s := range n.end.Sessions() {
		n.s = s
		for _, class := range []engine.Class{engine.Urgent, engine.Bulk} {
			for frame, _ := s.NextFrame(class); frame != nil; frame, _ = s.NextFrame(class) {
				all = append(all, frame)
			}
		}
	}
	return all
}

// settle carries frames until both sides have none, the clock standing still.
func (p *pair) settle() {
	for {
		a, b := p.nodes[0].frames(), p.nodes[1].frames()
		if len(a)+len(b) == 0 {
			return
		}
		for _, frame := range a {
			p.nodes[1].end.Receive(frame)
		}
		for _, frame := range b {
			p.nodes[0].end.Receive(frame)
		}
	}
}

// pass lets time pass, in which frames are carried, or lost.
func (p *pair) pass(d time.Duration, carry bool) {
	for end := p.now.Add(d); p.now.Before(end); {
		if p.now = p.now.Add(time.Millisecond * 5); p.now.After(end) {
			p.now = end
		}
		for _, n := range p.nodes {
			for _, s := range n.end.Sessions() {
				s.Tick(p.now)
			}
		}
		if carry {
			p.settle()
			continue
		}
		for _, n := range p.nodes {
			n.frames()
		}
	}
}

// joined returns two nodes with a session that is ready on both sides.
func joined(t testing.TB, change func(cfg *session.Config)) (p *pair, a, b *node) {
	t.Helper()
	p = newPair(t, change)
	a, b = p.nodes[0], p.nodes[1]
	a.open()
	p.settle()
	if !a.s.IsReady() || b.s == nil || !b.s.IsReady() {
		t.Fatal("the handshake is not over")
	}
	p.pass(20*time.Millisecond, true)
	return p, a, b
}

func text(s string) func([]byte) ([]byte, error) {
	return func(dst []byte) ([]byte, error) { return append(dst, s...), nil }
}

func tell(lane session.Lane, target uint64) session.Message {
	return session.Message{Kind: session.Tell, Lane: lane, Target: target}
}

// send sends a message that must be taken at once.
func (n *node) send(m session.Message, s string) {
	n.pair.t.Helper()
	if err := n.s.TrySend(m, text(s)); err != nil {
		n.pair.t.Fatal(err)
	}
}

// texts returns what has come.
func (n *node) texts() []string {
	var all []string
	for _, g := range n.got {
		all = append(all, g.text)
	}
	return all
}

func expect[T comparable](t testing.TB, what string, have, want T) {
	t.Helper()
	if have != want {
		t.Errorf("%s: have %v, want %v", what, have, want)
	}
}

func expectErr(t testing.TB, have, want error) {
	t.Helper()
	if !errors.Is(have, want) {
		t.Fatalf("have the error %v, want %v", have, want)
	}
}
