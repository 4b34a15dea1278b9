package netio_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/netio"
	"github.com/troupe-go/troupe/supervise"
)

func newSystem(tb testing.TB) *actor.System {
	tb.Helper()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		tb.Fatal(err)
	}
	patience.StopAtEnd(tb, sys)
	return sys
}

type (
	config = netio.ListenerConfig[string, string]
	conn   = *netio.Conn[string]
)

// echo answers each line with itself, but for some.
func echo(c conn) actor.Actor[string] {
	return actor.Func(func(ctx *actor.Context[string], line string) error {
		switch line {
		case "panic":
			panic(line)
		case "close":
			return c.Close()
		}
		return c.Send(ctx, line)
	})
}

// serve listens with a configuration. An echo's settings fill the fields that are missing.
func serve(tb testing.TB, cfg config) *netio.Listener {
	tb.Helper()
	if cfg.Codec == nil {
		cfg.Codec = netio.Lines{}
	}
	if cfg.New == nil {
		cfg.New = echo
	}
	l, err := netio.Listen(guarded(tb), newSystem(tb), cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// peer is the other side, on a plain connection.
type peer struct {
	*net.TCPConn
	tb testing.TB
	r  *bufio.Reader
}

func dial(tb testing.TB, l *netio.Listener) *peer {
	tb.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	deadline, _ := guarded(tb).Deadline()
	_ = c.SetDeadline(deadline)
	return &peer{c.(*net.TCPConn), tb, bufio.NewReader(c)}
}

func (p *peer) say(text string) {
	p.tb.Helper()
	if _, err := io.WriteString(p, text); err != nil {
		p.tb.Fatal(err)
	}
}

func (p *peer) hear(want ...string) {
	p.tb.Helper()
	for _, w := range want {
		if line, err := p.r.ReadString('\n'); line != w+"\n" || err != nil {
			p.tb.Fatalf("it said %q, %v, want %q", line, err, w)
		}
	}
}

func (p *peer) hearEnd() {
	p.tb.Helper()
	if rest, err := io.ReadAll(p.r); len(rest) > 0 || err != nil {
		p.tb.Fatalf("it said %q, %v, want the end", rest, err)
	}
}

// ends returns a function that receives ends, and the channel to which it passes them on.
func ends() (func(netio.End), <-chan netio.End) {
	c := make(chan netio.End, 100)
	return func(e netio.End) { c <- e }, c
}

func TestListenerServes(t *testing.T) {
	t.Parallel()
	onEnd, ended := ends()
	l := serve(t, config{OnEnd: onEnd})
	one, two := dial(t, l), dial(t, l)
	one.say("a\nb\n")
	two.say("c\n")
	one.hear("a", "b")
	two.hear("c")
	if st := l.Stats(); st.Open != 2 || st.Accepted != 2 || st.Traffic.MessagesIn != 3 || st.Traffic.BytesIn != 6 {
		t.Errorf("%+v", st)
	}
	_ = one.CloseWrite()
	one.hearEnd()
	_ = one.Close()
	e := <-ended
	want := netio.Traffic{BytesIn: 4, BytesOut: 4, MessagesIn: 2, MessagesOut: 2}
	if e.Err != nil || e.Remote.String() != one.LocalAddr().String() || e.Traffic != want {
		t.Errorf("%+v", e)
	}
	patience.Until(t, guarded(t), func() bool {
		st := l.Stats()
		return st.Open == 1 && st.Traffic.MessagesOut == 3 && st.Failed == 0
	})
}

func TestActorFailsAlone(t *testing.T) {
	t.Parallel()
	onEnd, ended := ends()
	l := serve(t, config{OnEnd: onEnd})
	other := dial(t, l)
	for range 10 { // More often than a supervisor bears restarts.
		p := dial(t, l)
		p.say("panic\n")
		p.hearEnd()
		_ = p.Close()
		<-ended
	}
	other.say("still here\n")
	other.hear("still here")
}

func TestBadInputEndsTheConnection(t *testing.T) {
	t.Parallel()
	onEnd, ended := ends()
	l := serve(t, config{
		Codec: netio.Lines{MaxSize: 8}, OnEnd: onEnd,
		Ended: func(err error) string { return fmt.Sprint(errors.Is(err, netio.ErrTooLong)) },
	})
	p := dial(t, l)
	p.say("fine\n" + strings.Repeat("x", 1000))
	p.hear("fine", "true") // The lines before the error are answered, and the actor may say why.
	p.hearEnd()
	_ = p.Close()
	var e *netio.DecodeError
	if got := <-ended; !errors.As(got.Err, &e) || e.Offset != 5 || !errors.Is(got.Err, netio.ErrTooLong) {
		t.Errorf("%+v", got)
	}
	patience.Until(t, guarded(t), func() bool { return l.Stats().Failed == 1 })
}

func TestCodecThatPanics(t *testing.T) {
	t.Parallel()
	onEnd, ended := ends()
	l := serve(t, config{OnEnd: onEnd, Codec: netio.Map(netio.Lines{}, func(string) string { panic("broken") })})
	p := dial(t, l)
	p.say("a\n")
	p.hearEnd()
	if e := <-ended; e.Err == nil || !strings.Contains(e.Err.Error(), "broken") {
		t.Errorf("%+v", e)
	}
}

func TestHalfOfAFrame(t *testing.T) {
	t.Parallel()
	onEnd, ended := ends()
	l, err := netio.Listen(guarded(t), newSystem(t), netio.ListenerConfig[[]byte, []byte]{
		Codec: netio.Frames{}, OnEnd: onEnd,
		New: func(c *netio.Conn[[]byte]) actor.Actor[[]byte] {
			return actor.Func(func(ctx *actor.Context[[]byte], m []byte) error { return c.Send(ctx, m) })
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := dial(t, l)
	large := append([]byte{0, 3, 0, 0}, bytes.Repeat([]byte("0123456789ab"), 1<<14)...)
	go func() { _, _ = p.Write(large); _, _ = p.Write([]byte("\x00\x00\x00\x05abc")); _ = p.CloseWrite() }()
	if back, err := io.ReadAll(p); !bytes.Equal(back, large) || err != nil {
		t.Errorf("%d bytes came back, %v", len(back), err)
	}
	wrong(t, (<-ended).Err, io.ErrUnexpectedEOF)
}

// TestHalfClosed has a peer end its direction before anything is answered.
func TestHalfClosed(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	l := serve(t, config{New: func(c conn) actor.Actor[string] {
		return actor.Func(func(ctx *actor.Context[string], line string) error { <-gate; return c.Send(ctx, line) })
	}})
	p := dial(t, l)
	p.say("a\nb\nc")
	_ = p.CloseWrite()
	close(gate)
	p.hear("a", "b", "c")
	p.hearEnd()
}

func TestHalfOpen(t *testing.T) {
	t.Parallel()
	var c conn
	ended := make(chan struct{})
	l := serve(t, config{
		HalfOpen: true,
		Ended:    func(error) string { close(ended); return "ended" },
		New:      func(its conn) actor.Actor[string] { c = its; return echo(its) },
	})
	p := dial(t, l)
	_ = p.CloseWrite()
	<-ended
	p.hear("ended")
	if err := c.Send(guarded(t), "more"); err != nil {
		t.Fatal(err)
	}
	p.hear("more")
	_ = c.Close()
	p.hearEnd()
	<-c.Done()
	wrong(t, c.Send(guarded(t), "too late"), net.ErrClosed)
	if c.Err() != nil {
		t.Error(c.Err())
	}
}

// TestLastAnswerArrives closes a connection on which something is unread, which would
// reset it, and take the last answer from the peer.
func TestLastAnswerArrives(t *testing.T) {
	t.Parallel()
	l := declare(t, config{New: func(c conn) actor.Actor[string] {
		return actor.Func(func(ctx *actor.Context[string], _ string) error {
			ctx.Stop()
			return c.Send(ctx, "bye")
		})
	}, Options: []actor.Option{actor.WithCapacity(actor.Data, 1)}})
	netio.Linger(l, time.Hour) // A busy machine may keep the peer from its writing for longer than half a second.
	start(t, newSystem(t), supervise.Config{Children: []supervise.Spec{l.Child()}})
	p := dial(t, l)
	for range 50 {
		p.say("hello\n" + strings.Repeat(strings.Repeat("x", 100)+"\n", 100))
	}
	p.hear("bye")
	p.hearEnd()
}

func TestPeerResets(t *testing.T) {
	t.Parallel()
	onEnd, ended := ends()
	l := serve(t, config{OnEnd: onEnd})
	p := dial(t, l)
	p.say("a\n")
	p.hear("a")
	_ = p.SetLinger(0)
	_ = p.Close()
	wrong(t, (<-ended).Err, syscall.ECONNRESET)
	other := dial(t, l)
	other.say("b\n")
	other.hear("b")
}

func TestPeerIsSilent(t *testing.T) {
	lane.Short(t)
	t.Parallel()
	onEnd, ended := ends()
	l := serve(t, config{OnEnd: onEnd, Timeouts: netio.Timeouts{Idle: 5 * time.Millisecond}})
	dial(t, l).hearEnd()
	wrong(t, (<-ended).Err, netio.ErrIdle)
}

// TestPeerIsSlow has a peer send a byte now and then, and never a whole message.
func TestPeerIsSlow(t *testing.T) {
	lane.Short(t)
	t.Parallel()
	onEnd, ended := ends()
	l := serve(t, config{OnEnd: onEnd, Codec: netio.Lines{MaxSize: 1 << 30}, Timeouts: netio.Timeouts{Idle: -1, Message: 5 * time.Millisecond}})
	p := dial(t, l)
	go func() {
		for _, err := p.Write([]byte("x")); err == nil; _, err = p.Write([]byte("x")) {
		}
	}()
	wrong(t, (<-ended).Err, netio.ErrSlow)
}

func TestPeerDoesNotRead(t *testing.T) {
	t.Parallel()
	onEnd, ended := ends()
	failed := make(chan error, 1)
	l := serve(t, config{
		OnEnd: onEnd, Timeouts: netio.Timeouts{Write: 5 * time.Millisecond},
		New: func(c conn) actor.Actor[string] {
			return actor.Func(func(ctx *actor.Context[string], _ string) error {
				for {
					if err := c.Send(ctx, strings.Repeat("x", 60_000)); err != nil {
						failed <- err
						return err
					}
				}
			})
		},
	})
	dial(t, l).say("go\n")
	wrong(t, <-failed, netio.ErrWriteTimeout)
	wrong(t, (<-ended).Err, netio.ErrWriteTimeout)
}

func TestCloseByTheActor(t *testing.T) {
	t.Parallel()
	onEnd, ended := ends()
	l := serve(t, config{OnEnd: onEnd})
	p := dial(t, l)
	p.say("a\nclose\n")
	p.hear("a")
	p.hearEnd()
	if e := <-ended; e.Err != nil {
		t.Error(e.Err)
	}
}

func TestStopDrains(t *testing.T) {
	t.Parallel()
	gate, at := make(chan struct{}), make(chan struct{}, 1)
	l := serve(t, config{New: func(c conn) actor.Actor[string] {
		return actor.Func(func(ctx *actor.Context[string], line string) error {
			at <- struct{}{}
			<-gate
			return c.Send(ctx, line)
		})
	}, Options: []actor.Option{actor.WithCapacity(actor.Data, 1)}})
	p := dial(t, l)
	p.say("a\nb\nc\nd\n")
	<-at
	stopped := make(chan error, 1)
	go func() { stopped <- l.Stop(guarded(t)) }()
	patience.Until(t, guarded(t), func() bool {
		c, err := net.Dial("tcp", l.Addr().String())
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	go func() {
		for range at {
		}
	}()
	close(gate)
	p.hear("a", "b", "c", "d")
	p.hearEnd()
	_ = p.Close()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	close(at)
	if err := l.Stop(guarded(t)); err != nil {
		t.Error(err)
	}
}

// TestStopIsForced stops a listener with an actor that handles a message for ever.
func TestStopIsForced(t *testing.T) {
	t.Parallel()
	at, gate := make(chan struct{}), make(chan struct{})
	defer close(gate)
	l := serve(t, config{New: func(conn) actor.Actor[string] {
		return actor.Func(func(*actor.Context[string], string) error { close(at); <-gate; return nil })
	}})
	dial(t, l).say("a\n")
	<-at
	err := l.Stop(patience.Ended())
	wrong(t, err, context.Canceled)
	if l.Stats().Open != 0 {
		t.Errorf("%+v", l.Stats())
	}
}

func TestStopByTheActor(t *testing.T) {
	t.Parallel()
	var l *netio.Listener
	failed, begin := make(chan error, 1), make(chan struct{})
	l = serve(t, config{New: func(conn) actor.Actor[string] {
		return actor.Func(func(ctx *actor.Context[string], _ string) error { <-begin; failed <- l.Stop(ctx); return nil })
	}})
	p := dial(t, l)
	p.say("a\n")
	close(begin)
	wrong(t, <-failed, actor.ErrWouldDeadlock)
	p.hearEnd()
}

func TestSystemStops(t *testing.T) {
	t.Parallel()
	onEnd, ended := ends()
	sys := newSystem(t)
	l, err := netio.Listen(guarded(t), sys, config{Codec: netio.Lines{}, New: echo, OnEnd: onEnd})
	if err != nil {
		t.Fatal(err)
	}
	p := dial(t, l)
	p.say("a\n")
	p.hear("a")
	if err := sys.Stop(guarded(t)); err != nil {
		t.Error(err)
	}
	<-ended
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("it still listens")
	}
	if err := l.Stop(guarded(t)); err != nil {
		t.Error(err)
	}
	_, err = netio.Listen(guarded(t), sys, config{Codec: netio.Lines{}, New: echo})
	wrong(t, err, actor.ErrSystemStopped)
}

func TestListenerConfig(t *testing.T) {
	t.Parallel()
	sys := newSystem(t)
	good := config{Codec: netio.Lines{}, New: echo}
	for name, spoil := range map[string]func(c *config){
		"codec":    func(c *config) { c.Codec = nil },
		"settings": func(c *config) { c.Codec = netio.Lines{MaxSize: -1} },
		"new":      func(c *config) { c.New = nil },
		"conns":    func(c *config) { c.MaxConns = -2 },
		"timeout":  func(c *config) { c.Timeouts.Write = -2 },
		"path":     func(c *config) { c.Network = "unix" },
	} {
		cfg := good
		spoil(&cfg)
		if _, err := netio.Listen(guarded(t), sys, cfg); !errors.Is(err, netio.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good.Addr = "nowhere"
	if _, err := netio.Listen(guarded(t), sys, good); err == nil {
		t.Error("it listens nowhere")
	}
	if got := sys.Stats().Actors; got != 0 {
		t.Errorf("%d actors are left", got)
	}
}

// Without limits, peers are served as they come, also with a message that is larger than
// the default of MaxBuffered.
func TestListenerWithoutLimits(t *testing.T) {
	t.Parallel()
	l := serve(t, config{Codec: netio.Lines{MaxSize: 8 << 20}, MaxConns: -1, MaxBuffered: -1, MaxBufferedTotal: -1})
	large := strings.Repeat("x", 5<<20)
	peers := []*peer{dial(t, l), dial(t, l), dial(t, l)}
	for _, p := range peers {
		p.say(large + "\n")
		p.hear(large)
	}
}

// With Shutdown -1, a stop waits for the connections without a limit.
func TestListenerStopsWithoutALimit(t *testing.T) {
	t.Parallel()
	for limit, want := range map[time.Duration]bool{-1: false, 0: true, time.Hour: true, supervise.BrutalKill: true} {
		l, err := netio.NewListener(config{Codec: netio.Lines{}, New: echo, Shutdown: limit})
		if err != nil {
			t.Fatal(err)
		}
		if got := netio.StopIsLimited(l); got != want {
			t.Errorf("Shutdown %v: limited is %v", limit, got)
		}
	}
}

func TestActorDoesNotStart(t *testing.T) {
	t.Parallel()
	onEnd, ended := ends()
	l := serve(t, config{OnEnd: onEnd, New: func(conn) actor.Actor[string] { return nil }})
	dial(t, l).hearEnd()
	wrong(t, (<-ended).Err, netio.ErrNoActor)
}
