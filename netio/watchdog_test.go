package netio_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/netio"
	"github.com/troupe-go/troupe/strand"
)

// bubble attaches a pipe in a bubble of virtual time, and returns the peer's end.
func bubble(t *testing.T, limits netio.Timeouts, body func(ctx context.Context, c conn, far *strand.Conn, got chan input)) {
	synctest.Test(t, func(t *testing.T) {
		sys, err := actor.NewSystem(actor.Config{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, got := context.Background(), make(chan input, 100)
		near, far := strand.Pipe()
		cfg := attaching()
		cfg.Timeouts = limits
		c, err := netio.Attach(ctx, sys, collector(t, sys, got), near, cfg)
		if err != nil {
			t.Fatal(err)
		}
		body(ctx, c, far, got)
		_, _ = c.Close(), far.Close()
		<-c.Done()
		if err := sys.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
}

func pause(d time.Duration) { <-time.After(d) }

func TestEachMessageHasItsTime(t *testing.T) {
	t.Parallel()
	bubble(t, netio.Timeouts{Idle: 20 * time.Second, Message: 10 * time.Second}, func(ctx context.Context, c conn, far *strand.Conn, got chan input) {
		began := time.Now()
		for range 20 { // A line in 9 s, and 9 s between two.
			_, _ = far.Write(ctx, []byte("x"))
			pause(9 * time.Second)
			_, _ = far.Write(ctx, []byte("x\n"))
			pause(9 * time.Second)
		}
		for range 20 {
			if m := <-got; m.line != "xx" {
				t.Fatalf("%+v after %v", m, time.Since(began))
			}
		}
		began = time.Now()
		for len(got) == 0 { // Each byte is soon, and the line never ends.
			_, _ = far.Write(ctx, []byte("x"))
			pause(time.Second)
		}
		if took := time.Since(began); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("the end came after %v", took)
		}
		wrong(t, (<-got).why, netio.ErrSlow)
		wrong(t, c.Err(), netio.ErrSlow)
	})
}

func TestSilenceEnds(t *testing.T) {
	t.Parallel()
	bubble(t, netio.Timeouts{Idle: 20 * time.Second}, func(ctx context.Context, _ conn, far *strand.Conn, got chan input) {
		pause(19 * time.Second)
		_, _ = far.Write(ctx, []byte("x\n"))
		<-got
		began := time.Now()
		wrong(t, (<-got).why, netio.ErrIdle)
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("the end came after %v", took)
		}
	})
}

func TestNoTimeouts(t *testing.T) {
	t.Parallel()
	bubble(t, netio.Timeouts{Idle: -1, Message: -1, Write: -1}, func(ctx context.Context, c conn, far *strand.Conn, got chan input) {
		pause(time.Hour)
		_, _ = far.Write(ctx, []byte("x"))
		pause(time.Hour)
		_, _ = far.Write(ctx, []byte("\n"))
		if m := <-got; m.line != "x" {
			t.Errorf("%+v", m)
		}
		sent := make(chan error, 1)
		go func() { sent <- c.Send(ctx, string(make([]byte, 10_000))) }()
		pause(time.Hour)
		for range 3 {
			if _, err := far.Append(ctx, nil); err != nil {
				t.Error(err)
			}
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
	})
}

// TestCloseLingers checks that a connection that is closed still takes what the peer
// sends: to refuse it would take the last answer from the peer.
func TestCloseLingers(t *testing.T) {
	t.Parallel()
	bubble(t, netio.Timeouts{}, func(ctx context.Context, c conn, far *strand.Conn, _ chan input) {
		_ = c.Close()
		for range 40 {
			if _, err := far.Write(ctx, make([]byte, 1000)); err != nil {
				t.Fatal(err)
			}
			pause(10 * time.Millisecond)
		}
		pause(time.Second)
		if _, err := far.Write(ctx, []byte("x")); err == nil {
			t.Error("it lingers for ever")
		}
	})
}
