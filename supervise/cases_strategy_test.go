package supervise_test

import (
	"errors"
	"runtime"
	"strings"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// strategies restarts b of a, b and c, and says what happens.
func strategies(strategy supervise.Strategy, do func(*actor.Context[order]) error, want ...string) func(*scene) {
	return func(s *scene) {
		sup := s.start(supervise.Config{Strategy: strategy, Children: s.specs("a", "b", "c")})
		s.want("+a", "+b", "+c")
		s.forget()
		refs := []actor.Ref[order]{s.ref(sup, "a"), s.ref(sup, "b"), s.ref(sup, "c")}
		s.fail(sup, "b", do)
		s.want(want...)
		for _, ref := range refs {
			s.count(ref) // It is valid still.
		}
		if n := sup.Restarts(); n != 1 {
			s.Errorf("there were %d restarts, want 1", n)
		}
		s.forget()
		s.ok(sup.Stop(s.ctx))
		s.want("-c", "-b", "-a")
	}
}

var _ = define(map[string]func(*scene){
	"one for one restarts one, after an error":         strategies(supervise.OneForOne, failing, "-b", "+b"),
	"one for one restarts one, after a panic":          strategies(supervise.OneForOne, panicking, "-b", "+b"),
	"one for one restarts one, after a Goexit":         strategies(supervise.OneForOne, goexiting, "-b", "+b"),
	"one for one restarts one, after it stopped":       strategies(supervise.OneForOne, stopping, "-b", "+b"),
	"one for all restarts all, in order":               strategies(supervise.OneForAll, failing, "-b", "-c", "-a", "+a", "+b", "+c"),
	"one for all restarts all after a panic":           strategies(supervise.OneForAll, panicking, "-b", "-c", "-a", "+a", "+b", "+c"),
	"one for all restarts all after one stopped":       strategies(supervise.OneForAll, stopping, "-b", "-c", "-a", "+a", "+b", "+c"),
	"rest for one restarts the rest, in order":         strategies(supervise.RestForOne, failing, "-b", "-c", "+b", "+c"),
	"rest for one restarts the rest after a Goexit":    strategies(supervise.RestForOne, goexiting, "-b", "-c", "+b", "+c"),
	"rest for one restarts the rest after one stopped": strategies(supervise.RestForOne, stopping, "-b", "-c", "+b", "+c"),

	"rest for one of the last restarts the last alone": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.RestForOne, Children: s.specs("a", "b")})
		s.forgetAfter("+a", "+b")
		s.fail(sup, "b", failing)
		s.want("-b", "+b")
	},
	"rest for one of the first restarts all": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.RestForOne, Children: s.specs("a", "b", "c")})
		s.forgetAfter("+a", "+b", "+c")
		s.fail(sup, "a", failing)
		s.want("-a", "-c", "-b", "+a", "+b", "+c")
	},
	"a group of one restarts itself": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.OneForAll, Children: s.specs("a")})
		s.forgetAfter("+a")
		s.fail(sup, "a", failing)
		s.want("-a", "+a")
	},
	"messages of the group are kept over its restart": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.OneForAll, Children: s.specs("a", "b")})
		a := s.ref(sup, "a")
		s.fail(sup, "b", failing)
		for range 5 {
			s.ok(a.Send(s.ctx, order{do: func(*actor.Context[order]) error { s.note("m"); return nil }}))
		}
		s.until(func() bool { return sup.Restarts() == 1 })
		s.count(a)
		if n := s.sys.Stats().DeadLetters; n != 0 {
			s.Errorf("%d dead letters", n)
		}
	},
	"another failure in the midst of the group's restart is part of it": func(s *scene) {
		failed := false
		bad := s.starting("b", nil)
		bad.New = func() actor.Actor[order] {
			return &player{s: s, name: "b", stopped: func() {
				if !failed {
					failed = true
					panic(errWanted) // While it is stopped for the group.
				}
			}}
		}
		sup := s.start(supervise.Config{Strategy: supervise.OneForAll, Children: []supervise.Spec{s.child("a"), bad, s.child("c")}})
		s.forgetAfter("+a", "+b", "+c")
		s.fail(sup, "c", failing)
		s.want("-c", "-a", "+a", "+b", "+c")
		if n := sup.Restarts(); n != 1 {
			s.Errorf("there were %d restarts, want 1", n)
		}
	},
	"a child that fails to start again is tried again, with its group": func(s *scene) {
		starts := 0
		bad := s.starting("b", func(*actor.Context[order]) error {
			if starts++; starts == 2 {
				return errWanted
			}
			return nil
		})
		sup := s.start(supervise.Config{Strategy: supervise.OneForAll, Children: []supervise.Spec{s.child("a"), bad, s.child("c")}})
		s.forgetAfter("+a", "+b", "+c")
		s.fail(sup, "b", failing)
		s.want("-b", "-c", "-a", "+a", "-b", "-a", "+a", "+b", "+c")
		if n := sup.Restarts(); n != 2 {
			s.Errorf("there were %d restarts, want 2", n)
		}
	},
	"rest for one leaves alone what has started before a start that fails": func(s *scene) {
		starts := 0
		bad := s.starting("b", func(*actor.Context[order]) error {
			if starts++; starts == 2 {
				return errWanted
			}
			return nil
		})
		sup := s.start(supervise.Config{Strategy: supervise.RestForOne, Children: []supervise.Spec{s.child("a"), bad, s.child("c")}})
		s.forgetAfter("+a", "+b", "+c")
		s.fail(sup, "a", failing)
		s.want("-a", "-c", "-b", "+a", "-b", "+b", "+c")
		if n := sup.Restarts(); n != 2 {
			s.Errorf("there were %d restarts, want 2", n)
		}
	},
	"rest for one leaves alone what comes before a child that fails during the first start": func(s *scene) {
		open, failed := s.gate(), false
		b := s.child("b")
		b.New = func() actor.Actor[order] {
			return &player{s: s, name: "b", stopped: func() { failed = true; open.open() }}
		}
		var sup *supervise.Supervisor
		c := s.starting("c", func(ctx *actor.Context[order]) error {
			for i := range ctx.System().Infos(actor.PID{}) { // The supervisor has not been returned yet.
				if i.Name == "b" && !failed {
					ref, err := actor.Resolve[order](ctx.System(), i.PID)
					s.ok(errors.Join(err, ref.Send(ctx, order{do: failing})))
				}
			}
			return open.wait(ctx)
		})
		sup = s.start(supervise.Config{Strategy: supervise.RestForOne, Children: []supervise.Spec{s.child("a"), b, c}})
		s.until(func() bool { return sup.Restarts() == 1 })
		for _, name := range []string{"a", "b", "c"} {
			s.reaches(sup, name, supervise.Running)
		}
		if d := s.noted(); strings.Contains(d, "-a") || !strings.Contains(d, "-b") {
			s.Errorf("it happened: %s", d)
		}
	},
	"a child that is started anew before the one whose turn it is does not wait": func(s *scene) {
		open := s.gate()
		starts := 0
		b := s.starting("b", func(ctx *actor.Context[order]) error {
			if starts++; starts > 1 {
				return open.wait(ctx)
			}
			return nil
		})
		b.StartLimit = -1
		sup := s.start(supervise.Config{Strategy: supervise.OneForAll, Children: []supervise.Spec{s.child("a"), b}})
		s.ok(sup.Terminate(s.ctx, "a"))
		s.forgetAfter("+a", "+b", "-a")
		s.fail(sup, "b", failing)
		s.reachesStarting(sup, "b")
		s.ok(sup.Restart(s.ctx, "a")) // Its turn has gone by.
		open.open()
		s.want("-b", "+a", "+b")
	},
	"rest for one grows when an older child fails meanwhile": func(s *scene) {
		var sup *supervise.Supervisor
		c := s.child("c")
		hit := false
		c.New = func() actor.Actor[order] {
			return &player{s: s, name: "c", stopped: func() {
				if !hit {
					hit = true
					s.fail(sup, "a", failing) // The oldest, while the youngest ends.
				}
			}}
		}
		sup = s.start(supervise.Config{Strategy: supervise.RestForOne, Children: []supervise.Spec{s.child("a"), s.child("b"), c}})
		s.forgetAfter("+a", "+b", "+c")
		s.fail(sup, "b", failing)
		s.until(func() bool { return sup.Restarts() == 2 })
		for _, name := range []string{"a", "b", "c"} {
			s.reaches(sup, name, supervise.Running)
			s.count(s.ref(sup, name))
		}
	},
	"a temporary child of a group goes with it, and does not come back": func(s *scene) {
		temp := s.child("t")
		temp.Restart = supervise.Temporary
		sup := s.start(supervise.Config{Strategy: supervise.OneForAll, Children: []supervise.Spec{s.child("a"), temp, s.child("c")}})
		s.forgetAfter("+a", "+t", "+c")
		s.fail(sup, "a", failing)
		s.want("-a", "-c", "-t", "+a", "+c")
		_, err := sup.Child(s.ctx, "t")
		s.is(err, supervise.ErrNoChild)
	},
	"a transient child that has finished begins again with its group": func(s *scene) {
		trans := s.child("t")
		trans.Restart = supervise.Transient
		sup := s.start(supervise.Config{Strategy: supervise.OneForAll, Children: []supervise.Spec{s.child("a"), trans}})
		s.forgetAfter("+a", "+t")
		s.fail(sup, "t", stopping)
		s.reaches(sup, "t", supervise.Down)
		s.fail(sup, "a", failing)
		s.want("-t", "-a", "+a", "+t")
	},
	"a child that was added is part of its group": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.RestForOne, Children: s.specs("a")})
		_, err := supervise.Spawn(s.ctx, sup, s.child("b"))
		s.ok(err)
		s.forgetAfter("+a", "+b")
		s.fail(sup, "a", failing)
		s.want("-a", "-b", "+a", "+b")
	},
	"a dynamic supervisor restarts one": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.Dynamic})
		a, err := supervise.Spawn(s.ctx, sup, s.child("a"))
		s.ok(err)
		b, err := supervise.Spawn(s.ctx, sup, s.child("b"))
		s.ok(err)
		s.forgetAfter("+a", "+b")
		s.ok(a.Send(s.ctx, order{do: failing}))
		s.want("-a", "+a")
		s.count(a)
		s.count(b)
	},
	"a dynamic supervisor forgets who has ended": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.Dynamic})
		c := s.child("a")
		c.Restart = supervise.Transient
		a, err := supervise.Spawn(s.ctx, sup, c)
		s.ok(err)
		s.ok(a.Send(s.ctx, order{do: stopping}))
		s.until(func() bool { st, err := sup.Status(s.ctx); return err == nil && st.Count.Specs == 0 })
	},
	"a template makes children by their argument": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.Dynamic, Intensity: many})
		t := supervise.Template[string, order]{New: func(name string) actor.Actor[order] { return &player{s: s, name: name} }}
		x, err := t.Spawn(s.ctx, sup, "x")
		s.ok(err)
		y, err := t.Spawn(s.ctx, sup, "y")
		s.ok(err)
		s.forgetAfter("+x", "+y")
		s.ok(y.Send(s.ctx, order{do: failing}))
		s.want("-y", "+y")
		s.count(x)
		s.count(y)
	},
	"a template names children by their argument": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.Dynamic, Intensity: many})
		t := supervise.Template[string, order]{
			New:  func(name string) actor.Actor[order] { return &player{s: s, name: name} },
			Name: func(name string) string { return "session " + name },
		}
		x, err := t.Spawn(s.ctx, sup, "x")
		s.ok(err)
		_, err = t.Spawn(s.ctx, sup, "x")
		s.is(err, supervise.ErrExists)
		again, err := supervise.Ref[order](sup, "session x")
		s.ok(err)
		if again.PID() != x.PID() {
			s.Errorf("the child is %v, want %v", again, x)
		}
		t.Child.Name = "y"
		_, err = t.Spawn(s.ctx, sup, "y")
		s.says(err, "Template.Child.Name")
	},
	"a template that is wrong is refused": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.Dynamic})
		_, err := supervise.Template[string, order]{}.Spawn(s.ctx, sup, "x")
		s.says(err, "Template.New")
		_, err = supervise.Template[string, order]{
			New: func(string) actor.Actor[order] { return newWorker() }, Child: s.child("x"),
		}.Spawn(s.ctx, sup, "x")
		s.says(err, "Template.Child.New")
	},
})

func panicking(*actor.Context[order]) error { panic(errWanted) }

func goexiting(*actor.Context[order]) error { runtime.Goexit(); return nil }

// forgetAfter waits for the entries in the diary, and clears it.
func (s *scene) forgetAfter(entries ...string) {
	s.Helper()
	s.want(entries...)
	s.forget()
}
