package supervise_test

import (
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

func refusing(*actor.Context[order]) error { return errWanted }

// wrong are configurations that can't be started, with what the error says.
func wrong(cfg func(s *scene) supervise.Config, says ...string) func(*scene) {
	return func(s *scene) {
		c := cfg(s)
		for _, err := range []error{supervise.Check(c), startOf(s, c)} {
			for _, part := range says {
				s.says(err, part)
			}
		}
		if n := s.sys.Stats().Actors; n != 0 {
			s.Errorf("%d actors have started", n)
		}
	}
}

func startOf(s *scene, c supervise.Config) error {
	_, err := supervise.Start(s.sys, c)
	return err
}

// spec makes a configuration with one child that is not as it should be.
func spec(change func(*supervise.Child[order])) func(s *scene) supervise.Config {
	return func(s *scene) supervise.Config {
		c := s.child("a")
		change(&c)
		return supervise.Config{Name: "root", Children: []supervise.Spec{supervise.Nested{
			Config: supervise.Config{Name: "sup", Children: []supervise.Spec{c}},
		}}}
	}
}

func config(c supervise.Config) func(*scene) supervise.Config {
	return func(*scene) supervise.Config { return c }
}

// seconds is what time a start may take that never ends.
func (s *scene) slowStart(name string, limit time.Duration) supervise.Child[order] {
	c := s.starting(name, func(ctx *actor.Context[order]) error {
		// It waits by means of the module, so that a simulation goes on.
		_, err := actor.Ask(ctx, s.silent(), func(r actor.Reply[int]) order { return order{nil, r} })
		return err
	})
	c.StartLimit = limit
	return c
}

// silent returns an actor that never answers.
func (s *scene) silent() actor.Ref[order] {
	var kept []order
	ref, err := actor.Spawn(s.sys, actor.Func(func(_ *actor.Context[order], o order) error {
		kept = append(kept, o)
		return nil
	}))
	s.ok(err)
	return ref
}

var _ = define(map[string]func(*scene){
	"children start in order, and the start waits for them": func(s *scene) {
		s.start(supervise.Config{Children: s.specs("a", "b", "c")})
		if got := s.noted(); got != "+a +b +c" { // Without waiting.
			s.Errorf("it happened: %s", got)
		}
	},
	"a supervisor without children starts": func(s *scene) {
		sup := s.start(supervise.Config{})
		if st, err := sup.Status(s.ctx); err != nil || !st.Booted || st.Count != (supervise.Count{}) {
			s.Errorf("the status is %+v, %v", st, err)
		}
	},
	"a start that fails stops those before, the last first": func(s *scene) {
		_, err := supervise.Start(s.sys, supervise.Config{Name: "sup", Children: []supervise.Spec{
			s.child("a"), s.child("b"), s.starting("c", refusing), s.child("d"),
		}})
		s.is(err, supervise.ErrStart)
		s.is(err, errWanted)
		s.says(err, "/sup/c")
		s.want("+a", "+b", "-c", "-b", "-a")
		s.until(func() bool { return s.sys.Stats().Actors == 0 })
	},
	"a start that panics is one that fails": func(s *scene) {
		_, err := supervise.Start(s.sys, supervise.Config{Children: []supervise.Spec{s.starting("a", panicking)}})
		s.is(err, supervise.ErrStart)
		s.is(err, errWanted)
	},
	"a start that calls Goexit is one that fails": func(s *scene) {
		_, err := supervise.Start(s.sys, supervise.Config{Children: []supervise.Spec{s.starting("a", goexiting)}})
		s.is(err, supervise.ErrStart)
		s.is(err, actor.ErrGoexit)
	},
	"a New that returns nil is a start that fails": func(s *scene) {
		c := s.child("a")
		c.New = func() actor.Actor[order] { return nil }
		_, err := supervise.Start(s.sys, supervise.Config{Name: "sup", Children: []supervise.Spec{c}})
		s.is(err, supervise.ErrStart)
		s.says(err, "/sup/a")
	},
	"a New that panics is a start that fails": func(s *scene) {
		c := s.child("a")
		c.New = func() actor.Actor[order] { panic(errWanted) }
		_, err := supervise.Start(s.sys, supervise.Config{Name: "sup", Children: []supervise.Spec{c}})
		s.is(err, supervise.ErrStart)
		s.is(err, errWanted)
	},
	"an option that is wrong is a start that fails": func(s *scene) {
		c := s.child("a")
		c.Options = []actor.Option{actor.WithThroughput(0)}
		_, err := supervise.Start(s.sys, supervise.Config{Name: "sup", Children: []supervise.Spec{s.child("b"), c}})
		s.is(err, supervise.ErrStart)
		s.says(err, "/sup/a")
		s.says(err, "throughput")
	},
	"a start that never ends is ended by its limit": func(s *scene) {
		_, err := supervise.Start(s.sys, supervise.Config{Name: "sup", Children: []supervise.Spec{
			s.child("a"), s.slowStart("b", s.unit),
		}})
		s.is(err, supervise.ErrStart)
		s.is(err, supervise.ErrStartLimit)
		s.says(err, "/sup/b")
		s.want("+a", "-a")
	},
	"a child that fails in start for ever ends its supervisor": func(s *scene) {
		starts := 0
		sup := s.start(supervise.Config{Name: "sup", Intensity: 3, Period: time.Hour, Children: []supervise.Spec{
			s.starting("a", func(*actor.Context[order]) error {
				if starts++; starts > 1 {
					return errWanted
				}
				return nil
			}),
		}})
		s.fail(sup, "a", failing)
		s.is(s.ends(sup), supervise.ErrIntensity)
		if starts != 4 {
			s.Errorf("it was started %d times, want 4", starts)
		}
	},
	"a supervisor stops while a child does not start": func(s *scene) {
		sup := s.start(supervise.Config{Children: s.specs("a")})
		go func() {
			if s.sim == nil {
				_, err := supervise.Spawn(s.ctx, sup, s.blockedStart("b"))
				s.is(err, actor.ErrStopped)
			}
		}()
		if s.sim == nil {
			s.reachesStarting(sup, "b")
			s.forced(sup.Stop(s.ctx), "/sup/b")
			return
		}
		s.ok(sup.Stop(s.ctx))
	},
	"a spawn that fails adds no child": func(s *scene) {
		sup := s.start(supervise.Config{Name: "sup", Children: s.specs("a")})
		_, err := supervise.Spawn(s.ctx, sup, s.starting("b", refusing))
		s.is(err, supervise.ErrStart)
		s.is(err, errWanted)
		s.says(err, "/sup/b")
		_, err = supervise.Spawn(s.ctx, sup, s.child("b")) // The name is free again.
		s.ok(err)
	},
	"a spawn whose start takes too long adds no child": func(s *scene) {
		sup := s.start(supervise.Config{Name: "sup"})
		_, err := supervise.Spawn(s.ctx, sup, s.slowStart("b", s.unit))
		s.is(err, supervise.ErrStartLimit)
		s.until(func() bool { st, err := sup.Status(s.ctx); return err == nil && st.Count.Specs == 0 })
	},
	"a child that need not run is no failure": func(s *scene) {
		sup := s.start(supervise.Config{Children: []supervise.Spec{
			s.starting("a", func(*actor.Context[order]) error { return supervise.ErrIgnore }), s.child("b"),
		}})
		s.reaches(sup, "a", supervise.Down)
		s.reaches(sup, "b", supervise.Running)
		if n := sup.Restarts(); n != 0 {
			s.Errorf("there were %d restarts", n)
		}
	},
	"a child that stops itself at once has started": func(s *scene) {
		c := s.starting("a", func(ctx *actor.Context[order]) error { ctx.Stop(); return nil })
		c.Restart = supervise.Transient
		sup := s.start(supervise.Config{Children: []supervise.Spec{c}})
		s.reaches(sup, "a", supervise.Down)
	},
	"a registered name that is taken is a start that fails": func(s *scene) {
		_, err := actor.Spawn(s.sys, actor.Actor[order](&worker{}), actor.WithRegistration("taken"))
		s.ok(err)
		c := s.child("a")
		c.Options = []actor.Option{actor.WithRegistration("taken")}
		_, err = supervise.Start(s.sys, supervise.Config{Name: "sup", Children: []supervise.Spec{c}})
		s.is(err, supervise.ErrStart)
		s.is(err, actor.ErrNameTaken)
		s.says(err, "/sup/a")
	},
	"a start in a system that has stopped fails": func(s *scene) {
		sys, err := actor.NewSystem(actor.Config{})
		s.ok(err)
		s.ok(sys.Stop(s.ctx))
		_, err = supervise.Start(sys, supervise.Config{Children: s.specs("a")})
		s.is(err, actor.ErrSystemStopped)
	},
	"a start nowhere fails": func(s *scene) {
		_, err := supervise.Start(nil, supervise.Config{})
		s.says(err, "nil Spawner")
	},

	"wrong: two children of one name": wrong(func(s *scene) supervise.Config {
		return supervise.Config{Name: "sup", Children: s.specs("a", "b", "a")}
	}, "/sup/a", "child 3"),
	"wrong: no New":       wrong(spec(func(c *supervise.Child[order]) { c.New = nil }), "/root/sup/a", "New is nil"),
	"wrong: no name":      wrong(spec(func(c *supervise.Child[order]) { c.Name = "" }), "/root/sup", "child 1 has no name"),
	"wrong: policy":       wrong(spec(func(c *supervise.Child[order]) { c.Restart = 7 }), "/root/sup/a", "policy 7"),
	"wrong: shutdown":     wrong(spec(func(c *supervise.Child[order]) { c.Shutdown = -3 }), "/root/sup/a", "Shutdown"),
	"wrong: start limit":  wrong(spec(func(c *supervise.Child[order]) { c.StartLimit = -2 }), "/root/sup/a", "StartLimit"),
	"wrong: retry":        wrong(spec(func(c *supervise.Child[order]) { c.Retry = -2 }), "/root/sup/a", "Retry is -2"),
	"wrong: back-off":     wrong(spec(func(c *supervise.Child[order]) { c.Backoff.Factor = 0.5 }), "/root/sup/a", "Factor is 0.5"),
	"wrong: jitter":       wrong(spec(func(c *supervise.Child[order]) { c.Backoff.Jitter = 2 }), "/root/sup/a", "Jitter is 2"),
	"wrong: max back-off": wrong(config(supervise.Config{Backoff: supervise.Backoff{Min: 3, Max: 2}}), "/supervisor", "Max"),
	"wrong: a back-off longer than the period": wrong(config(supervise.Config{
		Period: time.Second, Backoff: supervise.Backoff{Min: time.Second + 1},
	}), "/supervisor", "Backoff.Min is 1.000000001s"),
	"wrong: a child's back-off longer than the period": wrong(spec(func(c *supervise.Child[order]) { c.Backoff.Min = time.Minute }),
		"/root/sup/a", "Period 5s"),
	"wrong: a retry of what is not restarted": wrong(spec(func(c *supervise.Child[order]) { c.Retry, c.Restart = 1, supervise.Temporary }),
		"/root/sup/a", "Retry is 1", "never restarted"),
	"a back-off as long as the period is right, and a longer one if no restart is borne": func(s *scene) {
		s.ok(supervise.Check(supervise.Config{Period: time.Second, Backoff: supervise.Backoff{Min: time.Second}}))
		s.ok(supervise.Check(supervise.Config{Intensity: -1, Backoff: supervise.Backoff{Min: time.Minute}}))
	},
	"wrong: significant and permanent": wrong(spec(func(c *supervise.Child[order]) { c.Significant = true }),
		"/root/sup/a", "permanent"),
	"wrong: significant for nothing": wrong(spec(func(c *supervise.Child[order]) {
		c.Significant, c.Restart = true, supervise.Transient
	}), "/root/sup/a", "AutoShutdown"),
	"wrong: intensity":             wrong(config(supervise.Config{Intensity: -2}), "Intensity is -2"),
	"wrong: period":                wrong(config(supervise.Config{Period: -1}), "Period"),
	"wrong: strategy":              wrong(config(supervise.Config{Strategy: 9}), "Strategy is 9"),
	"wrong: auto-shutdown":         wrong(config(supervise.Config{AutoShutdown: 9}), "AutoShutdown is 9"),
	"wrong: minimum":               wrong(config(supervise.Config{MinHealthy: -2}), "MinHealthy is -2"),
	"wrong: limit without minimum": wrong(config(supervise.Config{DegradedLimit: 1}), "never degraded"),
	"wrong: a minimum above the number of children": wrong(func(s *scene) supervise.Config {
		return supervise.Config{MinHealthy: 3, Children: s.specs("a", "b")}
	}, "MinHealthy is 3", "2 children"),
	"wrong: a dynamic supervisor with children": wrong(func(s *scene) supervise.Config {
		return supervise.Config{Strategy: supervise.Dynamic, Children: s.specs("a")}
	}, "Dynamic"),
	"wrong: nil for a child": wrong(config(supervise.Config{Name: "sup", Children: []supervise.Spec{nil}}), "/sup", "child 1 is nil"),
	"wrong: a nested supervisor without a name": wrong(config(supervise.Config{Name: "sup", Children: []supervise.Spec{
		supervise.Nested{},
	}}), "/sup", "name"),
	"wrong: a supervisor below itself": wrong(func(s *scene) supervise.Config {
		specs := make([]supervise.Spec, 1)
		specs[0] = supervise.Nested{Config: supervise.Config{Name: "loop", Children: specs}}
		return supervise.Config{Name: "sup", Children: specs}
	}, "/sup/loop", "below itself"),
})

// blockedStart blocks outside the module until its system stops for good.
func (s *scene) blockedStart(name string) supervise.Child[order] {
	c := s.starting(name, func(ctx *actor.Context[order]) error { <-ctx.Done(); return nil })
	c.Shutdown = s.unit
	return c
}

func (s *scene) reachesStarting(sup *supervise.Supervisor, name string) {
	s.until(func() bool {
		i, err := sup.Child(s.ctx, name)
		return err == nil && i.State == supervise.Starting
	})
}
