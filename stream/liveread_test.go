package stream_test

import (
	"context"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/stream"
)

// liveReader begins a loop in a goroutine, and returns when it is subscribed.
func liveReader(ctx context.Context, t *testing.T, topic *stream.Live[int], r stream.Reader[int], each func(int) bool) (ended chan error) {
	t.Helper()
	ended = make(chan error, 1)
	before := topic.Stats().Subscribers
	go func() {
		for v, err := range topic.AllBy(ctx, r) {
			if err != nil {
				ended <- err
				return
			}
			if !each(v) {
				break
			}
		}
		ended <- nil
	}()
	patience.Until(t, liveContext(t), func() bool { return topic.Stats().Subscribers > before })
	return ended
}

func TestALoopGetsAllUntilTheTopicIsClosed(t *testing.T) {
	t.Parallel()
	for _, buffer := range []int{0, -1, 3} {
		sys := liveSystem(t, actor.Config{})
		topic := liveTopic[int](t, sys, "ticks")
		var got []int
		ended := liveReader(liveContext(t), t, topic, stream.Reader[int]{Buffer: buffer, Where: func(n int) bool { return n%2 == 0 }}, func(n int) bool {
			got = append(got, n)
			return true
		})
		for i := range 200 {
			must(t, topic.Publish(liveContext(t), i))
		}
		must(t, topic.Close(liveContext(t)))
		must(t, <-ended)
		wantSame(t, "how many", len(got), 100)
		for i, n := range got {
			wantSame(t, "in order", n, 2*i)
		}
		s := topic.Stats()
		wantSame(t, "the books", []uint64{s.Delivered, s.Filtered, s.Dropped}, []uint64{100, 100, 0})
	}
}

func TestAllIsALoopOverValues(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	got := make(chan int)
	go func() {
		defer close(got)
		for v := range topic.All(liveContext(t)) {
			got <- v
			if v == 2 {
				return
			}
		}
	}()
	patience.Until(t, liveContext(t), func() bool { return topic.Stats().Subscribers == 1 })
	for i := range 3 {
		must(t, topic.Publish(liveContext(t), i))
		wantSame(t, "got", <-got, i)
	}
	if _, ok := <-got; ok {
		t.Error("the loop goes on")
	}
	patience.Until(t, liveContext(t), func() bool { return topic.Stats().Subscribers == 0 })
	must(t, topic.Publish(liveContext(t), 9))
}

func TestALoopThatNeverReadsHoldsUpPublishersUntilItLeaves(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	stuck := make(chan struct{})
	ended := liveReader(liveContext(t), t, topic, stream.Reader[int]{Buffer: 2}, func(int) bool {
		<-stuck
		return false
	})
	published := make(chan error, 1)
	go func() {
		for i := range 4 {
			if err := topic.Publish(liveContext(t), i); err != nil {
				published <- err
			}
		}
		published <- nil
	}()
	patience.Until(t, liveContext(t), func() bool { return topic.Stats().Waiting == 1 })
	close(stuck)
	must(t, <-ended)
	must(t, <-published)
	s := topic.Stats()
	if s.Delivered != 1 || s.Dropped != 2 || s.Missed != 0 || s.Buffered != 0 {
		t.Errorf("one was read, and two were in the buffer: %+v", s)
	}
}

func TestALoopTellsWhyItHasEnded(t *testing.T) {
	t.Parallel()
	sys := liveSystem(t, actor.Config{})
	topic := liveTopic[int](t, sys, "ticks")
	ctx, cancel := context.WithCancelCause(liveContext(t))
	why := errors.New("enough")
	ended := liveReader(ctx, t, topic, stream.Reader[int]{}, func(int) bool { return true })
	cancel(why)
	wantIs(t, <-ended, why)

	hold := make(chan struct{})
	ended = liveReader(liveContext(t), t, topic, stream.Reader[int]{Buffer: 1, WhenFull: stream.EndSubscription}, func(int) bool { <-hold; return true })
	for topic.Stats().Subscribers > 0 {
		must(t, topic.Publish(liveContext(t), 1))
	}
	close(hold)
	wantIs(t, <-ended, stream.ErrTooSlow)

	ended = liveReader(liveContext(t), t, topic, stream.Reader[int]{Where: func(int) bool { panic("no") }, EndOnPanic: true}, func(int) bool { return true })
	must(t, topic.Publish(liveContext(t), 1))
	wantIs(t, <-ended, stream.ErrPanicked)

	for _, r := range []stream.Reader[int]{{Buffer: -2}, {WhenFull: 7}, {Buffer: -1, WhenFull: stream.DropOldest}} {
		n := 0
		for _, err := range topic.AllBy(liveContext(t), r) {
			wantIs(t, err, stream.ErrSubscriber)
			n++
		}
		wantSame(t, "steps", n, 1)
	}
}

func TestALoopThatIsBehindLosesAsItSays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		when stream.WhenFull
		want []int
	}{{stream.DropNewest, []int{0, 1, 2}}, {stream.DropOldest, []int{0, 8, 9}}} {
		sys := liveSystem(t, actor.Config{})
		topic := liveTopic[int](t, sys, "ticks")
		in, hold := make(chan struct{}, 16), make(chan struct{})
		var got []int
		ended := liveReader(liveContext(t), t, topic, stream.Reader[int]{Buffer: 2, WhenFull: c.when}, func(n int) bool {
			got = append(got, n)
			in <- struct{}{}
			<-hold
			return true
		})
		must(t, topic.Publish(liveContext(t), 0))
		<-in // It has the first one in its hand.
		for i := 1; i < 10; i++ {
			must(t, topic.Publish(liveContext(t), i))
		}
		close(hold)
		must(t, topic.Close(liveContext(t)))
		must(t, <-ended)
		wantSame(t, c.when.String(), got, c.want)
		wantSame(t, "dropped", topic.Stats().Dropped, 7)
	}
}
