package netio_test

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

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/netio"
)

// BenchmarkEcho has 64 clients send lines of 64 bytes to a listener with an actor for
// each connection, and to a server that has a goroutine for each, in turn.
func BenchmarkEcho(b *testing.B) {
	const clients = 64
	each := max(b.N/clients, 1)
	var took, peers time.Duration
	for range 3 {
		address, stop := actorEcho(b)
		took += load(b, address, clients, each)
		stop()
		address, stop = goroutineEcho(b)
		peers += load(b, address, clients, each)
		stop()
	}
	b.ReportMetric(float64(took)/float64(3*each*clients), "ns/request")
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

func actorEcho(b *testing.B) (address string, stop func()) {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	l, err := netio.Listen(ctx, sys, config{Codec: netio.Lines{}, New: echo})
	if err != nil {
		b.Fatal(err)
	}
	return l.Addr().String(), func() {
		if err := l.Stop(ctx); err != nil {
			b.Error(err)
		}
		if err := sys.Stop(ctx); err != nil {
			b.Error(err)
		}
	}
}

func goroutineEcho(b *testing.B) (address string, stop func()) {
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
