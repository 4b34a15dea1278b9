package actor_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// keyed has timers with keys, and does what its messages say.
type keyed struct {
	timers actor.KeyedTimers[string, order]
	got    []string
}

type order struct {
	text string
	do   func(c *actor.Context[order], k *keyed) error
}

func (k *keyed) Receive(c *actor.Context[order], m order) error {
	if m.do != nil {
		return m.do(c, k)
	}
	k.got = append(k.got, m.text)
	return nil
}

// A timer replaces the one with its key, also if the message of that one lies in the mailbox
// already. Others stay.
func TestKeyedTimersReplace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, sys, k := guarded(t), newSystem(t, actor.Config{}), &keyed{}
		ref := spawnActor(t, sys, actor.Actor[order](k))
		send(t, ctx, ref, order{do: func(c *actor.Context[order], k *keyed) error {
			wantNoErr(t, k.timers.Start(c, "a", time.Second, order{text: "old"}))
			wantNoErr(t, k.timers.StartEvery(c, "b", time.Second, order{text: "tick"}))
			wantNoErr(t, k.timers.Start(c, "c", time.Second, order{text: "other"}))
			wantNoErr(t, k.timers.Start(c, "d", time.Minute, order{text: "too early"}))
			time.Sleep(1500 * time.Millisecond) //nolint:forbidigo // In a bubble, where it costs nothing. What is due lies in the mailbox then.
			wantNoErr(t, k.timers.Start(c, "a", time.Second, order{text: "new"}))
			wantNoErr(t, k.timers.Start(c, "b", time.Second, order{text: "once"}))
			wantNoErr(t, k.timers.Start(c, "d", 3*time.Second, order{text: "late"}))
			return nil
		}})
		pass(time.Minute)
		if want := []string{"other", "new", "once", "late"}; !slices.Equal(k.got, want) {
			t.Errorf("it got %v, want %v", k.got, want)
		}
	})
}

// Stop takes back what lies in the mailbox, and tells whether it was in time.
func TestKeyedTimersStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, sys, k := guarded(t), newSystem(t, actor.Config{}), &keyed{}
		ref := spawnActor(t, sys, actor.Actor[order](k))
		send(t, ctx, ref, order{do: func(c *actor.Context[order], k *keyed) error {
			for _, key := range []string{"a", "b", "c"} {
				wantNoErr(t, k.timers.Start(c, key, time.Second, order{text: key}))
			}
			if !k.timers.Running("a") || k.timers.Running("z") || k.timers.Stop("z") {
				t.Error("it does not know its timers")
			}
			time.Sleep(2 * time.Second) //nolint:forbidigo // In a bubble, where it costs nothing.
			if !k.timers.Stop("a") || k.timers.Stop("a") || !k.timers.Running("b") {
				t.Error("the first was not stopped once")
			}
			k.timers.StopAll()
			if k.timers.Running("b") || k.timers.Start(c, "bad", -1, order{}) == nil || k.timers.StartEvery(c, "bad", 0, order{}) == nil {
				t.Error("one runs that was stopped, or is wrong")
			}
			return nil
		}})
		pass(time.Minute)
		if len(k.got) != 0 {
			t.Errorf("it got %v", k.got)
		}
		for n := range 10_000 {
			send(t, ctx, ref, order{do: func(c *actor.Context[order], k *keyed) error {
				return k.timers.Start(c, fmt.Sprint(n), time.Millisecond, order{})
			}})
			if n%100 == 0 {
				pass(time.Second)
			}
		}
		pass(time.Second)
		if n := actor.Keys(&k.timers); n > 500 {
			t.Errorf("%d timers are kept, of which at most 100 run", n)
		}
	})
}

// Timers end with the incarnation, also with what they have sent, and the next one begins
// without.
func TestKeyedTimersEndWithTheIncarnation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, sys := guarded(t), newSystem(t, actor.Config{})
		var all []*keyed
		_, ref := keptChild(t, sys, func() actor.Actor[order] { all = append(all, &keyed{}); return all[len(all)-1] }, true)
		send(t, ctx, ref, order{do: func(c *actor.Context[order], k *keyed) error {
			wantNoErr(t, k.timers.Start(c, "a", time.Second, order{text: "in the mailbox"}))
			wantNoErr(t, k.timers.StartEvery(c, "b", time.Minute, order{text: "later"}))
			time.Sleep(2 * time.Second) //nolint:forbidigo // In a bubble, where it costs nothing.
			return errors.New("broken")
		}}, order{text: "kept"}, order{do: func(c *actor.Context[order], k *keyed) error {
			if k.timers.Running("a") || k.timers.Running("b") {
				t.Error("a timer runs in the next incarnation")
			}
			return k.timers.Start(c, "a", time.Second, order{text: "new"})
		}})
		pass(time.Hour)
		if want := []string{"kept", "new"}; len(all) != 2 || len(all[0].got) != 0 || !slices.Equal(all[1].got, want) {
			t.Errorf("%d incarnations, the last got %v, want %v", len(all), all[len(all)-1].got, want)
		}
	})
}

// shot is a message of a timer: the number of the start that it belongs to.
type keyedTick struct {
	key, start int
	do         func(c *actor.Context[keyedTick])
}

// In random programs, no message comes of a timer that was replaced or stopped, whatever the
// order; and each one that was not comes, once, or again and again.
func TestKeyedTimersUnderSchedules(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 300}, func(s *simtest.Sim) {
		var timers actor.KeyedTimers[int, keyedTick]
		current, repeats, starts := map[int]int{}, map[int]bool{}, 0
		ref := spawn(s, s.System(actor.Config{}), func(c *actor.Context[keyedTick], m keyedTick) error {
			if m.do != nil {
				m.do(c)
				return nil
			}
			if current[m.key] != m.start {
				s.Errorf("key %d: start %d has sent, and the present one is %d", m.key, m.start, current[m.key])
			}
			if !repeats[m.key] {
				delete(current, m.key)
			}
			return nil
		})
		change := func(c *actor.Context[keyedTick]) {
			for range 1 + s.Rand().IntN(3) {
				starts++
				key, d := s.Rand().IntN(3), time.Duration(s.Rand().IntN(4))*time.Millisecond
				m := keyedTick{key: key, start: starts}
				var err error
				switch s.Rand().IntN(4) {
				case 0:
					_, runs := current[key]
					if stopped := timers.Stop(key); stopped != runs {
						s.Errorf("key %d was stopped in time: %t, want %t", key, stopped, runs)
					}
					delete(current, key)
					continue
				case 1:
					err = timers.StartEvery(c, key, d+time.Millisecond, m)
					repeats[key] = true
				default:
					err = timers.Start(c, key, d, m)
					repeats[key] = false
				}
				if current[key] = starts; err != nil {
					s.Error(err)
				}
			}
		}
		for range 8 {
			send(s, s.Context(), ref, keyedTick{do: change})
			s.Advance(time.Duration(s.Rand().IntN(3)) * time.Millisecond)
		}
		s.Advance(10 * time.Millisecond)
		send(s, s.Context(), ref, keyedTick{do: func(*actor.Context[keyedTick]) {
			for key := range current {
				if !repeats[key] {
					s.Errorf("key %d never sent", key)
				}
			}
			timers.StopAll()
		}})
		s.RunUntilIdle()
	})
}
