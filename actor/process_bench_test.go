package actor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// BenchmarkProcess is the price of a message to a process and of the receive that
// waits for it, while so many others are kept since they don't match.
func BenchmarkProcess(b *testing.B) {
	for _, kept := range []int{0, 100, 10_000} {
		b.Run(fmt.Sprintf("kept=%d", kept), func(b *testing.B) {
			b.ReportAllocs()
			sys := newSystem(b, actor.Config{})
			b.ResetTimer()
			b.StopTimer()
			ref := spawnProcess(b, sys, func(p *actor.Process[int]) error {
				for range kept {
					if err := p.Self().Send(p, -1); err != nil {
						return err
					}
					if _, err := p.ReceiveWithin(0, func(m int) bool { return m >= 0 }); err == nil {
						return fmt.Errorf("a message that does not match was received")
					}
				}
				b.StartTimer()
				for i := range b.N {
					if err := p.Self().Send(p, i); err != nil {
						return err
					}
					if _, err := p.ReceiveMatch(p, func(m int) bool { return m >= 0 }); err != nil {
						return err
					}
				}
				b.StopTimer()
				return nil
			}, actor.WithStash(20_000))
			receive(b, guarded(b), ref.Done())
			if ref.Err() != nil {
				b.Fatal(ref.Err())
			}
		})
	}
}

// BenchmarkProcessFlood is the price of a message to a process from a goroutine
// that does not wait.
func BenchmarkProcessFlood(b *testing.B) {
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	ref := spawnProcess(b, sys, func(p *actor.Process[int]) error {
		for range b.N {
			if _, err := p.Receive(p); err != nil {
				return err
			}
		}
		return nil
	})
	b.ResetTimer()
	for i := range b.N {
		if err := ref.Send(b.Context(), i); err != nil {
			b.Fatal(err)
		}
	}
	receive(b, guarded(b), ref.Done())
}

// BenchmarkProcessTimer is BenchmarkProcess with a time limit.
func BenchmarkProcessTimer(b *testing.B) {
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	ref := spawnProcess(b, sys, func(p *actor.Process[int]) error {
		for i := range b.N {
			if err := p.Self().Send(p, i); err != nil {
				return err
			}
			if _, err := p.ReceiveWithin(time.Hour, nil); err != nil {
				return err
			}
		}
		return nil
	})
	receive(b, guarded(b), ref.Done())
	if ref.Err() != nil {
		b.Fatal(ref.Err())
	}
}
