package actor_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
)

// A schedule is a random program of timers, stops, messages, stalls and ends around
// one actor that is restarted, in a bubble, so that all has happened that is due
// whenever the program goes on. Its model is what each timer may still send.
type schedule struct {
	t           *testing.T
	sys         *actor.System
	ref         actor.Ref[item]
	mu          sync.Mutex
	incarnation int
	timers      []*ticker
	last        [3]time.Time // By lane, when what was handled last was sent.
	stashing    bool         // The next message of a timer that fires once is put aside.
	suspended   bool
	faults      []string
}

// item is a message: of a timer, or at a time; do says what else is to be done.
type item struct {
	*ticker
	sent time.Time
	do   func(c *actor.Context[item]) error
}

// ticker is a timer, and its model.
type ticker struct {
	timer       actor.Timer
	set         time.Time
	every       time.Duration // 0 for once.
	incarnation int           // Of the actor that owns it; 0 if that is the system.
	stopped     time.Time     // When it was stopped, if it was.
	kept        bool          // Its message from being handled.
	handled     int
	stashed     int // Of these, put aside and not handled again.
}

type scheduled struct{ *schedule }

func (s scheduled) Receive(c *actor.Context[item], m item) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.ticker == nil {
		s.inOrder(c.Lane(), m.sent)
		if m.do != nil {
			s.mu.Unlock()
			defer s.mu.Lock()
			return m.do(c)
		}
		return nil
	}
	if m.stashed > 0 {
		m.stashed--
		return nil
	}
	m.handled++
	switch {
	case !m.stopped.IsZero():
		s.fault("a message of a timer was handled that was stopped")
	case m.incarnation != 0 && m.incarnation != s.incarnation:
		s.fault("a message of incarnation %d came to %d", m.incarnation, s.incarnation)
	case m.every == 0:
		s.inOrder(c.Lane(), m.set.Add(m.sent.Sub(time.Time{})))
	}
	if s.stashing && m.every == 0 { // Of others, no two can be told apart.
		s.stashing = false
		m.stashed++
		return c.Stash(m)
	}
	return nil
}

func (s *schedule) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

// inOrder wants what is handled to have been sent after what was handled before.
func (s *schedule) inOrder(lane actor.Lane, sent time.Time) {
	if sent.Before(s.last[lane]) {
		s.fault("on %v, a message was handled that was sent %v before the last one", lane, s.last[lane].Sub(sent))
	}
	s.last[lane] = sent
}

// timing is a step of the program.
type timing struct{ kind, lane, n int }

var drawTimings = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) timing {
	return timing{rapid.IntRange(0, 17).Draw(t, "kind"), rapid.IntRange(0, 2).Draw(t, "lane"), rapid.IntRange(0, 7).Draw(t, "n")}
}), 1, 50)

func (s *schedule) step(x timing) {
	d, lane := time.Duration(x.n)*time.Millisecond, lanes[x.lane]
	switch x.kind {
	case 0, 1:
		s.send(lane, nil)
	case 2, 3:
		s.send(lane, func(*actor.Context[item]) error {
			time.Sleep(d) //nolint:forbidigo // In a bubble.
			return nil
		})
	case 4, 5:
		s.set(s.sys, lane, d, 0, 0)
	case 6, 7:
		s.set(s.sys, lane, 0, d+time.Millisecond, 0)
	case 8:
		s.send(lane, func(c *actor.Context[item]) error { s.set(c, lane, d, 0, s.incarnation); return nil })
	case 9:
		s.send(lane, func(c *actor.Context[item]) error { s.set(c, lane, 0, d+time.Millisecond, s.incarnation); return nil })
	case 10, 11:
		s.stop(x.n)
	case 12:
		s.send(lane, func(*actor.Context[item]) error { s.stop(x.n); return nil })
	case 13:
		s.send(lane, func(*actor.Context[item]) error { return errHook })
	case 14:
		wantNoErr(s.t, s.ref.Kill())
	case 15:
		s.send(lane, func(*actor.Context[item]) error { s.stashing = true; return nil })
	case 16:
		s.send(lane, func(c *actor.Context[item]) error { _, err := c.Unstash(); return err })
	case 17:
		s.suspend(!s.suspended)
	}
	pass(d + time.Microsecond)
}

func (s *schedule) suspend(on bool) {
	change := s.sys.Resume
	if on {
		change = s.sys.Suspend
	}
	wantNoErr(s.t, change(s.ref.PID()))
	s.suspended = on
}

// send sends a message if there is room.
func (s *schedule) send(lane actor.Lane, do func(*actor.Context[item]) error) {
	_ = s.ref.On(lane).TrySend(s.t.Context(), item{sent: time.Now(), do: do})
}

// set sets a timer: for one message after d, or for many.
func (s *schedule) set(at actor.Spawner, lane actor.Lane, d, interval time.Duration, incarnation int) {
	k := &ticker{set: time.Now(), every: interval, incarnation: incarnation}
	var err error
	if to := s.ref.On(lane); interval > 0 {
		k.timer, err = actor.Every(at, interval, to, item{ticker: k})
	} else {
		k.timer, err = actor.SendAfter(at, d, to, item{ticker: k, sent: time.Time{}.Add(d)})
	}
	if err == nil {
		s.mu.Lock()
		s.timers = append(s.timers, k)
		s.mu.Unlock()
	}
}

// stop stops the n-th timer from the end, if there are so many.
func (s *schedule) stop(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n >= len(s.timers) {
		return
	}
	k := s.timers[len(s.timers)-1-n]
	if k.timer.Stop() {
		k.kept = true
	}
	if k.stopped.IsZero() {
		k.stopped = time.Now()
	}
}

// check wants each message of a timer to have been handled, or taken back.
func (s *schedule) check() {
	if s.suspended {
		s.suspend(false)
	}
	pass(time.Second)
	for n := range s.timers {
		s.stop(n)
	}
	pass(time.Second)
	for _, k := range s.timers {
		fired := 1
		if k.every > 0 {
			fired = int(k.stopped.Sub(k.set)/k.every) - int(k.timer.Missed())
		}
		switch {
		case k.incarnation != 0:
			if k.handled > fired {
				s.fault("of %d messages %d were handled", fired, k.handled)
			}
		case k.every == 0 && k.kept == (k.handled == 1), k.handled > fired, k.handled < fired-1:
			s.fault("of %d messages, every %v, %d were handled, and taken back: %v", fired, k.every, k.handled, k.kept)
		}
	}
	i, err := s.ref.Info()
	wantNoErr(s.t, err)
	if i.Mailbox != [3]int{} || i.Timers != 0 || s.sys.Stats().Actors != 2 {
		s.fault("at the end there is %+v", i)
	}
}

func TestRandomSchedules(t *testing.T) {
	lane.Short(t)
	rapid.Check(t, func(rt *rapid.T) {
		capacity, throughput := rapid.IntRange(1, 6).Draw(rt, "capacity"), rapid.IntRange(1, 5).Draw(rt, "throughput")
		steps := drawTimings.Draw(rt, "steps")
		var faults []string
		synctest.Test(t, func(t *testing.T) {
			s := &schedule{t: t, sys: newSystem(t, actor.Config{Workers: 2})}
			opts := []actor.Option{actor.WithThroughput(throughput)}
			for _, lane := range lanes {
				opts = append(opts, actor.WithCapacity(lane, capacity))
			}
			spawnActor(t, s.sys, actor.Actor[int](&keeping[int]{hooks[int]{exited: restart, started: func(c *actor.Context[int]) (err error) {
				s.ref, err = actor.SpawnNew(c, func() actor.Actor[item] { s.incarnation++; return scheduled{s} }, opts...)
				return err
			}}}))
			synctest.Wait()
			for _, x := range steps {
				s.step(x)
			}
			s.check()
			faults = s.faults
		})
		for _, f := range faults {
			rt.Error(f)
		}
	})
}
