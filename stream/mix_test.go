package stream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/stream"
)

func TestMultCopiesToMembersThatComeAndGo(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	a, b, c := newGathering(t, sys, 8), newGathering(t, sys, 8), newGathering(t, sys, 8)
	out, err := stream.Mult(ctx, topic, a.ref, b.ref)
	must(t, err)
	must(t, topic.Publish(ctx, 0))
	must(t, out.Add(ctx, c.ref, a.ref)) // A is one already, and gets one copy.
	must(t, topic.Publish(ctx, 1))
	out.Remove(b.ref, b.ref)
	must(t, topic.Publish(ctx, 2))
	wantSame(t, "members", len(out.Stats()), 2)
	out.Close()
	must(t, topic.Publish(ctx, 3))
	wantIs(t, out.Add(ctx, b.ref), stream.ErrLiveClosed)
	wantSame(t, "a", a.drained(t), []int{0, 1, 2})
	wantSame(t, "b", b.drained(t), []int{0, 1})
	wantSame(t, "c", c.drained(t), []int{1, 2})
	wantSame(t, "subscribers", topic.Stats().Subscribers, 0)
}

func TestSoloedMembersOfAMultAreTheOnlyOnes(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	a, b, c := newGathering(t, sys, 16), newGathering(t, sys, 16), newGathering(t, sys, 16)
	out, err := stream.Mult(ctx, topic, a.ref, b.ref, c.ref)
	must(t, err)
	must(t, out.Mute(a.ref, true))
	must(t, topic.Publish(ctx, 0)) // To b and c.
	must(t, out.Solo(a.ref, true)) // Although it is muted.
	must(t, topic.Publish(ctx, 1)) // To a.
	must(t, out.Solo(b.ref, true))
	must(t, topic.Publish(ctx, 2)) // To a and b.
	must(t, out.SoloMode(stream.SoloPauses))
	must(t, out.Solo(b.ref, false))
	wantIs(t, topic.TryPublish(ctx, 3), actor.ErrFull) // To a; b and c are paused.
	done := make(chan error, 1)
	go func() { done <- topic.Publish(liveContext(t), 4) }() // To a, and when it is let go to b and c.
	patience.Until(t, ctx, func() bool { return topic.Stats().Waiting == 1 })
	must(t, out.Solo(a.ref, false))
	must(t, <-done)
	must(t, topic.Publish(ctx, 5)) // Not to a, which is muted again.
	wantSame(t, "a", a.drained(t), []int{1, 2, 3, 4})
	wantSame(t, "b", b.drained(t), []int{0, 2, 4, 5})
	wantSame(t, "c", c.drained(t), []int{0, 4, 5})
	s := topic.Stats()
	wantSame(t, "dropped", s.Dropped, 2+2+1+1-1+0) // Of 0 one, of 1 two, of 2 one, of 5 one.
	wantSame(t, "missed", s.Missed, 2)
}

func TestAMemberThatLeavesTakesItsSoloAlong(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	a, b := newGathering(t, sys, 16), newGathering(t, sys, 16)
	out, err := stream.Mult(ctx, topic, a.ref, b.ref)
	must(t, err)
	must(t, out.Solo(a.ref, true))
	must(t, topic.Publish(ctx, 0))
	out.Remove(a.ref)
	must(t, topic.Publish(ctx, 1))
	wantSame(t, "b", b.drained(t), []int{1})
}

func TestMixMergesTopicsWithBackPressure(t *testing.T) {
	t.Parallel()
	const each = 200
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	out := liveTopic[int](t, sys, "out")
	var inputs []*stream.Live[int]
	for i := range 2 {
		inputs = append(inputs, liveTopic[int](t, sys, fmt.Sprint("input ", i)))
	}
	in, err := stream.Mix(ctx, out, inputs...)
	must(t, err)
	g := newGathering(t, sys, 2)
	liveSubscribe(t, out, g.ref)
	release := g.stop(t)
	done := make(chan error, 2)
	for i, input := range inputs {
		go func() {
			var failed error
			for n := range each {
				if err := input.Publish(liveContext(t), i*each+n); err != nil {
					failed = err
				}
			}
			done <- failed
		}()
	}
	// Both wait, for a lane of 2 messages. Nothing else holds any.
	patience.Until(t, ctx, func() bool {
		return inputs[0].Stats().Waiting == 1 && inputs[1].Stats().Waiting == 1
	})
	wantSame(t, "delivered while it is stuck", out.Stats().Delivered, 2)
	release()
	must(t, <-done)
	must(t, <-done)
	got := g.drained(t)
	wantSame(t, "all of them", len(got), 2*each)
	next := [2]int{}
	for _, m := range got {
		if m%each != next[m/each] {
			t.Fatalf("input %d: %d came, and %d is next", m/each, m%each, next[m/each])
		}
		next[m/each]++
	}
	wantSame(t, "the inputs' figures", len(in.Stats()), 2)
	for _, input := range inputs {
		s := input.Stats()
		wantSame(t, "the books of "+s.Name, []uint64{s.Published, s.Delivered, s.Missed}, []uint64{each, each, 0})
	}
}

// Senders get room in the order in which they come, so of two inputs that always have a message neither gets ahead.
func TestMixIsFair(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	out := liveTopic[int](t, sys, "out")
	one, two := liveTopic[int](t, sys, "one"), liveTopic[int](t, sys, "two")
	_, err := stream.Mix(ctx, out, one, two)
	must(t, err)
	step := make(chan struct{})
	var got []int
	ref := liveSpawn(t, sys, func(_ *actor.Context[int], m int) error {
		<-step
		got = append(got, m)
		return nil
	}, actor.WithCapacity(actor.Data, 1))
	liveSubscribe(t, out, ref)
	const n = 20
	for i, input := range []*stream.Live[int]{one, two} {
		go func() {
			for range n {
				_ = input.Publish(liveContext(t), i)
			}
		}()
	}
	senders := func() int { i, _ := ref.Info(); return i.Senders[actor.Data] }
	for range n { // As long as both have more to say.
		patience.Until(t, ctx, func() bool { return senders() == 2 || one.Stats().Published == n || two.Stats().Published == n })
		step <- struct{}{}
	}
	close(step)
	must(t, ref.Drain(ctx))
	ahead, most := 0, 0
	for _, m := range got[:n] {
		ahead += 2*m - 1
		most = max(most, ahead, -ahead)
	}
	if most > 4 { // What lies in the lane and in the handler at first may be of one.
		t.Errorf("one input is ahead by %d: %v", most, got)
	}
}

func TestInputsArePausedMutedAndSoloed(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	out := liveTopic[int](t, sys, "out")
	a, b := liveTopic[int](t, sys, "a"), liveTopic[int](t, sys, "b")
	in, err := stream.Mix(ctx, out, a)
	must(t, err)
	must(t, in.Add(ctx, b, a))
	g := newGathering(t, sys, 32)
	liveSubscribe(t, out, g.ref)
	must(t, in.Mute(a, true))
	must(t, a.Publish(ctx, 1))
	must(t, b.Publish(ctx, 2))
	must(t, in.Solo(a, true))
	must(t, a.Publish(ctx, 3))
	must(t, b.Publish(ctx, 4))
	must(t, in.SoloMode(stream.SoloPauses))
	wantIs(t, b.TryPublish(ctx, 5), actor.ErrFull)
	must(t, in.Solo(a, false))
	must(t, in.Mute(a, false))
	must(t, in.Pause(b, true))
	wantIs(t, b.TryPublish(ctx, 6), actor.ErrFull)
	must(t, in.Pause(b, false))
	must(t, b.Publish(ctx, 7))
	must(t, a.Publish(ctx, 8))
	in.Remove(a)
	must(t, a.Publish(ctx, 9))
	in.Close()
	must(t, b.Publish(ctx, 10))
	wantSame(t, "got", g.drained(t), []int{2, 3, 7, 8})
	wantSame(t, "dropped of a", a.Stats().Dropped, 1)
	wantSame(t, "dropped and missed of b", []uint64{b.Stats().Dropped, b.Stats().Missed}, []uint64{1, 2})
}

func TestATopicMayNotFeedItself(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	a, b, c := liveTopic[int](t, sys, "a"), liveTopic[int](t, sys, "b"), liveTopic[int](t, sys, "c")
	_, err := stream.Mix(ctx, a, a)
	wantIs(t, err, stream.ErrFeedsItself)
	_, err = stream.Mix(ctx, b, a)
	must(t, err)
	first, err := stream.Mix(ctx, c, b)
	must(t, err)
	second, err := stream.Mix(ctx, c, b) // Two ways from b to c.
	must(t, err)
	_, err = stream.Mix(ctx, a, c)
	wantIs(t, err, stream.ErrFeedsItself)
	first.Close()
	_, err = stream.Mix(ctx, a, c)
	wantIs(t, err, stream.ErrFeedsItself)
	second.Close()
	_, err = stream.Mix(ctx, a, c)
	must(t, err)
}

func TestTopicsOfAMixThatEnd(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	out, a, b := liveTopic[int](t, sys, "out"), liveTopic[int](t, sys, "a"), liveTopic[int](t, sys, "b")
	in, err := stream.Mix(ctx, out, a, b)
	must(t, err)
	g := newGathering(t, sys, 8)
	liveSubscribe(t, out, g.ref)
	must(t, a.Close(ctx))
	wantSame(t, "inputs", len(in.Stats()), 1)
	must(t, b.Publish(ctx, 1))
	must(t, out.Close(ctx))
	must(t, b.Publish(ctx, 2)) // To nobody.
	patience.Until(t, ctx, func() bool { return b.Stats().Subscribers == 0 })
	wantIs(t, in.Add(ctx, liveTopic[int](t, sys, "c")), stream.ErrLiveClosed)
	wantSame(t, "got", g.drained(t), []int{1})
}

func TestATryToAMixTellsWhoIsFull(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	out, a := liveTopic[int](t, sys, "out"), liveTopic[int](t, sys, "a")
	_, err := stream.Mix(ctx, out, a)
	must(t, err)
	slow, fast := newGathering(t, sys, 1), newGathering(t, sys, 8)
	liveSubscribe(t, out, slow.ref)
	liveSubscribe(t, out, fast.ref)
	release := slow.stop(t)
	must(t, a.Publish(ctx, 0))
	err = a.TryPublish(ctx, 1)
	wantIs(t, err, actor.ErrFull)
	if !strings.Contains(err.Error(), "the slowest of them is out") {
		t.Errorf("got %v", err)
	}
	wantIs(t, a.Publish(patience.Ended(), 2), patience.Ended().Err())
	release()
	wantSame(t, "the slow one", slow.drained(t), []int{0})
	wantSame(t, "the fast one", fast.drained(t), upTo(3))
	s := out.Stats()
	wantSame(t, "the books", []uint64{s.Published, s.Delivered, s.Missed}, []uint64{3, 4, 2})
	must(t, out.Close(ctx)) // No publish is left open.
	must(t, a.Close(ctx))
}

func TestWrongUseOfMultAndMixIsAnError(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	a := newGathering(t, sys, 8)
	_, err := stream.Mult[int](ctx, nil, a.ref)
	wantIs(t, err, stream.ErrNoLive)
	_, err = stream.Mult(ctx, topic, a.ref, actor.Ref[int]{})
	wantIs(t, err, actor.ErrNoRef)
	wantSame(t, "subscribers", topic.Stats().Subscribers, 0)
	_, err = stream.Mix[int](ctx, nil, topic)
	wantIs(t, err, stream.ErrNoLive)
	_, err = stream.Mix(ctx, topic, nil)
	wantIs(t, err, stream.ErrNoLive)
	out, err := stream.Mult(ctx, topic)
	must(t, err)
	wantIs(t, out.Solo(a.ref, true), stream.ErrNoMember)
	wantIs(t, out.SoloMode(7), stream.ErrSubscriber)
	in, err := stream.Mix(ctx, topic)
	must(t, err)
	wantIs(t, in.Pause(topic, true), stream.ErrNoMember)
	wantIs(t, in.SoloMode(7), stream.ErrSubscriber)
	for _, out := range []*stream.Outputs[int]{nil, {}} {
		wantIs(t, out.Add(ctx, a.ref), stream.ErrNoLive)
		wantIs(t, out.Mute(a.ref, true), stream.ErrNoLive)
		wantIs(t, out.SoloMode(stream.SoloMutes), stream.ErrNoLive)
		out.Remove(a.ref)
		out.Close()
		wantSame(t, "members", len(out.Stats()), 0)
	}
	for _, in := range []*stream.Inputs[int]{nil, {}} {
		wantIs(t, in.Add(ctx, topic), stream.ErrNoLive)
		wantIs(t, in.Mute(topic, true), stream.ErrNoLive)
		wantIs(t, in.SoloMode(stream.SoloMutes), stream.ErrNoLive)
		in.Remove(topic)
		in.Close()
		wantSame(t, "members", len(in.Stats()), 0)
	}
}

// Under any schedule, while members come, go and are soloed: what an input has published has come, was dropped and
// counted, or is of a time at which it was no input; and everybody gets the same, in the order of each publisher.
func TestMultAndMixInSimulation(t *testing.T) {
	simtest.Run(t, liveSchedules(1000), func(s *simtest.Sim) {
		const each = 4
		sys := s.System(actor.Config{})
		out := liveTopic[int](s, sys, "out")
		inputs := []*stream.Live[int]{liveTopic[int](s, sys, "a"), liveTopic[int](s, sys, "b"), liveTopic[int](s, sys, "c")}
		in, err := stream.Mix(s.Context(), out, inputs[:2]...)
		must(s, err)
		var got [2][]int
		var refs []actor.Ref[int]
		for i := range got {
			refs = append(refs, liveSpawn(s, sys, func(_ *actor.Context[int], m int) error {
				got[i] = append(got[i], m)
				return nil
			}, actor.WithName(fmt.Sprint("subscriber ", i)), actor.WithCapacity(actor.Data, 1)))
		}
		_, err = stream.Mult(s.Context(), out, refs...)
		must(s, err)
		for p, input := range inputs {
			publisher := liveSpawn(s, sys, func(ctx *actor.Context[int], n int) error {
				if err := input.Publish(ctx, 100*p+n); err != nil {
					s.Error(err)
				}
				return nil
			}, actor.WithName(fmt.Sprint("publisher ", p)))
			for n := range each {
				must(s, publisher.Send(s.Context(), n))
			}
		}
		changer := liveSpawn(s, sys, func(ctx *actor.Context[int], step int) error {
			switch step {
			case 0:
				return in.Pause(inputs[0], true)
			case 1:
				return in.Add(ctx, inputs[2])
			case 2:
				return in.Solo(inputs[1], true)
			case 3:
				return in.Pause(inputs[0], false)
			case 4:
				return in.Solo(inputs[1], false)
			default:
				in.Remove(inputs[2])
				return nil
			}
		}, actor.WithName("changer"))
		for step := range 6 {
			must(s, changer.Send(s.Context(), step))
		}
		s.RunUntilIdle()
		wantSame(s, "the changer has failed", changer.Err(), nil)
		for i, all := range got {
			next := [3]int{}
			for _, m := range all {
				if m%100 < next[m/100] {
					s.Errorf("subscriber %d: %d came late: %v", i, m, all)
				}
				next[m/100] = m%100 + 1
			}
		}
		counts := [2][]int{slices.Clone(got[0]), slices.Clone(got[1])}
		for _, all := range counts {
			slices.Sort(all)
		}
		wantSame(s, "what the second one got", counts[1], counts[0])
		st := out.Stats()
		wantSame(s, "delivered", st.Delivered, uint64(len(got[0])+len(got[1])))
		for _, input := range inputs[:2] {
			st := input.Stats()
			if st.Published != each || st.Delivered+st.Dropped != each || st.Missed > 0 {
				s.Errorf("%s: %+v", st.Name, st)
			}
		}
	})
}
