package session_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/session"
)

func TestFramesThatWereDamagedAreDroppedAndMended(t *testing.T) {
	p, a, b := joined(t, nil)
	a.send(tell(session.Data, 1), "intact")
	frame := a.frames()[0]
	damaged := 0
	for n := range frame {
		b.end.Receive(frame[:n])
		damaged++
		for bit := range 8 {
			changed := slices.Clone(frame)
			changed[n] ^= 1 << bit
			b.end.Receive(changed)
			damaged++
		}
	}
	for _, longer := range [][]byte{append(slices.Clone(frame), 0), make([]byte, session.MaxFrame+1), make([]byte, 1<<20)} {
		b.end.Receive(longer)
		damaged++
	}
	expect(t, "corrupt frames", b.end.Stats().Corrupt, uint64(damaged))
	expect(t, "messages", len(b.got), 0)
	p.pass(time.Second, true)
	if !slices.Equal(b.texts(), []string{"intact"}) {
		t.Errorf("have %q", b.texts())
	}
	expect(t, "ends", len(a.ended)+len(b.ended), 0)
}

func TestFramesForOthersAreCounted(t *testing.T) {
	p, a, b := joined(t, nil)
	a.send(tell(session.Data, 1), "x")
	frame := a.frames()[0]
	for _, change := range []func(from, to, epoch, theirs *uint64){
		func(_, to, _, _ *uint64) { *to++ },
		func(from, _, _, _ *uint64) { *from++ },
	} {
		b.end.Receive(session.Reframe(frame, change))
	}
	expect(t, "foreign frames", b.end.Stats().Foreign, 2)
	for _, change := range []func(from, to, epoch, theirs *uint64){
		func(_, _, epoch, _ *uint64) { *epoch++ },
		func(_, _, _, theirs *uint64) { *theirs++ },
		func(_, _, _, theirs *uint64) { *theirs = 0 },
	} {
		b.end.Receive(session.Reframe(frame, change))
	}
	expect(t, "stale frames", b.s.Stats().Stale, 3)
	expect(t, "messages", len(b.got), 0)
	b.end.Receive(frame)
	expect(t, "messages", len(b.got), 1)
	p.settle()
}

// TestAPeerThatBreaksTheProtocolEndsItsSessionAlone has the other side send what no session sends.
func TestAPeerThatBreaksTheProtocolEndsItsSessionAlone(t *testing.T) {
	tellOf := func(payload string) []byte {
		return (&session.Message{Kind: session.Tell, Target: 1}).Encode([]byte(payload))
	}
	part := strings.Repeat("x", session.MaxBody-4)
	for name, c := range map[string]struct {
		want string
		send func(p *pair, a, b *node)
	}{
		"an empty frame":             {"empty", func(_ *pair, _, b *node) { b.forge(session.Data, nil) }},
		"a length without its bytes": {"a fragment of", func(_ *pair, _, b *node) { b.forge(session.Data, session.Fragment(tellOf("x"), true)[:5]) }},
		"half a length":              {"ends within a length", func(_ *pair, _, b *node) { b.forge(session.Data, []byte{0, 0}) }},
		"an empty fragment":          {"is empty", func(_ *pair, _, b *node) { b.forge(session.Data, session.Fragment(nil, true)) }},
		"an unknown kind":            {"kind 77", func(_ *pair, _, b *node) { b.forge(session.Data, session.Fragment([]byte{77, 0, 0}, true)) }},
		"half a message":             {"ends", func(_ *pair, _, b *node) { b.forge(session.Data, session.Fragment(tellOf("")[:2], true)) }},
		"a long chain":               {"chain", func(_ *pair, _, b *node) { b.forge(session.Data, session.Fragment([]byte{2, 0, 0, 0, 0, 33}, true)) }},
		"an unknown command":         {"command", func(_ *pair, _, b *node) { b.forge(session.Data, session.Fragment([]byte{5, 0, 0, 0, 0, 9}, true)) }},
		"a second offer": {"of kind offer", func(_ *pair, _, b *node) {
			b.forge(session.Control, session.Fragment([]byte{12, 0, 0}, true))
		}},
		"an endless message": {"more than", func(_ *pair, _, b *node) {
			for range 512<<10/len(part) + 2 {
				b.forge(session.Data, session.Fragment([]byte(part), false))
			}
		}},
		"an acknowledgement of what was never sent": {"is acknowledged", func(_ *pair, a, b *node) {
			b.end.Receive(b.s.Forge(session.Control, 0, [3]uint64{1, 0, 1}, nil))
		}},
		"credits of nobody": {"it had 0 of 0 bytes", func(_ *pair, _, b *node) {
			b.forge(session.Control, session.Fragment(session.Credits(session.Data, 1, 1, 1), true))
		}},
		"credits that overflow": {"credits for 18446744073709551615", func(_ *pair, _, b *node) {
			b.send(tell(session.Data, 1), "x")
			b.forge(session.Control, session.Fragment(session.Credits(session.Data, 1, 1<<64-1, 1), true))
		}},
		"credits for no lane": {"lane 9", func(_ *pair, _, b *node) {
			b.forge(session.Control, session.Fragment(session.Credits(9, 1, 1, 1), true))
		}},
		"more than the credits": {"has not taken", func(_ *pair, _, b *node) {
			b.full[1] = true
			for range 257 {
				b.forge(session.Data, session.Fragment(tellOf("x"), true))
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p, a, b := joined(t, nil)
			other, err := b.end.Open(session.Node{Name: "c", Birth: 1})
			if err != nil {
				t.Fatal(err)
			}
			b.s = b.end.Sessions()[0]
			c.send(p, a, b)
			expect(t, "sessions that have ended", len(b.ended), 1)
			expectErr(t, b.s.Err(), session.ErrProtocol)
			if !strings.Contains(b.s.Err().Error(), c.want) {
				t.Errorf("the error is %q, without %q", b.s.Err(), c.want)
			}
			expectErr(t, other.Err(), nil)
			a.end.Receive(b.s.Farewell())
			expect(t, "ends of the other side", len(a.ended), 1)
		})
	}
}

// forge has a frame arrive at the node, with the next number of the lane.
func (n *node) forge(lane session.Lane, body []byte) {
	if n.forged == nil {
		n.forged = map[session.Lane]uint64{session.Control: n.s.Received(session.Control)}
	}
	n.forged[lane]++
	n.end.Receive(n.s.Forge(lane, n.forged[lane], [3]uint64{}, body))
}

func TestWronglyNumberedFramesChangeNothing(t *testing.T) {
	p, a, b := joined(t, nil)
	body := session.Fragment((&session.Message{Kind: session.Tell, Target: 1}).Encode([]byte("forged")), true)
	for _, number := range []uint64{2, 3, 1 << 40, 1<<64 - 1} {
		b.end.Receive(b.s.Forge(session.Data, number, [3]uint64{}, body))
	}
	expect(t, "messages", len(b.got), 0)
	expect(t, "gaps", b.s.Stats().Gaps, 4)
	a.send(tell(session.Data, 1), "real")
	p.settle()
	if !slices.Equal(b.texts(), []string{"real"}) {
		t.Errorf("have %q", b.texts())
	}
}

func TestAHelloThatFitsNobodyEndsTheSession(t *testing.T) {
	network, err := memory.NewNetwork()
	if err != nil {
		t.Fatal(err)
	}
	good := func() session.Config {
		return session.Config{Bus: network.Bus("a"), Self: session.Node{Name: "a", Birth: 1}, Deliver: func(*session.Session, *session.Message) session.Verdict { return session.Taken }}
	}
	for want, change := range map[string]func(*session.Config){
		"Config.Bus is nil":             func(c *session.Config) { c.Bus = nil },
		"Config.Deliver is nil":         func(c *session.Config) { c.Deliver = nil },
		`name is "a.b"`:                 func(c *session.Config) { c.Self.Name = "a.b" },
		`name is ""`:                    func(c *session.Config) { c.Self.Name = "" },
		`birth of node "a" is 0`:        func(c *session.Config) { c.Self.Birth = 0 },
		"Config.Offer has":              func(c *session.Config) { c.Offer = make([]byte, 4<<20+1) },
		"Config.Window is -1":           func(c *session.Config) { c.Window = -1 },
		"Config.Credits is 257":         func(c *session.Config) { c.Credits = 257 },
		"Config.MaxMessage is 600000":   func(c *session.Config) { c.MaxMessage = 600_000 },
		"Config.MaxMessage is 5":        func(c *session.Config) { c.MaxMessage = 5 },
		"Config.Unreachable is -1ns":    func(c *session.Config) { c.Unreachable = -1 },
		"Config.Resend is -1ns":         func(c *session.Config) { c.Resend = -1 },
		"Config.AckDelay is -1ns":       func(c *session.Config) { c.AckDelay = -1 },
		"Config.Heartbeat is 1m0s, and": func(c *session.Config) { c.Heartbeat = time.Minute },
	} {
		cfg := good()
		change(&cfg)
		if end, err := session.Listen(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("have the error %v, want %q", err, want)
			_ = end.Close(t.Context())
		}
	}
	end, err := session.Listen(good())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := end.Session(t.Context(), session.Node{Name: "a", Birth: 1}); err == nil || !strings.Contains(err.Error(), "is this node") {
		t.Errorf("a session with itself: %v", err)
	}
	if err := end.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = end.Session(t.Context(), session.Node{Name: "b", Birth: 1})
	expectErr(t, err, session.ErrClosed)
	if err := network.Close(); err != nil {
		t.Fatal(err)
	}
}

func FuzzReadFrame(f *testing.F) {
	_, a, _ := joined(f, nil)
	a.send(tell(session.Data, 1), "x")
	f.Add(a.frames()[0])
	f.Add([]byte{})
	f.Fuzz(func(_ *testing.T, data []byte) { _ = session.ReadFrame(data) })
}

func FuzzDecodeMessage(f *testing.F) {
	f.Add((&session.Message{Kind: session.Ask, Target: 1, Ask: 2, Left: 3, Chain: []uint64{4}, Values: []byte("v")}).Encode([]byte("p")))
	f.Add((&session.Message{Kind: session.Order, Command: session.Kill}).Encode(nil))
	f.Add((&session.Message{Kind: session.Exited}).Encode(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m, again session.Message
		if err := m.Decode(data); err != nil {
			expectErr(t, err, session.ErrProtocol)
			return
		}
		if err := again.Decode(m.Encode(m.Payload)); err != nil || again.Kind != m.Kind || again.Ask != m.Ask || string(again.Payload) != string(m.Payload) || !slices.Equal(again.Chain, m.Chain) {
			t.Errorf("%+v becomes %+v: %v", m, again, err)
		}
	})
}

// FuzzFrameBody has a session take any frame that has a right head and checksum.
func FuzzFrameBody(f *testing.F) {
	f.Add(byte(session.Data), session.Fragment((&session.Message{Kind: session.Tell, Target: 1}).Encode([]byte("x")), true))
	f.Add(byte(session.Control), session.Fragment(session.Credits(session.Data, 1, 1, 1), true))
	f.Fuzz(func(t *testing.T, lane byte, body []byte) {
		if len(body) > session.MaxBody {
			return
		}
		_, a, b := joined(t, nil)
		a.send(tell(session.Data, 1), "x")
		b.forge(session.Lane(lane%3), body)
		if err := b.s.Err(); err != nil && !errors.Is(err, session.ErrProtocol) && !errors.Is(err, session.ErrPeerClosed) {
			t.Error(err)
		}
	})
}

// FuzzHello has an end take any hello that has a right head and checksum.
func FuzzHello(f *testing.F) {
	p := newPair(f, nil)
	p.nodes[0].open()
	f.Add(p.nodes[0].frames()[0], uint64(0), uint64(1))
	f.Fuzz(func(t *testing.T, body []byte, theirs, epoch uint64) {
		if len(body) > session.MaxBody || epoch == 0 {
			return
		}
		p := newPair(t, nil)
		b := p.nodes[1]
		b.open()
		b.end.Receive(b.s.ForgeHello(epoch, theirs, body))
		if err := b.s.Err(); err != nil {
			expectErr(t, err, session.ErrProtocol)
		}
	})
}
