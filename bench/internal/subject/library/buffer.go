package library

import (
	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

type (
	delivery struct {
		item int
		from Address
	}
	wanted struct{ from Address }
	item   int
)

func boundedBuffer(r *suite.Run, s Stage) (int64, error) {
	done, sums := make(chan struct{}), make([]int64, r.Size)
	keeper := s.Spawn(keepBuffer(r, done))
	share := r.N / r.Size
	producers := spawnN(s, r.Size, func(i int) Receive {
		next, end := i*share, (i+1)*share
		return func(self Self, m any) {
			if _, ok := m.(start); ok && next < end {
				savina.Craft(next)
				self.Send(keeper, delivery{next, self.Address()})
				next++
			}
		}
	})
	consumers := spawnN(s, r.Size, func(i int) Receive {
		return func(self Self, m any) {
			switch m := m.(type) {
			case start:
			case item:
				savina.Craft(int(m))
				sums[i] += int64(m)
			default:
				return
			}
			self.Send(keeper, wanted{self.Address()})
		}
	})
	r.Start()
	for i := range r.Size {
		s.Send(producers[i], start{})
		s.Send(consumers[i], start{})
	}
	<-done
	r.Stop()
	return total(sums), nil
}

// keepBuffer is done when every item was consumed and every consumer is back.
func keepBuffer(r *suite.Run, done chan<- struct{}) Receive {
	var actor Self
	left := r.N
	b := savina.Buffer[Address]{
		Produce: func(to Address) { actor.Send(to, start{}) },
		Consume: func(to Address, i int) {
			left--
			actor.Send(to, item(i))
		},
	}
	return func(self Self, m any) {
		actor = self
		switch m := m.(type) {
		case delivery:
			b.Put(m.item, m.from)
		case wanted:
			if b.Take(m.from) == r.Size && left == 0 {
				close(done)
			}
		}
	}
}
