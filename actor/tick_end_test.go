package actor_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// A drain handles what timers have sent by then; a stop makes dead letters of it,
// apart from what the actor has sent itself.
func TestTicksAtTheEnd(t *testing.T) {
	for _, drain := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var r roll
			sys := newSystem(t, letters(&r))
			ref := spawn(t, sys, doTask)
			send(t, t.Context(), ref, task{do: func(c *actor.Context[task]) error {
				after(t, c, 0, c.Self(), r.call("own"))
				time.Sleep(time.Second) //nolint:forbidigo // In a bubble.
				return nil
			}})
			synctest.Wait()
			once, many := fired(t, sys, ref, true, r.call("once")), fired(t, sys, ref, false, r.call("many"))
			if drain {
				wantNoErr(t, ref.Drain(t.Context()))
				r.want(t, "own once many")
			} else {
				wantNoErr(t, ref.Stop(t.Context()))
				r.want(t, "dead dead")
			}
			pass(time.Minute)
			if once.Stop() || many.Stop() {
				t.Error("a timer was not over")
			}
		})
	}
}

// While an actor is suspended, what timers send waits, and can be taken back.
func TestTickOfASuspendedActor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r roll
		sys := newSystem(t, actor.Config{})
		ref := spawn(t, sys, doTask)
		wantNoErr(t, sys.Suspend(ref.PID()))
		synctest.Wait()
		gone := fired(t, sys, ref, false, r.call("gone"))
		fired(t, sys, ref, true, r.call("tick"))
		gone.Stop()
		synctest.Wait()
		r.want(t, "")
		wantNoErr(t, sys.Resume(ref.PID()))
		pass(time.Second)
		r.want(t, "tick")
	})
}

// The actor handles a message that it has put aside itself.
func TestTickThatIsStashed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r roll
		sys := newSystem(t, actor.Config{})
		first := true
		var tick task
		tick.do = func(c *actor.Context[task]) error {
			if first {
				first = false
				return c.Stash(tick)
			}
			r.note("tick")
			return nil
		}
		ref := spawn(t, sys, doTask)
		timer := fired(t, sys, ref, false, tick)
		timer.Stop()
		send(t, t.Context(), ref, busyFor(time.Second), task{do: func(c *actor.Context[task]) error {
			_, err := c.Unstash()
			return err
		}}, r.call("a"))
		synctest.Wait()
		fired(t, sys, ref, true, r.call("b"))
		pass(time.Minute)
		r.want(t, "tick a b")
	})
}

// A tick in which its actor fails comes again first, as often as it may, whatever
// failed before it.
func TestTickAndRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r roll
		sys := newSystem(t, actor.Config{})
		bad := func(name string) task {
			return task{do: func(*actor.Context[task]) error { r.note(name); return errHook }}
		}
		refs := make(chan actor.Ref[task], 1)
		spawnActor(t, sys, actor.Actor[int](&keeping[int]{hooks[int]{exited: restart, started: func(c *actor.Context[int]) error {
			ref, err := actor.SpawnNew(c, func() actor.Actor[task] { return actor.Func(doTask) }, actor.WithRetry(1))
			refs <- ref
			return err
		}}}))
		ref := <-refs
		send(t, t.Context(), ref, busyFor(time.Second), bad("x"))
		synctest.Wait()
		fired(t, sys, ref, true, bad("tick"))
		send(t, t.Context(), ref, r.call("a"))
		pass(time.Minute)
		r.want(t, "x x tick tick a")
	})
}

// A timer's message is measured like any other, with the time for which it has waited.
func TestTicksAreMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []time.Duration
		sys := newSystem(t, actor.Config{})
		observe(t, sys, actor.Probe{SampleEvery: 2, Handled: func(s actor.Sample) { all = append(all, s.Latency) }})
		ref := spawn(t, sys, doTask)
		send(t, t.Context(), ref, busyFor(0), busyFor(0))
		pass(time.Second)
		all = nil
		for range 8 {
			send(t, t.Context(), ref.On(actor.Control), busyFor(time.Second))
			synctest.Wait()
			after(t, sys, time.Second/2, ref, busyFor(0))
			pass(time.Minute)
		}
		n := 0
		for _, d := range all {
			if d == time.Second/2 {
				n++
			}
		}
		if n != 4 {
			t.Errorf("of 8 ticks %d were measured, want 4: %v", n, all)
		}
	})
}

// The ask in a message that is taken back, since its timer's owner ends, fails; one
// that is let in by its call chain does not wait.
func TestAskByATimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{AskTimeout: -1})
		busy := spawn(t, sys, func(c *actor.Context[question], q question) error {
			if q.n == 0 {
				time.Sleep(time.Minute) //nolint:forbidigo // In a bubble.
				return nil
			}
			return q.reply.Send(c, q.n)
		})
		owner := spawn(t, sys, func(c *actor.Context[question], q question) error {
			_, err := actor.SendAfter(c, time.Second, busy, q)
			return err
		})
		send(t, t.Context(), busy, question{})
		failed := make(chan error, 1)
		go func() {
			_, err := actor.Ask(context.Background(), owner, asking(1))
			failed <- err
		}()
		pass(2 * time.Second)
		wantNoErr(t, owner.Stop(t.Context()))
		wantErr(t, <-failed, actor.ErrNoReply)
		if n, err := actor.Ask(t.Context(), busy, asking(3)); n != 3 || err != nil {
			t.Errorf("an ask got %d, %v", n, err)
		}

		var first actor.Ref[question]
		second := spawn(t, sys, func(c *actor.Context[question], q question) error {
			_, err := actor.SendAfter(sys, time.Second, first, q)
			return err
		})
		first = spawn(t, sys, func(c *actor.Context[question], q question) error {
			if q.n == 7 {
				return q.reply.Send(c, 8)
			}
			n, err := actor.Ask(c, second, asking(7))
			return errors.Join(err, q.reply.Send(c, n))
		}, actor.WithReentrancy(actor.CallChainReentrancy))
		if n, err := actor.Ask(t.Context(), first, asking(1)); n != 8 || err != nil {
			t.Errorf("an ask that came back by a timer got %d, %v", n, err)
		}
	})
}

// The function that receives a timer's message as a dead letter may stop the timer.
func TestTimerIsStoppedByItsDeadLetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timers, told := make(chan actor.Timer, 1), make(chan bool, 2)
		sys := newSystem(t, actor.Config{OnDeadLetter: func(actor.DeadLetter) { told <- (<-timers).Stop() }})
		ref := spawn(t, sys, doTask)
		wantNoErr(t, ref.Stop(t.Context()))
		timers <- after(t, sys, time.Second, ref, busyFor(0))
		if <-told {
			t.Error("a stop was in time for a dead letter")
		}
		timers <- every(t, sys, time.Second, ref, busyFor(0))
		if !<-told {
			t.Error("the timer was over before its first message was")
		}
		pass(time.Minute)
	})
}

// A list of timers has one as long as its message waits.
func TestTimersWhoseMessageWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r roll
		sys := newSystem(t, actor.Config{})
		ref := spawn(t, sys, doTask)
		send(t, t.Context(), ref, busyFor(time.Second))
		synctest.Wait()
		fired(t, sys, ref, true, r.call("once"))
		count := func() int { return len(slices.Collect(sys.Timers())) }
		if n := count(); n != 1 {
			t.Errorf("%d timers are listed while the message waits, want 1", n)
		}
		pass(time.Minute)
		if n := count(); n != 0 {
			t.Errorf("%d timers are listed at the end", n)
		}
		r.want(t, "once")
	})
}

// An owner ends while somebody goes over its timers.
func TestOwnerEndsWhileItsTimersAreListed(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	owner := spawn(t, sys, doTask)
	set := make(chan error, 1)
	send(t, ctx, owner, task{do: func(c *actor.Context[task]) error {
		for range 2500 { // More than are looked at in one go.
			if _, err := actor.SendAfter(c, time.Hour, owner, task{}); err != nil {
				set <- err
				return nil
			}
		}
		set <- nil
		return nil
	}})
	wantNoErr(t, receive(t, ctx, set))
	n := 0
	for range sys.Timers() {
		if n++; n == 1500 {
			wantNoErr(t, owner.Stop(ctx))
		}
	}
	if n > 2500 {
		t.Errorf("%d timers were listed", n)
	}
	for i := range sys.Timers() {
		t.Errorf("there is a timer still: %+v", i)
	}
}

// A single message that waits for room, and then does not fit, leaves no timer behind.
func TestTickThatNeverFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r roll
		sys := newSystem(t, letters(&r))
		ref := spawn(t, sys, doTask, actor.WithCapacity(actor.Data, 1), actor.WithSizeOf(func(m task) int { return 1 + 10*cap(m.done) }),
			actor.WithMailboxLimit(actor.MailboxLimit{Bytes: 10}))
		send(t, t.Context(), ref, busyFor(time.Second))
		synctest.Wait()
		send(t, t.Context(), ref, r.call("small"))
		large := r.call("large")
		large.done = make(chan error, 1)
		timer := after(t, sys, time.Millisecond, ref, large)
		pass(time.Minute)
		r.want(t, "small dead")
		for i := range sys.Timers() {
			t.Errorf("there is a timer still: %+v", i)
		}
		if timer.Stop() {
			t.Error("the stop was in time")
		}
	})
}

// When the write that waits for readers is taken back, others may read again.
func TestReadersAreLetInWhenAWriteIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r roll
		sys := newSystem(t, actor.Config{Workers: 4}) // Readers hold theirs.
		ref := spawnShared(t, sys, 8)
		noted := func(name string, write bool, d time.Duration) access {
			return access{write: write, do: func(*actor.Context[access]) error {
				r.note(name)
				time.Sleep(d) //nolint:forbidigo // In a bubble.
				return nil
			}}
		}
		send(t, t.Context(), ref, noted("reader", false, time.Hour))
		synctest.Wait()
		timer := after(t, sys, time.Millisecond, ref, noted("write", true, 0))
		pass(time.Second)
		send(t, t.Context(), ref, noted("another", false, 0))
		synctest.Wait()
		r.want(t, "reader")
		if !timer.Stop() {
			t.Error("the stop was late")
		}
		pass(time.Second)
		r.want(t, "reader another")
		pass(2 * time.Hour)
	})
}

// An actor that has stopped has no letters from itself, also of one for which there was
// no room yet.
func TestOwnTickThatWaitsForRoomAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r roll
		sys := newSystem(t, letters(&r))
		ref := spawn(t, sys, doTask, actor.WithCapacity(actor.Data, 1))
		send(t, t.Context(), ref, task{do: func(c *actor.Context[task]) error {
			after(t, c, time.Millisecond, ref, r.call("tick"))
			time.Sleep(time.Second) //nolint:forbidigo // In a bubble.
			return nil
		}})
		synctest.Wait()
		send(t, t.Context(), ref, r.call("message"))
		pass(10 * time.Millisecond)
		if n := actor.SendersWaiting(ref); n != 1 {
			t.Errorf("%d wait for room", n)
		}
		wantNoErr(t, ref.Stop(context.Background()))
		r.want(t, "dead")
	})
}
