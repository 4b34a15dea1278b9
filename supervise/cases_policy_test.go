package supervise_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

func init() {
	for policy, restarts := range map[supervise.Policy]func(reason error) bool{
		supervise.Permanent: func(error) bool { return true },
		supervise.Transient: func(reason error) bool { return reason != nil },
		supervise.Temporary: func(error) bool { return false },
	} {
		for name, end := range ends {
			define(map[string]func(*scene){
				fmt.Sprintf("a %v child whose end is: %s", policy, name): func(s *scene) {
					c := s.child("a")
					c.Restart = policy
					sup := s.start(supervise.Config{Children: []supervise.Spec{c, s.child("b")}})
					s.forgetAfter("+a", "+b")
					s.fail(sup, "a", end.do)
					switch {
					case restarts(end.reason):
						s.want("-a", "+a")
						s.is(s.info(sup, "a").Reason, end.reason)
					case policy == supervise.Temporary:
						s.until(func() bool { _, err := sup.Child(s.ctx, "a"); return errors.Is(err, supervise.ErrNoChild) })
						s.want("-a")
					default:
						s.reaches(sup, "a", supervise.Down)
						s.want("-a")
					}
					s.count(s.ref(sup, "b"))
				},
			})
		}
	}
}

var _ = define(map[string]func(*scene){
	"a child that somebody stops is not restarted": func(s *scene) {
		sup := s.start(supervise.Config{Children: s.specs("a")})
		s.ok(s.ref(sup, "a").Stop(s.ctx))
		s.reaches(sup, "a", supervise.Down)
		s.want("+a", "-a")
		_, err := supervise.Ref[order](sup, "a")
		s.is(err, supervise.ErrNoChild)
	},
	"a child that is killed is restarted without its Stopped hook": func(s *scene) {
		sup := s.start(supervise.Config{Children: s.specs("a")})
		s.ok(s.ref(sup, "a").Kill())
		s.want("+a", "+a")
		s.is(s.info(sup, "a").Reason, actor.ErrKilled)
	},
	"one restart too many ends the supervisor": func(s *scene) {
		sup := s.start(supervise.Config{Intensity: 2, Period: time.Hour, Children: s.specs("a", "b")})
		a := s.ref(sup, "a")
		for range 3 {
			s.ok(a.Send(s.ctx, order{do: failing}))
		}
		err := s.ends(sup)
		s.is(err, supervise.ErrIntensity)
		s.is(err, errWanted)
		s.says(err, "/sup/a")
		s.want("+a", "+b", "-a", "+a", "-a", "+a", "-a", "-b")
		s.is(a.Send(s.ctx, order{}), actor.ErrStopped)
	},
	"an intensity of none bears no failure": func(s *scene) {
		sup := s.start(supervise.Config{Intensity: -1, Children: s.specs("a")})
		s.fail(sup, "a", failing)
		s.is(s.ends(sup), supervise.ErrIntensity)
	},
	"the restart of a group counts once": func(s *scene) {
		sup := s.start(supervise.Config{Strategy: supervise.OneForAll, Intensity: 1, Period: time.Hour, Children: s.specs("a", "b", "c")})
		s.fail(sup, "a", failing)
		s.until(func() bool { return sup.Restarts() == 1 })
		s.want("+a", "+b", "+c", "-a", "-c", "-b", "+a", "+b", "+c")
		s.fail(sup, "a", failing)
		s.is(s.ends(sup), supervise.ErrIntensity)
	},
	"restarts outside the period do not count": func(s *scene) {
		if s.sim == nil {
			return // It is about time.
		}
		sup := s.start(supervise.Config{Intensity: 1, Period: 5 * time.Second, Children: s.specs("a")})
		for range 10 {
			s.fail(sup, "a", failing)
			s.sim.Advance(5 * time.Second) // Exactly one period later.
		}
		s.count(s.ref(sup, "a"))
		s.fail(sup, "a", failing)
		s.sim.Advance(5*time.Second - 1)
		s.fail(sup, "a", failing)
		s.is(s.ends(sup), supervise.ErrIntensity)
	},
	"failures of different children count together": func(s *scene) {
		sup := s.start(supervise.Config{Intensity: 1, Period: time.Hour, Children: s.specs("a", "b")})
		s.fail(sup, "a", failing)
		s.until(func() bool { return sup.Restarts() == 1 })
		s.fail(sup, "b", failing)
		s.says(s.ends(sup), "/sup/b")
	},
	"temporary children do not count": func(s *scene) {
		sup := s.start(supervise.Config{Intensity: -1, Strategy: supervise.Dynamic})
		c := s.child("")
		c.Restart = supervise.Temporary
		for range 5 {
			ref, err := supervise.Spawn(s.ctx, sup, c)
			s.ok(err)
			s.ok(ref.Send(s.ctx, order{do: failing}))
		}
		s.until(func() bool { st, err := sup.Status(s.ctx); return err == nil && st.Count.Specs == 0 })
		s.ok(sup.Err())
	},
	"a child waits longer after each failure": func(s *scene) {
		sup := s.start(supervise.Config{
			Intensity: many, Children: s.specs("a"),
			Backoff: supervise.Backoff{Min: s.unit, Max: 5 * s.unit, Factor: 2, Jitter: -1, Reset: time.Hour},
		})
		var delays []time.Duration
		for i := range 4 {
			a := s.ref(sup, "a")
			begin := time.Now()
			s.ok(a.Send(s.ctx, order{do: failing}))
			s.until(func() bool { // On a busy machine it may be over.
				return s.info(sup, "a").State == supervise.Waiting || s.sim == nil && sup.Restarts() > i
			})
			s.ok(a.Send(s.ctx, order{})) // It is accepted meanwhile.
			s.reaches(sup, "a", supervise.Running)
			delays = append(delays, time.Since(begin))
		}
		for i, want := range []time.Duration{1, 2, 4, 5} {
			if got := delays[i]; got < want*s.unit || s.sim != nil && got > want*s.unit {
				s.Errorf("delay %d is %v, want %v", i, got, want*s.unit)
			}
		}
	},
	"healthy time ends the back-off, waiting does not": func(s *scene) {
		if s.sim == nil {
			return // It is about time.
		}
		sup := s.start(supervise.Config{
			Intensity: many, Children: s.specs("a"),
			Backoff: supervise.Backoff{Min: 4 * time.Second, Max: time.Minute, Jitter: -1, Reset: 8 * time.Second},
		})
		fails := func(after time.Duration, want int) {
			s.Helper()
			s.sim.Advance(after)
			s.fail(sup, "a", failing)
			s.sim.RunUntilIdle()
			if got := s.info(sup, "a").Failures; got != want {
				s.Errorf("there are %d failures in a row, want %d", got, want)
			}
		}
		fails(time.Second, 1)    // Waits for 4 s, and
		fails(11*time.Second, 2) // has run for 7 s. Waits for 8 s, and
		fails(16*time.Second, 1) // has run for 8 s.
	},
	"jitter makes delays shorter, not longer": func(s *scene) {
		if s.sim == nil {
			return // It is about time.
		}
		var min, max time.Duration
		sup := s.start(supervise.Config{
			Intensity: many, Children: s.specs("a"),
			Backoff: supervise.Backoff{Min: time.Second, Factor: 1, Jitter: 0.5},
			OnRestart: func(r supervise.Restart) {
				if min == 0 {
					min = r.Delay
				}
				min, max = minOf(min, r.Delay), maxOf(max, r.Delay)
			},
		})
		for range 20 {
			s.fail(sup, "a", failing)
			s.sim.Advance(2 * time.Second)
		}
		if min < time.Second/2 || max > time.Second || max-min < time.Second/10 {
			s.Errorf("the delays are from %v to %v", min, max)
		}
	},
	"a child may have its own back-off, or none": func(s *scene) {
		now, later := s.child("now"), s.child("later")
		now.Backoff = supervise.Backoff{Min: -1}
		later.Backoff = supervise.Backoff{Min: time.Hour}
		sup := s.start(supervise.Config{Children: []supervise.Spec{now, later}, Period: 24 * time.Hour, Backoff: supervise.Backoff{Min: 24 * time.Hour}})
		s.fail(sup, "now", failing)
		s.want("+now", "+later", "-now", "+now")
		s.fail(sup, "later", failing)
		s.until(func() bool { return s.info(sup, "later").Failures == 1 })
		if s.sim != nil {
			s.sim.Advance(time.Hour)
		} else if st := s.info(sup, "later").State; st != supervise.Waiting {
			s.Errorf("the child is %v, want waiting", st)
		}
	},
	"a supervisor answers and stops while a child waits": func(s *scene) {
		sup := s.start(supervise.Config{Children: s.specs("a", "b"), Period: 24 * time.Hour, Backoff: supervise.Backoff{Min: 24 * time.Hour}})
		s.fail(sup, "a", failing)
		s.until(func() bool { return s.info(sup, "a").State == supervise.Waiting })
		s.count(s.ref(sup, "b"))
		s.ok(sup.Stop(s.ctx))
		s.want("+a", "+b", "-a", "-b")
	},
	"a group waits for its back-off, and answers": func(s *scene) {
		sup := s.start(supervise.Config{
			Strategy: supervise.OneForAll, Children: s.specs("a", "b"), Backoff: supervise.Backoff{Min: s.span, Jitter: -1},
		})
		s.forgetAfter("+a", "+b")
		s.fail(sup, "a", failing)
		s.reaches(sup, "b", supervise.Waiting)
		s.pass(1, func() bool { return s.info(sup, "b").State == supervise.Running })
		s.want("-a", "-b", "+a", "+b")
	},
	"OnRestart is told what happens": func(s *scene) {
		var seen []supervise.Restart
		sup := s.start(supervise.Config{Children: s.specs("a"), OnRestart: func(r supervise.Restart) { seen = append(seen, r) }})
		id := s.ref(sup, "a").PID()
		s.fail(sup, "a", failing)
		s.want("+a", "-a", "+a")
		r := seen[0]
		s.is(r.Reason, errWanted)
		if r.PID != id || r.Name != "a" || r.Path != "/sup/a" || r.Recent != 1 || r.Delay != 0 {
			s.Errorf("it is told %+v", r)
		}
	},
	"a restart may drop the messages that wait": func(s *scene) {
		keep, drop := s.child("keep"), s.child("drop")
		drop.DropMail = true
		sup := s.start(supervise.Config{Children: []supervise.Spec{keep, drop}, Backoff: supervise.Backoff{Min: s.span}})
		for _, name := range []string{"keep", "drop"} {
			ref := s.ref(sup, name)
			s.fail(sup, name, failing)
			s.until(func() bool { return s.info(sup, name).State == supervise.Waiting })
			s.ok(ref.Send(s.ctx, order{do: func(*actor.Context[order]) error { s.note("%s", name); return nil }}))
			s.until(func() bool { return s.info(sup, name).State == supervise.Running })
			s.count(ref)
		}
		s.want("+keep", "+drop", "-keep", "+keep", "keep", "-drop", "+drop")
		if n := s.sys.Stats().DeadLetters; n != 1 {
			s.Errorf("%d dead letters, want 1", n)
		}
	},
	"a poison message is tried as often as was said": func(s *scene) {
		c := s.child("a")
		c.Retry = 2
		sup := s.start(supervise.Config{Children: []supervise.Spec{c}, Intensity: many})
		a := s.ref(sup, "a")
		_, err := actor.Ask(s.ctx, a, func(r actor.Reply[int]) order {
			return order{do: func(*actor.Context[order]) error { s.note("m"); return errWanted }, reply: r}
		})
		s.is(err, actor.ErrNoReply)
		s.is(err, errWanted)
		s.count(a)
		s.want("+a", "m", "-a", "+a", "m", "-a", "+a", "m", "-a", "+a")
	},
	"the message in which a child fails is not handled again": func(s *scene) {
		sup := s.start(supervise.Config{Children: s.specs("a")})
		a := s.ref(sup, "a")
		s.ok(a.Send(s.ctx, order{do: func(*actor.Context[order]) error { s.note("m"); return errWanted }}))
		s.count(a)
		s.want("+a", "m", "-a", "+a")
	},
	"the message in which a child fails is not handled again with Retry -1": func(s *scene) {
		c := s.child("a")
		c.Retry = -1
		sup := s.start(supervise.Config{Children: []supervise.Spec{c}})
		a := s.ref(sup, "a")
		s.ok(a.Send(s.ctx, order{do: func(*actor.Context[order]) error { s.note("m"); return errWanted }}))
		s.count(a)
		s.want("+a", "m", "-a", "+a")
	},
	"a spawn that is given up leaves no child": func(s *scene) {
		sup := s.start(supervise.Config{})
		entered, open := make(chan struct{}), make(chan struct{})
		if s.sim != nil {
			return // The start blocks in a channel.
		}
		ctx, cancel := context.WithCancel(s.ctx)
		go func() { <-entered; cancel() }()
		_, err := supervise.Spawn(ctx, sup, s.starting("a", func(*actor.Context[order]) error {
			close(entered)
			<-open
			return nil
		}))
		s.is(err, context.Canceled)
		close(open)
		s.until(func() bool { st, err := sup.Status(s.ctx); return err == nil && st.Count.Specs == 0 })
	},
})

func minOf(a, b time.Duration) time.Duration { return min(a, b) }
func maxOf(a, b time.Duration) time.Duration { return max(a, b) }
