package supervise_test

import (
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// disorders are ways in which a supervisor ends without having stopped its
// children one by one.
var disorders = map[string]func(s *scene, sup *supervise.Supervisor){
	"is killed":     func(s *scene, sup *supervise.Supervisor) { s.ok(s.sys.Kill(sup.PID())) },
	"itself panics": func(s *scene, sup *supervise.Supervisor) { s.fail(sup, "a", failing) },
}

// disorderly is a supervisor with a child a, and another one that hangs.
func (s *scene) disorderly(other supervise.Spec) supervise.Config {
	return supervise.Config{
		Name: "sup", Children: []supervise.Spec{s.child("a"), other}, OnRestart: func(supervise.Restart) { panic(errWanted) },
	}
}

func init() {
	for how, disorder := range disorders {
		define(map[string]func(*scene){
			"a supervisor that " + how + " ends although a child hangs": func(s *scene) {
				sup := s.start(s.disorderly(s.stubborn("b", 3*s.unit)))
				b := s.ref(sup, "b")
				s.hang(sup, "b")
				begin := time.Now()
				disorder(s, sup)
				if s.ends(sup) == nil {
					s.Error("it ended without a reason")
				}
				s.is(b.Err(), actor.ErrKilled)
				if d := time.Since(begin); d < 3*s.unit || s.sim != nil && d > 3*s.unit {
					s.Errorf("that took %v, want %v", d, 3*s.unit)
				}
			},
			"a supervisor that " + how + " waits for a child without a limit": func(s *scene) {
				sup := s.start(s.disorderly(s.stubborn("b", supervise.Infinity)))
				b := s.ref(sup, "b")
				s.hang(sup, "b")
				disorder(s, sup)
				if s.sim != nil {
					s.sim.Advance(time.Hour)
				}
				s.ok(sup.Err())
				s.ok(b.Kill())
				s.until(func() bool { return sup.Err() != nil })
			},
			"a supervisor that " + how + " kills also below its children": func(s *scene) {
				hung := make(chan actor.Ref[order], 1)
				c := s.stubborn("b", supervise.BrutalKill)
				sup := s.start(s.disorderly(c))
				s.fail(sup, "b", func(ctx *actor.Context[order]) error {
					ref, err := actor.Spawn(ctx, actor.Actor[order](&player{s: s, name: "below"}))
					hung <- ref
					return err
				})
				s.until(func() bool { return len(hung) == 1 })
				below := <-hung
				s.hangRef(below)
				disorder(s, sup)
				_ = s.ends(sup)
				s.is(below.Err(), actor.ErrKilled)
			},
			"a nested supervisor that " + how + " is restarted although a child hangs": func(s *scene) {
				root := s.start(supervise.Config{Name: "root", Children: []supervise.Spec{
					supervise.Nested{Config: s.disorderly(s.stubborn("b", s.unit))},
				}})
				sup, err := root.Nested("sup")
				s.ok(err)
				b := s.ref(sup, "b")
				s.hang(sup, "b")
				disorder(s, sup)
				s.until(func() bool { return root.Restarts() == 1 })
				s.count(b)
				if s.sim != nil {
					s.sim.Advance(time.Hour) // Nobody kills the new incarnations.
				}
				s.until(func() bool { st, err := sup.Status(s.ctx); return err == nil && st.Count.Running == 2 })
				if i := s.info(sup, "b"); i.Restarts != 0 || root.Restarts() != 1 {
					s.Errorf("after that the child is %+v", i)
				}
			},
		})
	}
}

var _ = define(map[string]func(*scene){
	"a supervisor that is killed has its children stop by themselves first": func(s *scene) {
		sup := s.start(supervise.Config{Children: s.specs("a", "b")})
		s.ok(s.sys.Kill(sup.PID()))
		s.is(s.ends(sup), actor.ErrKilled)
		s.until(func() bool { return len(s.noted()) == len("+a +b -a -b") })
	},
	"below a supervisor that is killed a nested one stops in order": func(s *scene) {
		root, sup := s.nested(supervise.OneForOne, supervise.Config{Children: []supervise.Spec{s.child("x"), s.stubborn("y", s.unit)}})
		s.hang(sup, "y")
		s.ok(s.sys.Kill(root.PID()))
		s.is(s.ends(root), actor.ErrKilled)
		s.until(func() bool { return s.sys.Stats().Actors <= 1 }) // But who is silent.
	},
	"a supervisor that is killed while it starts ends": func(s *scene) {
		failed := make(chan error, 1)
		c := s.slowStart("b", -1)
		c.Shutdown = s.unit
		parent, err := actor.Spawn(s.sys, actor.Func(func(ctx *actor.Context[int], _ int) error {
			_, err := supervise.Start(ctx, supervise.Config{Name: "sup", Children: []supervise.Spec{s.child("a"), c}})
			failed <- err
			return nil
		}), actor.WithName("parent"))
		s.ok(err)
		s.ok(parent.Send(s.ctx, 1))
		s.want("+a")
		below, err := s.sys.Children(parent.PID(), actor.PID{}, 1)
		s.ok(err)
		s.ok(s.sys.Kill(below[0].PID))
		s.until(func() bool { return len(failed) == 1 })
		s.is(<-failed, actor.ErrKilled)
		s.ok(parent.Stop(s.ctx))
	},
})

// hangRef makes an actor wait for what never comes.
func (s *scene) hangRef(ref actor.Ref[order]) {
	s.Helper()
	silent := s.silent()
	began := make(chan struct{}, 1)
	s.ok(ref.Send(s.ctx, order{do: func(ctx *actor.Context[order]) error {
		began <- struct{}{}
		for ctx.Err() == nil {
			_, _ = actor.Ask(ctx, silent, func(r actor.Reply[int]) order { return order{nil, r} })
		}
		return nil
	}}))
	s.until(func() bool { return len(began) == 1 })
}
