package simtest_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/strand"
)

// crossing is a program with two parts. One part waits by a context. The other part ends the
// context and, in the same step, sends the awaited message.
type crossing struct {
	s   *simtest.Sim
	sys *actor.System
	// trip ends the context, and meet is what comes before other sends.
	trip chan func(ctx context.Context, meet func())
	slow bool // There is time between the two.
}

var crossings = map[string]func(c crossing){
	"an ask": func(c crossing) {
		type question struct{ reply actor.Reply[int] }
		server := spawn(c.s, c.sys, "server", func(ctx *actor.Context[question], q question) error {
			(<-c.trip)(ctx, func() { _ = q.reply.Send(ctx, 1) })
			return nil
		})
		asker := spawn(c.s, c.sys, "asker", func(_ *actor.Context[int], _ int) error {
			ctx, cancel := context.WithCancel(bg)
			c.arrange(cancel)
			_, _ = actor.Ask(ctx, server, func(r actor.Reply[int]) question { return question{r} })
			return nil
		})
		_ = asker.Send(bg, 1)
	},
	"a process": func(c crossing) {
		p, err := actor.SpawnProcess(c.sys, func(p *actor.Process[int]) error {
			ctx, cancel := context.WithCancel(bg)
			c.arrange(cancel)
			m, err := p.Receive(ctx)
			c.s.Log(m, err)
			return nil
		}, actor.WithName("process"))
		if err != nil {
			c.s.Fatal(err)
		}
		sender := spawn(c.s, c.sys, "sender", func(ctx *actor.Context[int], m int) error {
			(<-c.trip)(ctx, func() { _ = p.Send(ctx, m) })
			return nil
		})
		c.s.RunUntilIdle()
		_ = sender.Send(bg, 1)
	},
	"a channel of strands": func(c crossing) {
		values := strand.NewChan[int](0)
		start := func(fn func(s *strand.Strand) error) {
			if _, err := strand.Go(bg, fn, strand.On(c.sys.Scheduler())); err != nil {
				c.s.Fatal(err)
			}
		}
		start(func(s *strand.Strand) error {
			ctx, cancel := context.WithCancel(s)
			c.arrange(cancel)
			_, _ = values.Receive(ctx)
			return nil
		})
		c.s.RunUntilIdle()
		start(func(s *strand.Strand) error {
			(<-c.trip)(s, func() { _, _ = values.TrySend(s, 1) })
			return nil
		})
	},
}

// arrange says what the trip is.
func (c crossing) arrange(cancel func()) {
	other := spawn(c.s, c.sys, "other", func(*actor.Context[int], int) error { return nil })
	c.trip <- func(ctx context.Context, meet func()) {
		cancel()
		if c.slow {
			for range 100 {
				runtime.Gosched() // Whatever goroutines that has started run.
			}
		}
		meet()
		_ = other.Send(ctx, 1)
	}
}

// The work that the end of a context sets going does not run beside the step that ended it.
// Otherwise it would be chance whether it comes before the next action of the step.
func TestEndOfAContextIsNotBesideItsStep(t *testing.T) {
	for name, program := range crossings {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				runs := 0
				simtest.Run(t, simtest.Config{Schedules: 1}, func(s *simtest.Sim) {
					runs++
					program(crossing{s, s.System(actor.Config{}), make(chan func(context.Context, func()), 1), runs%2 == 0})
					s.RunUntilIdle()
				})
			}
		})
	}
}

// A step that ends by Goexit is over, too: what ends later goes on.
func TestEndOfAContextAfterAGoexit(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		type question struct{ reply actor.Reply[int] }
		var kept []question
		silent := spawn(s, sys, "silent", func(_ *actor.Context[question], q question) error {
			kept = append(kept, q)
			return nil
		})
		ended := make(chan error, 2)
		ask := func(ctx context.Context) {
			_, err := actor.Ask(ctx, silent, func(r actor.Reply[int]) question { return question{r} })
			ended <- err
		}
		late, cancel := context.WithTimeout(bg, time.Second)
		defer cancel()
		soon, now := context.WithCancel(bg)
		for _, ctx := range []context.Context{late, soon} {
			asker := spawn(s, sys, "asker", func(*actor.Context[int], int) error { ask(ctx); return nil })
			_ = asker.Send(bg, 1)
		}
		s.RunUntilIdle()
		leaver := spawn(s, sys, "leaver", func(*actor.Context[int], int) error {
			now()
			for range 100 {
				runtime.Gosched() // The goroutine that was to be resumed by it is outside.
			}
			runtime.Goexit()
			return nil
		})
		_ = leaver.Send(bg, 1)
		s.RunUntilIdle()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			s.Errorf("the ask that was cancelled ends with %v", err)
		}
		s.Advance(time.Second)
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
			s.Errorf("the ask that is late ends with %v", err)
		}
	})
}
