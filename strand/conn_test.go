package strand_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/strand"
)

// TestLines reads what comes in pieces of any size.
func TestLines(t *testing.T) {
	const limit = 10
	long := strings.Repeat("x", 3*4096)
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"a\nbc\n", []string{"a", "bc"}},
		{"a\r\n\r\n\n", []string{"a", "", ""}},
		{"no end", []string{"no end"}},
		{"a\r\r\nends\r", []string{"a\r", "ends\r"}},
		{"0123456789\r", []string{"too long"}},
		{"0123456789\n0123456789\r\n", []string{"0123456789", "0123456789"}},
		{"0123456789x\nb\n", []string{"too long", "b"}},
		{long + "\nb\n" + long, []string{"too long", "b", "too long"}},
		{"\xff\xfe\x00\n", []string{"\xff\xfe\x00"}},
	} {
		for _, piece := range []int{1, 7, 1 << 20} {
			run(t, 1, func(s *strand.Strand) error {
				one, two := strand.Pipe()
				if err := two.SetLineLimit(limit); err != nil {
					return err
				}
				writer, err := strand.Go(s, func(s *strand.Strand) error {
					defer one.Close() //nolint:errcheck // It is in memory.
					for in := []byte(c.in); len(in) > 0; {
						n := min(piece, len(in))
						if _, err := one.Write(s, in[:n]); err != nil {
							return err
						}
						in = in[n:]
					}
					return nil
				})
				if err != nil {
					return err
				}
				var got []string
				for {
					line, err := two.ReadLine(s)
					var tooLong *strand.LineTooLongError
					if errors.As(err, &tooLong) && tooLong.Limit == limit {
						line, err = "too long", nil
					}
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil {
						return err
					}
					got = append(got, line)
				}
				if fmt.Sprint(got) != fmt.Sprint(c.want) {
					t.Errorf("%.40q in pieces of %d came as %q, want %q", c.in, piece, got, c.want)
				}
				return errors.Join(two.Close(), writer.Join(s))
			})
		}
	}
}

// TestTheLongestLimit has a line come in pieces where the limit is the greatest number.
func TestTheLongestLimit(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		one, two := strand.Pipe()
		if err := two.SetLineLimit(math.MaxInt); err != nil {
			return err
		}
		writer, err := strand.Go(s, func(s *strand.Strand) error {
			return one.WriteLine(s, strings.Repeat("x", 10_000))
		})
		if err != nil {
			return err
		}
		if line, err := two.ReadLine(s); len(line) != 10_000 || err != nil {
			t.Errorf("%d bytes came, %v", len(line), err)
		}
		return errors.Join(writer.Join(s), one.Close(), two.Close())
	})
}

// TestPipeUnderAnySchedule passes more through a pipe than it holds, in both
// directions, in virtual time.
func TestPipeUnderAnySchedule(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sc := s.Scheduler(sched.Config{})
		one, two := strand.Pipe()
		text := strings.Repeat("line of text\n", 1000)
		var all strand.WaitGroup
		for _, fn := range []func(s *strand.Strand) error{
			func(s *strand.Strand) error {
				_, err := one.Write(s, []byte(text))
				return errors.Join(err, one.CloseWrite())
			},
			func(s *strand.Strand) error { return echo(s, two) },
		} {
			if _, err := all.Go(s.Context(), fn, strand.On(sc)); err != nil {
				s.Fatal(err)
			}
		}
		var got strings.Builder
		if _, err := io.Copy(&got, one.Net(s.Context())); err != nil {
			s.Error(err)
		}
		if got.String() != text {
			s.Errorf("%d bytes came back, want %d", got.Len(), len(text))
		}
		if err := all.Wait(s.Context()); err != nil {
			s.Error(err)
		}
		ctx, cancel := context.WithTimeout(s.Context(), time.Hour)
		defer cancel()
		if _, err := one.Read(ctx, make([]byte, 1)); !errors.Is(err, io.EOF) {
			s.Errorf("after the end came %v", err)
		}
	})
}

// echo sends lines back until the stream ends.
func echo(s *strand.Strand, c *strand.Conn) error {
	defer c.Close() //nolint:errcheck // The peer has gone.
	for {
		line, err := c.ReadLine(s)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.WriteLine(s, line); err != nil {
			return err
		}
	}
}

// server runs handle for each connection, and passes on what that returned. At the
// end of the test there are no more descriptors and goroutines than before.
func server(t *testing.T, handle func(s *strand.Strand, c *strand.Conn) error) (address string, ends *strand.Chan[error]) {
	t.Helper()
	l, ends := listener(t, handle)
	return l.Addr().String(), ends
}

// listener serves each connection by handle.
func listener(t *testing.T, handle func(s *strand.Strand, c *strand.Conn) error) (l *strand.Listener, ends *strand.Chan[error]) {
	t.Helper()
	ctx := guarded(t)
	before, goroutines := descriptors(t), runtime.NumGoroutine()
	sc := newScheduler(t, 2)
	l, err := strand.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ends = strand.NewChan[error](100)
	accepts := start(t, ctx, func(s *strand.Strand) error {
		for {
			c, err := l.Accept(s)
			if err != nil {
				return err
			}
			handler, err := strand.Go(s, func(s *strand.Strand) error {
				defer c.Close() //nolint:errcheck // The handler may have closed it.
				return handle(s, c)
			})
			if err != nil {
				return err
			}
			if _, err := strand.Go(s, func(s *strand.Strand) error { return ends.Send(s, handler.Join(s)) }); err != nil {
				return err
			}
		}
	}, strand.On(sc))
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		is(t, accepts.Join(ctx), net.ErrClosed)
		if err := sc.Stop(ctx); err != nil {
			t.Error(err)
		}
		patience.Until(t, ctx, func() bool { return descriptors(t) <= before && runtime.NumGoroutine() <= goroutines })
	})
	return l, ends
}

// descriptors returns how many file descriptors the process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

func dial(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.(*net.TCPConn)
}

// next returns how the next handler ended.
func next(t *testing.T, ends *strand.Chan[error]) error {
	t.Helper()
	ctx := guarded(t)
	err, failed := ends.Receive(ctx)
	if failed != nil {
		t.Fatal(failed)
	}
	return err
}

// serves checks that the server still answers.
func serves(t *testing.T, address string) {
	t.Helper()
	c := dial(t, address)
	if _, err := io.WriteString(c, "still there?\n"); err != nil {
		t.Fatal(err)
	}
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); string(got) != "still there?\n" || err != nil {
		t.Errorf("the server answers %q, %v", got, err)
	}
}

func TestPeersThatMisbehave(t *testing.T) {
	lane.Short(t)
	for _, c := range []struct {
		name   string
		handle func(s *strand.Strand, c *strand.Conn) error
		peer   func(t *testing.T, c *net.TCPConn)
		want   func(err error) bool
	}{
		{"half-closed", echo, func(t *testing.T, c *net.TCPConn) {
			_, _ = io.WriteString(c, "one\ntwo") // Else the answer is missing.
			_ = c.CloseWrite()
			if got, err := io.ReadAll(c); string(got) != "one\ntwo\n" || err != nil {
				t.Errorf("it answered %q, %v", got, err)
			}
		}, func(err error) bool { return err == nil }},
		{"reset", func(s *strand.Strand, c *strand.Conn) error {
			if _, err := c.ReadLine(s); err != nil {
				return fmt.Errorf("too early: %w", err)
			}
			for {
				if err := c.WriteLine(s, "and another"); err != nil {
					return err
				}
			}
		}, func(t *testing.T, c *net.TCPConn) {
			_, _ = io.WriteString(c, "one\n") // Else the handler says so.
			_ = c.SetLinger(0)
			_ = c.Close()
		}, func(err error) bool { return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) }},
		{"never reads", func(s *strand.Strand, c *strand.Conn) error {
			ctx, cancel := context.WithCancelCause(s)
			defer cancel(nil)
			if _, err := strand.Go(s, func(o *strand.Strand) error {
				for s.State() != sched.JobWaiting {
					o.Yield()
				}
				cancel(errBroken)
				return nil
			}); err != nil {
				return err
			}
			n, err := c.Write(ctx, make([]byte, 64<<20))
			if n == 0 || n == 64<<20 {
				return fmt.Errorf("%d bytes were written", n)
			}
			return err
		}, nil, func(err error) bool { return errors.Is(err, errBroken) }},
		{"invalid UTF-8", func(s *strand.Strand, c *strand.Conn) error {
			line, err := c.ReadLine(s)
			if err == nil && line != "\xff\xfe\x80" {
				err = fmt.Errorf("the line is %q", line)
			}
			return err
		}, func(t *testing.T, c *net.TCPConn) {
			_, _ = io.WriteString(c, "\xff\xfe\x80\n") // Else the handler says so.
			_, _ = io.ReadAll(c)
		}, func(err error) bool { return err == nil }},
		{"a line of all that comes", func(s *strand.Strand, c *strand.Conn) error {
			_, err := c.ReadLine(s)
			return err
		}, func(t *testing.T, c *net.TCPConn) {
			_, _ = c.Write(make([]byte, 2*strand.DefaultLineLimit)) // It is cut off in the midst.
			_, _ = io.ReadAll(c)
		}, func(err error) bool { var long *strand.LineTooLongError; return errors.As(err, &long) }},
		{"slow loris", func(s *strand.Strand, c *strand.Conn) error {
			ctx, cancel := context.WithTimeout(s, 50*time.Millisecond)
			defer cancel()
			_, err := c.ReadLine(ctx)
			return err
		}, func(t *testing.T, c *net.TCPConn) {
			_, _ = io.WriteString(c, "G") // And then nothing for long.
			if got, err := io.ReadAll(c); len(got) != 0 || err != nil && !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("it answered %q, %v", got, err)
			}
		}, func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }},
		{"panic", func(*strand.Strand, *strand.Conn) error { panic("oh") }, func(t *testing.T, c *net.TCPConn) {
			_, _ = io.ReadAll(c)
		}, func(err error) bool { var p *sched.PanicError; return errors.As(err, &p) }},
		{"goexit", func(*strand.Strand, *strand.Conn) error { runtime.Goexit(); return nil }, func(t *testing.T, c *net.TCPConn) {
			_, _ = io.ReadAll(c)
		}, func(err error) bool { return errors.Is(err, sched.ErrGoexit) }},
		{"closed meanwhile", func(s *strand.Strand, c *strand.Conn) error {
			if _, err := strand.Go(s, func(*strand.Strand) error { return c.Close() }); err != nil {
				return err
			}
			_, err := c.ReadLine(s)
			if _, again := c.Read(s, make([]byte, 1)); !errors.Is(again, net.ErrClosed) {
				return again
			}
			return err
		}, nil, func(err error) bool { return errors.Is(err, net.ErrClosed) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := true
			address, ends := server(t, func(s *strand.Strand, conn *strand.Conn) error {
				if first {
					first = false
					return c.handle(s, conn)
				}
				return echo(s, conn)
			})
			peer := dial(t, address)
			if c.peer != nil {
				c.peer(t, peer)
			}
			if err := next(t, ends); !c.want(err) {
				t.Errorf("the handler ended with %v", err)
			}
			serves(t, address)
			if err := next(t, ends); err != nil {
				t.Error(err)
			}
			_ = peer.Close()
		})
	}
}

// TestIdleConnectionsHoldNoBuffer looks at a connection before, during and after a line.
func TestIdleConnectionsHoldNoBuffer(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		one, two := strand.Pipe()
		reader, err := strand.Go(s, func(s *strand.Strand) error { return echo(s, two) })
		if err != nil {
			return err
		}
		for _, text := range []string{"", "whole\n", "par", "tial\nand more"} {
			if _, err := one.Write(s, []byte(text)); err != nil {
				return err
			}
			for s.Yield(); reader.State() != sched.JobWaiting; s.Yield() {
			}
			if two.Borrows() {
				t.Errorf("after %q the connection has a buffer", text)
			}
		}
		return errors.Join(one.CloseWrite(), reader.Join(s), one.Close())
	})
}

// TestReadsOfDifferentKinds has the begin of a line that was cancelled read by
// other means.
func TestReadsOfDifferentKinds(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		one, two := strand.Pipe()
		begin := func() error {
			ctx, cancel := context.WithCancelCause(s)
			if _, err := strand.Go(s, func(s *strand.Strand) error {
				_, err := one.Write(s, []byte("begin"))
				cancel(errBroken)
				return err
			}); err != nil {
				return err
			}
			_, err := two.ReadLine(ctx)
			is(t, err, errBroken)
			return nil
		}
		if err := begin(); err != nil {
			return err
		}
		buffer := make([]byte, 3)
		if n, err := two.Read(s, buffer); string(buffer[:n]) != "beg" || err != nil {
			t.Errorf("%q came, %v", buffer[:n], err)
		}
		if rest, err := two.Append(s, []byte("> ")); string(rest) != "> in" || err != nil {
			t.Errorf("%q came, %v", rest, err)
		}
		if _, err := one.Write(s, []byte("all\nthere")); err != nil {
			return err
		}
		if rest, err := two.Append(s, nil); string(rest) != "all\nthere" || err != nil {
			t.Errorf("%q came, %v", rest, err)
		}
		return errors.Join(one.Close(), two.Close())
	})
}

// TestCancelledReadLosesNothing cancels a read within a line.
func TestCancelledReadLosesNothing(t *testing.T) {
	address, ends := server(t, func(s *strand.Strand, c *strand.Conn) error {
		for {
			ctx, cancel := context.WithTimeout(s, time.Millisecond)
			line, err := c.ReadLine(ctx)
			cancel()
			if errors.Is(err, context.DeadlineExceeded) {
				if err := c.WriteLine(s, "go on"); err != nil {
					return err
				}
				continue
			}
			if line != "half and half" {
				return fmt.Errorf("%q came, %w", line, err)
			}
			return err
		}
	})
	c := dial(t, address)
	_, _ = io.WriteString(c, "half and ") // Else the line is wrong.
	if _, err := io.ReadFull(c, make([]byte, len("go on\ngo on\n"))); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(c, "half\n") // The same.
	if err := next(t, ends); err != nil {
		t.Error(err)
	}
}
