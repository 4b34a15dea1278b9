package session_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/session"
)

func TestMessagesOfEachKindCross(t *testing.T) {
	p, a, b := joined(t, nil)
	chain := make([]uint64, 32)
	for i := range chain {
		chain[i] = uint64(i) << 30
	}
	all := []session.Message{
		{Kind: session.Tell, Lane: session.Data, Target: 1, Sender: 2},
		{Kind: session.Ask, Lane: session.Data, Target: 1 << 40, Ask: 3, Left: 4 * time.Second, Chain: chain, Values: []byte("values")},
		{Kind: session.Reply, Lane: session.Data, Target: 3, Failed: true},
		{Kind: session.Cancel, Lane: session.Data, Target: 1, Ask: 9},
		{Kind: session.Order, Lane: session.Data, Target: 1, Ask: 10, Left: time.Second, Command: session.Drain},
		{Kind: session.Watch, Lane: session.Data, Target: 1},
		{Kind: session.Unwatch, Lane: session.Data, Target: 1},
		{Kind: session.Ping, Lane: session.Data, Ask: 11},
		{Kind: session.Pong, Lane: session.Data, Ask: 11},
	}
	for i, m := range all {
		a.send(m, fmt.Sprint("payload ", i))
	}
	p.settle()
	if len(b.got) != len(all) {
		t.Fatalf("%d messages have come, of %d", len(b.got), len(all))
	}
	for i, g := range b.got {
		expect(t, "payload", g.text, fmt.Sprint("payload ", i))
		if len(g.Chain) == 0 {
			g.Chain = nil
		}
		if len(g.Values) == 0 {
			g.Values = nil
		}
		if !reflect.DeepEqual(g.Message, all[i]) {
			t.Errorf("have %+v, want %+v", g.Message, all[i])
		}
	}
}

func TestSmallMessagesShareAFrameAndLargeOnesAreCut(t *testing.T) {
	p, a, b := joined(t, nil)
	var want []string
	for i := range 100 {
		want = append(want, fmt.Sprint("small ", i))
		a.send(tell(session.Data, uint64(i)), want[i])
	}
	frames := a.frames()
	expect(t, "frames of 100 small messages", len(frames), 1)
	b.end.Receive(frames[0])
	large := strings.Repeat("0123456789abcdef", 512<<6-2)
	for _, s := range []string{large, "after", large[:200<<10]} {
		want = append(want, s)
		a.send(tell(session.Data, 1), s)
		p.pass(20*time.Millisecond, true)
	}
	if !slices.Equal(b.texts(), want) {
		t.Errorf("%d messages have come, of %d, or they differ", len(b.got), len(want))
	}
	err := a.s.TrySend(tell(session.Data, 1), text(strings.Repeat("x", 512<<10)))
	expectErr(t, err, session.ErrTooLarge)
	p.pass(time.Second, true)
	st := a.s.Stats()
	expect(t, "unacknowledged bytes", st.Unacknowledged[session.Data], 0)
	expect(t, "targets", st.Targets, 0)
}

func TestASendThatFailsChangesNothing(t *testing.T) {
	p, a, b := joined(t, nil)
	a.send(tell(session.Data, 1), "before")
	broken := errors.New("broken")
	expectErr(t, a.s.TrySend(tell(session.Data, 1), func(dst []byte) ([]byte, error) { return append(dst, "half"...), broken }), broken)
	expectErr(t, a.s.TrySend(tell(session.Data, 1), func([]byte) ([]byte, error) { return nil, nil }), session.ErrMessage)
	for _, m := range []session.Message{{}, {Kind: 99}, {Kind: session.Tell, Lane: 3}, {Kind: session.Order}, {Kind: session.Ask, Left: -1},
		{Kind: session.Ask, Chain: make([]uint64, 33)}, {Kind: session.Tell, Payload: []byte("x")}} {
		expectErr(t, a.s.TrySend(m, nil), session.ErrMessage)
	}
	func() {
		defer func() { expect(t, "panic", recover(), any("encoder")) }()
		_ = a.s.TrySend(tell(session.Data, 1), func([]byte) ([]byte, error) { panic("encoder") })
	}()
	a.send(tell(session.Data, 1), "after")
	p.settle()
	if want := []string{"before", "after"}; !slices.Equal(b.texts(), want) {
		t.Errorf("have %q, want %q", b.texts(), want)
	}
}

func TestATargetThatIsFullStopsItsOwnSendersAlone(t *testing.T) {
	p, a, b := joined(t, nil)
	b.full[1] = true
	for i := range 256 {
		a.send(tell(session.Data, 1), fmt.Sprint(i))
		p.settle()
	}
	expectErr(t, a.s.TrySend(tell(session.Data, 1), nil), session.ErrFull)
	p.pass(time.Second, true) // All is acknowledged, and still nothing is taken.
	expectErr(t, a.s.TrySend(tell(session.Data, 1), nil), session.ErrFull)
	a.send(tell(session.Data, 2), "another target")
	a.send(tell(session.Control, 1), "another lane") // Of the target; it is full, too.
	a.send(session.Message{Kind: session.Reply, Lane: session.Data, Target: 1}, "a reply")
	p.settle()
	if want := []string{"another target"}; !slices.Equal(b.texts(), want) {
		t.Errorf("have %q, want %q", b.texts(), want)
	}
	expect(t, "refused replies", b.s.Stats().Refused, 1) // It waits for nobody.
	b.got, b.full[1] = nil, false
	b.s.Ready(1, session.Data)
	expect(t, "messages after Ready", len(b.got), 256)
	for i, g := range b.got {
		if g.text != fmt.Sprint(i) {
			t.Fatalf("message %d is %q", i, g.text)
		}
	}
	b.s.Ready(1, session.Control)
	expect(t, "messages of Control after Ready", len(b.got), 257)
	p.pass(time.Second, true)
	expect(t, "targets that owe", a.s.Stats().Targets, 0)
	a.send(tell(session.Data, 1), "again")
}

func TestReadyDuringADeliveryIsNotLost(t *testing.T) {
	p, a, b := joined(t, nil)
	tries := 0
	b.deliver = func(s *session.Session, m *session.Message) session.Verdict {
		if tries++; tries == 1 {
			s.Ready(m.Target, m.Lane)
			return session.Full
		}
		return b.take(m)
	}
	a.send(tell(session.Data, 1), "once")
	p.settle()
	expect(t, "deliveries", len(b.got), 1)
	tries = 0
	a.send(tell(session.Data, 1), "twice")
	p.settle()
	expect(t, "deliveries", len(b.got), 2)
}

func TestALaneHasAWindow(t *testing.T) {
	_, a, _ := joined(t, nil)
	sent := 0
	for ; ; sent++ {
		if err := a.s.TrySend(tell(session.Data, uint64(sent)), text(strings.Repeat("x", 1000))); err != nil {
			expectErr(t, err, session.ErrFull)
			break
		}
	}
	if sent < 256 || sent > 263 {
		t.Errorf("%d messages of 1,000 bytes fit into a window of 256 KiB", sent)
	}
	a.frames() // They are lost.
	expectErr(t, a.s.TrySend(tell(session.Data, 1<<20), nil), session.ErrFull)
	a.send(tell(session.Management, 1), "another lane")
	a.send(tell(session.Control, 1), "another lane")
}

func TestControlIsNeverBehindData(t *testing.T) {
	p, a, b := joined(t, nil)
	for i := 0; a.s.TrySend(tell(session.Data, uint64(i)), text(strings.Repeat("x", 1000))) == nil; i++ {
	}
	a.send(tell(session.Management, 1), "management")
	a.send(tell(session.Control, 1), "control")
	frame, lane := a.s.NextFrame(engine.Urgent)
	expect(t, "lane of the next urgent frame", lane, session.Control)
	b.end.Receive(frame)
	frame, lane = a.s.NextFrame(engine.Bulk)
	expect(t, "lane of the next bulk frame", lane, session.Management)
	b.end.Receive(frame)
	if want := []string{"control", "management"}; !slices.Equal(b.texts(), want) {
		t.Errorf("have %q, want %q", b.texts(), want)
	}
	p.settle()
}

func TestNothingIsAcknowledgedBeforeItIsDelivered(t *testing.T) {
	p, a, b := joined(t, nil)
	a.send(tell(session.Data, 1), "x")
	frames := a.frames()
	sent, _ := session.NumberOf(frames[0])
	early := false
	b.deliver = func(s *session.Session, m *session.Message) session.Verdict {
		if err := s.TrySend(tell(session.Data, 5), text("while it is delivered")); err != nil {
			t.Error(err)
		}
		frame, _ := s.NextFrame(engine.Bulk)
		_, acks := session.NumberOf(frame)
		early = acks[session.Data] >= sent
		return b.take(m)
	}
	b.end.Receive(frames[0])
	if early || len(b.got) != 1 {
		t.Errorf("a message was acknowledged while it was delivered, or has not come: %v, %d", early, len(b.got))
	}
	p.settle()
}

func TestLostFramesAreSentAgainAndDoubledOnesAreDropped(t *testing.T) {
	p, a, b := joined(t, nil)
	var want []string
	for i := range 40 {
		want = append(want, fmt.Sprint(i))
		a.send(tell(session.Data, uint64(i)), want[i])
		for _, frame := range a.frames() {
			if i%5 != 2 { // Every fifth one is lost.
				b.end.Receive(frame)
				b.end.Receive(frame)
			}
		}
	}
	p.pass(time.Second, true)
	if !slices.Equal(b.texts(), want) {
		t.Errorf("have %q, want %q", b.texts(), want)
	}
	st := b.s.Stats()
	if st.Duplicates == 0 || st.Gaps == 0 || a.s.Stats().Resent == 0 {
		t.Errorf("nothing is counted: %+v", st)
	}
}

func TestAGapIsMendedWithoutWaitingForSilence(t *testing.T) {
	p, a, b := joined(t, nil)
	for i := range 20 {
		a.send(tell(session.Data, 1), fmt.Sprint(i))
		if frames := a.frames(); i > 0 {
			b.end.Receive(frames[0])
		}
	}
	p.settle() // The clock stands still.
	expect(t, "messages", len(b.got), 20)
	if resent := a.s.Stats().Resent; resent > 20 {
		t.Errorf("%d frames were sent again, of 20", resent)
	}
}

func TestSilenceEndsASessionAndHandsBackWhatWasNotAcknowledged(t *testing.T) {
	p, a, b := joined(t, nil)
	a.send(tell(session.Data, 1), "arrives")
	p.pass(time.Second, true)
	large := strings.Repeat("y", 100<<10)
	a.send(tell(session.Data, 1), "lost 1")
	a.send(tell(session.Data, 1), large)
	a.send(tell(session.Control, 1), "lost 2")
	p.pass(14*time.Second, false)
	expectErr(t, a.s.Err(), nil)
	p.pass(2*time.Second, false)
	for _, n := range p.nodes {
		if len(n.ended) != 1 {
			t.Fatalf("sessions that have ended: %v", n.ended)
		}
		expectErr(t, n.ended[0], session.ErrUnreachable)
	}
	expectErr(t, a.s.TrySend(tell(session.Data, 1), nil), session.ErrUnreachable)
	var texts []string
	for _, g := range a.unconfirmed {
		expectErr(t, g.err, session.ErrUnconfirmed)
		expectErr(t, g.err, session.ErrUnreachable)
		texts = append(texts, g.text)
	}
	if want := []string{"lost 2", "lost 1", large}; !slices.Equal(texts, want) {
		t.Errorf("%d messages were handed back, of %d, or they differ", len(texts), len(want))
	}
	expect(t, "messages handed back by the other side", len(b.unconfirmed), 0)
	expect(t, "messages that have come", len(b.got), 1)
}

func TestAOneWayCutEndsBothSides(t *testing.T) {
	p, a, b := joined(t, nil)
	for range 7000 {
		p.now = p.now.Add(5 * time.Millisecond)
		for _, n := range p.nodes {
			for _, s := range n.end.Sessions() {
				s.Tick(p.now)
			}
		}
		a.frames() // Nothing of a arrives.
		for _, frame := range b.frames() {
			a.end.Receive(frame)
		}
	}
	expectErr(t, errors.Join(a.ended...), session.ErrUnreachable)
	expectErr(t, errors.Join(b.ended...), session.ErrUnreachable)
}

func TestAnIdleSessionLives(t *testing.T) {
	p, a, b := joined(t, nil)
	before := a.s.Stats().FramesSent
	p.pass(10*time.Minute, true)
	expect(t, "ends", len(a.ended)+len(b.ended), 0)
	if n := a.s.Stats().FramesSent - before; n < 250 || n > 350 {
		t.Errorf("%d frames in ten minutes, with a heartbeat every 2 s", n)
	}
}

func TestALaterSessionRefusesFramesOfTheEarlierOne(t *testing.T) {
	p, a, b := joined(t, nil)
	a.send(tell(session.Data, 1), "old")
	old := a.frames()
	first := a.s
	p.pass(20*time.Second, false)
	expect(t, "sessions that have ended", len(a.ended)+len(b.ended), 2)
	a.open()
	p.settle()
	if a.s == first || a.s.Epoch() <= first.Epoch() {
		t.Fatalf("epoch %d follows %d", a.s.Epoch(), first.Epoch())
	}
	for _, frame := range old {
		b.end.Receive(frame)
	}
	expect(t, "messages", len(b.got), 0)
	if b.s.Stats().Stale == 0 {
		t.Error("stale frames are not counted")
	}
	a.send(tell(session.Data, 1), "new")
	p.settle()
	if !slices.Equal(b.texts(), []string{"new"}) {
		t.Errorf("have %q", b.texts())
	}
}

func TestASideThatBeginsAnewEndsTheOthersSession(t *testing.T) {
	p, a, b := joined(t, nil)
	b.send(tell(session.Data, 1), "not acknowledged")
	b.frames()
	a.s.Lost(errors.New("a has given up")) // Its farewell is lost.
	a.open()
	p.settle()
	expect(t, "ends at b", len(b.ended), 1)
	expectErr(t, b.ended[0], session.ErrPeerClosed)
	expect(t, "messages handed back", len(b.unconfirmed), 1)
	if !a.s.IsReady() || !b.s.IsReady() {
		t.Error("the new session is not ready")
	}
}

func TestLostHandsBackWithItsReason(t *testing.T) {
	p, a, b := joined(t, nil)
	a.send(tell(session.Data, 1), "x")
	gone := errors.New("the node is gone")
	a.s.Lost(gone)
	a.s.Lost(errors.New("again"))
	expectErr(t, a.s.Err(), gone)
	expect(t, "messages handed back", len(a.unconfirmed), 1)
	expectErr(t, a.unconfirmed[0].err, gone)
	expectErr(t, a.unconfirmed[0].err, session.ErrUnconfirmed)
	b.end.Receive(a.s.Farewell())
	expectErr(t, errors.Join(b.ended...), session.ErrPeerClosed)
	p.settle()
}

func TestWhatWasAcknowledgedIsDeliveredAfterTheEnd(t *testing.T) {
	p, a, b := joined(t, nil)
	b.full[1] = true
	for i := range 5 {
		a.send(tell(session.Data, 1), fmt.Sprint(i))
	}
	p.pass(time.Second, true)
	s := b.s
	p.pass(20*time.Second, false)
	expect(t, "messages handed back", len(a.unconfirmed), 0)
	b.full[1] = false
	s.Ready(1, session.Data)
	expect(t, "messages", len(b.got), 5)
}

func TestAnExitedComesAfterAllThatWasSentBefore(t *testing.T) {
	p, a, b := joined(t, nil)
	a.send(tell(session.Data, 1), "data")
	a.send(tell(session.Management, 1), "management")
	a.send(session.Message{Kind: session.Exited, Lane: session.Control, Sender: 4}, "reason")
	a.send(tell(session.Control, 1), "later")
	frames := a.frames()
	slices.SortFunc(frames, func(x, y []byte) int { return int(x[3]) - int(y[3]) }) // By lane.
	for _, frame := range frames {
		b.end.Receive(frame)
	}
	if want := []string{"later", "management", "data", "reason"}; !slices.Equal(b.texts(), want) {
		t.Errorf("have %q, want %q", b.texts(), want)
	}
	expect(t, "sender", b.got[3].Sender, 4)
	p.settle()
}

func TestTheLowerLimitsOfBothSidesHold(t *testing.T) {
	p := newPair(t, func(cfg *session.Config) {
		if cfg.Self.Name == "b" {
			cfg.MaxMessage, cfg.Credits, cfg.Window = 2048, 3, 8<<10
		}
	})
	a, b := p.nodes[0], p.nodes[1]
	a.open()
	p.settle()
	expectErr(t, a.s.TrySend(tell(session.Data, 1), text(strings.Repeat("x", 3000))), session.ErrTooLarge)
	b.full[1] = true
	for range 3 {
		a.send(tell(session.Data, 1), "x")
	}
	expectErr(t, a.s.TrySend(tell(session.Data, 1), nil), session.ErrFull)
	p.settle()
	expectErr(t, errors.Join(a.ended...), nil)
}

func TestALargeOfferCrosses(t *testing.T) {
	var theirs []byte
	p := newPair(t, func(cfg *session.Config) {
		cfg.Offer = []byte(strings.Repeat(cfg.Self.Name, 3<<20))
		if cfg.Self.Name == "b" {
			cfg.Agree = func(_ *session.Session, offer []byte) error { theirs = slices.Clone(offer); return nil }
		}
	})
	p.nodes[0].open()
	p.settle()
	if string(theirs) != strings.Repeat("a", 3<<20) {
		t.Errorf("an offer of %d bytes has come", len(theirs))
	}
}

func TestADisagreementEndsBothSides(t *testing.T) {
	no := errors.New("no")
	p := newPair(t, func(cfg *session.Config) {
		if cfg.Self.Name == "b" {
			cfg.Agree = func(*session.Session, []byte) error { return no }
		}
	})
	a, b := p.nodes[0], p.nodes[1]
	a.open()
	for range 3 {
		for _, frame := range a.frames() {
			b.end.Receive(frame)
		}
		for _, frame := range b.frames() {
			a.end.Receive(frame)
		}
	}
	expectErr(t, errors.Join(b.ended...), no)
}
