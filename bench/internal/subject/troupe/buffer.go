package troupe

import (
	"errors"

	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// delivery is an item of a producer, or a consumer that wants one.
type delivery struct {
	item     int
	producer actor.Ref[bool]
	consumer actor.Ref[int]
	wanted   bool
}

// stock is the actor that keeps the buffer. A party is a producer or a consumer.
type stock struct {
	savina.Buffer[party]
	ctx    *actor.Context[delivery]
	left   int // Items to be consumed.
	failed error
	done   chan<- error
	size   int
}

type party struct {
	producer actor.Ref[bool]
	consumer actor.Ref[int]
}

func newStock(r *suite.Run, done chan<- error) *stock {
	s := &stock{left: r.N, size: r.Size, done: done}
	s.Produce = func(to party) { s.failed = errors.Join(s.failed, to.producer.Send(s.ctx, true)) }
	s.Consume = func(to party, item int) {
		s.left--
		s.failed = errors.Join(s.failed, to.consumer.Send(s.ctx, item))
	}
	return s
}

func (s *stock) Receive(ctx *actor.Context[delivery], d delivery) error {
	s.ctx = ctx
	if !d.wanted {
		s.Put(d.item, party{producer: d.producer})
	} else if waiting := s.Take(party{consumer: d.consumer}); s.left == 0 && waiting == s.size {
		s.done <- s.failed // Every consumer is back.
	}
	return nil
}

func boundedBuffer(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		done, sums := make(chan error, 1), make([]int64, r.Size)
		ref, err := actor.Spawn(sys, newStock(r, done))
		if err != nil {
			return 0, err
		}
		share := r.N / r.Size
		producers, err := spawnN(sys, r.Size, func(i int) func(*actor.Context[bool], bool) error {
			next, end := i*share, (i+1)*share
			return func(ctx *actor.Context[bool], _ bool) error {
				if next == end {
					return nil
				}
				savina.Craft(next)
				next++
				return ref.Send(ctx, delivery{item: next - 1, producer: ctx.Self()})
			}
		})
		if err != nil {
			return 0, err
		}
		consumers, err := spawnN(sys, r.Size, func(i int) func(*actor.Context[int], int) error {
			return func(ctx *actor.Context[int], item int) error {
				savina.Craft(item)
				sums[i] += int64(item)
				return ref.Send(ctx, delivery{consumer: ctx.Self(), wanted: true})
			}
		})
		if err != nil {
			return 0, err
		}
		r.Start()
		for i := range r.Size {
			err = errors.Join(err, producers[i].Send(background, true))
			err = errors.Join(err, ref.Send(background, delivery{consumer: consumers[i], wanted: true}))
		}
		if err != nil {
			return 0, err
		}
		err = <-done
		r.Stop()
		return total(sums), err
	})
}
