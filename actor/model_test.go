//go:build modelcheck

package actor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/modelcheck"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// actorModel is an actor in a model, with what is noted of its messages. A message is
// ten times its sender plus its number there.
type actorModel struct {
	*modelcheck.Program
	model *workers.Model
	sys   *actor.System
	ref   actor.Ref[int]

	left     int // Events that the model waits for before it ends.
	messages int // Of these, messages.
	inside   xatomic.Int32
	handled  []int
	dropped  []int
	accepted []int // Messages that their sender was told are delivered.
	returned []int // Messages that their sender was told are not.
	lanes    map[int]actor.Lane
	onSent   func() // Called by each sender at its end.
	drained  bool   // Every accepted message must be handled.
	faults   []error
}

func newActorModel(p *modelcheck.Program) *actorModel {
	s := &actorModel{Program: p, model: workers.NewModelScheduler(), lanes: map[int]actor.Lane{}, onSent: func() {}}
	s.sys = actor.NewModelSystem(s.model.Scheduler(), func(d actor.DeadLetter) {
		s.dropped = append(s.dropped, d.Message.(int))
		s.event()
	})
	p.Finally(s.check)
	return s
}

func (s *actorModel) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Errorf(format, args...))
}

// event is called for each of the events that were announced by expect.
func (s *actorModel) event() {
	if s.left--; s.left == 0 {
		s.model.End()
	}
}

func (s *actorModel) receive(_ *actor.Context[int], m int) error {
	if n := s.inside.Add(1); n != 1 {
		s.fault("%d handlers run at once", n)
	}
	s.handled = append(s.handled, m)
	s.inside.Add(-1)
	s.event()
	return nil
}

func (s *actorModel) spawn(opts ...actor.Option) {
	s.ref = must(actor.Spawn(s.sys, actor.Func(s.receive), opts...))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (s *actorModel) workers(n int) {
	for i := range n {
		f := s.model.Fiber()
		s.Go(fmt.Sprintf("worker %d", i), func() { s.model.Work(f) })
	}
}

// sender sends a message to each of the lanes.
func (s *actorModel) sender(ctx context.Context, id int, lanes ...actor.Lane) {
	s.left += len(lanes)
	s.messages += len(lanes)
	s.Go(fmt.Sprintf("sender %d", id), func() {
		for i, lane := range lanes {
			m := 10*id + i
			s.lanes[m] = lane
			switch err := s.ref.On(lane).Send(ctx, m); {
			case err == nil:
				s.accepted = append(s.accepted, m)
			case errors.Is(err, actor.ErrStopped): // Then it is a dead letter.
			case errors.Is(err, context.Canceled):
				s.returned = append(s.returned, m)
				s.event()
			default:
				panic(err)
			}
		}
		s.onSent()
	})
}

// act does something besides, and is one of the events that are waited for.
func (s *actorModel) act(name string, f func() error) {
	s.left++
	s.Go(name, func() {
		if err := f(); err != nil {
			panic(err)
		}
		s.event()
	})
}

// check wants each message once, and one sender's messages to one lane in their order.
func (s *actorModel) check() error {
	all := slices.Concat(s.handled, s.dropped, s.returned)
	slices.Sort(all)
	if len(all) != s.messages || len(slices.Compact(all)) != s.messages {
		s.fault("of %d messages, %v were handled, %v dropped and %v returned", s.messages, s.handled, s.dropped, s.returned)
	}
	for i, m := range s.handled {
		for _, before := range s.handled[:i] {
			if before > m && before/10 == m/10 && s.lanes[before] == s.lanes[m] {
				s.fault("message %d came after %d", m, before)
			}
		}
	}
	for _, m := range s.accepted {
		if s.drained && slices.Contains(s.dropped, m) {
			s.fault("message %d was accepted, and dropped by a drain", m)
		}
	}
	return errors.Join(s.faults...)
}

var background = context.Background()

// announcing has one sender for each number of messages, all in Data, to an actor that
// has a lane from the first one on.
func announcing(width, throughput int, each ...int) func(*modelcheck.Program) {
	return announcingTo(width, each, actor.WithThroughput(throughput), withLane)
}

// pocketing is announcing to an actor with a pocket.
func pocketing(width, throughput int, each ...int) func(*modelcheck.Program) {
	return announcingTo(width, each, actor.WithThroughput(throughput))
}

func announcingTo(width int, each []int, opts ...actor.Option) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newActorModel(p)
		s.spawn(opts...)
		s.workers(width)
		for id, n := range each {
			s.sender(background, id, make([]actor.Lane, n)...)
		}
	}
}

// mixing has one sender of messages to several lanes, so that the actor is
// queued twice.
func mixing(width, throughput int, lanes ...actor.Lane) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newActorModel(p)
		s.spawn(actor.WithThroughput(throughput))
		s.workers(width)
		s.sender(background, 0, lanes...)
	}
}

// crossing has a sender of Data and one of Control.
func crossing(data, control int) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newActorModel(p)
		s.spawn()
		s.workers(1)
		s.sender(background, 0, make([]actor.Lane, data)...)
		s.sender(background, 1, slices.Repeat([]actor.Lane{actor.Control}, control)...)
	}
}

// ending has somebody stop or drain the actor while messages come.
func ending(width, messages int, drain bool) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newActorModel(p)
		s.spawn(actor.WithThroughput(1))
		s.workers(width)
		s.sender(background, 0, make([]actor.Lane, messages)...)
		s.drained = drain
		s.act("end", func() error {
			if drain {
				return s.ref.Drain(background)
			}
			return s.ref.Stop(background)
		})
	}
}

// restarter is a parent that restarts its child.
type restarter struct{ s *actorModel }

func (k restarter) Receive(*actor.Context[int], int) error { return nil }

func (k restarter) ChildExited(ctx *actor.Context[int], e actor.Exit) error {
	if !e.Held {
		k.s.fault("the child has ended: %v", e.Reason)
		return nil
	}
	return ctx.Restart(e.PID)
}

// failing has an actor that fails with its first message, and is held until its
// parent restarts it, while others come.
func failing(width, messages int) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newActorModel(p)
		incarnations := 0
		s.ref = must(actor.SpawnNew(actor.ContextOf(must(actor.Spawn(s.sys, restarter{s}))), func() actor.Actor[int] {
			incarnations++
			first := incarnations == 1
			return actor.Func(func(ctx *actor.Context[int], m int) error {
				err := s.receive(ctx, m)
				if first {
					err = errors.New("the first message")
				}
				return err
			})
		}))
		s.workers(width)
		s.sender(background, 0, make([]actor.Lane, messages)...)
	}
}

// waiting has senders that meet a full lane.
func waiting(width int, each ...int) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newActorModel(p)
		s.spawn(actor.WithCapacity(actor.Data, 1))
		s.workers(width)
		for id, n := range each {
			s.sender(background, id, make([]actor.Lane, n)...)
		}
	}
}

// letting has a lane with two messages, and a sender of two more. By the time
// at which the second is handled there is room for them, so its handler may
// wait until they are in.
func letting(p *modelcheck.Program) {
	s := newActorModel(p)
	var in xatomic.Bool
	s.ref = must(actor.Spawn(s.sys, actor.Func(func(ctx *actor.Context[int], m int) error {
		if m == 1 {
			in.Await(func(in bool) bool { return in })
		}
		return s.receive(ctx, m)
	}), actor.WithCapacity(actor.Data, 2)))
	s.left, s.messages = 2, 2
	for m := range 2 {
		if err := s.ref.Send(background, m); err != nil {
			panic(err)
		}
	}
	s.workers(1)
	s.sender(background, 1, actor.Data, actor.Data)
	s.onSent = func() { in.Store(true) }
}

// leaving is waiting with a sender that may give up.
func leaving(width int, each ...int) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newActorModel(p)
		s.spawn(actor.WithCapacity(actor.Data, 1))
		s.workers(width)
		ctx, cancel := context.WithCancel(background)
		for id, n := range each {
			s.sender(ctx, id, make([]actor.Lane, n)...)
		}
		s.act("cancel", func() error {
			modelcheck.Outside()
			cancel()
			return nil
		})
	}
}

// answering has an asker that uses one slot for one ask after the other, and
// may give up the first. Each of the other threads answers the given asks.
func answering(asks int, answers ...[]int) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		var slot actor.ModelSlot
		s := workers.NewModelScheduler().Scheduler()
		ctx, cancel := context.WithCancel(background)
		replies := make([]actor.Reply[int], asks)
		var sent xatomic.Int32 // How many of replies are there.
		got, accepted := make([][]int, asks), make([][]int, asks)
		p.Go("asker", func() {
			for i := range asks {
				v, err := slot.Ask(ctx, s, func(r actor.Reply[int]) {
					replies[i] = r
					sent.Add(1)
				})
				if err == nil {
					got[i] = []int{v}
				}
				ctx = background
			}
		})
		for a, which := range answers {
			p.Go(fmt.Sprintf("answer %d", a), func() {
				for _, i := range which {
					sent.Await(func(n int32) bool { return int(n) > i })
					if err := replies[i].Send(background, 10*i+a+1); err == nil {
						accepted[i] = append(accepted[i], 10*i+a+1)
					}
				}
			})
		}
		p.Go("cancel", func() { modelcheck.Outside(); cancel() })
		p.Finally(func() error {
			for i := range asks {
				if !slices.Equal(got[i], accepted[i]) || i > 0 && len(got[i]) != 1 {
					return fmt.Errorf("ask %d got %v, but accepted were %v", i, got[i], accepted[i])
				}
			}
			return nil
		})
	}
}

// models are explored by TestModel.
var models = []struct {
	name  string
	cfg   modelcheck.Config
	build func(*modelcheck.Program)
}{
	{"state/two messages", modelcheck.Config{}, announcing(1, 100, 2)},
	{"state/a batch that is split", modelcheck.Config{Preemptions: 3}, announcing(1, 1, 3)},
	{"state/two senders", modelcheck.Config{Preemptions: 2}, announcing(1, 100, 1, 1)},
	{"state/two workers", modelcheck.Config{Preemptions: 2}, announcing(2, 1, 2)},
	{"urgent/one worker", modelcheck.Config{Preemptions: 2}, crossing(2, 1)},
	{"urgent/two workers", modelcheck.Config{Preemptions: 2}, mixing(2, 1, actor.Data, actor.Control, actor.Data)},
	{"end/stop", modelcheck.Config{Preemptions: 2}, ending(1, 1, false)},
	{"end/drain", modelcheck.Config{Preemptions: 2}, ending(1, 1, true)},
	{"end/stop, two workers", modelcheck.Config{Preemptions: 1}, ending(2, 1, false)},
	{"held/one worker", modelcheck.Config{Preemptions: 3}, failing(1, 2)},
	{"held/two workers", modelcheck.Config{Preemptions: 1}, failing(2, 2)},
	{"full/one sender", modelcheck.Config{Preemptions: 3}, waiting(1, 3)},
	{"full/two senders", modelcheck.Config{Preemptions: 1}, waiting(1, 2, 1)},
	{"full/room in time", modelcheck.Config{}, letting},
	{"full/one that leaves", modelcheck.Config{Preemptions: 2}, leaving(1, 3)},
	{"pocket/two senders", modelcheck.Config{Preemptions: 2}, pocketing(1, 100, 2, 1)},
	{"pocket/two workers", modelcheck.Config{Preemptions: 1}, pocketing(2, 1, 2)},
	{"pocket/measured", modelcheck.Config{Preemptions: 2}, measuring(2, 1)},
	{"pocket/something urgent", modelcheck.Config{Preemptions: 2}, crossing(1, 1)},
	{"pocket/no room", modelcheck.Config{Preemptions: 2}, narrow},
	{"pocket/drain", modelcheck.Config{Preemptions: 2}, ending(1, 2, true)},
	{"pocket/stop", modelcheck.Config{Preemptions: 2}, ending(1, 2, false)},
	{"pocket/kill", modelcheck.Config{Preemptions: 2}, killing(100, false, nil, []actor.Lane{actor.Data, actor.Data})},
	{"pocket/kill with something urgent", modelcheck.Config{Preemptions: 1}, killing(1, false, nil, []actor.Lane{actor.Data}, []actor.Lane{actor.Control})},
	{"pocket/kill behind something else", modelcheck.Config{Preemptions: 1}, killing(100, false, nil, []actor.Lane{actor.Data, actor.Management})},
	{"pocket/kill of one with a lane", modelcheck.Config{Preemptions: 2}, killing(1, false, []actor.Option{withLane}, []actor.Lane{actor.Data, actor.Data})},
	{"reply/two rounds", modelcheck.Config{}, answering(2, []int{0, 1})},
	{"reply/two answers", modelcheck.Config{}, answering(1, []int{0}, []int{0})},
	{"reply/a late answer", modelcheck.Config{Preemptions: 2}, answering(2, []int{0}, []int{1})},
	{"name/that is handed on", modelcheck.Config{Preemptions: 2}, naming},
	{"withdraw/an ask", modelcheck.Config{Preemptions: 2}, givingUp(askOne)},
	{"withdraw/one of several", modelcheck.Config{Preemptions: 2}, givingUp(askAll)},
	{"withdraw/what is not needed", modelcheck.Config{Preemptions: 2}, havingEnough},
	{"pump/two messages", modelcheck.Config{Preemptions: 3}, pumping(false, 100, 2)},
	{"pump/two senders", modelcheck.Config{Preemptions: 2}, pumping(false, 1, 1, 1)},
	{"pump/a turn at a time", modelcheck.Config{Preemptions: 2}, pumping(true, 1, 1, 1)},
	{"tick/once", modelcheck.Config{Preemptions: 2}, revoking(false, 0)},
	{"tick/once, among messages", modelcheck.Config{Preemptions: 1}, revoking(false, 2)},
	{"tick/one that waits for room", modelcheck.Config{Preemptions: 1}, revoking(true, 1)},
	{"tick/stopped by its receiver", modelcheck.Config{Preemptions: 2}, stoppingWithin(1)},
	{"tick/stopped by its receiver, again", modelcheck.Config{Preemptions: 2}, stoppingWithin(2)},
	{"tick/room for a sender", modelcheck.Config{Preemptions: 1}, makingRoom},
	{"tick/kill", modelcheck.Config{Preemptions: 2}, killing(100, true, nil)},
	{"turn/two messages", modelcheck.Config{Preemptions: 1}, turning(turnConfig{}, 2)},
	{"turn/a failure", modelcheck.Config{Random: 5_000}, turning(turnConfig{restarted: true, fails: true}, 2)},
	{"turn/a kill", modelcheck.Config{Random: 10_000}, turningAtAnEnd(turnConfig{restarted: true}, killTurnModel, 2)},
	{"turn/a kill and a failure", modelcheck.Config{Random: 5_000}, turningAtAnEnd(turnConfig{restarted: true, fails: true}, killTurnModel, 2)},
	{"turn/a stop", modelcheck.Config{Random: 5_000}, turningAtAnEnd(turnConfig{}, stopTurnModel, 2)},
	{"turn/a drain", modelcheck.Config{Random: 5_000}, turningAtAnEnd(turnConfig{}, drainTurnModel, 2)},
	{"read/three messages", modelcheck.Config{Random: 5_000}, turning(turnConfig{reads: true}, 3)},
	{"read/a failure", modelcheck.Config{Random: 5_000}, turning(turnConfig{restarted: true, fails: true, reads: true}, 3)},
	{"read/a kill", modelcheck.Config{Random: 20_000, Seed: 3}, turningAtAnEnd(turnConfig{restarted: true, reads: true}, killTurnModel, 1, 2)},
	{"read/a kill and a failure", modelcheck.Config{Random: 10_000}, turningAtAnEnd(turnConfig{restarted: true, fails: true, reads: true}, killTurnModel, 1, 2)},
	{"read/a stop", modelcheck.Config{Random: 5_000}, turningAtAnEnd(turnConfig{reads: true}, stopTurnModel, 3)},
	{"read/a drain", modelcheck.Config{Random: 5_000}, turningAtAnEnd(turnConfig{reads: true}, drainTurnModel, 3)},
	{"turn/a tick and a kill", modelcheck.Config{Random: 5_000}, turningAtAnEnd(turnConfig{restarted: true, tick: 21}, killTurnModel, 1)},
	{"read/a tick that reads and a kill", modelcheck.Config{Random: 5_000}, turningAtAnEnd(turnConfig{restarted: true, reads: true, tick: 20}, killTurnModel, 2)},
	{"read/a tick that writes and a kill", modelcheck.Config{Random: 5_000}, turningAtAnEnd(turnConfig{restarted: true, reads: true, tick: 21}, killTurnModel, 1)},
	{"watch/two messages", modelcheck.Config{Preemptions: 3}, watching(2, 2)},
	{"watch/three looks", modelcheck.Config{Preemptions: 2}, watching(3, 2)},
}

func TestModel(t *testing.T) {
	table := modelcheck.NewTable(t, "actor")
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) { table.Explore(t, m.name, m.cfg, m.build) })
	}
}
