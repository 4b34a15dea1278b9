package session_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/session"
)

// BenchmarkTell sends messages of 16 bytes over a session on the bus in memory, from the sender's call to the receiver's Deliver.
func BenchmarkTell(b *testing.B) {
	network, err := memory.NewNetwork()
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = network.Close() }()
	var n atomic.Int64
	done := make(chan struct{}, 1)
	end := func(name string, birth uint64) *session.End {
		e, err := session.Listen(session.Config{
			Bus: network.Bus(name), Self: session.Node{Name: name, Birth: birth},
			Deliver: func(*session.Session, *session.Message) session.Verdict {
				if n.Add(1) == int64(b.N) {
					done <- struct{}{}
				}
				return session.Taken
			},
		})
		if err != nil {
			b.Fatal(err)
		}
		return e
	}
	from, to := end("a", 1), end("b", 2)
	s, err := from.Session(b.Context(), session.Node{Name: "b", Birth: 2})
	if err != nil {
		b.Fatal(err)
	}
	payload := func(dst []byte) ([]byte, error) { return append(dst, "0123456789abcdef"...), nil }
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if err := s.Send(b.Context(), session.Message{Kind: session.Tell, Lane: session.Data, Target: uint64(i & 63), Sender: 1}, payload); err != nil {
			b.Fatal(err)
		}
	}
	<-done
	b.StopTimer()
	for _, e := range []*session.End{from, to} {
		if err := e.Close(context.Background()); err != nil {
			b.Error(err)
		}
	}
}
