package strand_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

// TestAcceptIsCancelled cancels an Accept that waits; the next one gets the
// connection that comes.
func TestAcceptIsCancelled(t *testing.T) {
	before := descriptors(t)
	run(t, 1, func(s *strand.Strand) error {
		l, err := strand.Listen(s, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancelCause(s)
		if _, err := strand.Go(s, func(o *strand.Strand) error {
			for s.State() != sched.JobWaiting {
				o.Yield()
			}
			cancel(errBroken)
			return nil
		}); err != nil {
			return err
		}
		_, err = l.Accept(ctx)
		is(t, err, errBroken)
		peer, err := strand.Dial(s, "tcp", l.Addr().String())
		if err != nil {
			return err
		}
		c, err := l.Accept(s)
		if err != nil {
			return err
		}
		return errors.Join(c.Close(), peer.Close(), l.Close())
	})
	patience.Until(t, guarded(t), func() bool { return descriptors(t) <= before }) // The poller's go last.
}

// TestDeadlineInThePast has each call that might wait begin too late.
func TestDeadlineInThePast(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		l, err := strand.Listen(s, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close() //nolint:errcheck // Nothing is left in it.
		one, err := strand.Dial(s, "tcp", l.Addr().String())
		if err != nil {
			return err
		}
		two, err := l.Accept(s)
		if err != nil {
			return err
		}
		if _, err := one.Write(s, []byte("there\n")); err != nil {
			return err
		}
		late, cancel := context.WithDeadline(s, time.Now().Add(-time.Second))
		defer cancel()
		for name, call := range map[string]func() error{
			"Accept":     func() error { _, err := l.Accept(late); return err },
			"Dial":       func() error { _, err := strand.Dial(late, "tcp", l.Addr().String()); return err },
			"Listen":     func() error { _, err := strand.Listen(late, "tcp", "localhost:0"); return err },
			"Read":       func() error { _, err := two.Read(late, make([]byte, 1)); return err },
			"ReadLine":   func() error { _, err := two.ReadLine(late); return err },
			"Append":     func() error { _, err := two.Append(late, nil); return err },
			"Write":      func() error { _, err := two.Write(late, []byte("x")); return err },
			"WriteLine":  func() error { return two.WriteLine(late, "x") },
			"Net().Read": func() error { _, err := two.Net(late).Read(make([]byte, 1)); return err },
		} {
			if err := call(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s says %v, want that the deadline is exceeded", name, err)
			}
		}
		// None of them has taken anything.
		if line, err := two.ReadLine(s); line != "there" || err != nil {
			t.Errorf("%q came, %v", line, err)
		}
		return errors.Join(one.Close(), two.Close())
	})
}

// TestSlowClients has very many peers send a byte now and then, and never the end of a line,
// while others are served. The limit of a line bounds the memory of the server for each peer.
func TestSlowClients(t *testing.T) {
	lane.Check(t)
	const limit, rounds, most = 64, 100, 16 << 10
	n := maxSlowClients(t)
	address, ends := server(t, func(s *strand.Strand, c *strand.Conn) error {
		if err := c.SetLineLimit(limit); err != nil {
			return err
		}
		for {
			line, err := c.ReadLine(s)
			if err != nil {
				return err
			}
			if err := c.WriteLine(s, line); err != nil {
				return err
			}
		}
	})
	before := memory()
	all := make([]*net.TCPConn, n)
	for i := range all {
		all[i] = dial(t, address)
	}
	honest := dial(t, address)
	for round := range rounds {
		for _, c := range all[:max(1, n*(rounds-round)/rounds)] { // Some fall silent.
			_, _ = c.Write([]byte{'x'}) // It is cut off where that is too much.
		}
		want := fmt.Sprintf("round %d\n", round)
		answer := make([]byte, len(want))
		if _, err := io.WriteString(honest, want); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(honest, answer); string(answer) != want || err != nil {
			t.Fatalf("%q came in round %d, %v", answer, round, err)
		}
	}
	if each := int64(memory()-before) / int64(n); each > most {
		t.Errorf("each of %d takes %d bytes, want at most %d", n, each, most)
	}
	for _, c := range append(all, honest) {
		_ = c.Close() // It is of no use any more.
	}
	for range n + 1 {
		if err := next(t, ends); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) && !errors.As(err, new(*strand.LineTooLongError)) {
			t.Error(err)
		}
	}
}

// TestInvalidAddresses are told with what was wrong.
func TestInvalidAddresses(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		for _, c := range []struct{ network, address, want string }{
			{"udp", "127.0.0.1:0", "udp"},
			{"tcp", "127.0.0.1", "missing port"},
			{"tcp", "127.0.0.1:99999", "99999"},
			{"unix", "/no/such/directory/socket", "no such file"},
		} {
			if _, err := strand.Listen(s, c.network, c.address); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("listening on %s %s says %v, want %q", c.network, c.address, err, c.want)
			}
		}
		return nil
	})
}

// TestCloseLeavesTheFileOfAnother has somebody take the place of a Unix listener's file
// while the listener is open.
func TestCloseLeavesTheFileOfAnother(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		path := filepath.Join(t.TempDir(), "socket")
		first, err := strand.Listen(s, "unix", path)
		if err != nil {
			return err
		}
		if err := os.Remove(path); err != nil {
			return err
		}
		second, err := strand.Listen(s, "unix", path)
		if err != nil {
			return err
		}
		if err := first.Close(); err != nil {
			return err
		}
		is(t, first.Close(), net.ErrClosed)
		c, err := strand.Dial(s, "unix", path)
		if err != nil {
			return err
		}
		if err := errors.Join(c.Close(), second.Close()); err != nil {
			return err
		}
		_, err = os.Lstat(path)
		is(t, err, os.ErrNotExist)
		return nil
	})
}
