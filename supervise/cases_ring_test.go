package supervise_test

import (
	"context"
	"errors"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// asks makes a child whose Started hook asks another actor.
func (s *scene) asks(name string, whom func() actor.Ref[order]) supervise.Child[order] {
	c := s.starting(name, func(ctx *actor.Context[order]) error {
		_, err := actor.Ask(ctx, whom(), func(r actor.Reply[int]) order { return order{nil, r} })
		return err
	})
	c.StartLimit = -1
	return c
}

// handler has an actor call do in a handler, and returns what that returned.
func (s *scene) handler(do func(ctx *actor.Context[order]) error) error {
	s.Helper()
	h, err := actor.Spawn(s.sys, newWorker(), actor.WithName("h"))
	s.ok(err)
	return s.in(h, do)
}

// in has an actor call do in a handler, and returns what that returned.
func (s *scene) in(ref actor.Ref[order], do func(ctx *actor.Context[order]) error) (err error) {
	s.Helper()
	_, failed := actor.Ask(s.ctx, ref, func(r actor.Reply[int]) order {
		return order{do: func(ctx *actor.Context[order]) error { err = do(ctx); return nil }, reply: r}
	})
	s.ok(failed)
	return err
}

var _ = define(map[string]func(*scene){
	"a start in a handler that the child asks is a ring": func(s *scene) {
		s.is(s.handler(func(ctx *actor.Context[order]) error {
			_, err := supervise.Start(ctx, supervise.Config{Name: "sup", Children: []supervise.Spec{s.child("a"), s.asks("b", ctx.Self)}})
			return err
		}), actor.ErrCycle)
	},
	"a start in a handler that a child of a nested supervisor asks is a ring": func(s *scene) {
		s.is(s.handler(func(ctx *actor.Context[order]) error {
			_, err := supervise.Start(ctx, supervise.Config{Name: "root", Children: []supervise.Spec{
				supervise.Nested{Config: supervise.Config{Name: "mid", Children: []supervise.Spec{
					supervise.Nested{Config: supervise.Config{Name: "low", Children: []supervise.Spec{s.child("a"), s.asks("b", ctx.Self)}}},
				}}},
			}})
			return err
		}), actor.ErrCycle)
	},
	"a spawn in a handler that the child asks is a ring": func(s *scene) {
		sup := s.start(supervise.Config{})
		s.is(s.handler(func(ctx *actor.Context[order]) error {
			_, err := supervise.Spawn(ctx, sup, s.asks("a", ctx.Self))
			return err
		}), actor.ErrCycle)
		s.until(func() bool { st, err := sup.Status(s.ctx); return err == nil && st.Count.Specs == 0 })
	},
	"a restart in a handler that the child asks is a ring": func(s *scene) {
		h, err := actor.Spawn(s.sys, newWorker(), actor.WithName("h"))
		s.ok(err)
		sup := s.start(supervise.Config{Children: []supervise.Spec{s.asks("a", func() actor.Ref[order] { return h })}})
		s.ok(sup.Terminate(s.ctx, "a"))
		s.is(s.in(h, func(ctx *actor.Context[order]) error { return sup.Restart(ctx, "a") }), actor.ErrCycle)
	},
	"a spawn in the start of a child, while its group is restarted, is a ring": func(s *scene) {
		for _, strategy := range []supervise.Strategy{supervise.OneForAll, supervise.RestForOne} {
			var sup *supervise.Supervisor
			rings, again := 0, false
			b := s.starting("b", func(ctx *actor.Context[order]) error {
				if again {
					_, err := supervise.Spawn(ctx, sup, s.child("n"))
					s.is(err, actor.ErrCycle)
					rings++
				}
				again = true
				return nil
			})
			b.StartLimit = -1
			sup = s.start(supervise.Config{Strategy: strategy, Children: []supervise.Spec{s.child("a"), b, s.child("c")}})
			s.forgetAfter("+a", "+b", "+c")
			s.fail(sup, "a", failing)
			s.want("-a", "-c", "-b", "+a", "+b", "+c")
			if _, err := sup.Child(s.ctx, "n"); rings != 1 || err == nil {
				s.Errorf("there were %d rings, and the child that was to be added is there: %v", rings, err == nil)
			}
			s.ok(sup.Stop(s.ctx))
			s.forget()
		}
	},
	"a spawn in a handler of a child that is stopped for its group is a ring": func(s *scene) {
		var sup *supervise.Supervisor
		open := s.gate()
		b := s.child("b")
		b.Shutdown = supervise.Infinity
		sup = s.start(supervise.Config{Strategy: supervise.OneForAll, Children: []supervise.Spec{s.child("a"), b}})
		ring, began := make(chan error, 1), make(chan struct{}, 1)
		s.fail(sup, "b", func(ctx *actor.Context[order]) error {
			began <- struct{}{}
			s.ok(open.wait(ctx))
			_, err := supervise.Spawn(ctx, sup, s.child("n"))
			ring <- err
			return nil
		})
		s.until(func() bool { return len(began) == 1 })
		s.fail(sup, "a", failing)
		s.reaches(sup, "b", supervise.Stopping)
		open.open()
		s.until(func() bool { return len(ring) == 1 })
		s.is(<-ring, actor.ErrCycle)
		s.until(func() bool { st, err := sup.Status(s.ctx); return err == nil && st.Count.Running == 2 })
	},
	"a terminate in a handler that the child asks is a ring": func(s *scene) {
		h, err := actor.Spawn(s.sys, newWorker(), actor.WithName("h"))
		s.ok(err)
		open := s.gate()
		c := s.child("a")
		c.Shutdown = supervise.Infinity
		sup := s.start(supervise.Config{Children: []supervise.Spec{c}})
		ring, began := make(chan error, 2), make(chan struct{}, 1)
		s.fail(sup, "a", func(ctx *actor.Context[order]) error {
			began <- struct{}{}
			s.ok(open.wait(ctx))
			_, err := actor.Ask(ctx, h, func(r actor.Reply[int]) order { return order{nil, r} })
			ring <- err
			return nil
		})
		s.until(func() bool { return len(began) == 1 })
		s.ok(h.Send(s.ctx, order{do: func(ctx *actor.Context[order]) error { ring <- sup.Terminate(ctx, "a"); return nil }}))
		s.reaches(sup, "a", supervise.Stopping)
		open.open()
		s.until(func() bool { return len(ring) == 2 })
		if first, second := <-ring, <-ring; errors.Is(first, actor.ErrCycle) == errors.Is(second, actor.ErrCycle) {
			s.Errorf("of %v and %v one should be a ring", first, second)
		}
		s.reaches(sup, "a", supervise.Down)
	},
	"a start in a handler that a child asks after its start is no ring": func(s *scene) {
		for range 20 {
			s.ok(s.handler(func(ctx *actor.Context[order]) error {
				self, asked := ctx.Self(), make(chan error, 1)
				first := s.starting("a", func(ctx *actor.Context[order]) error {
					return ctx.Self().Send(ctx, order{do: func(ctx *actor.Context[order]) error {
						_, err := actor.Ask(ctx, self, func(r actor.Reply[int]) order { return order{nil, r} })
						asked <- err
						return nil
					}})
				})
				_, err := supervise.Start(ctx, supervise.Config{Name: "sup", Children: []supervise.Spec{first, s.child("b"), s.child("c")}})
				s.ok(err)
				return nil
			}))
		}
		s.until(func() bool { return s.sys.Stats().Actors == 20*5 })
	},
	"a handler that waits for the start of a child that waits elsewhere is no ring": func(s *scene) {
		open := s.gate()
		h, err := actor.Spawn(s.sys, newWorker(), actor.WithName("h"))
		s.ok(err)
		started := make(chan error, 1)
		s.ok(h.Send(s.ctx, order{do: func(ctx *actor.Context[order]) error {
			_, err := supervise.Start(ctx, supervise.Config{Name: "sup", Children: []supervise.Spec{
				s.starting("a", func(ctx *actor.Context[order]) error { return open.wait(ctx) }),
			}})
			started <- err
			return nil
		}}))
		s.until(func() bool {
			for _, w := range s.sys.Waits() {
				if w.Name == "h" && w.Kind == actor.StartWait && w.OnName == "a" {
					return true
				}
			}
			return false
		})
		open.open()
		s.until(func() bool { return len(started) == 1 })
		s.ok(<-started)
	},
})

// suspend makes an actor handle no messages.
func (s *scene) suspend(id actor.PID) {
	s.Helper()
	s.ok(s.sys.Suspend(id))
	s.until(func() bool { i, err := s.sys.Info(id); return err == nil && i.State == actor.Suspended })
}

var _ = define(map[string]func(*scene){
	"a suspended supervisor ends a back-off": func(s *scene) {
		sup := s.start(supervise.Config{Children: s.specs("a"), Backoff: supervise.Backoff{Min: s.unit, Jitter: -1}})
		a := s.ref(sup, "a")
		s.forgetAfter("+a")
		s.suspend(sup.PID())
		s.ok(a.Send(s.ctx, order{do: failing}))
		s.pass(1, func() bool { return s.noted() == "-a +a" })
		s.count(a)
		s.ok(s.sys.Resume(sup.PID()))
	},
	"a suspended supervisor ends the back-off of a group": func(s *scene) {
		sup := s.start(supervise.Config{
			Strategy: supervise.OneForAll, Children: s.specs("a", "b"), Backoff: supervise.Backoff{Min: s.unit, Jitter: -1},
		})
		a := s.ref(sup, "a")
		s.forgetAfter("+a", "+b")
		s.suspend(sup.PID())
		s.ok(a.Send(s.ctx, order{do: failing}))
		s.pass(1, func() bool { return s.noted() == "-a -b +a +b" })
	},
	"a suspended supervisor ends a start that takes too long": func(s *scene) {
		open, again := s.gate(), false
		c := s.starting("a", func(ctx *actor.Context[order]) error {
			if again {
				return open.wait(ctx)
			}
			again = true
			return nil
		})
		c.StartLimit = s.unit
		sup := s.start(supervise.Config{Intensity: 1, Period: time.Hour, Children: []supervise.Spec{c}})
		a := s.ref(sup, "a")
		s.suspend(sup.PID())
		s.ok(a.Send(s.ctx, order{do: failing}))
		s.is(s.ends(sup), supervise.ErrStartLimit)
		open.open()
	},
	"a suspended supervisor kills who does not stop": func(s *scene) {
		sup := s.start(supervise.Config{Children: []supervise.Spec{s.stubborn("a", s.unit)}})
		s.hang(sup, "a")
		s.suspend(sup.PID())
		begin := time.Now()
		s.forced(sup.Stop(s.ctx), "/sup/a")
		if d := time.Since(begin); s.sim != nil && d != s.unit {
			s.Errorf("the stop took %v, want %v", d, s.unit)
		}
	},
	"a suspended supervisor learns that one below has started": func(s *scene) {
		root, sup := s.nested(supervise.OneForAll, supervise.Config{})
		a := s.ref(root, "a")
		s.suspend(root.PID())
		s.suspend(sup.PID())
		s.ok(a.Send(s.ctx, order{do: failing}))
		s.want("-a", "-z", "-y", "-x", "+a", "+x", "+y", "+z")
		s.ok(s.sys.Resume(root.PID()))
		s.reaches(root, "sup", supervise.Running)
	},
	"a suspended supervisor carries out no orders, and they are not lost": func(s *scene) {
		sup := s.start(supervise.Config{Children: s.specs("a")})
		s.suspend(sup.PID())
		ctx, cancel := context.WithTimeout(s.ctx, s.unit)
		defer cancel()
		_, err := sup.Status(ctx)
		s.is(err, context.DeadlineExceeded)
		s.ok(s.sys.Resume(sup.PID()))
		s.reaches(sup, "a", supervise.Running)
	},
})
