package actor_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/simtest"
)

// The documented choices are tested: each row of docs/reference/choices.md names a test,
// and each named test exists.
func TestChoicesAreTested(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/choices.md")
	wantNoErr(t, err)
	var tests strings.Builder
	files, err := filepath.Glob("*_test.go")
	wantNoErr(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		wantNoErr(t, err)
		tests.Write(text)
	}
	items := regexp.MustCompile(`(?m)^\| .*\|$`).FindAllString(string(page), -1)
	items = slices.DeleteFunc(items, func(row string) bool { return row == "| Behaviour | Shown by |" })
	if len(items) < 28 {
		t.Errorf("%d choices are documented", len(items))
	}
	for _, item := range items {
		names := regexp.MustCompile(`Test\w+`).FindAllString(item, -1)
		if len(names) == 0 {
			t.Errorf("a choice names no test: %s", item)
		}
		for _, name := range names {
			if !strings.Contains(tests.String(), "\nfunc "+name+"(t *testing.T)") {
				t.Errorf("a choice names %s, which is not there", name)
			}
		}
	}
}

// To trap the exits of others keeps nobody from being killed, nor from being asked
// to stop.
func TestTrapperIsKilled(t *testing.T) { simulated.Too(t, testTrapperIsKilled) }

func testTrapperIsKilled(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	one, two := newTrapper(), newTrapper()
	victim, other := spawnActor(t, sys, actor.Actor[task](one)), spawnActor(t, sys, actor.Actor[task](two))
	wantNoErr(t, do(t, other, linkTo(victim.PID())))
	wantNoErr(t, victim.Kill())
	receive(t, ctx, victim.Done())
	wantErr(t, victim.Err(), actor.ErrKilled)
	e := receive(t, ctx, two.exits)
	wantErr(t, e.Reason, actor.ErrKilled)
	if e.Kind() != actor.Killed || len(one.exits) != 0 {
		t.Errorf("the other one was told of an end that was %v, and the victim of %d", e.Kind(), len(one.exits))
	}
	wantNoErr(t, other.Stop(ctx))
}

// An actor that ends by the end of a killed actor is not killed but linked. Its kind of end is
// its own.
func TestKillIsNotPassedOn(t *testing.T) { simulated.Too(t, testKillIsNotPassedOn) }

func testKillIsNotPassedOn(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	tr := newTrapper()
	first, second, last := spawn(t, sys, doTask), spawn(t, sys, doTask), spawnActor(t, sys, actor.Actor[task](tr))
	wantNoErr(t, do(t, second, linkTo(first.PID())))
	wantNoErr(t, do(t, last, linkTo(second.PID())))
	wantNoErr(t, first.Kill())
	e := receive(t, ctx, tr.exits)
	wantErr(t, e.Reason, actor.ErrKilled)
	if e.PID != second.PID() || e.Kind() != actor.Linked {
		t.Errorf("the end of %v was told as %v", e.PID, e.Kind())
	}
}

// Several monitors are told in the order in which they were made, each once,
// also beside a link.
func TestMonitorsAreToldInTheirOrder(t *testing.T) { simulated.Too(t, testMonitorsAreToldInTheirOrder) }

func testMonitorsAreToldInTheirOrder(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	tr := newTrapper()
	target, watcher := spawn(t, sys, doTask), spawnActor(t, sys, actor.Actor[task](tr))
	made := make([]actor.Monitor, 5)
	for i := range made {
		wantNoErr(t, do(t, watcher, monitor(target.PID(), &made[i])))
	}
	wantNoErr(t, do(t, watcher, linkTo(target.PID())))
	end(t, target, endings["error"].do)
	var told []actor.Monitor
	for range made {
		receive(t, ctx, tr.downs)
		told = append(told, receive(t, ctx, tr.which))
	}
	if !slices.Equal(told, made) {
		t.Errorf("told were the monitors %v, made %v", told, made)
	}
	receive(t, ctx, tr.exits)
	wantNoErr(t, watcher.Stop(ctx))
	if len(tr.downs)+len(tr.exits) != 0 {
		t.Errorf("the watcher was told %d times more", len(tr.downs)+len(tr.exits))
	}
}

// A drain is for what waits in the lanes. Nobody says when the stash would come
// back, so it is given up, unless it has.
func TestDrainGivesUpTheStash(t *testing.T) { simulated.Too(t, testDrainGivesUpTheStash) }

func testDrainGivesUpTheStash(t testing.TB) {
	ctx := guarded(t)
	lost := make(chan actor.DeadLetter, 8)
	sys := newSystem(t, actor.Config{OnDeadLetter: func(d actor.DeadLetter) { lost <- d }})
	var d eventLog
	ref := spawnActor(t, sys, actor.Actor[int](&stasher{d: &d}))
	send(t, ctx, ref, 1, 2, 0, -1, 3, 4)
	wantNoErr(t, ref.Drain(ctx))
	d.want(t, "unstash 2", "1", "2")
	for _, want := range []int{3, 4} {
		l := receive(t, ctx, lost)
		wantErr(t, l.Reason, actor.ErrStopped)
		if l.Message != want {
			t.Errorf("the dead letter is %v, want %d", l.Message, want)
		}
	}
}

// An actor that fails while it drains is not restarted, and gives up what waits.
func TestDrainOfAnActorThatFails(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			lost := make(chan any, 8)
			sys := newSystem(t, actor.Config{OnDeadLetter: func(d actor.DeadLetter) { lost <- d.Message }})
			var made atomic.Int32
			entered := make(chan struct{})
			_, child := keptChild(t, sys, func() actor.Actor[int] {
				made.Add(1)
				return actor.Func(func(c *actor.Context[int], m int) error {
					if m > 0 {
						return f.fail()
					}
					receive(t, ctx, entered)
					wantErr(t, c.Self().Drain(c), actor.ErrWouldDeadlock) // It begins when the handler returns.
					return nil
				})
			}, true)
			send(t, ctx, child, 0, 1, 2, 3)
			close(entered)
			receive(t, ctx, child.Done())
			for _, want := range []int{2, 3} {
				if m := receive(t, ctx, lost); m != want {
					t.Errorf("the dead letter is %v, want %d", m, want)
				}
			}
			if n := made.Load(); n != 1 {
				t.Errorf("there were %d incarnations", n)
			}
		})
	}
}

// A message in whose handler the incarnation has failed is not handled again, nor
// is it a dead letter: its handler has begun.
func TestFailedMessageIsGone(t *testing.T) { simulated.Too(t, testFailedMessageIsGone) }

func testFailedMessageIsGone(t testing.TB) {
	for name, f := range failures {
		ctx := guarded(t)
		sys := newSystem(t, actor.Config{})
		var d eventLog
		_, child := keptChild(t, sys, func() actor.Actor[int] {
			return actor.Func(func(_ *actor.Context[int], m int) error {
				d.note("%d", m)
				if m == 1 {
					return f.fail()
				}
				return nil
			})
		}, true)
		send(t, ctx, child, 1, 2)
		until(t, ctx, func() bool { return strings.HasSuffix(d.String(), "2") })
		wantNoErr(t, child.Stop(ctx))
		if n := sys.Stats().DeadLetters; d.String() != "1, 2" || n != 0 {
			t.Errorf("%s: handled were %s, with %d dead letters", name, &d, n)
		}
	}
}

// An actor that was killed and has taken too long at the same time has ended for
// what came first.
func TestKillAndTimeoutThatCoincide(t *testing.T) {
	for _, early := range []bool{true, false} {
		simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
			sys := s.System(actor.Config{})
			mute := spawn(s, sys, func(*actor.Context[question], question) error { return nil })
			ref := spawn(s, sys, func(ctx *actor.Context[int], _ int) error {
				_, err := actor.Ask(ctx, mute, asking(1))
				return err
			}, actor.WithHandlerTimeout(100*ms, actor.TimeoutStop))
			send(s, s.Context(), ref, 1)
			if early {
				s.Advance(99 * ms)
			} else {
				s.Advance(100 * ms)
			}
			wantNoErr(s, ref.Kill())
			s.Advance(ms)
			killed, late := errors.Is(ref.Err(), actor.ErrKilled), errors.Is(ref.Err(), actor.ErrHandlerTimeout)
			if killed != early || late == early {
				s.Errorf("killed early: %v; the reason is %v", early, ref.Err())
			}
		})
	}
}

// A timer ends with the incarnation that has set it. It does not end with its receiver's
// incarnation, since the receiver's ref stays valid.
func TestTimerOutlivesItsReceiversIncarnation(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		var d eventLog
		_, child := keptChild(s, sys, func() actor.Actor[int] {
			d.note("begin")
			return actor.Func(func(c *actor.Context[int], m int) error {
				d.note("%d", m)
				if m == 0 {
					if _, err := actor.Every(c, time.Second, c.Self(), 1); err != nil {
						return err
					}
					return errHook
				}
				return nil
			})
		}, true)
		if _, err := actor.SendAfter(sys, 2*time.Second, child, 2); err != nil {
			s.Fatal(err)
		}
		send(s, s.Context(), child, 0)
		s.Advance(10 * time.Second)
		d.want(s, "begin", "0", "begin", "2")
	})
}
