package library

import (
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

type (
	increment struct{}
	retrieve  struct{ from Address }
	retrieved int64
)

func counting(r *suite.Run, s Stage) (int64, error) {
	var n int64
	result := make(chan int64, 1)
	counter := s.Spawn(func(self Self, m any) {
		switch m := m.(type) {
		case increment:
			n++
		case retrieve:
			self.Send(m.from, retrieved(n))
		}
	})
	producer := s.Spawn(func(self Self, m any) {
		switch m := m.(type) {
		case start:
			for range r.N {
				self.Send(counter, increment{})
			}
			self.Send(counter, retrieve{self.Address()})
		case retrieved:
			result <- int64(m)
		}
	})
	r.Start()
	s.Send(producer, start{})
	sum := <-result
	r.Stop()
	return sum, nil
}

func throughput(r *suite.Run, s Stage) (int64, error) {
	counts := make([]int64, r.Size)
	var finished sync.WaitGroup
	finished.Add(r.Size)
	share := int64(r.N / r.Size)
	all := spawnN(s, r.Size, func(i int) Receive {
		return func(_ Self, m any) {
			if _, ok := m.(start); !ok {
				return
			}
			if savina.Sine(savina.Theta) {
				counts[i]++
			}
			if counts[i] == share {
				finished.Done()
			}
		}
	})
	r.Start()
	for i := range r.N {
		s.Send(all[i%r.Size], start{})
	}
	finished.Wait()
	r.Stop()
	return total(counts), nil
}

func creation(r *suite.Run, k int, s Stage) (int64, error) {
	var handled atomic.Int64
	var all sync.WaitGroup
	all.Add(k)
	receive := func(self Self, m any) {
		if _, ok := m.(start); !ok {
			return
		}
		if savina.Sine(savina.Theta) {
			handled.Add(1)
		}
		self.Stop()
		all.Done()
	}
	r.Start()
	for range k {
		s.Send(s.Spawn(receive), start{})
	}
	all.Wait()
	r.Stop()
	return handled.Load(), nil
}
