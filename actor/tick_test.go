package actor_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// roll has the names of messages in the order in which they are handled.
type roll struct {
	mu    sync.Mutex
	names []string
}

// call returns a message that is noted under its name when it is handled.
func (r *roll) call(name string) task {
	return task{do: func(*actor.Context[task]) error { r.note(name); return nil }}
}

func (r *roll) note(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names = append(r.names, name)
}

func (r *roll) want(t testing.TB, names string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if got := strings.Join(r.names, " "); got != names {
		t.Errorf("handled were %q, want %q", got, names)
	}
}

// nap holds the actor up for a while.
func busyFor(d time.Duration) task {
	return task{do: func(*actor.Context[task]) error {
		time.Sleep(d) //nolint:forbidigo // In a bubble.
		return nil
	}}
}

// fired sets a timer that has fired when fired returns, and whose message waits.
func fired(t testing.TB, at actor.Spawner, ref actor.Ref[task], once bool, m task) (timer actor.Timer) {
	t.Helper()
	if once {
		timer = after(t, at, time.Millisecond, ref, m)
	} else {
		timer = every(t, at, time.Millisecond, ref, m)
	}
	time.Sleep(time.Millisecond + time.Microsecond) //nolint:forbidigo // In a bubble.
	synctest.Wait()
	return timer
}

// letters notes the dead letters of a system.
func letters(r *roll) actor.Config {
	return actor.Config{OnDeadLetter: func(d actor.DeadLetter) {
		if m, ok := d.Message.(task); ok && m.do != nil {
			r.note("dead")
		}
	}}
}

// A stop takes back a timer's message that waits, on every lane. The messages around it are
// handled in their order. Its room is free at once.
func TestStopTakesBackWaitingMessages(t *testing.T) {
	for _, once := range []bool{true, false} {
		for _, lane := range lanes {
			t.Run(fmt.Sprintf("%v/once=%v", lane, once), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var r roll
					sys := newSystem(t, letters(&r))
					ref := spawn(t, sys, doTask, actor.WithCapacity(lane, 4))
					on := ref.On(lane)
					send(t, t.Context(), on, busyFor(time.Second))
					synctest.Wait()
					send(t, t.Context(), on, r.call("a"))
					gone := fired(t, sys, on, once, r.call("gone"))
					send(t, t.Context(), on, r.call("b"))
					kept := fired(t, sys, on, true, r.call("kept"))
					if i := info(t, sys, ref.PID()); i.Mailbox[lane] != 4 || ref.Backlog() != 5 {
						t.Errorf("%v messages wait, and the backlog is %d", i.Mailbox, ref.Backlog())
					}
					wantErr(t, on.TrySend(t.Context(), r.call("full")), actor.ErrFull)
					if !gone.Stop() || gone.Stop() {
						t.Error("the stop was not in time once")
					}
					wantNoErr(t, on.TrySend(t.Context(), r.call("c")))
					if i := info(t, sys, ref.PID()); i.Mailbox[lane] != 4 {
						t.Errorf("%v messages wait", i.Mailbox)
					}
					pass(time.Minute)
					r.want(t, "a b kept c")
					if i := info(t, sys, ref.PID()); kept.Stop() || i.Handled != 5 || i.Timers != 0 || i.Mailbox[lane] != 0 || ref.Backlog() != 0 {
						t.Errorf("at the end there is %+v", i)
					}
				})
			})
		}
	}
}

// A message that waits comes in its turn, also where several timers have fired at once. The
// next tick of a timer may wait while the last one is being handled.
func TestTicksComeInTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r roll
		sys := newSystem(t, actor.Config{})
		ref := spawn(t, sys, doTask)
		send(t, t.Context(), ref, busyFor(time.Second), r.call("a"))
		synctest.Wait()
		for i := range 3 {
			fired(t, sys, ref, true, r.call(fmt.Sprint("once", i)))
		}
		send(t, t.Context(), ref, r.call("b"))
		timer := fired(t, sys, ref, false, r.call("many"))
		fired(t, sys, ref, true, r.call("last"))
		pass(994_996 * time.Microsecond) // Until just behind the nap.
		timer.Stop()
		r.want(t, "a once0 once1 once2 b many last")
	})
}

// A handler that stops a timer sees no message of it any more, also if that waits
// behind messages which are in hand already.
func TestHandlerStopsATickThatWaits(t *testing.T) {
	for _, lane := range lanes {
		synctest.Test(t, func(t *testing.T) {
			var r roll
			timers := make(chan actor.Timer, 1)
			sys := newSystem(t, actor.Config{})
			ref := spawn(t, sys, doTask)
			send(t, t.Context(), ref, busyFor(time.Second), r.call("a"), task{do: func(*actor.Context[task]) error {
				if timer := <-timers; !timer.Stop() && lane == actor.Data {
					t.Error("the stop was late")
				}
				return nil
			}}, r.call("b"))
			timer := fired(t, sys, ref.On(lane), lane == actor.Data, r.call("tick"))
			if lane != actor.Data { // It is more urgent than its stop, unless that is done elsewhere.
				timer.Stop()
			}
			timers <- timer
			send(t, t.Context(), ref, r.call("c"))
			pass(time.Minute)
			r.want(t, "a b c")
		})
	}
}

// The end of its owner takes back what waits with another actor, or with the next
// incarnation, and is no dead letter.
func TestTickOfAnOwnerThatEnds(t *testing.T) {
	for name, ending := range endings {
		for _, own := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/own=%v", name, own), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var r roll
					sys := newSystem(t, letters(&r))
					other := spawn(t, sys, doTask)
					_, owner := keptChild(t, sys, func() actor.Actor[task] { return actor.Func(doTask) }, true)
					to := other
					if own {
						to = owner
					}
					send(t, t.Context(), to, busyFor(time.Second))
					synctest.Wait()
					set := task{do: func(c *actor.Context[task]) error {
						every(t, c, time.Millisecond, to, r.call("many"))
						after(t, c, time.Millisecond, to, r.call("once"))
						time.Sleep(10 * time.Millisecond) //nolint:forbidigo // In a bubble.
						send(t, t.Context(), to, r.call("b"))
						return ending.do(c)
					}}
					send(t, t.Context(), owner, set)
					pass(time.Minute)
					r.want(t, "b")
					if n := actor.Timers(owner); n != 0 {
						t.Errorf("the owner has %d timers", n)
					}
				})
			})
		}
	}
}

// A message of another actor's timer outlives the incarnation of the receiver, in its place,
// also if it was seized from a handler.
func TestTickForTheNextIncarnation(t *testing.T) {
	for _, kill := range []bool{true, false} {
		t.Run(fmt.Sprintf("kill=%v", kill), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var r roll
				sys := newSystem(t, letters(&r))
				_, ref := keptChild(t, sys, func() actor.Actor[task] { return actor.Func(doTask) }, true)
				send(t, t.Context(), ref, task{do: func(*actor.Context[task]) error {
					time.Sleep(time.Second) //nolint:forbidigo // In a bubble.
					return errHook
				}})
				synctest.Wait()
				send(t, t.Context(), ref, r.call("a"))
				gone := fired(t, sys, ref, true, r.call("gone"))
				fired(t, sys, ref, true, r.call("tick"))
				send(t, t.Context(), ref, busyFor(time.Second), r.call("b"))
				if kill {
					wantNoErr(t, ref.Kill())
					synctest.Wait()
					r.want(t, "a gone tick")
					fired(t, sys, ref, true, r.call("late"))
					pass(time.Minute)
					r.want(t, "a gone tick b late")
					return
				}
				gone.Stop()
				pass(time.Minute)
				r.want(t, "a tick b")
			})
		})
	}
}

// A lane that drops a message drops a timer's message as well, in its turn, and counts it.
func TestTicksInLanesThatDrop(t *testing.T) {
	shed := func(then actor.LimitAction) actor.Option {
		return actor.WithMailboxLimit(actor.MailboxLimit{Items: 3, Bytes: 1 << 20, Then: then})
	}
	for name, test := range map[string]struct {
		opts []actor.Option
		want string
	}{
		"sliding":     {[]actor.Option{actor.WithBuffer(actor.Data, actor.Sliding), actor.WithCapacity(actor.Data, 3)}, "dead dead dead b late c"},
		"dropping":    {[]actor.Option{actor.WithBuffer(actor.Data, actor.Dropping), actor.WithCapacity(actor.Data, 3)}, "dead dead dead tick a many"},
		"shed oldest": {[]actor.Option{shed(actor.ShedOldest)}, "dead dead dead b late c"},
		"shed newest": {[]actor.Option{shed(actor.ShedNewest)}, "dead dead dead tick a many"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var r roll
				sys := newSystem(t, letters(&r))
				ref := spawn(t, sys, doTask, test.opts...)
				send(t, t.Context(), ref, busyFor(time.Second))
				synctest.Wait()
				fired(t, sys, ref, true, r.call("tick"))
				send(t, t.Context(), ref, r.call("a"))
				many, err := actor.Every(sys, 700*time.Millisecond, ref, r.call("many"))
				wantNoErr(t, err)
				pass(750 * time.Millisecond)
				send(t, t.Context(), ref, r.call("b"))
				fired(t, sys, ref, true, r.call("late"))
				send(t, t.Context(), ref, r.call("c"))
				if i := info(t, sys, ref.PID()); i.Mailbox[actor.Data] != 3 || i.Dropped[actor.Data] != 3 {
					t.Errorf("there is %+v", i)
				}
				pass(time.Second / 2)
				many.Stop()
				pass(time.Minute)
				r.want(t, test.want)
				if i := info(t, sys, ref.PID()); i.Bytes != 0 || i.Handled != 4 || i.Timers != 0 || sys.Stats().Dropped != 3 {
					t.Errorf("at the end there is %+v, and dropped were %d", i, sys.Stats().Dropped)
				}
			})
		})
	}
}

// An urgent message that needs room sheds what waits last on another lane: that may
// be what a timer has sent.
func TestTickThatIsShed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r roll
		sys := newSystem(t, letters(&r))
		ref := spawn(t, sys, doTask, actor.WithMailboxLimit(actor.MailboxLimit{Items: 3}))
		send(t, t.Context(), ref, busyFor(time.Second))
		synctest.Wait()
		send(t, t.Context(), ref, r.call("a"))
		fired(t, sys, ref, true, r.call("tick"))
		send(t, t.Context(), ref, r.call("b"))
		send(t, t.Context(), ref.On(actor.Control), r.call("c"), r.call("d"))
		r.want(t, "dead dead")
		pass(time.Minute)
		r.want(t, "dead dead c d a")
	})
}

// A limit that is exceeded with a restart drops what timers have sent too.
func TestTickAtALimitWithRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r roll
		sys := newSystem(t, letters(&r))
		ref := spawn(t, sys, doTask, actor.WithMailboxLimit(actor.MailboxLimit{Items: 2, Then: actor.LimitRestart}))
		send(t, t.Context(), ref, busyFor(time.Second))
		synctest.Wait()
		timer := fired(t, sys, ref, true, r.call("tick"))
		send(t, t.Context(), ref, r.call("a"), r.call("b"))
		pass(time.Minute)
		r.want(t, "dead dead dead")
		if timer.Stop() {
			t.Error("the stop was in time")
		}
	})
}

// Where what waits is taken back, a sender that waits for room gets it at once, while
// the handler still runs.
func TestRoomOfATickThatIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r roll
		sys := newSystem(t, actor.Config{})
		ref := spawn(t, sys, doTask, actor.WithCapacity(actor.Data, 1))
		send(t, t.Context(), ref, busyFor(time.Second))
		synctest.Wait()
		first := fired(t, sys, ref, false, r.call("first"))
		second := fired(t, sys, ref, true, r.call("second")) // It waits for room.
		if n := actor.SendersWaiting(ref); n != 1 {
			t.Fatalf("%d senders wait", n)
		}
		sent := false
		go func() {
			send(t, t.Context(), ref, r.call("a"))
			sent = true
		}()
		synctest.Wait()
		if missed := first.Missed(); !first.Stop() || missed == 0 {
			t.Errorf("%d ticks were missed", missed)
		}
		synctest.Wait()
		if n := actor.SendersWaiting(ref); n != 1 || sent {
			t.Errorf("%d senders wait", n)
		}
		if !second.Stop() || second.Stop() { // It has got room meanwhile.
			t.Error("the second was not stopped once")
		}
		synctest.Wait()
		if n := actor.SendersWaiting(ref); n != 0 || !sent {
			t.Errorf("%d senders wait still", n)
		}
		pass(time.Minute)
		r.want(t, "a")
	})
}

// A write that waits for readers can be taken back; a read need not wait for them.
func TestTickThatWaitsForReaders(t *testing.T) {
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
		send(t, t.Context(), ref, noted("reader", false, time.Second))
		synctest.Wait()
		after(t, sys, time.Millisecond, ref, noted("another", false, time.Second))
		gone := after(t, sys, 2*time.Millisecond, ref, noted("gone", true, 0))
		after(t, sys, 3*time.Millisecond, ref, noted("write", true, time.Second))
		after(t, sys, 4*time.Millisecond, ref, noted("last", false, time.Second))
		pass(10 * time.Millisecond)
		r.want(t, "reader another")
		if !gone.Stop() {
			t.Error("the stop was late")
		}
		pass(1500 * time.Millisecond)
		r.want(t, "reader another write")
		pass(time.Minute)
		r.want(t, "reader another write last")
	})
}

// A message that can't be told apart fails its actor when its turn has come. That also holds
// for a timer's message.
func TestTickThatCannotBeToldApart(t *testing.T) {
	for name, f := range failures {
		if name != "error" {
			t.Run(name, func(t *testing.T) { testTickThatCannotBeToldApart(t, f.fail, f.reason) })
		}
	}
}

func testTickThatCannotBeToldApart(t *testing.T, fail func() error, reason error) {
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		stuck := make(chan struct{})
		ref := spawn(t, sys, func(*actor.Context[int], int) error { <-stuck; return nil },
			actor.WithReadOnly(func(m int) bool {
				return m != 1 || fail() == nil
			}))
		down, cancel := sys.Monitor(ref.PID())
		defer cancel()
		send(t, t.Context(), ref, 0)
		synctest.Wait()
		after(t, sys, time.Millisecond, ref, 1)
		pass(time.Second)
		close(stuck)
		wantErr(t, (<-down).Reason, reason)
	})
}

// While a handler of a reentrant actor waits and nobody is let in, what timers send
// waits, and can be taken back.
func TestTickOfAReentrantActor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r roll
		sys := newSystem(t, actor.Config{})
		slow := spawn(t, sys, func(c *actor.Context[question], q question) error {
			time.Sleep(time.Second) //nolint:forbidigo // In a bubble.
			return q.reply.Send(c, 1)
		})
		ref := spawn(t, sys, doTask, actor.WithReentrancy(actor.FullReentrancy), actor.WithMaxSuspended(1))
		send(t, t.Context(), ref, task{do: func(c *actor.Context[task]) error {
			_, err := actor.Ask(c, slow, asking(1))
			r.note("asked")
			return err
		}})
		synctest.Wait()
		gone := fired(t, sys, ref, false, r.call("gone"))
		fired(t, sys, ref, true, r.call("tick"))
		if !gone.Stop() {
			t.Error("the timer was over")
		}
		pass(time.Minute)
		r.want(t, "asked tick")
	})
}
