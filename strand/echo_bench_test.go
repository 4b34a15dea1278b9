package strand_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

// BenchmarkEcho has 64 clients send lines of 64 bytes to a server of strands, and
// to one that has a goroutine with a buffer for each connection, in turn.
func BenchmarkEcho(b *testing.B) {
	const clients = 64
	requests := max(b.N, clients)
	var took, peers time.Duration
	for range 3 {
		address, stop := strandEcho(b)
		took += load(b, address, clients, requests/clients)
		stop()
		address, stop = goroutineEcho(b)
		peers += load(b, address, clients, requests/clients)
		stop()
	}
	done := float64(3 * (requests / clients) * clients)
	b.ReportMetric(float64(took)/done, "ns/request")
	b.ReportMetric(float64(peers)/float64(took), "of-goroutines")
	b.ReportMetric(0, "ns/op")
}

func load(b *testing.B, address string, clients, each int) time.Duration {
	line := []byte(strings.Repeat("x", 63) + "\n")
	var ready, done sync.WaitGroup
	gate := make(chan struct{})
	var failed atomic.Int64
	for range clients {
		ready.Add(1)
		done.Go(func() {
			c, err := net.Dial("tcp", address)
			ready.Done()
			if err != nil {
				failed.Add(1)
				return
			}
			defer c.Close() //nolint:errcheck // It is of no use any more.
			<-gate
			answer := make([]byte, len(line))
			for range each {
				if _, err := c.Write(line); err != nil {
					failed.Add(1)
					return
				}
				if _, err := io.ReadFull(c, answer); err != nil {
					failed.Add(1)
					return
				}
			}
		})
	}
	ready.Wait()
	began := time.Now()
	close(gate)
	done.Wait()
	if failed.Load() != 0 {
		b.Fatalf("%d clients failed", failed.Load())
	}
	return time.Since(began)
}

// BenchmarkIdleConnections is the memory of connections on which nothing happens
// after a first line, beside goroutines with a buffer.
func BenchmarkIdleConnections(b *testing.B) {
	const n = 5000
	for b.Loop() {
		address, stop := strandEcho(b)
		strands := idleConnections(b, address, n)
		stop()
		address, stop = goroutineEcho(b)
		goroutines := idleConnections(b, address, n)
		stop()
		b.ReportMetric(strands, "B/connection")
		b.ReportMetric(strands/goroutines, "of-goroutines")
	}
}

func idleConnections(b *testing.B, address string, n int) float64 {
	before := memory()
	var all []net.Conn
	defer func() {
		for _, c := range all {
			_ = c.Close() // It is of no use any more.
		}
	}()
	for range n {
		c, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, c)
		if _, err := io.WriteString(c, "hello\n"); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(c, make([]byte, 6)); err != nil {
			b.Fatal(err)
		}
	}
	return float64(memory()-before) / float64(n)
}

func strandEcho(b testing.TB) (address string, stop func()) {
	sc, err := sched.New(sched.Config{})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	l, err := strand.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := strand.Go(ctx, func(s *strand.Strand) error {
		for {
			c, err := l.Accept(s)
			if err != nil {
				return err
			}
			if _, err := strand.Go(s, func(s *strand.Strand) error {
				defer c.Close() //nolint:errcheck // The peer has gone.
				return echoLines(s, c)
			}); err != nil {
				return err
			}
		}
	}, strand.On(sc)); err != nil {
		b.Fatal(err)
	}
	return l.Addr().String(), func() {
		_ = l.Close()
		if err := sc.Stop(ctx); err != nil {
			b.Error(err)
		}
	}
}

func echoLines(s *strand.Strand, c *strand.Conn) error {
	var line []byte
	for {
		var err error
		if line, err = c.AppendLine(s, line[:0]); err != nil {
			return err
		}
		if _, err := c.Write(s, append(line, '\n')); err != nil {
			return err
		}
	}
}

func goroutineEcho(b testing.TB) (address string, stop func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close() //nolint:errcheck // The peer has gone.
				r := bufio.NewReaderSize(c, 4<<10)
				for {
					line, err := r.ReadSlice('\n')
					if err != nil {
						return
					}
					if _, err := c.Write(line); err != nil {
						return
					}
				}
			})
		}
	})
	return l.Addr().String(), func() { _ = l.Close(); all.Wait() }
}
