package simtest_test

import (
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// BenchmarkSteps is two actors that send a number back and forth, 10,000 times
// under each schedule: an operation is one step, one message. Of each search, the
// first two runs are traced, which makes them fifty times as slow.
func BenchmarkSteps(b *testing.B) {
	for _, strategy := range []simtest.Strategy{simtest.Random, simtest.PCT} {
		b.Run(strategy.String(), func(b *testing.B) {
			b.ReportAllocs()
			run := func(t *testing.T) {
				const each = 10_000
				schedules := max(1, b.N/each)
				simtest.Run(t, simtest.Config{Schedules: schedules, Strategy: strategy}, func(s *simtest.Sim) {
					pingPong(s, min(b.N, each))
				})
			}
			// A bubble needs a test.
			ok := testing.RunTests(func(_, _ string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "Steps", F: run}})
			if !ok {
				b.Fatal("the simulation has failed")
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

func pingPong(s *simtest.Sim, n int) {
	sys := s.System(actor.Config{})
	var ping, pong actor.Ref[int]
	left := n
	back := func(to *actor.Ref[int]) func(*actor.Context[int], int) error {
		return func(ctx *actor.Context[int], m int) error {
			if left--; left <= 0 {
				return nil
			}
			return to.Send(ctx, m+1)
		}
	}
	ping, pong = spawn(s, sys, "ping", back(&pong)), spawn(s, sys, "pong", back(&ping))
	_ = ping.Send(bg, 0)
	s.RunUntilIdle()
	if left > 0 {
		s.Errorf("%d messages are left", left)
	}
}
