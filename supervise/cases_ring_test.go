package supervise_test

import (
	"context"
	"errors"
	"slices"
	"strings"
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

// handler has an actor call do in a handler, and returns what that returned, which
// must take no time.
func (s *scene) handler(do func(ctx *actor.Context[order]) error) error {
	s.Helper()
	h, err := actor.Spawn(s.sys, newWorker(), actor.WithName("h"))
	s.ok(err)
	begin := time.Now()
	err = s.in(h, do)
	if d := time.Since(begin); s.sim != nil && d != 0 {
		s.Errorf("it took %v, want no time", d)
	}
	return err
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

// terminateRing has a handler terminate a child that asks the handler's actor meanwhile. The
// child may be about to stop before that.
func (s *scene) terminateRing(stopping bool) {
	s.Helper()
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
	if stopping {
		ctx, cancel := context.WithTimeout(s.ctx, s.unit)
		defer cancel()
		s.is(sup.Terminate(ctx, "a"), context.DeadlineExceeded)
	}
	s.ok(h.Send(s.ctx, order{do: func(ctx *actor.Context[order]) error { ring <- sup.Terminate(ctx, "a"); return nil }}))
	s.until(func() bool { return waits(s.sys, "h") })
	open.open()
	s.until(func() bool { return len(ring) == 2 })
	if first, second := <-ring, <-ring; errors.Is(first, actor.ErrCycle) == errors.Is(second, actor.ErrCycle) {
		s.Errorf("of %v and %v one should be a ring", first, second)
	}
	s.reaches(sup, "a", supervise.Down)
}

// waits reports whether a handler of the actor with the name waits.
func waits(sys *actor.System, name string) bool {
	return slices.ContainsFunc(sys.Waits(), func(w actor.Wait) bool { return w.Name == name && w.Kind == actor.StopWait })
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
	"a start whose child makes a ring of its own has stopped the others": func(s *scene) {
		_, err := supervise.Start(s.sys, supervise.Config{Name: "sup", Children: []supervise.Spec{
			s.child("a"),
			s.starting("b", func(ctx *actor.Context[order]) error {
				_, err := actor.Ask(ctx, ctx.Self(), func(r actor.Reply[int]) order { return order{nil, r} })
				return err
			}),
		}})
		s.is(err, supervise.ErrStart)
		s.is(err, actor.ErrCycle)
		if d := s.noted(); !strings.HasSuffix(d, "-a") { // Without waiting.
			s.Errorf("it happened: %s", d)
		}
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
	"a spawn by the child that is stopped last for its group is a ring": func(s *scene) {
		var sup *supervise.Supervisor
		spawn, open := s.gate(), s.gate()
		patient := func(name string) supervise.Child[order] {
			c := s.child(name)
			c.Shutdown = supervise.Infinity
			return c
		}
		sup = s.start(supervise.Config{Strategy: supervise.OneForAll, Children: []supervise.Spec{patient("a"), patient("b"), patient("c")}})
		ring, began := make(chan error, 1), make(chan struct{}, 2)
		s.fail(sup, "a", func(ctx *actor.Context[order]) error {
			began <- struct{}{}
			s.ok(spawn.wait(ctx))
			_, err := supervise.Spawn(ctx, sup, s.child("n"))
			ring <- err
			return nil
		})
		s.fail(sup, "c", func(ctx *actor.Context[order]) error {
			began <- struct{}{}
			return open.wait(ctx)
		})
		s.until(func() bool { return len(began) == 2 })
		s.fail(sup, "b", failing)
		s.reaches(sup, "c", supervise.Stopping)
		spawn.open()
		s.until(func() bool { _, err := sup.Child(s.ctx, "n"); return err == nil })
		open.open() // Now it is the turn of a.
		s.until(func() bool { return len(ring) == 1 })
		s.is(<-ring, actor.ErrCycle)
		s.until(func() bool { st, err := sup.Status(s.ctx); return err == nil && st.Count.Running == 3 })
	},
	"a spawn above, in the start of a child far below, is a ring": func(s *scene) {
		var root *supervise.Supervisor
		ring, again := make(chan error, 1), false
		b := s.starting("b", func(ctx *actor.Context[order]) error {
			if again {
				_, err := supervise.Spawn(ctx, root, s.child("n"))
				ring <- err
			}
			again = true
			return nil
		})
		b.StartLimit = -1
		root = s.start(supervise.Config{Name: "root", Strategy: supervise.OneForAll, Children: []supervise.Spec{
			s.child("a"),
			supervise.Nested{Config: supervise.Config{Name: "mid", Children: []supervise.Spec{
				supervise.Nested{Config: supervise.Config{Name: "low", Children: []supervise.Spec{s.child("x"), b}}},
			}}},
		}})
		s.fail(root, "a", failing)
		s.until(func() bool { return len(ring) == 1 })
		s.is(<-ring, actor.ErrCycle)
		s.reaches(root, "mid", supervise.Running)
	},
	"a spawn by an actor that is asked in the start of a child is a ring": func(s *scene) {
		var sup *supervise.Supervisor
		h, err := actor.Spawn(s.sys, newWorker(), actor.WithName("h"))
		s.ok(err)
		ring, again := make(chan error, 1), false
		b := s.starting("b", func(ctx *actor.Context[order]) error {
			if again {
				_, err := actor.Ask(ctx, h, func(r actor.Reply[int]) order {
					return order{func(ctx *actor.Context[order]) error {
						_, err := supervise.Spawn(ctx, sup, s.child("n"))
						ring <- err
						return nil
					}, r}
				})
				s.ok(err)
			}
			again = true
			return nil
		})
		b.StartLimit = -1
		sup = s.start(supervise.Config{Strategy: supervise.OneForAll, Children: []supervise.Spec{s.child("a"), b}})
		s.fail(sup, "a", failing)
		s.until(func() bool { return len(ring) == 1 })
		s.is(<-ring, actor.ErrCycle)
		s.reaches(sup, "b", supervise.Running)
	},
	"a terminate in a handler that the child asks is a ring":                     func(s *scene) { s.terminateRing(false) },
	"a terminate in a handler that a child asks, which stops already, is a ring": func(s *scene) { s.terminateRing(true) },
	"a terminate of a supervisor in a handler that a child far below asks is a ring": func(s *scene) {
		h, err := actor.Spawn(s.sys, newWorker(), actor.WithName("h"))
		s.ok(err)
		open := s.gate()
		c := s.child("c")
		c.Shutdown = supervise.Infinity
		sup := s.start(supervise.Config{Children: []supervise.Spec{supervise.Nested{Config: supervise.Config{Name: "mid", Children: []supervise.Spec{
			supervise.Nested{Config: supervise.Config{Name: "low", Children: []supervise.Spec{s.child("b"), c, s.child("d")}}},
		}}}}})
		mid, err := sup.Nested("mid")
		s.ok(err)
		low, err := mid.Nested("low")
		s.ok(err)
		ring, began := make(chan error, 2), make(chan struct{}, 1)
		s.fail(low, "c", func(ctx *actor.Context[order]) error {
			began <- struct{}{}
			s.ok(open.wait(ctx))
			_, err := actor.Ask(ctx, h, func(r actor.Reply[int]) order { return order{nil, r} })
			ring <- err
			return nil
		})
		s.until(func() bool { return len(began) == 1 })
		s.ok(h.Send(s.ctx, order{do: func(ctx *actor.Context[order]) error { ring <- sup.Terminate(ctx, "mid"); return nil }}))
		s.reaches(low, "c", supervise.Stopping)
		open.open()
		s.until(func() bool { return len(ring) == 2 })
		if first, second := <-ring, <-ring; errors.Is(first, actor.ErrCycle) == errors.Is(second, actor.ErrCycle) {
			s.Errorf("of %v and %v one should be a ring", first, second)
		}
		s.reaches(sup, "mid", supervise.Down)
	},
	"a spawn in a handler below a supervisor that is stopped for its group is a ring": func(s *scene) {
		open := s.gate()
		b := s.child("b")
		b.Shutdown = supervise.Infinity
		root := s.start(supervise.Config{Name: "root", Strategy: supervise.OneForAll, Children: []supervise.Spec{
			s.child("a"), supervise.Nested{Config: supervise.Config{Name: "sup", Children: []supervise.Spec{b}}},
		}})
		sup, err := root.Nested("sup")
		s.ok(err)
		ring, began := make(chan error, 1), make(chan struct{}, 1)
		s.fail(sup, "b", func(ctx *actor.Context[order]) error {
			began <- struct{}{}
			s.ok(open.wait(ctx))
			_, err := supervise.Spawn(ctx, root, s.child("n"))
			ring <- err
			return nil
		})
		s.until(func() bool { return len(began) == 1 })
		s.fail(root, "a", failing)
		s.reaches(sup, "b", supervise.Stopping)
		open.open()
		s.until(func() bool { return len(ring) == 1 })
		s.is(<-ring, actor.ErrCycle)
		s.until(func() bool { st, err := root.Status(s.ctx); return err == nil && st.Count.Running == 2 })
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
