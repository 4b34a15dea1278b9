package supervise_test

import (
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

var _ = define(map[string]func(*scene){
	"terminate stops a child, which stays known": func(s *scene) {
		sup := s.start(supervise.Config{Children: s.specs("a", "b")})
		a := s.ref(sup, "a")
		s.ok(sup.Terminate(s.ctx, "a"))
		s.want("+a", "+b", "-a")
		s.is(a.Send(s.ctx, order{}), actor.ErrStopped)
		if i := s.info(sup, "a"); i.State != supervise.Down || i.PID != (actor.PID{}) {
			s.Errorf("the child is %+v", i)
		}
		s.ok(sup.Terminate(s.ctx, "a")) // Nothing happens.
	},
	"restart starts a child that is down": func(s *scene) {
		sup := s.start(supervise.Config{Children: s.specs("a")})
		s.ok(sup.Terminate(s.ctx, "a"))
		s.ok(sup.Restart(s.ctx, "a"))
		s.count(s.ref(sup, "a"))
		s.is(sup.Restart(s.ctx, "a"), supervise.ErrNotDown)
		if n := sup.Restarts(); n != 0 {
			s.Errorf("there were %d restarts", n)
		}
	},
	"restart of a child that waits is refused": func(s *scene) {
		sup := s.start(supervise.Config{Children: s.specs("a"), Period: 24 * time.Hour, Backoff: supervise.Backoff{Min: 24 * time.Hour}})
		s.fail(sup, "a", failing)
		s.until(func() bool { return s.info(sup, "a").State == supervise.Waiting })
		s.is(sup.Restart(s.ctx, "a"), supervise.ErrNotDown)
	},
	"restart that fails says why": func(s *scene) {
		n := 0
		sup := s.start(supervise.Config{Children: []supervise.Spec{s.starting("a", func(*actor.Context[order]) error {
			if n++; n == 2 {
				return errWanted
			}
			return nil
		})}})
		s.ok(sup.Terminate(s.ctx, "a"))
		err := sup.Restart(s.ctx, "a")
		s.is(err, supervise.ErrStart)
		s.is(err, errWanted)
		s.reaches(sup, "a", supervise.Down)
		s.ok(sup.Restart(s.ctx, "a"))
	},
	"delete forgets a child that is down": func(s *scene) {
		sup := s.start(supervise.Config{Children: s.specs("a", "b")})
		s.is(sup.Delete(s.ctx, "a"), supervise.ErrNotDown)
		s.ok(sup.Terminate(s.ctx, "a"))
		s.ok(sup.Delete(s.ctx, "a"))
		s.is(sup.Delete(s.ctx, "a"), supervise.ErrNoChild)
		_, err := supervise.Spawn(s.ctx, sup, s.child("a"))
		s.ok(err)
		s.forget()
		s.ok(sup.Stop(s.ctx))
		s.want("-a", "-b")
	},
	"terminate of a temporary child forgets it": func(s *scene) {
		c := s.child("a")
		c.Restart = supervise.Temporary
		sup := s.start(supervise.Config{Children: []supervise.Spec{c}})
		s.ok(sup.Terminate(s.ctx, "a"))
		s.is(sup.Restart(s.ctx, "a"), supervise.ErrNoChild)
	},
	"terminate ends a child that waits": func(s *scene) {
		sup := s.start(supervise.Config{Children: s.specs("a"), Period: 24 * time.Hour, Backoff: supervise.Backoff{Min: 24 * time.Hour}})
		s.fail(sup, "a", failing)
		s.until(func() bool { return s.info(sup, "a").State == supervise.Waiting })
		s.ok(sup.Terminate(s.ctx, "a"))
		s.want("+a", "-a")
		s.ok(sup.Restart(s.ctx, "a"))
	},
	"terminate kills who does not stop": func(s *scene) {
		sup := s.start(supervise.Config{Children: []supervise.Spec{s.stubborn("a", s.unit)}})
		s.hang(sup, "a")
		s.forced(sup.Terminate(s.ctx, "a"), "/sup/a")
		s.reaches(sup, "a", supervise.Down)
	},
	"terminate by PID": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.Dynamic})
		ref, err := supervise.Spawn(s.ctx, sup, s.child(""))
		s.ok(err)
		s.ok(sup.TerminatePID(s.ctx, ref.PID()))
		s.is(ref.Send(s.ctx, order{}), actor.ErrStopped)
		s.is(sup.TerminatePID(s.ctx, ref.PID()), supervise.ErrNoChild)
	},
	"a child that was terminated stays down when its group restarts": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.OneForAll, Children: s.specs("a", "b", "c")})
		s.ok(sup.Terminate(s.ctx, "b"))
		s.forgetAfter("+a", "+b", "+c", "-b")
		s.fail(sup, "a", failing)
		s.want("-a", "-c", "+a", "+c")
	},
	"names are those of children": func(s *scene) {
		sup := s.start(supervise.Config{Name: "sup"})
		for _, err := range []error{
			sup.Terminate(s.ctx, "x"), sup.Restart(s.ctx, "x"), sup.Delete(s.ctx, "x"),
		} {
			s.is(err, supervise.ErrNoChild)
			s.says(err, "/sup/x")
		}
		_, err := sup.Nested("x")
		s.is(err, supervise.ErrNoChild)
	},
	"a name is taken, also by a child that is down": func(s *scene) {
		sup := s.start(supervise.Config{Name: "sup", Children: s.specs("a")})
		_, err := supervise.Spawn(s.ctx, sup, s.child("a"))
		s.is(err, supervise.ErrExists)
		s.says(err, "/sup/a")
		s.ok(sup.Terminate(s.ctx, "a"))
		_, err = supervise.Spawn(s.ctx, sup, s.child("a"))
		s.is(err, supervise.ErrExists)
	},
	"refs are of the right type": func(s *scene) {
		sup := s.start(supervise.Config{Name: "sup", Children: s.specs("a")})
		_, err := supervise.Ref[int](sup, "a")
		s.is(err, supervise.ErrWrongType)
		s.says(err, "/sup/a")
		_, err = sup.Nested("a")
		s.is(err, supervise.ErrWrongType)
	},
	"counts and states": func(s *scene) {
		sup := s.start(supervise.Config{Children: []supervise.Spec{
			s.child("a"), s.child("b"), supervise.Nested{Config: supervise.Config{Name: "n"}},
		}})
		s.ok(sup.Terminate(s.ctx, "a"))
		st, err := sup.Status(s.ctx)
		s.ok(err)
		if want := (supervise.Count{Specs: 3, Active: 2, Running: 2, Supervisors: 1, Workers: 2}); st.Count != want {
			s.Errorf("the counts are %+v, want %+v", st.Count, want)
		}
		all, err := sup.Children(s.ctx)
		s.ok(err)
		if len(all) != 3 || all[0].Name != "a" || all[1].State != supervise.Running || !all[2].Supervisor || all[2].Path != "/sup/n" {
			s.Errorf("the children are %+v", all)
		}
	},
	"a spawn during the group's restart waits for its turn": func(s *scene) {
		sup := s.start(supervise.Config{
			Strategy: supervise.OneForAll, Children: s.specs("a"), Backoff: supervise.Backoff{Min: s.span, Jitter: -1},
		})
		s.forgetAfter("+a")
		s.fail(sup, "a", failing)
		s.until(func() bool { return s.info(sup, "a").State == supervise.Waiting })
		_, err := supervise.Spawn(s.ctx, sup, s.child("b"))
		s.ok(err)
		s.want("-a", "+a", "+b")
	},
	"a spawn that is wrong is refused": func(s *scene) {
		sup := s.start(supervise.Config{Name: "sup"})
		c := s.child("a")
		c.Restart = 9
		_, err := supervise.Spawn(s.ctx, sup, c)
		s.says(err, "/sup/a")
		s.says(err, "policy 9")
	},
	"a spawn below a supervisor that stops is refused": func(s *scene) {
		sup := s.start(supervise.Config{})
		s.ok(sup.Stop(s.ctx))
		_, err := supervise.Spawn(s.ctx, sup, s.child("a"))
		s.is(err, actor.ErrStopped)
	},
})
