package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/stream"
)

func TestEachSubscriberGetsAllInOrderOfItsPublisher(t *testing.T) {
	t.Parallel()
	const publishers, each = 4, 500
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "orders")
	var all []*gathering
	for range 5 {
		g := newGathering(t, sys, 8)
		liveSubscribe(t, topic, g.ref)
		all = append(all, g)
	}
	var wg sync.WaitGroup
	for p := range publishers {
		wg.Go(func() {
			for i := range each {
				if err := topic.Publish(liveContext(t), p*each+i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, g := range all {
		got := g.drained(t)
		next := [publishers]int{}
		for _, m := range got {
			if p := m / each; m%each != next[p] {
				t.Fatalf("publisher %d: %d came, and %d is next", p, m%each, next[p])
			} else {
				next[p]++
			}
		}
		wantSame(t, "messages", len(got), publishers*each)
	}
	s := topic.Stats()
	wantSame(t, "published", s.Published, publishers*each)
	wantSame(t, "delivered", s.Delivered, 5*publishers*each)
}

func TestPublishWaitsForTheSlowestAndNobodyElseWaits(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	slow, fast := newGathering(t, sys, 1), newGathering(t, sys, 8)
	liveSubscribe(t, topic, slow.ref)
	liveSubscribe(t, topic, fast.ref)
	release := slow.stop(t)
	must(t, topic.Publish(liveContext(t), 0)) // It lies in the lane.
	done := make(chan error, 1)
	go func() { done <- topic.Publish(liveContext(t), 1) }()
	wantSame(t, "first for the fast one", <-fast.got, 0)
	wantSame(t, "second for the fast one", <-fast.got, 1)
	patience.Until(t, liveContext(t), func() bool { return topic.Stats().Waiting == 1 })
	select {
	case err := <-done:
		t.Fatal("the publish did not wait:", err)
	default:
	}
	wantSame(t, "the slowest", topic.Stats().Slowest, slow.ref.String())
	release()
	must(t, <-done)
	wantSame(t, "the slow one", slow.drained(t), upTo(2))
	wantSame(t, "waited", topic.Stats().Waited, 1)
}

func TestTryPublishNamesTheSlowest(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	slow, slower, fast := newGathering(t, sys, 1), newGathering(t, sys, 3), newGathering(t, sys, 8)
	for _, g := range []*gathering{slow, slower, fast} {
		liveSubscribe(t, topic, g.ref)
	}
	defer slow.stop(t)()
	defer slower.stop(t)()
	must(t, slow.ref.Send(liveContext(t), 7))
	for range 3 {
		must(t, slower.ref.Send(liveContext(t), 7))
	}
	err := topic.TryPublish(liveContext(t), 5)
	wantIs(t, err, actor.ErrFull)
	var full *stream.FullError
	if !errors.As(err, &full) {
		t.Fatalf("got %v, want a FullError", err)
	}
	wantSame(t, "the error", *full, stream.FullError{Topic: "ticks", Slowest: slower.ref.String(), Lag: 4, Full: 2, Subscribers: 3})
	if !strings.Contains(err.Error(), slower.ref.String()) {
		t.Errorf("the error does not name the slowest: %v", err)
	}
	wantSame(t, "the fast one got", <-fast.got, 5)
	s := topic.Stats()
	wantSame(t, "missed", s.Missed, 2)
	wantSame(t, "delivered", s.Delivered, 1)
}

func TestFullSubscriptionsDoAsTheySay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		when     stream.WhenFull
		buffer   int
		want     []int // Of the messages 0 to 9, while the actor is stuck and its lane takes 2.
		dropped  uint64
		ended    error
		deadOnes int
	}{
		{when: stream.DropNewest, want: []int{0, 1}, dropped: 8},
		{when: stream.EndSubscription, want: []int{0, 1}, dropped: 1, ended: stream.ErrTooSlow},
		{when: stream.WaitForRoom, buffer: 20, want: upTo(10)},
	} {
		t.Run(fmt.Sprint(c.when, " ", c.buffer), func(t *testing.T) {
			t.Parallel()
			sys := liveSystem(t, actor.Config{})
			topic := liveTopic[int](t, sys, "ticks")
			g := newGathering(t, sys, 2)
			sub := liveSubscribeBy(t, topic, stream.Subscriber[int, int]{To: g.ref, WhenFull: c.when, Buffer: c.buffer})
			release := g.stop(t)
			for i := range 10 {
				must(t, topic.Publish(liveContext(t), i))
			}
			if c.ended != nil {
				<-sub.Done()
			}
			wantIs(t, sub.Err(), c.ended)
			wantSame(t, "dropped", sub.Stats().Dropped, c.dropped)
			wantSame(t, "dropped in all", topic.Stats().Dropped, c.dropped)
			release()
			must(t, topic.Close(liveContext(t)))
			wantSame(t, "got", g.drained(t), c.want)
			wantSame(t, "delivered", topic.Stats().Delivered, uint64(len(c.want)))
		})
	}
}

// The buffer, the message in the courier's hand, and the lane hold what is newest in the buffer and oldest in
// the lane.
func TestDropOldestKeepsTheNewest(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	g := newGathering(t, sys, 1)
	sub := liveSubscribeBy(t, topic, stream.Subscriber[int, int]{To: g.ref, WhenFull: stream.DropOldest, Buffer: 3})
	release := g.stop(t)
	for i := range 2 { // One for the lane, and one for the courier's hand.
		must(t, topic.Publish(liveContext(t), i))
		patience.Until(t, liveContext(t), func() bool {
			info, err := g.ref.Info()
			return err == nil && info.Mailbox[actor.Data]+info.Senders[actor.Data] == i+1
		})
	}
	for i := 2; i < 20; i++ {
		must(t, topic.Publish(liveContext(t), i))
	}
	s := sub.Stats()
	wantSame(t, "dropped", s.Dropped, 15)
	wantSame(t, "buffered", s.Buffered, 4)
	release()
	must(t, topic.Close(liveContext(t)))
	wantSame(t, "got", g.drained(t), []int{0, 1, 17, 18, 19})
	all := topic.Stats()
	wantSame(t, "dropped in all", all.Dropped, 15)
	wantSame(t, "delivered", all.Delivered, 5)
}

func TestABufferEndsWhenItIsFull(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	g := newGathering(t, sys, 1)
	sub := liveSubscribeBy(t, topic, stream.Subscriber[int, int]{To: g.ref, WhenFull: stream.EndSubscription, Buffer: 2})
	defer g.stop(t)()
	n := uint64(0)
	for ; sub.Err() == nil; n++ {
		must(t, topic.Publish(liveContext(t), int(n)))
	}
	wantIs(t, sub.Err(), stream.ErrTooSlow)
	s := topic.Stats()
	wantSame(t, "the books", s.Delivered+s.Dropped, n)
	if s.Delivered > 1 {
		t.Errorf("%d were delivered, where the lane has room for one", s.Delivered)
	}
	wantSame(t, "subscribers", s.Subscribers, 0)
}

type liveEvent struct {
	tick int
	text string
}

func TestWhereAndWrapComeBeforeTheLane(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	var got []liveEvent
	desk := liveSpawn(t, sys, func(ctx *actor.Context[liveEvent], e liveEvent) error {
		if ctx.Lane() != actor.Management {
			t.Errorf("%v came on the %v lane", e, ctx.Lane())
		}
		got = append(got, e)
		return nil
	})
	for _, buffer := range []int{0, 100} {
		liveSubscribeBy(t, topic, stream.Subscriber[int, liveEvent]{
			To: desk.On(actor.Management), Buffer: buffer,
			Wrap:  func(n int) liveEvent { return liveEvent{n, "tick"} },
			Where: func(n int) bool { return n%2 == 0 },
		})
	}
	for i := range 6 {
		must(t, topic.Publish(liveContext(t), i))
	}
	must(t, topic.Close(liveContext(t)))
	must(t, desk.Drain(liveContext(t)))
	slices.SortFunc(got, func(a, b liveEvent) int { return a.tick - b.tick })
	wantSame(t, "got", got, []liveEvent{{0, "tick"}, {0, "tick"}, {2, "tick"}, {2, "tick"}, {4, "tick"}, {4, "tick"}})
	wantSame(t, "filtered", topic.Stats().Filtered, 6)
}

func TestPanicsOfWhereAndWrapAreTheSubscribersOwn(t *testing.T) {
	t.Parallel()
	for _, ends := range []bool{false, true} {
		for _, of := range []string{"Where", "Wrap", "Wrap with a buffer"} {
			t.Run(fmt.Sprint(of, " ends ", ends), func(t *testing.T) {
				t.Parallel()
				sys := liveSystem(t, actor.Config{})
				topic := liveTopic[int](t, sys, "ticks")
				bad, good := newGathering(t, sys, 8), newGathering(t, sys, 8)
				s := stream.Subscriber[int, int]{To: bad.ref, EndOnPanic: ends}
				odd := func(n int) int {
					if n == 1 {
						panic("odd")
					}
					return n
				}
				switch of {
				case "Where":
					s.Where = func(n int) bool { return odd(n) >= 0 }
				case "Wrap with a buffer":
					s.Wrap, s.Buffer = odd, 4
				default:
					s.Wrap = odd
				}
				sub := liveSubscribeBy(t, topic, s)
				liveSubscribe(t, topic, good.ref)
				for i := range 3 {
					must(t, topic.Publish(liveContext(t), i))
				}
				wantSame(t, "panicked", sub.Stats().Panicked, 1)
				wantSame(t, "panicked in all", topic.Stats().Panicked, 1)
				if ends {
					<-sub.Done()
					wantIs(t, sub.Err(), stream.ErrPanicked)
				}
				must(t, topic.Close(liveContext(t)))
				wantSame(t, "the good one got", good.drained(t), upTo(3))
				got := bad.drained(t)
				switch {
				case !ends:
					wantSame(t, "the bad one got", got, []int{0, 2})
				case slices.Contains(got, 1) || slices.Contains(got, 2):
					t.Errorf("the bad one got %v after its end", got)
				}
			})
		}
	}
}

func TestASubscriberThatEndsIsRemovedAndNobodyIsTold(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	gone, there := newGathering(t, sys, 8), newGathering(t, sys, 8)
	var subs []*stream.Subscription
	subs = append(subs, liveSubscribe(t, topic, gone.ref), liveSubscribeBy(t, topic, stream.Subscriber[int, int]{To: gone.ref, Buffer: 4}))
	liveSubscribe(t, topic, there.ref)
	must(t, gone.ref.Stop(liveContext(t)))
	must(t, topic.Publish(liveContext(t), 0))
	for _, sub := range subs {
		<-sub.Done()
		wantIs(t, sub.Err(), actor.ErrStopped)
	}
	must(t, topic.Publish(liveContext(t), 1))
	wantSame(t, "got", there.drained(t), upTo(2))
	patience.Until(t, liveContext(t), func() bool { return topic.Stats().Subscribers == 0 })
	must(t, topic.Publish(liveContext(t), 2)) // To nobody.
}

func TestThePublisherOfAMessageForOneThatEndsGoesOn(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"stop", "kill", "end"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			sys := liveSystem(t, actor.Config{})
			topic := liveTopic[int](t, sys, "ticks")
			g := newGathering(t, sys, 1)
			sub := liveSubscribe(t, topic, g.ref)
			release := g.stop(t)
			must(t, topic.Publish(liveContext(t), 0))
			done := make(chan error, 1)
			go func() { done <- topic.Publish(liveContext(t), 1) }()
			patience.Until(t, liveContext(t), func() bool { return topic.Stats().Waiting == 1 })
			switch how {
			case "stop":
				must(t, sys.RequestStop(g.ref.PID()))
				release() // No actor ends within a handler.
				release = func() {}
			case "kill":
				must(t, g.ref.Kill())
			default:
				sub.End()
			}
			must(t, <-done)
			release()
			wantSame(t, "missed", topic.Stats().Missed, 0)
		})
	}
}

func TestSubscribersGetWhatIsPublishedAfterwards(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	slow, late := newGathering(t, sys, 1), newGathering(t, sys, 8)
	liveSubscribe(t, topic, slow.ref)
	release := slow.stop(t)
	must(t, topic.Publish(liveContext(t), 0))
	done := make(chan error, 1)
	go func() { done <- topic.Publish(liveContext(t), 1) }()
	patience.Until(t, liveContext(t), func() bool { return topic.Stats().Waiting == 1 })
	liveSubscribe(t, topic, late.ref) // While a message is on its way.
	release()
	must(t, <-done)
	must(t, topic.Publish(liveContext(t), 2))
	wantSame(t, "the late one got", late.drained(t), []int{2})
}

func TestPauseHoldsBackAndMuteDrops(t *testing.T) {
	t.Parallel()
	for _, buffer := range []int{0, 4} {
		t.Run(fmt.Sprint("buffer ", buffer), func(t *testing.T) {
			t.Parallel()
			sys := liveSystem(t, actor.Config{})
			topic := liveTopic[int](t, sys, "ticks")
			g := newGathering(t, sys, 8)
			sub := liveSubscribeBy(t, topic, stream.Subscriber[int, int]{To: g.ref, Buffer: buffer})
			sub.Pause()
			wantSame(t, "paused", sub.Stats().Paused, true)
			done := make(chan error, 10)
			go func() {
				for i := range 10 {
					done <- topic.Publish(liveContext(t), i)
				}
			}()
			patience.Until(t, liveContext(t), func() bool { return topic.Stats().Waiting == 1 })
			select {
			case m := <-g.got:
				t.Errorf("%d came through a pause", m)
			default:
			}
			wantIs(t, topic.TryPublish(liveContext(t), -2), actor.ErrFull)
			sub.Resume()
			for range 10 {
				must(t, <-done)
			}
			for i := range 10 {
				wantSame(t, "got", <-g.got, i)
			}
			sub.Mute()
			must(t, topic.Publish(liveContext(t), 10))
			patience.Until(t, liveContext(t), func() bool { return sub.Stats().Dropped == 1 })
			sub.Unmute()
			must(t, topic.Publish(liveContext(t), 11))
			must(t, topic.Close(liveContext(t)))
			wantSame(t, "at last", g.drained(t), []int{11})
			s := topic.Stats()
			wantSame(t, "the books", []uint64{s.Published, s.Delivered, s.Dropped, s.Missed}, []uint64{13, 11, 1, 1})
		})
	}
}

func TestAPausedSubscriptionThatDropsHoldsUpNobody(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	g := newGathering(t, sys, 8)
	sub := liveSubscribeBy(t, topic, stream.Subscriber[int, int]{To: g.ref, WhenFull: stream.DropNewest})
	sub.Pause()
	must(t, topic.Publish(liveContext(t), 0))
	sub.Resume()
	must(t, topic.Publish(liveContext(t), 1))
	wantSame(t, "got", g.drained(t), []int{1})
	wantSame(t, "dropped", sub.Stats().Dropped, 1)
}

func TestAWaitForAPausedSubscriptionEnds(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	g := newGathering(t, sys, 8)
	sub := liveSubscribe(t, topic, g.ref)
	sub.Pause()
	err := topic.Publish(patience.Ended(), 0)
	wantIs(t, err, context.Canceled)
	if !strings.Contains(err.Error(), g.ref.String()) || !strings.Contains(err.Error(), "paused") {
		t.Errorf("the error does not say who is paused: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- topic.Publish(liveContext(t), 1) }()
	patience.Until(t, liveContext(t), func() bool { return topic.Stats().Waiting == 1 })
	sub.End()
	must(t, <-done)
	wantSame(t, "missed", topic.Stats().Missed, 1)
	wantSame(t, "got", len(g.drained(t)), 0)
}

func TestPublishSaysWhoHasMissedAMessage(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	slow, fast := newGathering(t, sys, 1), newGathering(t, sys, 8)
	liveSubscribe(t, topic, slow.ref)
	liveSubscribe(t, topic, fast.ref)
	release := slow.stop(t)
	must(t, topic.Publish(liveContext(t), 0))
	err := topic.Publish(patience.Ended(), 1)
	wantIs(t, err, context.Canceled)
	if !strings.Contains(err.Error(), slow.ref.String()) || strings.Contains(err.Error(), fast.ref.String()) {
		t.Errorf("the error does not name the one that has missed it: %v", err)
	}
	release()
	wantSame(t, "the slow one got", slow.drained(t), upTo(1))
	wantSame(t, "the fast one got", fast.drained(t), upTo(2))
	wantSame(t, "missed", topic.Stats().Missed, 1)
}

// A handler that publishes to a topic whose subscriber it is may fill its own lane. Nobody else could make
// room, so it gets an error.
func TestAHandlerThatFillsItsOwnLaneGetsAnError(t *testing.T) {
	t.Parallel()
	for _, buffer := range []int{0, 2} {
		t.Run(fmt.Sprint("buffer ", buffer), func(t *testing.T) {
			t.Parallel()
			sys := liveSystem(t, actor.Config{})
			topic := liveTopic[int](t, sys, "ticks")
			result := make(chan error, 1)
			ref := liveSpawn(t, sys, func(ctx *actor.Context[int], m int) error {
				if m != 0 {
					return nil
				}
				for i := range 100 {
					if err := topic.Publish(ctx, i+1); err != nil {
						result <- err
						return nil
					}
				}
				result <- nil
				return nil
			}, actor.WithCapacity(actor.Data, 4))
			liveSubscribeBy(t, topic, stream.Subscriber[int, int]{To: ref, Buffer: buffer})
			must(t, ref.Send(liveContext(t), 0))
			err := <-result
			if buffer == 0 {
				wantIs(t, err, actor.ErrFull)
			} else {
				wantIs(t, err, actor.ErrCycle)
			}
			if !strings.Contains(err.Error(), ref.String()) {
				t.Errorf("the error does not name the subscriber: %v", err)
			}
		})
	}
}

// A ring over two actors and a topic is found as well: one asks, the other publishes to it.
func TestARingThroughATopicIsAnError(t *testing.T) {
	t.Parallel()
	type question struct {
		n     int
		reply actor.Reply[string]
	}
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[question](t, sys, "questions")
	var other actor.Ref[question]
	asks := make(chan error, 1)
	first := liveSpawn(t, sys, func(ctx *actor.Context[question], q question) error {
		if q.n == 1 {
			answer, err := actor.Ask(ctx, other, func(r actor.Reply[string]) question { return question{2, r} })
			asks <- errors.Join(err, errors.New(answer))
		}
		return nil
	}, actor.WithCapacity(actor.Data, 1))
	other = liveSpawn(t, sys, func(ctx *actor.Context[question], q question) error {
		err := errors.Join(topic.Publish(ctx, question{n: 3}), topic.Publish(ctx, question{n: 3}))
		return q.reply.Send(ctx, fmt.Sprint(errors.Is(err, actor.ErrCycle)))
	})
	liveSubscribe(t, topic, first)
	must(t, first.Send(liveContext(t), question{n: 1}))
	if err := <-asks; err.Error() != "true" {
		t.Errorf("got %v, want the publish to return ErrCycle", err)
	}
}

func TestACloseDrainsAndThenRefuses(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	plain, buffered := newGathering(t, sys, 1), newGathering(t, sys, 1)
	sub := liveSubscribe(t, topic, plain.ref)
	liveSubscribeBy(t, topic, stream.Subscriber[int, int]{To: buffered.ref, Buffer: 100})
	releasePlain, releaseBuffered := plain.stop(t), buffered.stop(t)
	must(t, topic.Publish(liveContext(t), 0))
	published, closed := make(chan error, 1), make(chan error, 2)
	go func() { published <- topic.Publish(liveContext(t), 1) }()
	patience.Until(t, liveContext(t), func() bool { return topic.Stats().Waiting == 1 })
	for range 2 {
		go func() { closed <- topic.Close(liveContext(t)) }()
	}
	patience.Until(t, liveContext(t), func() bool { return topic.TryPublish(liveContext(t), 2) != nil && isClosed(topic) })
	releasePlain()
	must(t, <-published)
	select {
	case err := <-closed:
		t.Fatal("Close did not wait for the buffer:", err)
	default:
	}
	releaseBuffered()
	must(t, <-closed)
	must(t, <-closed)
	<-topic.Done()
	wantIs(t, topic.Publish(liveContext(t), 3), stream.ErrLiveClosed)
	wantIs(t, sub.Err(), stream.ErrLiveClosed)
	_, err := topic.Subscribe(liveContext(t), plain.ref)
	wantIs(t, err, stream.ErrLiveClosed)
	wantSame(t, "the plain one got", plain.drained(t)[:2], upTo(2))
	wantSame(t, "the buffered one got", buffered.drained(t)[:2], upTo(2))
	must(t, topic.Close(liveContext(t)))
}

func TestACloseWaitsForPublishesOnTheirWay(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	g := newGathering(t, sys, 1)
	liveSubscribe(t, topic, g.ref)
	release := g.stop(t)
	must(t, topic.Publish(liveContext(t), 0))
	published, closed := make(chan error, 1), make(chan error, 1)
	go func() { published <- topic.Publish(liveContext(t), 1) }()
	patience.Until(t, liveContext(t), func() bool { return topic.Stats().Waiting == 1 })
	go func() { closed <- topic.Close(liveContext(t)) }()
	patience.Until(t, liveContext(t), func() bool { return isClosed(topic) })
	select {
	case err := <-closed:
		t.Fatal("Close did not wait for the publish:", err)
	default:
	}
	release()
	must(t, <-published)
	must(t, <-closed)
	wantSame(t, "got", g.drained(t), upTo(2))
}

func isClosed(topic *stream.Live[int]) bool {
	return errors.Is(topic.TryPublish(patience.Ended(), -2), stream.ErrLiveClosed)
}

func TestACloseThatMayNotWaitGivesUpTheRest(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	plain, buffered := newGathering(t, sys, 1), newGathering(t, sys, 1)
	liveSubscribe(t, topic, plain.ref)
	liveSubscribeBy(t, topic, stream.Subscriber[int, int]{To: buffered.ref, Buffer: 100})
	releasePlain, releaseBuffered := plain.stop(t), buffered.stop(t)
	must(t, topic.Publish(liveContext(t), 0))
	published := make(chan error, 1)
	go func() { published <- topic.Publish(liveContext(t), 1) }()
	patience.Until(t, liveContext(t), func() bool { return topic.Stats().Waiting == 1 })
	err := topic.Close(patience.Ended())
	wantIs(t, err, context.Canceled)
	if !strings.Contains(err.Error(), "1 publishers waited") {
		t.Errorf("the error does not say what is left: %v", err)
	}
	wantIs(t, <-published, stream.ErrLiveClosed)
	releasePlain()
	releaseBuffered()
	got := len(plain.drained(t)) + len(buffered.drained(t))
	s := topic.Stats()
	wantSame(t, "delivered", s.Delivered, uint64(got))
	wantSame(t, "the books", s.Delivered+s.Dropped+s.Missed, 4)
	wantSame(t, "missed", s.Missed, 1)
}

// A handler that closes the topic of its own actor can't wait for what waits for itself.
func TestACloseThatWouldWaitForItsCallerIsAnError(t *testing.T) {
	t.Parallel()
	for _, buffer := range []int{0, 4} {
		t.Run(fmt.Sprint("buffer ", buffer), func(t *testing.T) {
			t.Parallel()
			sys := liveSystem(t, actor.Config{})
			topic := liveTopic[int](t, sys, "ticks")
			in, result := make(chan struct{}), make(chan error, 1)
			ref := liveSpawn(t, sys, func(ctx *actor.Context[int], m int) error {
				if m == 0 {
					<-in
					result <- topic.Close(ctx)
				}
				return nil
			}, actor.WithCapacity(actor.Data, 1))
			liveSubscribeBy(t, topic, stream.Subscriber[int, int]{To: ref, Buffer: buffer})
			published := make(chan error, 3)
			for i := range 3 {
				go func() { published <- topic.Publish(liveContext(t), i) }()
				patience.Until(t, liveContext(t), func() bool { return topic.Stats().Published == uint64(i+1) })
				if i == 0 {
					patience.Until(t, liveContext(t), func() bool { info, err := ref.Info(); return err == nil && info.State == actor.Running })
				}
			}
			patience.Until(t, liveContext(t), func() bool {
				info, err := ref.Info()
				return err == nil && info.Senders[actor.Data] == 1
			})
			close(in)
			err := <-result
			if buffer == 0 {
				wantIs(t, err, actor.ErrWouldDeadlock)
			} else {
				wantIs(t, err, actor.ErrCycle)
			}
			for range 3 {
				if err := <-published; err != nil {
					wantIs(t, err, stream.ErrLiveClosed)
				}
			}
		})
	}
}

func TestTheEndOfTheSystemEndsTopics(t *testing.T) {
	t.Parallel()
	sys, err := actor.NewSystem(actor.Config{})
	must(t, err)
	topic := liveTopic[int](t, sys, "ticks")
	g := newGathering(t, sys, 1)
	sub := liveSubscribe(t, topic, g.ref)
	sub.Pause()
	published := make(chan error, 1)
	go func() { published <- topic.Publish(liveContext(t), 1) }()
	patience.Until(t, liveContext(t), func() bool { return topic.Stats().Waiting == 1 })
	must(t, sys.Stop(liveContext(t)))
	if err := <-published; err != nil { // The subscriber may have ended first.
		wantIs(t, err, stream.ErrLiveClosed)
	}
	<-topic.Done()
	wantIs(t, topic.Publish(liveContext(t), 2), stream.ErrLiveClosed)
	for range topic.All(liveContext(t)) {
		t.Error("a message came")
	}
}

func TestATopicBelowAnActorEndsWithIt(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	made := make(chan *stream.Live[int], 1)
	owner := liveSpawn(t, sys, func(ctx *actor.Context[int], _ int) error {
		topic, err := stream.NewLive[int](ctx, stream.LiveConfig{})
		made <- topic
		return err
	})
	must(t, owner.Send(liveContext(t), 1))
	topic := <-made
	wantSame(t, "its name", topic.String(), "live topic")
	must(t, owner.Stop(liveContext(t)))
	<-topic.Done()
	wantIs(t, topic.TryPublish(liveContext(t), 1), stream.ErrLiveClosed)
}

func TestWrongUseOfTopicsIsAnError(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	g := newGathering(t, sys, 8)
	var none *stream.Live[int]
	for _, zero := range []*stream.Live[int]{none, {}} {
		wantIs(t, zero.Publish(ctx, 1), stream.ErrNoLive)
		wantIs(t, zero.TryPublish(ctx, 1), stream.ErrNoLive)
		wantIs(t, zero.Close(ctx), stream.ErrNoLive)
		_, err := zero.Subscribe(ctx, g.ref)
		wantIs(t, err, stream.ErrNoLive)
		for _, err := range zero.AllBy(ctx, stream.Reader[int]{}) {
			wantIs(t, err, stream.ErrNoLive)
		}
		<-zero.Done()
		wantSame(t, "figures", zero.Stats(), stream.LiveStats{})
		wantSame(t, "name", zero.String(), "<no topic>")
	}
	for _, at := range []actor.Spawner{nil, (*actor.System)(nil), (*actor.Context[int])(nil)} {
		if _, err := stream.NewLive[int](at, stream.LiveConfig{}); err == nil {
			t.Errorf("a topic was made at %v", at)
		}
	}
	_, err := topic.Subscribe(ctx, actor.Ref[int]{})
	wantIs(t, err, actor.ErrNoRef)
	gone := newGathering(t, sys, 8)
	must(t, gone.ref.Stop(ctx))
	_, err = topic.Subscribe(ctx, gone.ref)
	wantIs(t, err, actor.ErrStopped)
	foreign := newGathering(t, liveSystem(t, actor.Config{}), 8)
	_, err = topic.Subscribe(ctx, foreign.ref)
	wantIs(t, err, stream.ErrSubscriber)
	for _, s := range []stream.Subscriber[int, int]{
		{Buffer: -1}, {WhenFull: 9}, {WhenFull: stream.DropOldest}, {Buffer: 1 << 30},
	} {
		s.To = g.ref
		_, err := stream.Subscribe(ctx, topic, s)
		wantIs(t, err, stream.ErrSubscriber)
	}
	other := liveSpawn(t, sys, func(*actor.Context[string], string) error { return nil })
	_, err = stream.Subscribe(ctx, topic, stream.Subscriber[int, string]{To: other})
	wantIs(t, err, stream.ErrSubscriber)
	if !strings.Contains(err.Error(), "string") {
		t.Errorf("the error does not name the types: %v", err)
	}
	wantSame(t, "subscribers", topic.Stats().Subscribers, 0)
	must(t, topic.Publish(nil, 1)) //nolint:staticcheck // A nil context is context.Background.
	var sub *stream.Subscription
	for _, sub := range []*stream.Subscription{sub, {}} {
		sub.Pause()
		sub.Resume()
		sub.Mute()
		sub.Unmute()
		sub.End()
		<-sub.Done()
		wantIs(t, sub.Err(), stream.ErrNoLive)
		wantSame(t, "ended", sub.Stats().Ended, true)
	}
}

// Adding costs the same for each of very many, and so does leaving.
func TestAHundredThousandSubscribers(t *testing.T) {
	t.Parallel()
	n := 100_000
	if liveRace {
		n = 5_000 // Each step takes many times as long.
	}
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	ref := liveSpawn(t, sys, func(*actor.Context[int], int) error { return nil })
	var subs []*stream.Subscription
	for range n {
		sub, err := topic.Subscribe(ctx, ref)
		must(t, err)
		subs = append(subs, sub)
	}
	must(t, topic.Publish(ctx, 1))
	wantSame(t, "delivered", topic.Stats().Delivered, uint64(n))
	for _, sub := range subs[1:] {
		sub.End()
	}
	must(t, topic.Publish(ctx, 1))
	s := topic.Stats()
	wantSame(t, "delivered after most have left", s.Delivered, uint64(n+1))
	wantSame(t, "subscribers", s.Subscribers, 1)
}

func TestAPublishAllocatesNothing(t *testing.T) {
	if testing.Short() || liveRace {
		t.Skip("it counts allocations")
	}
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	for range 10 {
		liveSubscribe(t, topic, liveSpawn(t, sys, func(*actor.Context[int], int) error { return nil }, actor.WithCapacity(actor.Data, 1<<12)))
	}
	ctx := context.Background()
	publish := func() {
		if err := topic.Publish(ctx, 1); err != nil {
			t.Error(err)
		}
	}
	for range 1000 {
		publish()
	}
	if n := testing.AllocsPerRun(500, publish); n != 0 {
		t.Errorf("a publish costs %v allocations", n)
	}
}
