//go:build !race && !invariants

package strand_test

import (
	"errors"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

// The stack of a strand that has echoed a line and waits for the next is as small
// as stacks are: with a few bytes more on the way, it would be 4 KB.
func TestIdleConnectionsKeepSmallStacks(t *testing.T) {
	const n = 300
	err := strand.Run(t.Context(), sched.Config{Workers: 2}, func(s *strand.Strand) error {
		l, err := strand.Listen(s, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close() //nolint:errcheck // It is of no use any more.
		if _, err := strand.Go(s, func(s *strand.Strand) error {
			for {
				c, err := l.Accept(s)
				if err != nil {
					return err
				}
				if _, err := strand.Go(s, func(s *strand.Strand) error { return serveLines(s, c) }); err != nil {
					return err
				}
			}
		}); err != nil {
			return err
		}
		before := stacks()
		for range n {
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				return err
			}
			defer c.Close() //nolint:errcheck // It is of no use any more.
			if _, err := io.WriteString(c, "hello\n"); err != nil {
				return err
			}
			if _, err := io.ReadFull(c, make([]byte, 6)); err != nil {
				return err
			}
		}
		if each := int64(stacks()-before) / n; each > 2600 {
			t.Errorf("a connection has a stack of %d bytes", each)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A timer for each sleep would be three allocations, and calls deep in the stack.
func TestSleepAllocatesNothing(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		var failed error
		if n := testing.AllocsPerRun(200, func() { failed = errors.Join(failed, s.Sleep(time.Microsecond)) }); n != 0 {
			t.Errorf("a sleep makes %v allocations", n)
		}
		return failed
	})
}

func serveLines(s *strand.Strand, c *strand.Conn) error {
	defer c.Close() //nolint:errcheck // The peer has gone.
	for {
		line, err := c.ReadLine(s)
		if err != nil {
			return err
		}
		if err := c.WriteLine(s, line); err != nil {
			return err
		}
	}
}

func stacks() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.StackInuse
}
