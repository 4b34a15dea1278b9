package supervise_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// BenchmarkRestart takes the time from the message in which a child panics to
// the answer of its next incarnation.
func BenchmarkRestart(b *testing.B) {
	for name, siblings := range map[string]int{"alone": 0, "of100000": 100_000} {
		b.Run(name, func(b *testing.B) {
			sup := benchSupervisor(b)
			populate(b, sup, siblings)
			ref := spawn(b, sup, supervise.Child[order]{New: newWorker})
			b.ResetTimer()
			b.ReportAllocs()
			for range b.N {
				_ = ref.Send(context.Background(), order{do: panicking})
				if _, err := actor.Ask(context.Background(), ref, func(r actor.Reply[int]) order { return order{nil, r} }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkChildren starts and stops so many children of one supervisor; the time is for one
// of them.
func BenchmarkChildren(b *testing.B) {
	for name, n := range map[string]int{"1000": 1000, "100000": 100_000} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				sup := benchSupervisor(b)
				populate(b, sup, n)
				if err := sup.Stop(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/child")
		})
	}
}

func benchSupervisor(b *testing.B) *supervise.Supervisor {
	b.Helper()
	sys := newSystem(b, actor.Config{})
	return start(b, sys, supervise.Config{Strategy: supervise.Dynamic, Intensity: many, Period: 1})
}

func populate(b *testing.B, sup *supervise.Supervisor, n int) {
	b.Helper()
	for range n {
		if _, err := supervise.Spawn(context.Background(), sup, supervise.Child[order]{New: newWorker}); err != nil {
			b.Fatal(err)
		}
	}
}
