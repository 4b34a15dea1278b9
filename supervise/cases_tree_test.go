package supervise_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// nested is root with a child a, a supervisor sup with x and y, and a child z.
func (s *scene) nested(strategy supervise.Strategy, below supervise.Config) (root, sup *supervise.Supervisor) {
	s.Helper()
	below.Name = "sup"
	if below.Children == nil {
		below.Children = s.specs("x", "y")
	}
	root = s.start(supervise.Config{Name: "root", Strategy: strategy, Children: []supervise.Spec{
		s.child("a"), supervise.Nested{Config: below}, s.child("z"),
	}})
	sup, err := root.Nested("sup")
	s.ok(err)
	s.forgetAfter("+a", "+x", "+y", "+z")
	return root, sup
}

// forbidding does not do what it is asked until it is killed.
func (s *scene) stubborn(name string, shutdown time.Duration) supervise.Child[order] {
	c := s.child(name)
	c.Shutdown = shutdown
	return c
}

// hang makes a child wait for what never comes, whatever it is asked.
func (s *scene) hang(sup *supervise.Supervisor, name string) {
	s.Helper()
	s.hangRef(s.ref(sup, name))
}

// waitingForRestart is root with a supervisor sup below, which has failed and is held
// until its back-off is over. Its child x then starts when the gate is opened, and
// after it y.
func (s *scene) waitingForRestart() (root, sup *supervise.Supervisor, x actor.Ref[order], open gate) {
	s.Helper()
	open = s.gate()
	again := false
	slow := s.starting("x", func(ctx *actor.Context[order]) error {
		if !again {
			again = true
			return nil
		}
		return open.wait(ctx)
	})
	slow.StartLimit = -1
	root = s.start(supervise.Config{Name: "root", Period: time.Hour, Children: []supervise.Spec{supervise.Nested{
		Config:  supervise.Config{Name: "sup", Children: []supervise.Spec{slow, s.child("y")}},
		Backoff: supervise.Backoff{Min: 20 * s.unit, Jitter: -1},
	}}})
	sup, err := root.Nested("sup")
	s.ok(err)
	x = s.ref(sup, "x")
	s.ok(s.sys.Kill(sup.PID()))
	s.until(func() bool { return s.info(root, "sup").State == supervise.Waiting })
	return root, sup, x, open
}

// auto is a supervisor with significant children p and q, and another one.
func (s *scene) auto(when supervise.AutoShutdown, policy supervise.Policy) *supervise.Supervisor {
	p, q := s.child("p"), s.child("q")
	p.Significant, p.Restart = true, policy
	q.Significant, q.Restart = true, policy
	sup := s.start(supervise.Config{AutoShutdown: when, Children: []supervise.Spec{p, q, s.child("o")}})
	s.forgetAfter("+p", "+q", "+o")
	return sup
}

var _ = define(map[string]func(*scene){
	"a nested supervisor starts in its turn, and stops in its turn": func(s *scene) {
		root, sup := s.nested(supervise.OneForOne, supervise.Config{})
		if p := sup.Path(); p != "/root/sup" {
			s.Errorf("the path is %s", p)
		}
		s.ok(root.Stop(s.ctx))
		s.want("-z", "-y", "-x", "-a")
	},
	"the system stops a tree in order": func(s *scene) {
		sys, err := actor.NewSystem(actor.Config{})
		s.ok(err)
		_, err = supervise.Start(sys, supervise.Config{Name: "root", Children: []supervise.Spec{
			s.child("a"), supervise.Nested{Config: supervise.Config{Name: "sup", Children: s.specs("x", "y")}}, s.child("z"),
		}})
		s.ok(err)
		s.forgetAfter("+a", "+x", "+y", "+z")
		s.ok(sys.Stop(s.ctx))
		s.want("-z", "-y", "-x", "-a")
	},
	"a failure below stays below": func(s *scene) {
		root, sup := s.nested(supervise.OneForAll, supervise.Config{})
		s.fail(sup, "x", failing)
		s.want("-x", "+x")
		if root.Restarts() != 0 || sup.Restarts() != 1 {
			s.Errorf("there were %d and %d restarts", root.Restarts(), sup.Restarts())
		}
	},
	"a supervisor that gives up is restarted, and refs stay valid": func(s *scene) {
		root, sup := s.nested(supervise.OneForOne, supervise.Config{Intensity: -1})
		x, y := s.ref(sup, "x"), s.ref(sup, "y")
		s.ok(x.Send(s.ctx, order{do: failing}))
		s.want("-x", "-y", "+x", "+y")
		s.count(x)
		s.count(y)
		s.until(func() bool { return root.Restarts() == 1 })
		s.is(s.info(root, "sup").Reason, supervise.ErrIntensity)
		if again, err := root.Nested("sup"); err != nil || again != sup {
			s.Errorf("the handle has changed: %v", err)
		}
	},
	"escalation goes up to the top": func(s *scene) {
		root := s.start(supervise.Config{Name: "root", Intensity: -1, Children: []supervise.Spec{
			supervise.Nested{Config: supervise.Config{Name: "mid", Intensity: -1, Children: []supervise.Spec{
				supervise.Nested{Config: supervise.Config{Name: "low", Intensity: -1, Children: s.specs("x")}},
			}}},
		}})
		mid, err := root.Nested("mid")
		s.ok(err)
		low, err := mid.Nested("low")
		s.ok(err)
		s.fail(low, "x", failing)
		err = s.ends(root)
		s.is(err, supervise.ErrIntensity)
		s.is(err, errWanted)
		s.says(err, "/root/mid/low/x")
		s.want("+x", "-x")
	},
	"escalation restarts the group above": func(s *scene) {
		_, sup := s.nested(supervise.OneForAll, supervise.Config{Intensity: -1})
		s.fail(sup, "y", failing)
		s.want("-y", "-x", "-z", "-a", "+a", "+x", "+y", "+z")
	},
	"escalation restarts the rest above": func(s *scene) {
		_, sup := s.nested(supervise.RestForOne, supervise.Config{Intensity: -1})
		s.fail(sup, "y", failing)
		s.want("-y", "-x", "-z", "+x", "+y", "+z")
	},
	"a group's restart takes a supervisor along, in order": func(s *scene) {
		root, sup := s.nested(supervise.OneForAll, supervise.Config{})
		x := s.ref(sup, "x")
		s.fail(root, "z", failing)
		s.want("-z", "-y", "-x", "-a", "+a", "+x", "+y", "+z")
		s.count(x)
	},
	"children that were added below end with their supervisor's incarnation": func(s *scene) {
		_, sup := s.nested(supervise.OneForOne, supervise.Config{Intensity: -1})
		added, err := supervise.Spawn(s.ctx, sup, s.child("n"))
		s.ok(err)
		s.forgetAfter("+n")
		s.fail(sup, "x", failing)
		s.want("-x", "-n", "-y", "+x", "+y")
		s.is(added.Send(s.ctx, order{}), actor.ErrStopped)
		_, err = supervise.Spawn(s.ctx, sup, s.child("n"))
		s.ok(err)
	},
	"a supervisor that is killed is restarted with its children": func(s *scene) {
		root, sup := s.nested(supervise.OneForOne, supervise.Config{})
		x := s.ref(sup, "x")
		s.ok(s.sys.Kill(sup.PID()))
		s.until(func() bool { return root.Restarts() == 1 })
		s.until(func() bool { st, err := sup.Status(s.ctx); return err == nil && st.Booted })
		s.count(x)
		s.is(s.info(root, "sup").Reason, actor.ErrKilled)
	},
	"a supervisor that is killed while a child waits does not hang": func(s *scene) {
		root, sup := s.nested(supervise.OneForOne, supervise.Config{Period: 24 * time.Hour, Backoff: supervise.Backoff{Min: 24 * time.Hour}})
		s.fail(sup, "x", failing)
		s.until(func() bool { return s.info(sup, "x").State == supervise.Waiting })
		s.ok(s.sys.Kill(sup.PID()))
		s.until(func() bool { return root.Restarts() == 1 })
		s.until(func() bool { return s.info(sup, "x").State == supervise.Running })
		s.ok(root.Stop(s.ctx))
	},
	"a held child that is stopped while its supervisor waits for its restart is made anew": func(s *scene) {
		root, sup, x, open := s.waitingForRestart()
		s.ok(s.ref(sup, "y").Stop(s.ctx))
		open.open()
		s.until(func() bool { st, err := sup.Status(s.ctx); return err == nil && st.Booted })
		s.count(x)
		s.count(s.ref(sup, "y"))
		s.ok(root.Stop(s.ctx))
	},
	"a held child that was stopped can be terminated before its turn": func(s *scene) {
		root, sup, x, open := s.waitingForRestart()
		s.ok(s.ref(sup, "y").Stop(s.ctx))
		s.reachesStarting(sup, "x")
		s.ok(sup.Terminate(s.ctx, "y"))
		if i := s.info(sup, "y"); i.State != supervise.Down {
			s.Errorf("the child that was terminated is %v", i.State)
		}
		open.open()
		s.count(x)
		s.ok(root.Stop(s.ctx))
	},
	"a tree stops while a held child that was stopped has not had its turn": func(s *scene) {
		root, sup, _, open := s.waitingForRestart()
		s.ok(s.ref(sup, "y").Stop(s.ctx))
		s.reachesStarting(sup, "x")
		open.open()
		s.ok(root.Stop(s.ctx))
	},
	"a start below that fails is one above": func(s *scene) {
		_, err := supervise.Start(s.sys, supervise.Config{Name: "root", Children: []supervise.Spec{
			s.child("a"),
			supervise.Nested{Config: supervise.Config{Name: "sup", Children: []supervise.Spec{s.child("x"), s.starting("y", refusing)}}},
		}})
		s.is(err, supervise.ErrStart)
		s.is(err, errWanted)
		s.says(err, "/root/sup/y")
		s.want("+a", "+x", "-y", "-x", "-a")
	},
	"a supervisor can be added": func(s *scene) {
		sup := s.start(supervise.Config{Name: "root"})
		below, err := supervise.SpawnNested(s.ctx, sup, supervise.Nested{Config: supervise.Config{Name: "sup", Children: s.specs("x")}})
		s.ok(err)
		s.want("+x")
		s.count(s.ref(below, "x"))
		_, err = supervise.SpawnNested(s.ctx, sup, supervise.Nested{Config: supervise.Config{Name: "bad", Children: []supervise.Spec{
			s.starting("y", refusing),
		}}})
		s.is(err, errWanted)
	},
	"a transient supervisor that ended by itself stays down": func(s *scene) {
		c := s.child("x")
		c.Significant, c.Restart = true, supervise.Transient
		root := s.start(supervise.Config{Name: "root", Children: []supervise.Spec{
			supervise.Nested{Restart: supervise.Transient, Config: supervise.Config{
				Name: "sup", AutoShutdown: supervise.AnySignificant, Children: []supervise.Spec{c},
			}},
		}})
		sup, err := root.Nested("sup")
		s.ok(err)
		s.fail(sup, "x", stopping)
		s.reaches(root, "sup", supervise.Down)
		if n := root.Restarts(); n != 0 {
			s.Errorf("there were %d restarts", n)
		}
	},

	"a child that does not stop is killed after its time": func(s *scene) {
		sup := s.start(supervise.Config{Children: []supervise.Spec{s.child("a"), s.stubborn("b", s.unit)}})
		b := s.ref(sup, "b")
		s.hang(sup, "b")
		s.forced(sup.Stop(s.ctx), "/sup/b")
		s.forced(sup.Err(), "/sup/b")
		s.forced(sup.Stop(s.ctx), "/sup/b") // Also if it has stopped before.
		s.is(b.Err(), actor.ErrKilled)
		s.want("+a", "+b", "-a")
	},
	"a child that is to be killed is killed at once": func(s *scene) {
		sup := s.start(supervise.Config{Children: []supervise.Spec{s.stubborn("a", supervise.BrutalKill)}})
		s.hang(sup, "a")
		begin := time.Now()
		s.ok(sup.Stop(s.ctx))
		if d := time.Since(begin); s.sim != nil && d > 0 {
			s.Errorf("it took %v", d)
		}
		s.want("+a")
	},
	"a group's restart kills who does not stop": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.OneForAll, Children: []supervise.Spec{s.child("a"), s.stubborn("b", s.unit)}})
		b := s.ref(sup, "b")
		s.hang(sup, "b")
		s.fail(sup, "a", failing)
		s.want("+a", "+b", "-a", "+a", "+b")
		s.count(b)
	},
	"each limit counts from the stop of that child": func(s *scene) {
		if s.sim == nil {
			return // It is about time.
		}
		sup := s.start(supervise.Config{Children: []supervise.Spec{
			s.stubborn("a", 2*time.Second), s.stubborn("b", 3*time.Second),
		}})
		s.hang(sup, "a")
		s.hang(sup, "b")
		begin := time.Now()
		s.forced(sup.Stop(s.ctx), "/sup/b, /sup/a")
		if d := time.Since(begin); d != 5*time.Second {
			s.Errorf("the stop took %v, want 5s", d)
		}
	},
	"a child that needs its time has it": func(s *scene) {
		c := s.child("a")
		c.Shutdown = supervise.Infinity
		sup := s.start(supervise.Config{Children: []supervise.Spec{c}})
		a, silent := s.ref(sup, "a"), s.silent()
		began := make(chan struct{}, 1)
		s.fail(sup, "a", func(ctx *actor.Context[order]) error {
			began <- struct{}{}
			short, cancel := context.WithTimeout(ctx, 8*s.unit+1) // More than the limit by default, in a simulation.
			defer cancel()
			_, err := actor.Ask(short, silent, func(r actor.Reply[int]) order { return order{nil, r} })
			s.is(err, context.DeadlineExceeded)
			return nil
		})
		s.until(func() bool { return len(began) == 1 })
		s.ok(sup.Stop(s.ctx))
		s.ok(a.Err())
		s.want("+a", "-a")
	},
	"a dynamic supervisor stops all at once": func(s *scene) {
		if s.sim == nil {
			return // It is about time.
		}
		sup := s.start(supervise.Config{Strategy: supervise.Dynamic})
		for i := range 5 {
			name := fmt.Sprint(i)
			_, err := supervise.Spawn(s.ctx, sup, s.stubborn(name, 2*time.Second))
			s.ok(err)
			s.hang(sup, name)
		}
		begin := time.Now()
		s.forced(sup.Stop(s.ctx), "(5: ")
		if d := time.Since(begin); d != 2*time.Second {
			s.Errorf("the stop took %v, want 2s", d)
		}
	},
	"a grandchild that does not stop is killed with its parent": func(s *scene) {
		root := s.start(supervise.Config{Name: "root", Children: []supervise.Spec{
			supervise.Nested{Shutdown: s.unit, Config: supervise.Config{Name: "sup", Children: []supervise.Spec{
				s.stubborn("x", supervise.Infinity),
			}}},
		}})
		sup, err := root.Nested("sup")
		s.ok(err)
		x := s.ref(sup, "x")
		s.hang(sup, "x")
		s.forced(root.Stop(s.ctx), "/root/sup")
		s.is(x.Send(s.ctx, order{}), actor.ErrStopped)
		s.want("+x")
	},
	"a supervisor that gives up kills who does not stop": func(s *scene) {
		sup := s.start(supervise.Config{Intensity: -1, Children: []supervise.Spec{s.child("a"), s.stubborn("b", s.unit)}})
		s.hang(sup, "b")
		s.fail(sup, "a", failing)
		err := s.ends(sup)
		s.is(err, supervise.ErrIntensity)
		s.forced(err, "/sup/b")
	},

	"a child whose clean-up is cut off is seen": func(s *scene) {
		open := s.gate()
		c := s.stubborn("b", s.unit)
		var ctx *actor.Context[order]
		c.New = func() actor.Actor[order] {
			return &player{
				s: s, name: "b",
				started: func(c *actor.Context[order]) error { ctx = c; return nil },
				stopped: func() { _ = open.wait(ctx) },
			}
		}
		sup := s.start(supervise.Config{Children: []supervise.Spec{s.child("a"), c}})
		b := s.ref(sup, "b")
		s.forced(sup.Stop(s.ctx), "/sup/b")
		s.is(b.Err(), actor.ErrKilled)
		open.open()
	},
	"a child that has ended by itself, and whose clean-up is cut off, is seen": func(s *scene) {
		for _, end := range []func(*actor.Context[order]) error{failing, stopping} {
			began, silent := make(chan struct{}, 1), s.silent()
			c := s.stubborn("b", s.unit)
			c.New = func() actor.Actor[order] {
				var ctx *actor.Context[order]
				return &player{
					s: s, name: "b",
					started: func(c *actor.Context[order]) error { ctx = c; return nil },
					stopped: func() {
						began <- struct{}{}
						_, _ = actor.Ask(ctx, silent, func(r actor.Reply[int]) order { return order{nil, r} })
					},
				}
			}
			sup := s.start(supervise.Config{Children: []supervise.Spec{s.child("a"), c}})
			s.fail(sup, "b", end)
			s.until(func() bool { return len(began) == 1 })
			s.forced(sup.Stop(s.ctx), "/sup/b")
		}
	},
	"a child that was killed for its group, and then stopped, was not killed for the stop": func(s *scene) {
		sup := s.start(supervise.Config{
			Strategy: supervise.OneForAll, Period: 24 * time.Hour, Backoff: supervise.Backoff{Min: 24 * time.Hour},
			Children: []supervise.Spec{s.child("a"), s.stubborn("b", s.unit)},
		})
		s.hang(sup, "b")
		s.fail(sup, "a", failing)
		s.reaches(sup, "b", supervise.Waiting)
		s.forced(s.info(sup, "b").Reason, "/sup/b")
		s.ok(sup.Terminate(s.ctx, "b"))
		s.ok(sup.Stop(s.ctx))
	},
	"what a supervisor has killed when it failed is no matter of a later stop": func(s *scene) {
		root := s.start(supervise.Config{Name: "root", Period: 24 * time.Hour, Children: []supervise.Spec{supervise.Nested{
			Config:  supervise.Config{Name: "sup", Intensity: -1, Children: []supervise.Spec{s.child("x"), s.stubborn("y", s.unit)}},
			Backoff: supervise.Backoff{Min: 24 * time.Hour},
		}}})
		sup, err := root.Nested("sup")
		s.ok(err)
		s.hang(sup, "y")
		s.fail(sup, "x", failing)
		s.reaches(root, "sup", supervise.Waiting)
		s.forced(s.info(root, "sup").Reason, "/root/sup/y")
		s.ok(root.Stop(s.ctx))
	},
	"who had to be killed and has no name is called by its PID": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.Dynamic})
		ref, err := supervise.Spawn(s.ctx, sup, s.stubborn("", s.unit))
		s.ok(err)
		s.hangRef(ref)
		s.forced(sup.Stop(s.ctx), "/sup/"+ref.PID().String())
	},
	"who had to be killed below is named above": func(s *scene) {
		root, sup := s.nested(supervise.OneForOne, supervise.Config{Children: []supervise.Spec{s.child("x"), s.stubborn("y", s.unit)}})
		s.hang(sup, "y")
		s.forced(root.Stop(s.ctx), "/root/sup/y")
		s.forced(sup.Err(), "/root/sup/y")
	},
	"who had to be killed for the restart of a group is told with the child": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.OneForAll, Children: []supervise.Spec{s.child("a"), s.stubborn("b", s.unit)}})
		s.hang(sup, "b")
		s.fail(sup, "a", failing)
		s.until(func() bool { return sup.Restarts() == 1 && s.info(sup, "b").State == supervise.Running })
		s.forced(s.info(sup, "b").Reason, "/sup/b")
		if err := sup.Stop(s.ctx); s.sim != nil || !errors.Is(err, actor.ErrForced) { // On a busy machine the new b may not stop in time.
			s.ok(err)
		}
	},
	"who is to be killed is not told": func(s *scene) {
		sup := s.start(supervise.Config{Children: []supervise.Spec{s.stubborn("a", supervise.BrutalKill)}})
		s.hang(sup, "a")
		s.ok(sup.Stop(s.ctx))
		s.ok(sup.Err())
	},
	"a transient supervisor that has killed a child at its own end stays down": func(s *scene) {
		p := s.child("p")
		p.Significant, p.Restart = true, supervise.Transient
		root := s.start(supervise.Config{Name: "root", Children: []supervise.Spec{
			supervise.Nested{Restart: supervise.Transient, Config: supervise.Config{
				Name: "sup", AutoShutdown: supervise.AnySignificant, Children: []supervise.Spec{p, s.stubborn("q", s.unit)},
			}},
		}})
		sup, err := root.Nested("sup")
		s.ok(err)
		s.hang(sup, "q")
		s.fail(sup, "p", stopping)
		s.reaches(root, "sup", supervise.Down)
		s.forced(s.info(root, "sup").Reason, "/root/sup/q")
		if n := root.Restarts(); n != 0 {
			s.Errorf("there were %d restarts", n)
		}
	},

	"any significant child that finished ends the supervisor": func(s *scene) {
		sup := s.auto(supervise.AnySignificant, supervise.Transient)
		s.fail(sup, "p", stopping)
		s.ok(s.ends(sup))
		s.want("-p", "-o", "-q")
	},
	"a significant child that failed is restarted": func(s *scene) {
		sup := s.auto(supervise.AnySignificant, supervise.Transient)
		s.fail(sup, "p", failing)
		s.want("-p", "+p")
		s.ok(sup.Err())
	},
	"a significant temporary child that failed ends the supervisor": func(s *scene) {
		sup := s.auto(supervise.AnySignificant, supervise.Temporary)
		s.fail(sup, "p", failing)
		s.ok(s.ends(sup))
	},
	"the last significant child ends the supervisor": func(s *scene) {
		sup := s.auto(supervise.AllSignificant, supervise.Transient)
		s.fail(sup, "p", stopping)
		s.reaches(sup, "p", supervise.Down)
		s.ok(sup.Err())
		s.fail(sup, "q", stopping)
		s.ok(s.ends(sup))
		s.want("-p", "-q", "-o")
	},
	"a significant child that was terminated ends nothing": func(s *scene) {
		sup := s.auto(supervise.AnySignificant, supervise.Transient)
		s.ok(sup.Terminate(s.ctx, "p"))
		s.count(s.ref(sup, "o"))
		s.want("-p")
	},
	"an insignificant child ends nothing": func(s *scene) {
		sup := s.auto(supervise.AnySignificant, supervise.Transient)
		s.ok(s.ref(sup, "o").Stop(s.ctx))
		s.reaches(sup, "o", supervise.Down)
		s.count(s.ref(sup, "p"))
	},

	"too few children make it degraded, and that is over": func(s *scene) {
		sup := s.start(supervise.Config{MinHealthy: 2, Children: s.specs("a", "b"), Backoff: supervise.Backoff{Min: s.span}})
		degraded := func(want bool) func() bool {
			return func() bool { st, err := sup.Status(s.ctx); return err == nil && st.Degraded.IsZero() != want }
		}
		s.until(degraded(false))
		s.fail(sup, "a", failing)
		s.until(func() bool { return s.info(sup, "a").State == supervise.Waiting })
		if s.sim != nil && !degraded(true)() {
			s.Error("it is not degraded")
		}
		s.until(degraded(false))
	},
	"too few children for too long end the supervisor": func(s *scene) {
		sup := s.start(supervise.Config{
			MinHealthy: 2, DegradedLimit: s.unit, Children: s.specs("a", "b"), Period: 24 * time.Hour, Backoff: supervise.Backoff{Min: 24 * time.Hour},
		})
		s.fail(sup, "a", failing)
		s.is(s.ends(sup), supervise.ErrTooFew)
	},
	"too few children are borne for ever without a limit": func(s *scene) {
		for _, limit := range []time.Duration{0, -1} {
			sup := s.start(supervise.Config{
				MinHealthy: 1, DegradedLimit: limit, Children: s.specs("a"), Period: 24 * time.Hour, Backoff: supervise.Backoff{Min: 24 * time.Hour},
			})
			s.fail(sup, "a", failing)
			s.until(func() bool { st, err := sup.Status(s.ctx); return err == nil && !st.Degraded.IsZero() })
			if s.sim != nil {
				s.sim.Advance(23 * time.Hour)
			}
			_, err := sup.Status(s.ctx)
			s.ok(err)
		}
	},
	"without a minimum no number of children is too few": func(s *scene) {
		for _, minimum := range []int{0, -1} {
			sup := s.start(supervise.Config{
				MinHealthy: minimum, Children: s.specs("a"), Period: 24 * time.Hour, Backoff: supervise.Backoff{Min: 24 * time.Hour},
			})
			s.fail(sup, "a", failing)
			s.until(func() bool { return s.info(sup, "a").State == supervise.Waiting })
			st, err := sup.Status(s.ctx)
			s.ok(err)
			if !st.Degraded.IsZero() {
				s.Errorf("with MinHealthy %d the supervisor is degraded", minimum)
			}
		}
	},
	"too few children for a short time do not": func(s *scene) {
		if s.sim == nil {
			return // It is about time.
		}
		sup := s.start(supervise.Config{
			MinHealthy: 1, DegradedLimit: 3 * time.Second, Children: s.specs("a"), Intensity: many,
			Backoff: supervise.Backoff{Min: 2 * time.Second, Factor: 1},
		})
		for range 5 {
			s.fail(sup, "a", failing)
			s.sim.Advance(2 * time.Second)
		}
		s.count(s.ref(sup, "a"))
	},
	"one stop after the other does nothing more": func(s *scene) {
		sup := s.start(supervise.Config{Children: s.specs("a")})
		s.ok(sup.Stop(s.ctx))
		s.ok(sup.Stop(s.ctx))
		s.ok(sup.Err())
		_, err := sup.Status(s.ctx)
		s.is(err, actor.ErrStopped)
	},
	"a supervisor in an actor goes with it": func(s *scene) {
		var below *supervise.Supervisor
		c := s.starting("a", func(ctx *actor.Context[order]) (err error) {
			below, err = supervise.Start(ctx, supervise.Config{Name: "own", Children: s.specs("x")})
			return err
		})
		sup := s.start(supervise.Config{Children: []supervise.Spec{c}})
		if p := below.Path(); p != "/sup/a/own" {
			s.Errorf("the path is %s", p)
		}
		s.fail(sup, "a", failing)
		s.want("+x", "+a", "-x", "-a", "+x", "+a")
	},
})
