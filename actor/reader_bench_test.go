package actor_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// BenchmarkReads has eight goroutines ask for reads that compute for 50 us, of an
// actor that handles them one by one, and of one with two readers.
func BenchmarkReads(b *testing.B) {
	for name, opts := range map[string][]actor.Option{
		"exclusive": nil,
		"shared":    {actor.WithReadOnly(access.reads), actor.WithMaxReaders(2)},
	} {
		b.Run(name, func(b *testing.B) {
			benchmarkReads(b, func(*actor.Context[access]) error {
				for until := time.Now().Add(50 * time.Microsecond); time.Now().Before(until); {
				}
				return nil
			}, opts...)
		})
	}
}

// BenchmarkEmptyReads is what a read costs more.
func BenchmarkEmptyReads(b *testing.B) {
	for name, opts := range map[string][]actor.Option{
		"exclusive": nil,
		"shared":    {actor.WithReadOnly(access.reads), actor.WithMaxReaders(2)},
	} {
		b.Run(name, func(b *testing.B) { benchmarkReads(b, nil, opts...) })
	}
}

func benchmarkReads(b *testing.B, do func(*actor.Context[access]) error, opts ...actor.Option) {
	ctx := context.Background()
	sys := newSystem(b, actor.Config{})
	ref := spawn(b, sys, carryOut, opts...)
	var readers sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for i := range 8 {
		readers.Go(func() {
			for range (b.N + i) / 8 {
				if err := visit(ctx, ref, false, do); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	readers.Wait()
}

// BenchmarkAskOfAReentrantActor is an ask of an actor that asks another one.
func BenchmarkAskOfAReentrantActor(b *testing.B) {
	for r := range actor.Reentrancy(3) {
		b.Run(r.String(), func(b *testing.B) {
			ctx := context.Background()
			sys := newSystem(b, actor.Config{})
			echo := spawn(b, sys, answer)
			ref := spawn(b, sys, func(c *actor.Context[question], q question) error {
				for range 100 {
					if _, err := actor.Ask(c, echo, asking(q.n)); err != nil {
						return err
					}
				}
				return q.reply.Send(c, 0)
			}, actor.WithReentrancy(r))
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N / 100 {
				if _, err := actor.Ask(ctx, ref, asking(1)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
