//go:build !race && !invariants

package strand_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/gid"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

// The stack of a strand that has echoed a line and waits for the next is as small
// as stacks are: with a few bytes more on the way, it would be 4 KB.
func TestIdleConnectionsKeepSmallStacks(t *testing.T) {
	if gid.ByStack {
		t.Skip("to tell goroutines apart takes room on the stack")
	}
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

const toTheLimit = "TROUPE_TEST_TO_THE_STACK_LIMIT"

// TestNearTheStackLimit recurses as deep as the limit of 1 GB lets a stack grow, which
// is to 512 MB since stacks double, and sees it shrink again while the strand waits. A
// child does it, so that the memory of the others' process stays small.
func TestNearTheStackLimit(t *testing.T) {
	lane.Check(t)
	if os.Getenv(toTheLimit) != "" {
		run(t, 1, nearTheLimit)
		return
	}
	if strconv.IntSize == 32 {
		t.Skip("the limit of a stack is 250 MB where words have 32 bits")
	}
	if free := available(t); free < 3<<30 {
		t.Skipf("there are %d MB of memory left, and it needs 3 GB", free>>20)
	}
	cmd := exec.CommandContext(guarded(t), os.Args[0], "-test.run=^TestNearTheStackLimit$")
	cmd.Env = append(os.Environ(), toTheLimit+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("it ended with %v and said %.600s", err, out)
	}
}

func nearTheLimit(s *strand.Strand) error {
	const depth = 7000
	var at uint64
	if got := recurseFar(depth, func() { at = stacks() }); got != depth {
		return fmt.Errorf("the recursion returned %d, want %d", got, depth)
	}
	if at < 500<<20 {
		return fmt.Errorf("the stacks had %d bytes at the deepest point", at)
	}
	for range 20 { // A collection halves a stack.
		s.Yield()
		runtime.GC()
	}
	if now := stacks(); now > 16<<20 {
		return fmt.Errorf("the stacks still have %d bytes", now)
	}
	return nil
}

// recurseFar takes 64 KB of the stack for each level.
//
//go:noinline
func recurseFar(n int, deepest func()) int {
	var frame [64 << 10]byte
	if n == 0 {
		deepest()
		return int(frame[0])
	}
	frame[n%len(frame)] = 1
	return recurseFar(n-1, deepest) + int(frame[n%len(frame)])
}

// available returns how much memory the system can still give.
func available(t *testing.T) (bytes uint64) {
	t.Helper()
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(info), "MemAvailable:")
	if _, err := fmt.Sscan(rest, &bytes); err != nil {
		t.Fatal(err)
	}
	return bytes << 10
}

func stacks() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.StackInuse
}
