package simtest_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// A deadlock by a forgotten reply says who waits for whom, and where the chain ends.
func TestForgottenReply(t *testing.T) {
	for _, tc := range []struct {
		name string
		body func(s *simtest.Sim, sys *actor.System, silent actor.Ref[get])
		want []string
	}{
		{"the body", func(s *simtest.Sim, _ *actor.System, silent actor.Ref[get]) {
			ask(bg, s, silent, count)
		}, []string{"the body waits for the answer of silent<0.1>: its handler has returned without a reply"}},
		{"a goroutine", func(s *simtest.Sim, _ *actor.System, silent actor.Ref[get]) {
			var all sync.WaitGroup
			all.Go(func() { _, _ = actor.Ask(bg, silent, count) })
			all.Wait()
		}, []string{"a goroutine waits for the answer of silent<0.1>: its handler has returned without a reply"}},
		{"a chain", func(s *simtest.Sim, sys *actor.System, silent actor.Ref[get]) {
			middle := spawn(s, sys, "middle", func(ctx *actor.Context[get], m get) error {
				n, err := actor.Ask(ctx, silent, count)
				if err != nil {
					return err
				}
				return m.reply.Send(ctx, n)
			})
			ask(bg, s, middle, count)
		}, []string{
			"the body waits for the answer of middle<1.1>\n",
			"middle<1.1> waits for the answer of silent<0.1>: its handler has returned without a reply",
		}},
		{"handed on", func(s *simtest.Sim, sys *actor.System, silent actor.Ref[get]) {
			middle := spawn(s, sys, "middle", func(ctx *actor.Context[get], m get) error { return silent.Send(ctx, m) })
			ask(bg, s, middle, count)
		}, []string{"the body waits for the answer of middle<1.1>, which silent<0.1> has to give: its handler has returned without a reply"}},
		{"put aside", func(s *simtest.Sim, sys *actor.System, _ actor.Ref[get]) {
			keeper := spawn(s, sys, "keeper", func(ctx *actor.Context[get], m get) error { return ctx.Stash(m) })
			ask(bg, s, keeper, count)
		}, []string{"the body waits for the answer of keeper<1.1>\n"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			find(t, simtest.Config{Schedules: 1}, func(s *simtest.Sim) {
				sys := s.System(actor.Config{})
				silent := spawn(s, sys, "silent", func(*actor.Context[get], get) error { return nil })
				tc.body(s, sys, silent)
			}, append(tc.want, "deadlock: nothing can happen any more")...)
		})
	}
}

// A goroutine whose wait is over is not among those that wait.
func TestWaitIsOver(t *testing.T) {
	f := find(t, simtest.Config{Schedules: 1}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		c := counter(s, sys)
		silent := spawn(s, sys, "silent", func(*actor.Context[get], get) error { return nil })
		answered := make(chan bool)
		go func() {
			ask(bg, s, c, count)
			answered <- true
			<-s.Context().Done()
		}()
		<-answered
		ask(bg, s, silent, count)
	}, "the body waits for the answer of silent<1.1>")
	if strings.Contains(f.Messages[0], "a goroutine waits") {
		t.Errorf("the goroutine has got its answer: %v", f)
	}
}
