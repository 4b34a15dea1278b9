package stream_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/stream"
)

// BenchmarkLivePublish is the price of a message to 10 subscribers. Beside it, in turn, the same
// actors get plain sends: times-ten-sends is the median of the ratios, which the
// noise of a busy machine leaves alone.
func BenchmarkLivePublish(b *testing.B) {
	const batch = 2000
	b.ReportAllocs()
	sys := liveSystem(b, actor.Config{})
	topic := liveTopic[int](b, sys, "bench")
	ctx := context.Background()
	var refs []actor.Ref[int]
	for range 10 {
		ref := liveSpawn(b, sys, func(*actor.Context[int], int) error { return nil })
		liveSubscribe(b, topic, ref)
		refs = append(refs, ref)
	}
	var ratios []float64
	b.ResetTimer()
	for done := 0; done < b.N; done += batch {
		n := min(batch, b.N-done)
		begin := time.Now()
		for i := range n {
			if err := topic.Publish(ctx, i); err != nil {
				b.Fatal(err)
			}
		}
		published := time.Since(begin)
		b.StopTimer()
		begin = time.Now()
		for i := range n {
			for _, ref := range refs {
				if err := ref.Send(ctx, i); err != nil {
					b.Fatal(err)
				}
			}
		}
		ratios = append(ratios, float64(published)/float64(time.Since(begin)))
		b.StartTimer()
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "times-ten-sends")
}

// BenchmarkLivePublishers is the same from several goroutines at once.
func BenchmarkLivePublishers(b *testing.B) {
	for _, plain := range []bool{false, true} {
		b.Run(fmt.Sprintf("plain=%v", plain), func(b *testing.B) {
			b.ReportAllocs()
			sys := liveSystem(b, actor.Config{})
			topic := liveTopic[int](b, sys, "bench")
			var refs []actor.Ref[int]
			for range 10 {
				ref := liveSpawn(b, sys, func(*actor.Context[int], int) error { return nil })
				liveSubscribe(b, topic, ref)
				refs = append(refs, ref)
			}
			b.SetParallelism(8)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				ctx := context.Background()
				for pb.Next() {
					if !plain {
						if err := topic.Publish(ctx, 1); err != nil {
							b.Error(err)
						}
						continue
					}
					for _, ref := range refs {
						if err := ref.Send(ctx, 1); err != nil {
							b.Error(err)
						}
					}
				}
			})
		})
	}
}

// BenchmarkLiveBuffered is the price of a message by way of a buffer.
func BenchmarkLiveBuffered(b *testing.B) {
	b.ReportAllocs()
	sys := liveSystem(b, actor.Config{})
	topic := liveTopic[int](b, sys, "bench")
	ctx := context.Background()
	ref := liveSpawn(b, sys, func(*actor.Context[int], int) error { return nil })
	if _, err := stream.Subscribe(ctx, topic, stream.Subscriber[int, int]{To: ref, Buffer: 1024}); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for i := range b.N {
		if err := topic.Publish(ctx, i); err != nil {
			b.Fatal(err)
		}
	}
}
