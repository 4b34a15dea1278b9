package supervise_test

import (
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/supervise"
)

// walks starts a supervisor with n children, lets one of them fail and ends
// another one, and stops the supervisor. It returns how many slots were come by at
// the start of all, then until both have happened, and at the stop.
func walks(s *simtest.Sim, strategy supervise.Strategy, n int) (atStart, between, atStop int) {
	sys := s.System(actor.Config{})
	cfg := supervise.Config{Strategy: strategy, Intensity: many, Period: 1}
	sup := start(s, sys, cfg)
	visits, err := sup.Visits(s.Context())
	wantNoErr(s, err)
	var refs []actor.Ref[order]
	for range n {
		ref, err := supervise.Spawn(s.Context(), sup, supervise.Child[order]{New: newWorker})
		wantNoErr(s, err)
		refs = append(refs, ref)
	}
	s.RunUntilIdle()
	atStart = visits()
	wantNoErr(s, refs[n/2].Send(s.Context(), order{do: failing}))
	s.RunUntilIdle()
	wantNoErr(s, sup.TerminatePID(s.Context(), refs[n/3].PID()))
	s.RunUntilIdle()
	between = visits() - atStart
	if sup.Restarts() != 1 {
		s.Fatalf("%d restarts", sup.Restarts())
	}
	wantNoErr(s, sup.Stop(s.Context()))
	atStop = visits() - between - atStart
	return atStart, between, atStop
}

// The work of a supervisor for the start, the restart or the end of one child does not depend
// on the number of children. Its stop comes by each of them no more than three times.
func TestWorkIsLinearInChildren(t *testing.T) {
	lane.Short(t)
	for _, strategy := range []supervise.Strategy{supervise.OneForOne, supervise.Dynamic} {
		t.Run(strategy.String(), func(t *testing.T) {
			simtest.Run(t, simtest.Config{Schedules: 3}, func(s *simtest.Sim) {
				for _, n := range []int{10, 100, 400} {
					atStart, between, atStop := walks(s, strategy, n)
					if atStart > 1 || between != 0 { // The first look finds nobody.
						t.Errorf("with %d children, adding all came by %d slots, a restart and an end by %d", n, atStart, between)
					}
					if atStop < n || atStop > 3*n {
						t.Errorf("the stop of %d children came by %d slots", n, atStop)
					}
				}
			})
		})
	}
}

// Children that are declared are started, and restarted as a group, in a walk
// that comes by each of them a fixed number of times.
func TestRoundsAreLinearInChildren(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 3}, func(s *simtest.Sim) {
		for _, n := range []int{10, 100, 400} {
			cfg := supervise.Config{Strategy: supervise.OneForAll, Intensity: many, Period: 1}
			for range n {
				cfg.Children = append(cfg.Children, supervise.Child[order]{Name: childName(len(cfg.Children)), New: newWorker})
			}
			sup := start(s, s.System(actor.Config{}), cfg)
			visits, err := sup.Visits(s.Context())
			wantNoErr(s, err)
			s.RunUntilIdle()
			before := visits()
			ref, err := supervise.Ref[order](sup, childName(0))
			wantNoErr(s, err)
			wantNoErr(s, ref.Send(s.Context(), order{do: failing}))
			s.RunUntilIdle()
			if again := visits() - before; before < n || before > 4*n || again < n || again > 8*n {
				t.Errorf("the start of %d children came by %d slots, their restart by %d", n, before, again)
			}
		}
	})
}

func childName(i int) string {
	return string(rune('a'+i/26/26)) + string(rune('a'+i/26%26)) + string(rune('a'+i%26))
}
