package stream_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/stream"
)

// schedules is how many are tried: thousands in make check.
func liveSchedules(n int) simtest.Config {
	if lane.Checking() {
		return simtest.Config{Schedules: n}
	}
	return simtest.Config{Schedules: 40}
}

// Under any schedule, while publishers, pauses, filters and ends of subscribers meet: each message of
// a subscriber that stays comes once and in its publisher's order, or is in the books.
func TestBooksOfALiveTopicInSimulation(t *testing.T) {
	simtest.Run(t, liveSchedules(1000), func(s *simtest.Sim) {
		const publishers, each = 3, 5
		sys := s.System(actor.Config{})
		topic := liveTopic[int](s, sys, "topic")
		type view struct {
			got []int
			sub *stream.Subscription
		}
		var views []*view
		add := func(name string, sub stream.Subscriber[int, int]) actor.Ref[int] {
			v := &view{}
			ref := liveSpawn(s, sys, func(_ *actor.Context[int], m int) error {
				v.got = append(v.got, m)
				return nil
			}, actor.WithName(name), actor.WithCapacity(actor.Data, 2))
			sub.To = ref
			v.sub = liveSubscribeBy(s, topic, sub)
			views = append(views, v)
			return ref
		}
		add("plain", stream.Subscriber[int, int]{})
		add("odd", stream.Subscriber[int, int]{Where: func(n int) bool { return n%2 == 1 }})
		add("lossy", stream.Subscriber[int, int]{WhenFull: stream.DropNewest})
		add("newest", stream.Subscriber[int, int]{WhenFull: stream.DropOldest, Buffer: 1})
		add("buffered", stream.Subscriber[int, int]{Buffer: 2})
		add("panics", stream.Subscriber[int, int]{Wrap: func(n int) int {
			if n%3 == 0 {
				panic(n)
			}
			return n
		}})
		paused := add("paused", stream.Subscriber[int, int]{})
		leaver := add("leaver", stream.Subscriber[int, int]{Buffer: 2})
		_ = paused
		for p := range publishers {
			publisher := liveSpawn(s, sys, func(ctx *actor.Context[int], n int) error {
				return topic.Publish(ctx, p*100+n)
			}, actor.WithName(fmt.Sprint("publisher ", p)))
			for n := range each {
				must(s, publisher.Send(s.Context(), n))
			}
		}
		changer := liveSpawn(s, sys, func(ctx *actor.Context[int], step int) error {
			sub := views[6].sub
			switch step {
			case 0:
				sub.Pause()
			case 1:
				views[4].sub.Mute()
			case 2:
				return leaver.Stop(ctx)
			case 3:
				views[4].sub.Unmute()
			default:
				sub.Resume()
			}
			return nil
		}, actor.WithName("changer"))
		for step := range 5 {
			must(s, changer.Send(s.Context(), step))
		}
		s.RunUntilIdle()
		wantSame(s, "published", topic.Stats().Published, publishers*each)
		var delivered uint64
		for _, v := range views {
			next := [publishers]int{}
			for _, m := range v.got {
				if m%100 < next[m/100] {
					s.Errorf("%s: %d came late: %v", v.sub.Stats().Name, m, v.got)
				}
				next[m/100] = m%100 + 1
			}
			delivered += uint64(len(v.got))
			st := v.sub.Stats()
			if st.Ended {
				continue
			}
			sum := uint64(len(v.got)) + st.Filtered + st.Dropped + st.Missed + st.Panicked
			if sum != publishers*each || st.Buffered != 0 {
				s.Errorf("%s: %d came, and the figures are %+v", st.Name, len(v.got), st)
			}
		}
		must(s, topic.Close(s.Context()))
		s.RunUntilIdle()
		for _, v := range views {
			if v.sub.Err() == nil {
				s.Errorf("%s goes on", v.sub.Stats().Name)
			}
		}
	})
}

// Under any schedule, a close waits for what was published, and what is refused is told.
func TestACloseInSimulation(t *testing.T) {
	simtest.Run(t, liveSchedules(1000), func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		topic := liveTopic[int](s, sys, "topic")
		var got [2]int
		for i := range got {
			ref := liveSpawn(s, sys, func(*actor.Context[int], int) error { got[i]++; return nil },
				actor.WithName(fmt.Sprint("subscriber ", i)), actor.WithCapacity(actor.Data, 1))
			liveSubscribeBy(s, topic, stream.Subscriber[int, int]{To: ref, Buffer: i * 2})
		}
		published, refused := 0, 0
		for p := range 2 {
			publisher := liveSpawn(s, sys, func(ctx *actor.Context[int], n int) error {
				switch err := topic.Publish(ctx, n); {
				case err == nil:
					published++
				case errors.Is(err, stream.ErrLiveClosed):
					refused++
				default:
					s.Error(err)
				}
				return nil
			}, actor.WithName(fmt.Sprint("publisher ", p)))
			for n := range 4 {
				must(s, publisher.Send(s.Context(), n))
			}
		}
		for c := range 2 {
			closer := liveSpawn(s, sys, func(ctx *actor.Context[int], _ int) error {
				if err := topic.Close(ctx); err != nil {
					s.Error(err)
				}
				return nil
			}, actor.WithName(fmt.Sprint("closer ", c)))
			must(s, closer.Send(s.Context(), 1))
		}
		s.RunUntilIdle()
		wantSame(s, "published and refused", published+refused, 8)
		wantSame(s, "got", got, [2]int{published, published})
		st := topic.Stats()
		wantSame(s, "the books", []uint64{st.Published, st.Delivered, st.Dropped + st.Missed}, []uint64{uint64(published), uint64(2 * published), 0})
	})
}

// Under any schedule, a subscription that ends while publishers wait for it leaves nobody waiting, and the topic
// ends with its system.
func TestEndsOfSubscriptionsInSimulation(t *testing.T) {
	simtest.Run(t, liveSchedules(1000), func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		topic := liveTopic[int](s, sys, "topic")
		var subs []*stream.Subscription
		for i := range 3 {
			ref := liveSpawn(s, sys, func(*actor.Context[int], int) error { return nil },
				actor.WithName(fmt.Sprint("subscriber ", i)), actor.WithCapacity(actor.Data, 1))
			subs = append(subs, liveSubscribeBy(s, topic, stream.Subscriber[int, int]{To: ref, Buffer: i % 2}))
		}
		done := 0
		for p := range 2 {
			publisher := liveSpawn(s, sys, func(ctx *actor.Context[int], n int) error {
				if err := topic.Publish(ctx, n); err != nil {
					s.Error(err)
				}
				done++
				return nil
			}, actor.WithName(fmt.Sprint("publisher ", p)))
			for n := range 5 {
				must(s, publisher.Send(s.Context(), n))
			}
		}
		changer := liveSpawn(s, sys, func(ctx *actor.Context[int], step int) error {
			switch step {
			case 0:
				subs[0].Pause()
			case 1:
				subs[1].Pause()
			case 2:
				subs[0].End()
			default:
				subs[1].End()
			}
			return nil
		}, actor.WithName("changer"))
		for step := range 4 {
			must(s, changer.Send(s.Context(), step))
		}
		s.RunUntilIdle()
		wantSame(s, "publishes", done, 10)
		wantSame(s, "subscribers", topic.Stats().Subscribers, 1)
	})
}
