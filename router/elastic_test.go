package router_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/router"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/supervise"
)

// doing returns what makes actors that handle tasks.
func doing(receive func(*actor.Context[task], task) error) func() actor.Actor[task] {
	return func() actor.Actor[task] { return actor.Func(receive) }
}

func newElastic(tb testing.TB, at actor.Spawner, cfg router.ElasticConfig[task]) *router.Elastic[task] {
	tb.Helper()
	e, err := router.NewElastic(at, cfg)
	wantNoErr(tb, err)
	return e
}

// slow makes each message of the members take d of virtual time.
func slow(s *simtest.Sim, d time.Duration) {
	for i := range 20 {
		s.Slow(fmt.Sprint("elastic ", i), d)
	}
}

// Under load the pool grows step by step, with the cool-down between the steps,
// and shrinks again when the load is over. No message is lost over that.
func TestElasticFollowsTheLoad(t *testing.T) {
	lane.Short(t)
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		handled := map[int]int{}
		var told []router.Scaling
		e := newElastic(s, sys, router.ElasticConfig[task]{
			New: doing(func(_ *actor.Context[task], m task) error { handled[m.id]++; return nil }),
			Min: 2, Max: 5, UpBacklog: 10, DownBacklog: 2, StepUp: 2, Every: 100 * time.Millisecond, Cooldown: time.Second,
			OnScale: func(sc router.Scaling) { told = append(told, sc); panic("contained") },
		})
		slow(s, 20*time.Millisecond)
		wantEqual(s, "at the start", e.Stats().Members, 2)
		for id := range 400 {
			wantNoErr(s, e.Router().Send(s.Context(), task{id: id}))
		}
		s.Advance(950 * time.Millisecond)
		wantEqual(s, "in the cool-down", e.Stats().Members, 2)
		s.Advance(100 * time.Millisecond)
		wantEqual(s, "after it", e.Stats().Members, 4)
		s.Advance(time.Second)
		wantEqual(s, "at the bound", e.Stats().Members, 5)
		s.Advance(20 * time.Second)
		stats := e.Stats()
		wantEqual(s, "after the load", []int{stats.Members, stats.Leaving}, []int{2, 0})
		wantEqual(s, "actors", sys.Stats().Actors, 2+3) // And the chief, the supervisor, the router.
		wantEqual(s, "dead letters", sys.Stats().DeadLetters, 0)
		for id := range 400 {
			wantEqual(s, fmt.Sprint("message ", id), handled[id], 1)
		}
		steps := ""
		for i, sc := range told {
			steps += fmt.Sprintf("%d-%d %v;", sc.From, sc.To, sc.Reason)
			if i > 0 && sc.At.Sub(told[i-1].At) < time.Second {
				s.Errorf("two changes within %v", sc.At.Sub(told[i-1].At))
			}
			if sc.Reason == router.BacklogHigh && sc.Backlog <= 10 || sc.Reason == router.LoadLow && sc.Backlog >= 2 {
				s.Errorf("the change %v has other figures", sc)
			}
		}
		wantEqual(s, "changes", steps, "0-2 below min;2-4 backlog high;4-5 backlog high;5-4 load low;4-3 load low;3-2 load low;")
		wantEqual(s, "recent", stats.Recent, told)
		wantEqual(s, "ups and downs", []uint64{stats.Ups, stats.Downs}, []uint64{3, 3})
	})
}

// A few messages that take long are no backlog, but a latency.
func TestElasticGoesByLatency(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 5}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		e := newElastic(s, sys, router.ElasticConfig[task]{
			New: doing(func(*actor.Context[task], task) error { return nil }),
			Max: 3, UpBacklog: -1, UpLatency: time.Second, Every: 100 * time.Millisecond, Cooldown: -1,
		})
		slow(s, 5*time.Second)
		wantNoErr(s, e.Router().Send(s.Context(), task{}))
		s.Advance(900 * time.Millisecond)
		wantEqual(s, "while it is short", e.Stats().Members, 1)
		s.Advance(700 * time.Millisecond)
		wantEqual(s, "when it is long", e.Stats().Members, 3)
		wantEqual(s, "reason", e.Stats().Recent[1].Reason, router.LatencyHigh)
		s.Advance(10 * time.Second)
		wantEqual(s, "after it", e.Stats().Members, 1)
	})
}

// Little's law: what takes 10 ms each, with 20 before it, takes about 200 ms.
func TestElasticEstimatesLatency(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 5}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		e := newElastic(s, sys, router.ElasticConfig[task]{
			New: doing(func(*actor.Context[task], task) error { return nil }), Max: 1, Every: 100 * time.Millisecond,
			Options: []actor.Option{actor.WithCapacity(actor.Data, 64)}, // So small that its backlog is exact.
		})
		slow(s, 10*time.Millisecond)
		for range 30 {
			wantNoErr(s, e.Router().Send(s.Context(), task{}))
		}
		s.Advance(105 * time.Millisecond)
		if l := e.Stats().Last.Latency; l < 150*time.Millisecond || l > 250*time.Millisecond {
			s.Errorf("the estimate is %v", l)
		}
	})
}

// Members that fail are restarted in place; one that stops for good is replaced.
func TestElasticMembersAreSupervised(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		var did []int
		e := newElastic(s, sys, router.ElasticConfig[task]{Min: 2, Max: 2, New: doing(func(ctx *actor.Context[task], m task) error {
			if did = append(did, m.id); m.id == 0 {
				return errWanted
			}
			return nil
		})})
		before := e.Router().Routees()
		for id := range 6 {
			wantNoErr(s, e.Router().Send(s.Context(), task{id: id}))
		}
		s.RunUntilIdle()
		slices.Sort(did)
		wantEqual(s, "messages", did, upTo(6))
		wantEqual(s, "members", e.Router().Routees(), before)
		wantNoErr(s, before[0].Stop(s.Context()))
		s.Advance(time.Second)
		after := e.Router().Routees()
		if len(after) != 2 || after[0] != before[1] || after[1] == before[0] {
			s.Errorf("the members were %v and are %v", before, after)
		}
		wantEqual(s, "reason", e.Stats().Recent[1].Reason, router.BelowMin)
	})
}

// If members fail too often the pool ends, and says why.
func TestElasticGivesUp(t *testing.T) { simulated.Too(t, testElasticGivesUp) }

func testElasticGivesUp(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	ctx := guarded(t)
	e := newElastic(t, sys, router.ElasticConfig[task]{
		Intensity: 2, Period: time.Hour,
		New: doing(func(*actor.Context[task], task) error { return errWanted }),
	})
	for range 3 {
		_ = e.Router().Send(ctx, task{})
	}
	<-e.Done()
	wantErr(t, e.Err(), supervise.ErrIntensity, errWanted)
	until(t, ctx, func() bool { return sys.Stats().Actors == 0 })
	wantErr(t, e.Router().Send(ctx, task{}), actor.ErrStopped)
}

// Drain lets the members handle what they have, Stop does not.
func TestElasticStop(t *testing.T) {
	for _, drain := range []bool{true, false} {
		simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
			sys := s.System(actor.Config{})
			handled, dropped := 0, 0
			e := newElastic(s, sys, router.ElasticConfig[task]{
				Min: 2, New: doing(func(*actor.Context[task], task) error { handled++; return nil }),
			})
			slow(s, time.Second)
			for range 10 {
				wantNoErr(s, e.Router().Send(s.Context(), task{}))
			}
			if drain {
				wantNoErr(s, e.Drain(s.Context()))
				wantEqual(s, "handled", handled, 10)
			} else {
				wantNoErr(s, e.Stop(s.Context()))
				for _, d := range s.DeadLetters() {
					if _, ok := d.Message.(task); ok {
						dropped++
					}
				}
				wantEqual(s, "handled and not", handled+dropped, 10)
				if handled > 2 {
					s.Errorf("%d were handled", handled)
				}
			}
			wantErr(s, e.Router().Send(s.Context(), task{}), actor.ErrStopped)
			wantEqual(s, "actors", sys.Stats().Actors, 0)
			wantNoErr(s, e.Stop(s.Context()))
		})
	}
}

// In a handler a pool can be started too, and ends with the actor.
func TestElasticInHandler(t *testing.T) { simulated.Too(t, testElasticInHandler) }

func testElasticInHandler(t testing.TB) {
	sys := newSystem(t, actor.Config{Workers: 1})
	ctx := guarded(t)
	made := make(chan *router.Elastic[task], 1)
	parent := spawn(t, sys, func(x *actor.Context[int], _ int) error {
		e, err := router.NewElastic(x, router.ElasticConfig[task]{New: doing(func(ctx *actor.Context[task], m task) error {
			return m.reply.Send(ctx, 7)
		})})
		made <- e
		return err
	})
	wantNoErr(t, parent.Send(ctx, 1))
	e := <-made
	wantEqual(t, "answer", who(t, ctx, e.Router(), task{}), 7)
	wantNoErr(t, parent.Stop(ctx))
	<-e.Done()
	wantNoErr(t, e.Err())
}

// A configuration that makes no sense is an error that names the field and the
// value; so is a member that can't be made.
func TestBadElasticConfig(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	make1 := doing(func(*actor.Context[task], task) error { return nil })
	ref := spawn(t, sys, func(*actor.Context[task], task) error { return nil })
	type config = router.ElasticConfig[task]
	for want, cfg := range map[string]config{
		"New is nil":                   {},
		"Min is -1":                    {New: make1, Min: -1},
		"Max is -1":                    {New: make1, Max: -1},
		"Min is 5, and Max only 3":     {New: make1, Min: 5, Max: 3},
		"1 Routees":                    {New: make1, Router: router.Config[task]{Routees: []actor.Ref[task]{ref}}},
		"broadcast":                    {New: make1, Router: router.Config[task]{Strategy: router.Broadcast}},
		"Key is nil":                   {New: make1, Router: router.Config[task]{Strategy: router.ConsistentHash}},
		"Every is -1ns":                {New: make1, Every: -1},
		"UpBacklog is -2":              {New: make1, UpBacklog: -2},
		"UpBacklog is NaN":             {New: make1, UpBacklog: math.NaN()},
		"DownBacklog is -3":            {New: make1, DownBacklog: -3},
		"DownBacklog is 20":            {New: make1, DownBacklog: 20},
		"UpLatency is -1s":             {New: make1, UpLatency: -time.Second},
		"DownLatency is 2s, and UpLat": {New: make1, UpLatency: time.Second, DownLatency: 2 * time.Second},
		"StepUp is -1":                 {New: make1, StepUp: -1},
		"StepDown -1":                  {New: make1, StepDown: -1},
		"Cooldown is -2ns":             {New: make1, Cooldown: -2},
		"Intensity":                    {New: make1, Intensity: -7},
		"panic in New":                 {New: func() actor.Actor[task] { panic("panic in New") }},
		"nil":                          {New: func() actor.Actor[task] { return nil }},
		"capacity":                     {New: make1, Options: []actor.Option{actor.WithCapacity(actor.Data, -1)}},
	} {
		if _, err := router.NewElastic(sys, cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that says %q", err, want)
		}
	}
	if _, err := router.NewElastic(nil, config{New: make1}); err == nil {
		t.Error("a nil Spawner is no error")
	}
	until(t, guarded(t), func() bool { return sys.Stats().Actors == 1 })
	wantEqual(t, "reason", router.ScaleReason(77).String(), "ScaleReason(77)")
	text := router.Scaling{Reason: router.LatencyHigh, From: 1, To: 2, Err: errors.New("one more")}.String()
	wantEqual(t, "text", text, "from 1 to 2 members: latency high, backlog 0.0, latency 0s: one more")
}

// A member that does not stop in time is killed, and Stop and Err say so.
func TestElasticStopTellsOfWhatItHasKilled(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 5}, func(s *simtest.Sim) {
		ctx := s.Context()
		sys := s.System(actor.Config{})
		var kept []actor.Reply[int]
		silent := spawn(s, sys, func(_ *actor.Context[actor.Reply[int]], r actor.Reply[int]) error { kept = append(kept, r); return nil })
		e, err := router.NewElastic(sys, router.ElasticConfig[int]{Name: "testRoutees", New: func() actor.Actor[int] {
			return actor.Func(func(ctx *actor.Context[int], _ int) error {
				_, err := actor.Ask(ctx, silent, func(r actor.Reply[int]) actor.Reply[int] { return r })
				return err
			})
		}})
		wantNoErr(s, err)
		wantNoErr(s, e.Router().Send(ctx, 1))
		s.RunUntilIdle()
		for range 2 { // Also when it has stopped before.
			if err := e.Stop(ctx); !errors.Is(err, actor.ErrForced) || !strings.Contains(err.Error(), "/testRoutees 1") {
				s.Errorf("the stop returned %v", err)
			}
			if err := e.Err(); !errors.Is(err, actor.ErrForced) {
				s.Errorf("the pool has stopped since %v", err)
			}
		}
	})
}
