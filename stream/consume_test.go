package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/stream"
	"github.com/troupe-go/troupe/supervise"
)

var errPoison = errors.New("poison")

// Whatever a handler does to a message, it is delivered again, and then becomes a dead letter.
func TestEachWayToFailIsANack(t *testing.T) {
	for name, fail := range map[string]func(ctx *actor.Context[mail], m mail) error{
		"an error":       func(*actor.Context[mail], mail) error { return errPoison },
		"a panic":        func(*actor.Context[mail], mail) error { panic(errPoison) },
		"a Nack":         func(ctx *actor.Context[mail], m mail) error { return m.d.Nack(ctx, time.Millisecond) },
		"a reply failed": func(ctx *actor.Context[mail], m mail) error { return m.d.Reply.Fail(ctx, errPoison) },
		"a kill": func(ctx *actor.Context[mail], _ mail) error {
			err := ctx.System().Kill(ctx.Self().PID())
			<-ctx.Done()
			return err
		},
		"unhandled": func(*actor.Context[mail], mail) error { return actor.ErrUnhandled },
	} {
		t.Run(name, func(t *testing.T) {
			topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
			b, sys := newBook(), newSystem(t)
			sup, err := supervise.Start(sys, supervise.Config{Intensity: 1000, Period: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			ref, err := supervise.Spawn(t.Context(), sup, supervise.Child[mail]{Name: "billing", New: func() actor.Actor[mail] {
				return actor.Func(func(ctx *actor.Context[mail], m mail) error {
					b.add(m.d)
					if m.d.Value.N == 2 {
						return fail(ctx, m)
					}
					return m.d.Ack(ctx)
				})
			}})
			if err != nil {
				t.Fatal(err)
			}
			s := consume(t, topic, stream.Consumer[order, mail]{To: ref, Retry: stream.Backoff{Min: time.Millisecond, Max: time.Millisecond, Times: 3}})
			publish(t, topic, numbered("a", 3)...)
			settled(t, s)
			if got := b.numbers(""); !slices.Equal(got, []int{1, 2, 2, 2, 3}) {
				t.Errorf("the deliveries are %v", got)
			}
			for i, d := range b.deliveries()[1:4] {
				if d.Attempt != i+1 {
					t.Errorf("attempt %d says that it is %d", i+1, d.Attempt)
				}
			}
			dead, err := topic.Dead(t.Context(), "billing")
			if err != nil || len(dead) != 1 || dead[0].Value.N != 2 || dead[0].Attempts != 3 || dead[0].Reason == "" || dead[0].Key != "a" || dead[0].Position.Sequence != 2 {
				t.Fatalf("the dead letters are %+v, %v", dead, err)
			}
			if i := settled(t, s); i.Dead != 1 || i.Redeliveries != 3 {
				t.Errorf("Info is %+v", i)
			}
		})
	}
}

func TestARetriedMessageHoldsUpItsKeyAndNoOther(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
	b := newBook()
	var open atomic.Bool
	s := consume(t, topic, stream.Consumer[order, mail]{Retry: fast, To: receive(t, newSystem(t), func(ctx *actor.Context[mail], m mail) error {
		if m.d.Value == (order{"bad", 1}) && !open.Load() {
			return m.d.Nack(ctx, 0)
		}
		return b.ack(ctx, m)
	})})
	s.Pause()
	publish(t, topic, order{"bad", 1}, order{"good", 1}, order{"bad", 2}, order{"good", 2}, order{"", 7})
	s.Resume()
	b.wait(t, 3)
	if got := b.numbers("bad"); len(got) != 0 {
		t.Errorf("while message 1 is retried, the key has handled %v", got)
	}
	open.Store(true)
	settled(t, s)
	if bad, good := b.numbers("bad"), b.numbers("good"); !slices.Equal(bad, []int{1, 2}) || !slices.Equal(good, []int{1, 2}) {
		t.Errorf("handled %v and %v", bad, good)
	}
}

func TestNoMoreThanInFlightIsPulled(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{})
	held := make(chan mail, 100)
	s := consume(t, topic, stream.Consumer[order, mail]{InFlight: 5, Timeout: -1, To: receive(t, newSystem(t), func(_ *actor.Context[mail], m mail) error {
		held <- m
		return nil
	})})
	publish(t, topic, numbered("", 30)...)
	ctx := patience.Context(t)
	for n := range 30 {
		m := <-held
		if i := informed(t, s, "five in flight", func(i stream.Info) bool { return i.InFlight == min(5, 30-n) }); len(held) > 4 {
			t.Fatalf("%+v, and %d with the actor", i, len(held)+1)
		}
		if err := m.d.Ack(ctx); err != nil {
			t.Fatal(err)
		}
	}
	settled(t, s)
}

func TestAConsumerThatNeverAcksHoldsUpOnlyItself(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
	b, silent, sys := newBook(), newBook(), newSystem(t)
	slow := consume(t, topic, stream.Consumer[order, mail]{Name: "silent", InFlight: 2, Timeout: -1, To: receive(t, sys, func(_ *actor.Context[mail], m mail) error {
		silent.add(m.d)
		return nil
	})})
	s := consume(t, topic, stream.Consumer[order, mail]{To: receive(t, sys, b.ack)})
	publish(t, topic, numbered("a", 50)...)
	b.wait(t, 50)
	settled(t, s)
	silent.wait(t, 1)
	if i, err := slow.Info(t.Context()); err != nil || i.Lag != 50 || i.InFlight != 1 {
		t.Errorf("the silent one: %+v, %v", i, err)
	}
}

func TestWhatIsNotAnsweredInTimeIsDeliveredAgain(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{})
	b := newBook()
	s := consume(t, topic, stream.Consumer[order, mail]{Retry: stream.Backoff{Min: time.Millisecond, Times: 2}, Timeout: 20 * time.Millisecond, To: receive(t, newSystem(t), func(_ *actor.Context[mail], m mail) error {
		b.add(m.d)
		return nil
	})})
	publish(t, topic, order{"a", 1})
	settled(t, s)
	dead, err := topic.Dead(t.Context(), "billing")
	if err != nil || len(dead) != 1 || len(b.deliveries()) != 2 || !strings.Contains(dead[0].Reason, context.DeadlineExceeded.Error()) {
		t.Errorf("%d deliveries, and the dead letters %+v, %v", len(b.deliveries()), dead, err)
	}
}

func TestUnwantedMessagesCountAsAcknowledged(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
	b := newBook()
	s := consume(t, topic, stream.Consumer[order, mail]{Where: func(o order) bool { return o.N%2 == 0 }, To: receive(t, newSystem(t), b.ack)})
	publish(t, topic, numbered("a", 10)...)
	settled(t, s)
	if got := b.numbers(""); !slices.Equal(got, []int{2, 4, 6, 8, 10}) {
		t.Errorf("handled %v", got)
	}
}

func TestPoisonBetweenGoodMessagesBecomesADeadLetter(t *testing.T) {
	eng := newEngine()
	topic := openTopic(t, eng, stream.Config[order]{Key: byCustomer})
	texts := stream.Config[string]{Type: "order", Key: func(string) string { return "a" }}
	foreign, err := stream.Open(t.Context(), eng, "orders", texts) // It lies about its type.
	if err != nil {
		t.Fatal(err)
	}
	publish(t, topic, order{"a", 1})
	if _, err := foreign.Publish(t.Context(), "no order"); err != nil {
		t.Fatal(err)
	}
	publish(t, topic, order{"a", 2})
	texts.Version = 2
	if foreign, err = stream.Open(t.Context(), eng, "orders", texts); err != nil {
		t.Fatal(err)
	}
	if _, err := foreign.Publish(t.Context(), "from the future"); err != nil {
		t.Fatal(err)
	}
	publish(t, topic, order{"a", 3}, order{"panic", 4})
	b := newBook()
	s := consume(t, topic, stream.Consumer[order, mail]{To: receive(t, newSystem(t), b.ack), Where: func(o order) bool {
		if o.Customer == "panic" {
			panic("Where fails")
		}
		return true
	}})
	settled(t, s)
	if got := b.numbers(""); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("handled %v", got)
	}
	dead, err := topic.Dead(t.Context(), "")
	if err != nil || len(dead) != 3 || dead[0].Err == nil || dead[0].Attempts != 0 || !strings.Contains(dead[1].Reason, "version 2") || !strings.Contains(dead[2].Reason, "Where fails") {
		t.Errorf("the dead letters are %+v, %v", dead, err)
	}
}

func TestDeadLettersAreReplayedForTheirConsumerAloneAndDropped(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
	ctx, b, other, sys := t.Context(), newBook(), newBook(), newSystem(t)
	var mended atomic.Bool
	s := consume(t, topic, stream.Consumer[order, mail]{Retry: stream.Backoff{Times: 1}, To: receive(t, sys, func(ctx *actor.Context[mail], m mail) error {
		if !mended.Load() {
			return m.d.Nack(ctx, 0)
		}
		return b.ack(ctx, m)
	})})
	second := consume(t, topic, stream.Consumer[order, mail]{Name: "stock", To: receive(t, sys, other.ack)})
	publish(t, topic, numbered("a", 3)...)
	settled(t, s)
	dead, err := topic.Dead(ctx, "billing")
	if err != nil || len(dead) != 3 {
		t.Fatalf("the dead letters are %+v, %v", dead, err)
	}
	if err := topic.Drop(ctx, dead[1]); err != nil {
		t.Fatal(err)
	}
	if err := topic.Drop(ctx, dead[1]); !errors.Is(err, stream.ErrNoDead) {
		t.Errorf("Drop of one that is gone: %v", err)
	}
	mended.Store(true)
	if err := topic.Replay(ctx, dead[0], dead[2]); err != nil {
		t.Fatal(err)
	}
	if err := topic.Replay(ctx, dead[0]); !errors.Is(err, stream.ErrNoDead) {
		t.Errorf("Replay of one that was replayed: %v", err)
	}
	if err := topic.Replay(ctx, stream.DeadLetter[order]{}); !errors.Is(err, stream.ErrNoDead) {
		t.Errorf("Replay of a dead letter that is none: %v", err)
	}
	settled(t, s)
	settled(t, second)
	if got := b.numbers(""); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("replayed are %v", got)
	}
	for i, d := range b.deliveries() {
		if d.Hops != 1 || d.Position != dead[2*i].Position || d.Attempt != 1 {
			t.Errorf("the replayed delivery is %+v", d)
		}
	}
	if got := other.numbers(""); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("the other consumer has %v", got)
	}
	if dead, err := topic.Dead(ctx, ""); err != nil || len(dead) != 0 {
		t.Errorf("dead letters are left: %+v, %v", dead, err)
	}
}

func TestAMessageIsReplayedSoOftenAndNotForEver(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
	s := consume(t, topic, stream.Consumer[order, mail]{Retry: stream.Backoff{Times: 1}, To: receive(t, newSystem(t), func(ctx *actor.Context[mail], m mail) error {
		return m.d.Nack(ctx, 0)
	})})
	publish(t, topic, order{"a", 1})
	for hops := range stream.MaxHops + 1 {
		settled(t, s)
		dead, err := topic.Dead(t.Context(), "billing")
		if err != nil || len(dead) != 1 || dead[0].Hops != hops {
			t.Fatalf("after %d replays the dead letters are %+v, %v", hops, dead, err)
		}
		if err := topic.Replay(t.Context(), dead[0]); (hops == stream.MaxHops) != errors.Is(err, stream.ErrHops) || hops < stream.MaxHops && err != nil {
			t.Fatalf("replay %d: %v", hops+1, err)
		}
	}
}

func TestMessagesOfEarlierVersionsAreRead(t *testing.T) {
	eng, b := newEngine(), newBook()
	type old struct {
		Client string
		N      int
	}
	before, err := stream.Open(t.Context(), eng, "orders", stream.Config[old]{Type: "order"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := before.Publish(t.Context(), old{"a", 1}); err != nil {
		t.Fatal(err)
	}
	topic := openTopic(t, eng, stream.Config[order]{Version: 2, Upcast: func(version int, decode func(v any) error) (order, error) {
		var o old
		err := decode(&o)
		return order{o.Client, o.N * 10 * version}, err
	}})
	publish(t, topic, order{"b", 2})
	s := consume(t, topic, stream.Consumer[order, mail]{InFlight: 1, To: receive(t, newSystem(t), b.ack)})
	settled(t, s)
	if all := b.deliveries(); len(all) != 2 || all[0].Value != (order{"a", 10}) || all[1].Value != (order{"b", 2}) {
		t.Errorf("the deliveries are %+v", all)
	}
}

func TestAPausedConsumptionDeliversNothing(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
	b, other, sys := newBook(), newBook(), newSystem(t)
	s := consume(t, topic, stream.Consumer[order, mail]{To: receive(t, sys, b.ack)})
	second := consume(t, topic, stream.Consumer[order, mail]{Name: "stock", To: receive(t, sys, other.ack)})
	s.Pause()
	informed(t, s, "its partition", func(i stream.Info) bool { return len(i.Partitions) == 1 })
	publish(t, topic, numbered("a", 10)...)
	settled(t, second)
	if i, err := s.Info(t.Context()); err != nil || i.Lag != 10 || !i.Paused || len(b.deliveries()) != 0 {
		t.Errorf("%+v, %v, and %d deliveries", i, err, len(b.deliveries()))
	}
	s.Resume()
	b.wait(t, 10)
}

func TestConsumersBeginWhereTheyAreTold(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
	sys, first := newSystem(t), newBook()
	publish(t, topic, numbered("a", 5)...)
	settled(t, consume(t, topic, stream.Consumer[order, mail]{Name: "first", To: receive(t, sys, first.ack)}))
	for name, c := range map[string]struct {
		from stream.From
		want []int
	}{
		"begin":  {stream.Begin, []int{1, 2, 3, 4, 5, 6}},
		"end":    {stream.End, []int{6}},
		"middle": {stream.At(stream.Position{Sequence: 4}), []int{4, 5, 6}},
		"before": {stream.At(stream.Position{}), []int{1, 2, 3, 4, 5, 6}},
		"past":   {stream.Since(first.deliveries()[0].Time), []int{1, 2, 3, 4, 5, 6}},
		"future": {stream.Since(time.Now().Add(time.Hour)), []int{6}},
	} {
		t.Run(name, func(t *testing.T) {
			topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
			publish(t, topic, numbered("a", 5)...)
			if name == "past" {
				c.from = stream.Since(time.Now().Add(-time.Hour))
			}
			b := newBook()
			s := consume(t, topic, stream.Consumer[order, mail]{From: c.from, To: receive(t, newSystem(t), b.ack)})
			publish(t, topic, order{"a", 6})
			settled(t, s)
			if got := b.numbers(""); !slices.Equal(got, c.want) {
				t.Errorf("handled %v, want %v", got, c.want)
			}
		})
	}
	t.Run("after the last", func(t *testing.T) {
		b := newBook()
		s := consume(t, topic, stream.Consumer[order, mail]{Name: "after", From: stream.At(stream.Position{Sequence: 8}), To: receive(t, sys, b.ack)})
		publish(t, topic, order{"a", 6}, order{"a", 7}, order{"a", 8})
		b.wait(t, 1)
		settled(t, s)
		if got := b.numbers(""); !slices.Equal(got, []int{8}) {
			t.Errorf("handled %v", got)
		}
	})
}

func TestSeekReplaysAndSkips(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
	b := newBook()
	s := consume(t, topic, stream.Consumer[order, mail]{To: receive(t, newSystem(t), b.ack)})
	publish(t, topic, numbered("a", 3)...)
	settled(t, s)
	if err := s.Seek(t.Context(), stream.At(stream.Position{Sequence: 2})); err != nil {
		t.Fatal(err)
	}
	b.wait(t, 5)
	settled(t, s)
	s.Pause()
	publish(t, topic, order{"a", 4})
	if err := s.Seek(t.Context(), stream.End); err != nil {
		t.Fatal(err)
	}
	s.Resume()
	publish(t, topic, order{"a", 5})
	settled(t, s)
	if got := b.numbers(""); !slices.Equal(got, []int{1, 2, 3, 2, 3, 5}) {
		t.Errorf("handled %v", got)
	}
	if err := s.Seek(t.Context(), stream.At(stream.Position{Partition: 7})); !errors.Is(err, stream.ErrConfig) {
		t.Errorf("Seek to a partition that is not there: %v", err)
	}
	stop(t, s)
	if err := s.Seek(t.Context(), stream.End); !errors.Is(err, stream.ErrStopped) {
		t.Errorf("Seek of one that has ended: %v", err)
	}
}

func TestStopWaitsForWhatIsInFlightAndNothingComesTwice(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
	b, sys := newBook(), newSystem(t)
	began, end := make(chan struct{}), make(chan struct{})
	s := consume(t, topic, stream.Consumer[order, mail]{To: receive(t, sys, func(ctx *actor.Context[mail], m mail) error {
		close(began)
		<-end
		return b.ack(ctx, m)
	})})
	publish(t, topic, numbered("a", 3)...)
	<-began
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(patience.Context(t)) }()
	informedOrDone(t, s)
	close(end)
	if err := <-stopped; err != nil || s.Err() != nil {
		t.Fatalf("Stop: %v, %v", err, s.Err())
	}
	if err := s.Stop(patience.Context(t)); err != nil {
		t.Errorf("a second Stop: %v", err)
	}
	again := consume(t, topic, stream.Consumer[order, mail]{To: receive(t, sys, b.ack)})
	settled(t, again)
	if got := b.numbers(""); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("handled %v", got)
	}
}

// informedOrDone looks at a consumption while it stops.
func informedOrDone(t *testing.T, s *stream.Consumption) {
	t.Helper()
	if _, err := s.Info(t.Context()); err != nil {
		t.Errorf("Info during a Stop: %v", err)
	}
}

func TestAStopThatCanNotWaitBreaksOffAndCountsNoAttempt(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
	b, sys := newBook(), newSystem(t)
	began := make(chan struct{})
	s := consume(t, topic, stream.Consumer[order, mail]{To: receive(t, sys, func(ctx *actor.Context[mail], _ mail) error {
		close(began)
		<-ctx.Done()
		return context.Cause(ctx)
	})})
	publish(t, topic, order{"a", 1})
	<-began
	if err := s.Stop(patience.Ended()); !errors.Is(err, context.Canceled) {
		t.Errorf("Stop: %v", err)
	}
	settled(t, consume(t, topic, stream.Consumer[order, mail]{To: receive(t, sys, b.ack)}))
	if all := b.deliveries(); len(all) != 1 || all[0].Attempt != 1 {
		t.Errorf("the deliveries are %+v", all)
	}
}

func TestAConsumptionEndsWithItsActorAndKeepsTheMessages(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
	b, sys := newBook(), newSystem(t)
	ref := receive(t, sys, b.ack)
	s := consume(t, topic, stream.Consumer[order, mail]{To: ref})
	publish(t, topic, order{"a", 1})
	settled(t, s)
	if err := ref.Stop(patience.Context(t)); err != nil {
		t.Fatal(err)
	}
	publish(t, topic, order{"a", 2})
	<-s.Done()
	if err := s.Err(); !errors.Is(err, stream.ErrActorEnded) || !errors.Is(err, actor.ErrStopped) {
		t.Errorf("the consumption has ended with %v", err)
	}
	settled(t, consume(t, topic, stream.Consumer[order, mail]{To: receive(t, sys, b.ack)}))
	if all := b.deliveries(); len(all) != 2 || all[1].Attempt != 1 {
		t.Errorf("the deliveries are %+v", all)
	}
}

func TestForgetBeginsAnew(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{})
	b, sys := newBook(), newSystem(t)
	publish(t, topic, order{"a", 1})
	s := consume(t, topic, stream.Consumer[order, mail]{To: receive(t, sys, b.ack)})
	settled(t, s)
	if err := topic.Forget(t.Context(), "billing"); !errors.Is(err, stream.ErrInUse) {
		t.Errorf("Forget of one at work: %v", err)
	}
	stop(t, s)
	if err := topic.Forget(t.Context(), "billing"); err != nil {
		t.Fatal(err)
	}
	settled(t, consume(t, topic, stream.Consumer[order, mail]{To: receive(t, sys, b.ack)}))
	if got := len(b.deliveries()); got != 2 {
		t.Errorf("%d deliveries", got)
	}
}

func TestPartitionsAreSpreadEvenlyAndMoveWhenAMemberComesOrGoes(t *testing.T) {
	store := memory.NewStore()
	b, sys := newBook(), newSystem(t)
	config := stream.Config[order]{Key: byCustomer, Partitions: 4}
	join := func(node string) *stream.Consumption {
		return consume(t, openTopic(t, store.Engine(node, nil), config), stream.Consumer[order, mail]{To: receive(t, sys, b.ack), Lease: 3 * time.Second, Poll: 20 * time.Millisecond})
	}
	first := join("a")
	topic := openTopic(t, store.Engine("p", nil), config)
	has := func(n int) func(i stream.Info) bool {
		return func(i stream.Info) bool { return len(i.Partitions) == n }
	}
	informed(t, first, "all partitions", has(4))
	second := join("b")
	informed(t, second, "half of the partitions", has(2))
	informed(t, first, "half of the partitions", has(2))
	for i := range 10 {
		for c := range 8 {
			publish(t, topic, order{fmt.Sprint(c), i})
		}
	}
	b.wait(t, 80)
	settled(t, first)
	stop(t, first)
	informed(t, second, "all partitions", has(4))
	publish(t, topic, order{"0", 10}, order{"1", 10}, order{"2", 10})
	settled(t, second)
	for c := range 8 {
		if got := b.numbers(fmt.Sprint(c)); !slices.IsSorted(got) || len(got) < 10 || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("customer %d has %v", c, got)
		}
	}
}
