package simtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/task"
)

// watcher monitors whom it is told to.
type watcher struct{}

func (watcher) Receive(ctx *actor.Context[actor.PID], id actor.PID) error {
	_, err := ctx.Monitor(id)
	return err
}

func (watcher) Down(*actor.Context[actor.PID], actor.Monitor, actor.Exit) error { return nil }

// nothing handles messages by doing nothing.
func nothing(*actor.Context[int], int) error { return nil }

func TestForbid(t *testing.T) {
	for _, tc := range []struct {
		name   string
		forbid simtest.Leftovers
		body   func(s *simtest.Sim, sys *actor.System)
		want   []string
	}{
		{"actors", simtest.Actors, func(s *simtest.Sim, sys *actor.System) {
			spawn(s, sys, "lives", nothing)
		}, []string{"left behind", "lives<0.1>", "is waiting"}},
		{"tasks", simtest.Tasks, func(s *simtest.Sim, sys *actor.System) {
			ctx, cancel := context.WithCancel(bg)
			s.Cleanup(cancel)
			if _, err := sys.Scheduler().Go(ctx, func(ctx context.Context) error { return task.Sleep(ctx, time.Hour) }); err != nil {
				s.Error(err)
			}
		}, []string{"left behind", "1 tasks, jobs or strands have not ended"}},
		{"timers", simtest.Timers, func(s *simtest.Sim, sys *actor.System) {
			_ = spawn(s, sys, "late", func(ctx *actor.Context[int], _ int) error {
				_, err := actor.SendAfter(ctx, time.Hour, ctx.Self(), 1)
				return err
			}).Send(bg, 0)
		}, []string{"late<0.1> has 1 timers set"}},
		{"stash", simtest.Messages, func(s *simtest.Sim, sys *actor.System) {
			_ = spawn(s, sys, "keeper", func(ctx *actor.Context[int], m int) error { return ctx.Stash(m) }).Send(bg, 0)
		}, []string{"keeper<0.1> has 1 messages in its stash"}},
		{"lane", simtest.Messages, func(s *simtest.Sim, sys *actor.System) {
			a := spawn(s, sys, "waits", func(ctx *actor.Context[int], _ int) error { return task.Sleep(ctx, time.Hour) })
			_, _ = a.Send(bg, 0), a.Send(bg, 1)
		}, []string{"waits<0.1> has 1 messages in its lanes"}},
		{"monitors", simtest.Monitors, func(s *simtest.Sim, sys *actor.System) {
			a := spawn(s, sys, "watched", nothing)
			w, err := actor.Spawn(sys, watcher{}, actor.WithName("watcher"))
			if err != nil {
				s.Fatal(err)
			}
			_ = w.Send(bg, a.PID())
		}, []string{"watcher<1.1> has 1 monitors of others"}},
		{"dead letters", simtest.DeadLetters, func(s *simtest.Sim, sys *actor.System) {
			a := spawn(s, sys, "gone", nothing)
			_ = a.Stop(bg)
			_ = a.Send(bg, 1)
		}, []string{"dead letters", "gone<0.1>: int"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body := func(s *simtest.Sim) { tc.body(s, s.System(actor.Config{})) }
			others := simtest.Everything &^ (tc.forbid | simtest.Actors | simtest.Tasks)
			if tc.forbid == simtest.Messages { // They come to be dead letters.
				others &^= simtest.DeadLetters
			}
			find(t, simtest.Config{Schedules: 5, Forbid: tc.forbid}, body, tc.want...)
			simtest.Run(t, simtest.Config{Schedules: 5, Forbid: others}, body)
		})
	}
}

// A program that clears up has nothing left, and probes don't count.
func TestForbidNothingLeft(t *testing.T) {
	simtest.Run(t, simtest.Config{Forbid: simtest.Everything}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		p := simtest.NewProbe[int](s, sys, "probe")
		a := spawn(s, sys, "a", func(ctx *actor.Context[int], m int) error {
			defer ctx.Stop()
			return p.Ref().Send(ctx, m)
		})
		_ = a.Send(bg, 1)
		p.Expect(0)
	})
}
