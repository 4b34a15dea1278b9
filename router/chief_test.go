package router_test

import (
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/router"
	"github.com/troupe-go/troupe/simtest"
)

// shrinking is a pool of three members that is about to lose one: the last, since
// the first has most to do, and of equals the youngest goes.
func shrinking(s *simtest.Sim, handled *int) (e *router.Elastic[task], members []actor.Ref[task]) {
	e = newElastic(s, s.System(actor.Config{}), router.ElasticConfig[task]{
		New: doing(func(*actor.Context[task], task) error { *handled++; return nil }),
		Min: 2, Max: 3, UpBacklog: 100, DownBacklog: 90, Every: 100 * time.Millisecond, Cooldown: 10 * time.Second,
	})
	s.Advance(10 * time.Second)
	slow(s, 20*time.Millisecond)
	for range 400 {
		wantNoErr(s, e.Router().Send(s.Context(), task{}))
	}
	s.Advance(9 * time.Second)
	members = e.Router().Routees()
	wantEqual(s, "members", len(members), 3)
	wantEqual(s, "handled", *handled, 400)
	slow(s, 5*time.Second)
	s.Slow("elastic 3", 30*time.Second) // So it will be the last that has something to do.
	for i, n := range []int{5, 3, 3} {
		for range n {
			wantNoErr(s, members[i].Send(s.Context(), task{}))
		}
	}
	s.Advance(1500 * time.Millisecond)
	return e, members
}

// The routee with the least work stops, after it has handled its messages.
func TestElasticShrinksWithoutLoss(t *testing.T) {
	lane.Short(t)
	simtest.Run(t, simtest.Config{Schedules: 10}, func(s *simtest.Sim) {
		handled := 0
		e, members := shrinking(s, &handled)
		wantEqual(s, "members", e.Router().Routees(), members[:2])
		wantEqual(s, "leaving", e.Stats().Leaving, 1)
		s.Advance(100 * time.Second)
		wantEqual(s, "handled", handled, 400+11)
		wantEqual(s, "leaving", e.Stats().Leaving, 0)
		wantEqual(s, "dead letters", len(s.DeadLetters()), 0)
	})
}

// Drain waits also for who has been taken out before, and nobody is started
// meanwhile in place of those that have drained.
func TestElasticDrainsThoseThatLeave(t *testing.T) {
	lane.Short(t)
	simtest.Run(t, simtest.Config{Schedules: 10}, func(s *simtest.Sim) {
		handled := 0
		e, _ := shrinking(s, &handled)
		changes := len(e.Stats().Recent)
		wantNoErr(s, e.Drain(s.Context()))
		wantEqual(s, "handled", handled, 400+11)
		wantEqual(s, "changes", len(e.Stats().Recent), changes)
	})
}

// The last 32 changes are kept.
func TestElasticForgetsOldChanges(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 1}, func(s *simtest.Sim) {
		told := 0
		var last router.Scaling
		e := newElastic(s, s.System(actor.Config{}), router.ElasticConfig[task]{
			New: doing(func(*actor.Context[task], task) error { return nil }), Min: 1, Every: time.Second,
			OnScale: func(sc router.Scaling) { told++; last = sc },
		})
		for range 40 {
			wantNoErr(s, e.Router().Routees()[0].Stop(s.Context()))
			s.Advance(time.Second)
		}
		recent := e.Stats().Recent
		wantEqual(s, "told and kept", []int{told, len(recent)}, []int{41, 32})
		wantEqual(s, "the last", recent[31], last)
	})
}

// The time of a standstill restarts when a message is handled, or when there is no
// work.
func TestElasticStandstillEnds(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 5}, func(s *simtest.Sim) {
		e := newElastic(s, s.System(actor.Config{}), router.ElasticConfig[task]{
			New: doing(func(*actor.Context[task], task) error { return nil }), Max: 1, Every: 100 * time.Millisecond,
		})
		within := func(what string, least, most time.Duration) {
			s.Helper()
			if l := e.Stats().Last.Latency; l < least || l > most {
				s.Errorf("%s the latency is %v, not from %v to %v", what, l, least, most)
			}
		}
		s.Advance(10 * time.Millisecond)
		slow(s, time.Second)
		for range 2 {
			wantNoErr(s, e.Router().Send(s.Context(), task{}))
		}
		s.Advance(950 * time.Millisecond)
		within("at a standstill", 800*time.Millisecond, time.Second)
		s.Advance(350 * time.Millisecond) // The first is over, and the second goes on for 0.3 s.
		within("after the first", 100*time.Millisecond, 400*time.Millisecond)
		s.Advance(2 * time.Second)
		within("with nothing to do", 0, 0)
		wantNoErr(s, e.Router().Send(s.Context(), task{}))
		s.Advance(350 * time.Millisecond)
		within("anew", 200*time.Millisecond, 400*time.Millisecond)
	})
}
