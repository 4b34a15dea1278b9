package actor_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
	tasks "github.com/troupe-go/troupe/task"
)

// guest is an actor with hooks that notes when it gets what.
type idleActor struct {
	began   time.Time
	got     []string
	stopped chan struct{}
}

func (g *idleActor) note(text string) { g.got = append(g.got, text+" "+time.Since(g.began).String()) }

func (g *idleActor) Started(*actor.Context[order]) error { g.note("start"); return nil }

func (g *idleActor) Stopped(*actor.Context[order], error) { close(g.stopped) }

func (g *idleActor) Receive(c *actor.Context[order], m order) error {
	if m.do != nil {
		return m.do(c, nil)
	}
	g.note(m.text)
	return nil
}

func newIdleActor() *idleActor { return &idleActor{began: time.Now(), stopped: make(chan struct{})} }

// wait lets time go by while a message is handled.
func wait(d time.Duration) order {
	return order{do: func(c *actor.Context[order], _ *keyed) error { return tasks.Sleep(c, d) }}
}

// The time-out comes when nothing was handled for its time, again and again; each message puts
// it off, of whichever lane, and a long one for as long as it takes.
func TestReceiveTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, sys, g := guarded(t), newSystem(t, actor.Config{}), newIdleActor()
		ref := spawnActor(t, sys, actor.ReceiveTimeout(actor.Actor[order](g), time.Second, order{text: "idle"}))
		pass(1500 * time.Millisecond) // At 1 s.
		send(t, ctx, ref, order{text: "data"})
		pass(900 * time.Millisecond)
		send(t, ctx, ref.On(actor.Control), order{text: "control"}) // At 2.4.
		pass(900 * time.Millisecond)
		send(t, ctx, ref, wait(5*time.Second)) // From 3.3 to 8.3.
		pass(8 * time.Second)                  // At 9.3, 10.3, 11.3.
		wantNoErr(t, ref.Stop(ctx))
		<-g.stopped // The hook of the inner actor.
		pass(time.Hour)
		want := []string{"start 0s", "idle 1s", "data 1.5s", "control 2.4s", "idle 9.3s", "idle 10.3s", "idle 11.3s"}
		if i, err := ref.Info(); !slices.Equal(g.got, want) || err != nil || i.Kind != "actor_test.idleActor" {
			t.Errorf("%s got %v, want %v: %v", i.Kind, g.got, want, err)
		}
	})
}

// A time-out that lies in the mailbox behind another message is taken back with that.
func TestReceiveTimeoutIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, sys, g := guarded(t), newSystem(t, actor.Config{}), newIdleActor()
		ref := spawnActor(t, sys, actor.ReceiveTimeout(actor.Actor[order](g), time.Second, order{text: "idle"}))
		synctest.Wait()
		wantNoErr(t, sys.Suspend(ref.PID()))
		pass(1500 * time.Millisecond)
		send(t, ctx, ref.On(actor.Control), order{text: "urgent"})
		wantNoErr(t, sys.Resume(ref.PID()))
		pass(1100 * time.Millisecond)
		if want := []string{"start 0s", "urgent 1.5s", "idle 2.5s"}; !slices.Equal(g.got, want) {
			t.Errorf("it got %v, want %v", g.got, want)
		}
	})
}

// Later behaviours are measured, too, and a restart begins with a new time-out.
func TestReceiveTimeoutAfterBecome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, sys, g := guarded(t), newSystem(t, actor.Config{}), newIdleActor()
		_, ref := keptChild(t, sys, func() actor.Actor[order] {
			return actor.ReceiveTimeout(actor.Func(g.Receive), time.Second, order{text: "idle"})
		}, true)
		other := func(_ *actor.Context[order], m order) error { g.note("other " + m.text); return nil }
		send(t, ctx, ref, order{do: func(c *actor.Context[order], _ *keyed) error { return c.Become(other) }})
		pass(600 * time.Millisecond)
		send(t, ctx, ref, order{text: "a"})
		pass(1500 * time.Millisecond) // At 1.6.
		send(t, ctx, ref, order{})
		wantNoErr(t, ref.Kill()) // At 2.1.
		pass(1200 * time.Millisecond)
		send(t, ctx, ref, order{do: func(*actor.Context[order], *keyed) error { return errors.New("broken") }}) // At 3.3.
		pass(1500 * time.Millisecond)
		want := []string{"other a 600ms", "other idle 1.6s", "idle 3.1s", "idle 4.3s"}
		if got := slices.DeleteFunc(g.got, func(s string) bool { return s == "other  2.1s" || s == " 2.1s" }); !slices.Equal(got, want) {
			t.Errorf("it got %v, want %v", got, want)
		}
	})
}

func TestBadReceiveTimeouts(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	for name, a := range map[string]actor.Actor[int]{
		"nil":      actor.ReceiveTimeout[int](nil, time.Second, 1),
		"no time":  actor.ReceiveTimeout(actor.Func(answerNothing), 0, 1),
		"negative": actor.ReceiveTimeout(actor.Func(answerNothing), -time.Second, 1),
		"func":     actor.ReceiveTimeout(actor.Func[int](nil), time.Second, 1),
	} {
		if _, err := actor.Spawn(sys, a); err == nil {
			t.Errorf("%s: it was spawned", name)
		}
	}
}

func answerNothing(*actor.Context[int], int) error { return nil }

// Under random loads the time-outs come when they should, to the microsecond, and at no other
// time.
func TestReceiveTimeoutUnderSchedules(t *testing.T) {
	type event struct {
		at   time.Duration
		idle bool
	}
	simtest.Run(t, simtest.Config{Schedules: 300}, func(s *simtest.Sim) {
		d := time.Duration(1+s.Rand().IntN(3_000)) * time.Microsecond
		began, got := s.Now(), []event(nil)
		sys := s.System(actor.Config{})
		ref, err := actor.Spawn(sys, actor.ReceiveTimeout(actor.Func(func(c *actor.Context[time.Duration], takes time.Duration) error {
			got = append(got, event{s.Now().Sub(began), takes < 0})
			return tasks.Sleep(c, max(0, takes))
		}), d, -1))
		if err != nil {
			s.Fatal(err)
		}
		s.Advance(0)
		var want []event
		at, idleSince := time.Duration(0), time.Duration(0)
		idle := func(until time.Duration) {
			for idleSince+d < until {
				idleSince += d
				want = append(want, event{idleSince, true})
			}
		}
		for range 6 {
			at += time.Duration(1+s.Rand().IntN(5_000))*time.Microsecond + 7 // No tie with a time-out.
			takes := time.Duration(s.Rand().IntN(4_000)) * time.Microsecond
			begins := max(at, idleSince)
			idle(begins)
			want = append(want, event{begins, false})
			idleSince = begins + takes
			if _, err := actor.SendAfter(sys, at-s.Now().Sub(began), ref, takes); err != nil {
				s.Fatal(err)
			}
		}
		end := at + 20*time.Millisecond + 3
		idle(end)
		s.Advance(end)
		if !slices.Equal(got, want) {
			s.Errorf("with a time-out of %v it got %v, want %v", d, got, want)
		}
		if err := ref.Stop(s.Context()); err != nil {
			s.Error(err)
		}
	})
}
