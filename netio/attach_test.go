package netio_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/netio"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/strand"
)

// input is what an actor to which a stream is attached takes.
type input struct {
	line  string
	ended bool
	why   error
}

type attachConfig = netio.AttachConfig[input, string]

func attaching() attachConfig {
	return attachConfig{
		Codec: netio.Map(netio.Lines{}, func(line string) input { return input{line: line} }),
		Ended: func(err error) input { return input{ended: true, why: err} },
	}
}

// collector passes on what it gets, if got is not nil.
func collector(tb testing.TB, sys *actor.System, got chan input, opts ...actor.Option) actor.Ref[input] {
	tb.Helper()
	ref, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[input], m input) error {
		if got != nil {
			got <- m
		}
		return nil
	}), opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return ref
}

// TestReadingStopsWhileTheLaneIsFull checks that a peer that sends more than an actor
// takes waits, that no memory goes into what it sends, and that all of it comes.
func TestReadingStopsWhileTheLaneIsFull(t *testing.T) {
	t.Parallel()
	const lines = 5000
	ctx, sys, got := guarded(t), newSystem(t), make(chan input)
	ref := collector(t, sys, got, actor.WithCapacity(actor.Data, 4))
	near, far := strand.Pipe()
	c, err := netio.Attach(ctx, sys, ref, near, attaching())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for i := range lines {
			_, _ = fmt.Fprintln(far.Net(ctx), i)
		}
		_ = far.CloseWrite()
	}()
	patience.Until(t, ctx, func() bool {
		info, err := ref.Info()
		return err == nil && info.Senders[actor.Data] == 1
	})
	// The input that fits into the buffer, behind the lines that have left it: one that is
	// being handled, four in the lane, and one that waits for room.
	if in := c.Traffic().BytesIn; in > 4<<10+6*2 {
		t.Errorf("%d bytes were read", in)
	}
	for i := range lines {
		if m := <-got; m.line != fmt.Sprint(i) {
			t.Fatalf("line %d is %+v", i, m)
		}
	}
	if m := <-got; !m.ended || m.why != nil {
		t.Errorf("it ended by %+v", m)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	_ = far.Close()
	<-c.Done()
	if c.Err() != nil {
		t.Error(c.Err())
	}
}

func TestAttachStream(t *testing.T) {
	t.Parallel()
	streams := map[string]func() (near, far io.ReadWriteCloser){
		"net.Pipe": func() (io.ReadWriteCloser, io.ReadWriteCloser) { return net.Pipe() },
		"no net.Conn": func() (io.ReadWriteCloser, io.ReadWriteCloser) {
			one, two := net.Pipe()
			return struct{ io.ReadWriteCloser }{one}, two
		},
		"TCP": func() (io.ReadWriteCloser, io.ReadWriteCloser) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close() //nolint:errcheck // Nothing is left in it.
			far, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			near, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			return near, far
		},
	}
	for name, open := range streams {
		t.Run(name, func(t *testing.T) {
			ctx, sys, got := guarded(t), newSystem(t), make(chan input)
			near, far := open()
			c, err := netio.AttachStream(ctx, sys, collector(t, sys, got), near, attaching())
			if err != nil {
				t.Fatal(err)
			}
			go func() { _, _ = io.WriteString(far, "a\nb\n") }()
			if one, two := <-got, <-got; one.line != "a" || two.line != "b" {
				t.Errorf("%+v, %+v", one, two)
			}
			go func() { _ = c.Send(ctx, "hello") }()
			if line, err := bufio.NewReader(far).ReadString('\n'); line != "hello\n" || err != nil {
				t.Errorf("%q, %v", line, err)
			}
			_ = far.Close()
			if m := <-got; !m.ended || m.why != nil {
				t.Errorf("%+v", m)
			}
			_ = c.Close()
			<-c.Done()
		})
	}
}

// TestActorTakesItsStreamAlong stops an actor to which a stream is attached.
func TestActorTakesItsStreamAlong(t *testing.T) {
	t.Parallel()
	ctx, sys := guarded(t), newSystem(t)
	ref := collector(t, sys, nil)
	near, far := strand.Pipe()
	c, err := netio.Attach(ctx, sys, ref, near, attaching())
	if err != nil {
		t.Fatal(err)
	}
	if err := ref.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(far.Net(ctx)); err != nil {
		t.Error(err)
	}
	_ = far.Close()
	<-c.Done()
	wrong(t, c.Send(ctx, "x"), net.ErrClosed)
	patience.Until(t, ctx, func() bool { return sys.Stats().Actors == 0 })
}

// TestCloseEndsTheStream checks that the actor receives the end after a Close that was not its
// own.
func TestCloseEndsTheStream(t *testing.T) {
	t.Parallel()
	ctx, sys, got := guarded(t), newSystem(t), make(chan input)
	near, far := strand.Pipe()
	c, err := netio.Attach(ctx, sys, collector(t, sys, got), near, attaching())
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if m := <-got; !m.ended || !errors.Is(m.why, net.ErrClosed) {
		t.Errorf("%+v", m)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	_ = far.Close()
	<-c.Done()
}

// TestSystemStopsWithStreams checks that a stream does not hold up its system.
func TestSystemStopsWithStreams(t *testing.T) {
	t.Parallel()
	ctx, sys := guarded(t), newSystem(t)
	near, far := strand.Pipe()
	c, err := netio.Attach(ctx, sys, collector(t, sys, nil), near, attaching())
	if err != nil {
		t.Fatal(err)
	}
	if err := sys.Stop(ctx); err != nil {
		t.Error(err)
	}
	<-c.Done()
	_ = far.Close()
}

func TestMessagesThatCannotBeSent(t *testing.T) {
	t.Parallel()
	ctx, sys, got := guarded(t), newSystem(t), make(chan input)
	near, far := strand.Pipe()
	c, err := netio.Attach(ctx, sys, collector(t, sys, got), near, attaching())
	if err != nil {
		t.Fatal(err)
	}
	wrong(t, c.Send(ctx, "two\nlines"), netio.ErrEncode)
	if err := c.Send(ctx, "fine"); err != nil { // The connection goes on.
		t.Error(err)
	}
	// Half of a message must not be followed by another.
	short, cancel := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() { failed <- c.Send(short, strings.Repeat("x", 60_000)) }()
	if _, err := io.ReadFull(far.Net(ctx), make([]byte, len("fine\nx"))); err != nil {
		t.Error(err)
	}
	cancel()
	wrong(t, <-failed, context.Canceled)
	if m := <-got; !m.ended || m.why == nil {
		t.Errorf("%+v", m)
	}
	if c.Send(ctx, "more") == nil {
		t.Error("something came after half of a message")
	}
	_ = c.Close()
	_ = far.Close()
	<-c.Done()
}

func TestAttachConfig(t *testing.T) {
	t.Parallel()
	ctx, sys := guarded(t), newSystem(t)
	ref := collector(t, sys, nil)
	near, far := strand.Pipe()
	for name, spoil := range map[string]func(c *attachConfig){
		"codec":   func(c *attachConfig) { c.Codec = nil },
		"ended":   func(c *attachConfig) { c.Ended = nil },
		"timeout": func(c *attachConfig) { c.Timeouts.Idle = -5 },
	} {
		cfg := attaching()
		spoil(&cfg)
		if _, err := netio.Attach(ctx, sys, ref, near, cfg); !errors.Is(err, netio.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := netio.Attach(ctx, sys, actor.Ref[input]{}, near, attaching())
	wrong(t, err, actor.ErrNoRef)
	_, err = netio.Attach(ctx, sys, ref, nil, attaching())
	wrong(t, err, netio.ErrConfig)
	_, err = netio.AttachStream(ctx, sys, ref, nil, attaching())
	wrong(t, err, netio.ErrConfig)
	if _, err := far.Write(ctx, []byte("x")); err != nil { // It was not touched.
		t.Error(err)
	}
	_, _ = near.Close(), far.Close()
}

// TestWhiteSpaceIsNoMessage has a peer send a space every second, which the codec for JSON
// passes over, with a value among them. The time is virtual.
func TestWhiteSpaceIsNoMessage(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		const idle, value = 10 * time.Second, 5
		sys := s.System(actor.Config{})
		began := s.Now()
		var took []time.Duration
		ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[input], input) error {
			took = append(took, s.Now().Sub(began))
			return nil
		}))
		if err != nil {
			s.Fatal(err)
		}
		cfg := attaching()
		cfg.Codec = netio.Map(netio.JSON[string, string]{}, func(text string) input { return input{line: text} })
		cfg.Timeouts.Idle = idle
		near, far := strand.Pipe()
		c, err := netio.Attach(s.Context(), sys, ref, near, cfg)
		if err != nil {
			s.Fatal(err)
		}
		peer, err := strand.Go(s.Context(), func(me *strand.Strand) error {
			for i := range 100 {
				text := " "
				if i == value {
					text = "\"a\""
				}
				if _, err := far.Write(me, []byte(text)); err != nil {
					return nil
				}
				if err := me.Sleep(time.Second); err != nil {
					return err
				}
				if len(took) == 2 {
					return errors.Join(c.Close(), far.Close())
				}
			}
			return errors.New("all of it was read")
		}, strand.On(sys.Scheduler()))
		if err != nil {
			s.Fatal(err)
		}
		if err := peer.Join(s.Context()); err != nil {
			s.Error(err)
		}
		if want := []time.Duration{value * time.Second, value*time.Second + idle}; !slices.Equal(took, want) || !errors.Is(c.Err(), netio.ErrIdle) {
			s.Errorf("messages came after %v, want %v; the connection says %v", took, want, c.Err())
		}
	})
}
