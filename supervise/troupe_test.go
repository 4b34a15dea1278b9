package supervise_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// duo are two members that know each other.
type duo struct {
	Left, Right actor.Ref[order]
}

// declareDuo lets two players note what they know when they are made.
func (s *scene) duo(change func(cast *supervise.Cast, d *duo)) *supervise.Troupe[duo] {
	return supervise.NewTroupe(func(cast *supervise.Cast, d *duo) {
		for _, ref := range []*actor.Ref[order]{&d.Left, &d.Right} {
			supervise.Play(cast, ref, supervise.Child[order]{New: func() actor.Actor[order] {
				if d.Left == (actor.Ref[order]{}) || d.Right == (actor.Ref[order]{}) || d.Left == d.Right {
					s.Error("a member does not know the others")
				}
				return &player{s: s, name: map[bool]string{true: "l", false: "r"}[ref == &d.Left]}
			}})
		}
		if change != nil {
			change(cast, d)
		}
	})
}

var _ = define(map[string]func(*scene){
	"a troupe starts in order and stops in the opposite one": func(s *scene) {
		t := s.duo(nil)
		if t.Members() != nil {
			s.Error("there are members before the start")
		}
		sup := s.start(supervise.Config{Troupe: t, Children: s.specs("z")})
		s.want("+l", "+r", "+z")
		m := t.Members()
		s.count(m.Left)
		s.count(m.Right)
		if s.ref(sup, "Left") != m.Left || m.Left.Path() != "/sup/Left" {
			s.Errorf("the member is %v", m.Left.Path())
		}
		s.forget()
		s.ok(sup.Stop(s.ctx))
		s.want("-z", "-r", "-l")
	},
	"members can send to each other before all have started": func(s *scene) {
		t := supervise.NewTroupe(func(cast *supervise.Cast, d *duo) {
			supervise.Play(cast, &d.Left, s.starting("l", func(ctx *actor.Context[order]) error {
				return d.Right.Send(ctx, order{do: func(*actor.Context[order]) error { s.note("m"); return nil }})
			}))
			supervise.Play(cast, &d.Right, s.child("r"))
		})
		s.start(supervise.Config{Troupe: t})
		s.want("+l", "+r", "m")
	},
	"a troupe that fails to start is stopped, and says who and why": func(s *scene) {
		t := supervise.NewTroupe(func(cast *supervise.Cast, d *duo) {
			supervise.Play(cast, &d.Left, s.child("l"))
			supervise.Play(cast, &d.Right, s.starting("r", refusing))
		})
		_, err := supervise.Start(s.sys, supervise.Config{Name: "duo", Troupe: t})
		s.is(err, supervise.ErrStart)
		s.is(err, errWanted)
		s.says(err, "/duo/r")
		s.want("+l", "-r", "-l")
		s.until(func() bool { return s.sys.Stats().Actors == 0 })
	},
	"a member that can't be spawned stops the start before anybody begins": func(s *scene) {
		t := supervise.NewTroupe(func(cast *supervise.Cast, d *duo) {
			supervise.Play(cast, &d.Left, s.child("l"))
			c := s.child("r")
			c.Options = []actor.Option{actor.WithThroughput(0)}
			supervise.Play(cast, &d.Right, c)
		})
		_, err := supervise.Start(s.sys, supervise.Config{Name: "duo", Troupe: t})
		s.is(err, supervise.ErrStart)
		s.says(err, "/duo/r")
		s.want()
		s.until(func() bool { return s.sys.Stats().Actors == 0 })
	},
	"a troupe is restarted as any group, and its refs stay": func(s *scene) {
		t := s.duo(nil)
		sup := s.start(supervise.Config{Strategy: supervise.OneForAll, Troupe: t})
		s.forgetAfter("+l", "+r")
		m := *t.Members()
		s.ok(m.Left.Send(s.ctx, order{do: failing}))
		s.want("-l", "-r", "+l", "+r")
		s.count(m.Left)
		s.count(m.Right)
		if m != *t.Members() || sup.Restarts() != 1 {
			s.Error("the refs have changed")
		}
	},
	"a nested troupe is restarted as a whole, and its refs stay": func(s *scene) {
		t := s.duo(nil)
		s.start(supervise.Config{Name: "root", Children: []supervise.Spec{
			supervise.Nested{Config: supervise.Config{Name: "duo", Intensity: -1, Troupe: t}},
		}})
		s.forgetAfter("+l", "+r")
		m := *t.Members()
		s.ok(m.Right.Send(s.ctx, order{do: failing}))
		s.want("-r", "-l", "+l", "+r")
		s.count(m.Left)
		s.count(m.Right)
	},
	"a nested troupe that is started from nothing has new refs": func(s *scene) {
		t := s.duo(nil)
		root := s.start(supervise.Config{Name: "root", Children: []supervise.Spec{
			supervise.Nested{Config: supervise.Config{Name: "duo", Troupe: t}},
		}})
		old := *t.Members()
		s.ok(root.Terminate(s.ctx, "duo"))
		s.is(old.Left.Send(s.ctx, order{}), actor.ErrStopped)
		s.ok(root.Restart(s.ctx, "duo"))
		s.count(t.Members().Left)
	},
	"wrong: a troupe with a member that nobody plays": wrong(func(s *scene) supervise.Config {
		return supervise.Config{Name: "duo", Troupe: supervise.NewTroupe(func(cast *supervise.Cast, d *duo) {
			supervise.Play(cast, &d.Left, s.child("l"))
		})}
	}, "/duo", "nobody plays Right"),
	"wrong: a troupe with a member that is played twice": wrong(func(s *scene) supervise.Config {
		return supervise.Config{Name: "duo", Troupe: s.duo(func(cast *supervise.Cast, d *duo) {
			supervise.Play(cast, &d.Left, s.child("l"))
		})}
	}, "/duo", "Left is played twice"),
	"wrong: a troupe with a strange ref": wrong(func(s *scene) supervise.Config {
		return supervise.Config{Name: "duo", Troupe: s.duo(func(cast *supervise.Cast, _ *duo) {
			supervise.Play(cast, new(actor.Ref[order]), s.child("l"))
		})}
	}, "/duo", "no member"),
	"wrong: a troupe with two members of one name": wrong(func(s *scene) supervise.Config {
		return supervise.Config{Name: "duo", Troupe: supervise.NewTroupe(func(cast *supervise.Cast, d *duo) {
			supervise.Play(cast, &d.Left, s.child("x"))
			supervise.Play(cast, &d.Right, s.child("x"))
		})}
	}, "/duo/x"),
	"wrong: a member without New": wrong(func(s *scene) supervise.Config {
		return supervise.Config{Name: "duo", Troupe: supervise.NewTroupe(func(cast *supervise.Cast, d *duo) {
			supervise.Play(cast, &d.Left, s.child("x"))
			supervise.Play(cast, &d.Right, supervise.Child[order]{})
		})}
	}, "/duo/Right", "New is nil"),
	"wrong: a troupe without members": wrong(config(supervise.Config{
		Troupe: supervise.NewTroupe(func(*supervise.Cast, *struct{ N int }) {}),
	}), "no members"),
	"wrong: a dynamic troupe": wrong(func(s *scene) supervise.Config {
		return supervise.Config{Strategy: supervise.Dynamic, Troupe: s.duo(nil)}
	}, "Dynamic"),
	"wrong: a troupe that was not made by NewTroupe": wrong(config(supervise.Config{Troupe: &supervise.Troupe[duo]{}}), "NewTroupe"),
})

// Members may be in structs and arrays, be unexported, and run on threads of
// their own.
func TestMembersInStructsAndArrays(t *testing.T) {
	type crew struct {
		name string
		pump [2]actor.Ref[order]
		side struct{ boat actor.Ref[order] }
	}
	sys := newSystem(t, actor.Config{})
	var names []string
	c, sup, err := supervise.StartTroupe(sys, supervise.Config{Name: "ship"}, func(cast *supervise.Cast, c *crew) {
		c.name = "crew"
		for i := range c.pump {
			supervise.Play(cast, &c.pump[i], supervise.Child[order]{New: newWorker})
		}
		supervise.Play(cast, &c.side.boat, supervise.Child[order]{
			New: newWorker, Options: []actor.Option{actor.WithBackend(actor.OnOwnThread)},
		})
	})
	wantNoErr(t, err)
	for _, ref := range []actor.Ref[order]{c.pump[0], c.pump[1], c.side.boat} {
		names = append(names, ref.Path())
		count(t, ref)
	}
	if got := strings.Join(names, " "); got != "/ship/pump[0] /ship/pump[1] /ship/side.boat" || c.name != "crew" {
		t.Errorf("the members are %s", got)
	}
	wantNoErr(t, sup.Stop(guarded(t)))
	if _, _, err := supervise.StartTroupe(sys, supervise.Config{}, func(*supervise.Cast, *crew) {}); err == nil ||
		!strings.Contains(err.Error(), "pump[0], pump[1], side.boat") {
		t.Errorf("without members: %v", err)
	}
}
