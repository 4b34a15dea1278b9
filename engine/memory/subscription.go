package memory

import (
	"container/heap"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/sim"
)

// kept is how many frames wait for a subscription; further ones are dropped.
const kept = 1024

// subscription has frames that are under way to one function. The network's mutex guards
// what changes.
type subscription struct {
	bus     *Bus
	number  uint64
	class   engine.Class
	subject string
	deliver func(frame []byte)
	guest   *sim.Guest

	flights flights
	spare   [][]byte // Frames that were delivered, for use again.
	added   uint64
	dropped uint64
	closed  bool

	wake chan struct{} // Has an element if run shall look again.
	stop chan struct{} // Closed by Close.
	done chan struct{} // Closed when run has returned.
}

// flight is a frame on its way.
type flight struct {
	due    time.Time
	number uint64
	from   string
	frame  []byte
}

// flights is a heap: what arrives first comes first, and in the order of Publish if the
// moment is the same.
type flights []flight

func (f flights) Len() int { return len(f) }
func (f flights) Less(i, j int) bool {
	if f[i].due.Equal(f[j].due) {
		return f[i].number < f[j].number
	}
	return f[i].due.Before(f[j].due)
}
func (f flights) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *flights) Push(x any)   { *f = append(*f, x.(flight)) }
func (f *flights) Pop() any {
	old := *f
	last := old[len(old)-1]
	old[len(old)-1] = flight{}
	*f = old[:len(old)-1]
	return last
}

// add takes a copy of a frame. The caller holds the network's mutex.
func (s *subscription) add(from string, frame []byte, due time.Time) {
	if len(s.flights) >= kept {
		s.dropped++
		return
	}
	var room []byte
	if n := len(s.spare); n > 0 {
		room, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	s.added++
	f := flight{due, s.added, from, append(room[:0], frame...)}
	// Most frames come last, where the heap has nothing to do.
	s.flights = append(s.flights, f)
	heap.Fix(&s.flights, len(s.flights)-1)
	s.nudge()
}

// nudge has run look again. In a simulation it waits until the running step is over.
func (s *subscription) nudge() {
	offer := func() {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
	if e := sim.Working(); e != nil {
		e.AfterStep(offer)
		return
	}
	offer()
}

// lose drops what is under way from a node. The caller holds the network's mutex.
func (s *subscription) lose(from string) {
	left := s.flights[:0]
	for _, f := range s.flights {
		if f.from != from {
			left = append(left, f)
		}
	}
	clear(s.flights[len(left):])
	s.flights = left
	heap.Init(&s.flights)
}

// run delivers frames until the subscription is closed.
func (s *subscription) run() {
	defer close(s.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		frame, wait, ok := s.next()
		if ok {
			if s.guest != nil {
				s.bus.network.engine.Await(s.guest)
				if s.isClosed() {
					return
				}
			}
			s.deliver(frame)
			s.recycle(frame)
			continue
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-s.wake:
		case <-s.stop:
			return
		}
	}
}

// next takes the next frame that has arrived, or returns how long that takes.
func (s *subscription) next() (frame []byte, wait time.Duration, ok bool) {
	n := s.bus.network
	n.mu.Lock()
	defer n.mu.Unlock()
	const ages = 1000 * time.Hour // Until something is added.
	switch {
	case s.closed || len(s.flights) == 0 || s.bus.resumed != nil:
		return nil, ages, false
	case s.flights[0].due.After(time.Now()):
		return nil, time.Until(s.flights[0].due), false
	}
	f := heap.Pop(&s.flights).(flight)
	return f.frame, 0, true
}

func (s *subscription) recycle(frame []byte) {
	n := s.bus.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(s.spare) < 16 {
		s.spare = append(s.spare, frame)
	}
}

func (s *subscription) isClosed() bool {
	n := s.bus.network
	n.mu.Lock()
	defer n.mu.Unlock()
	return s.closed
}

// Close implements [engine.Subscription].
func (s *subscription) Close() error {
	n := s.bus.network
	n.mu.Lock()
	if !s.closed {
		s.closed = true
		s.flights = nil
		delete(s.bus.subscriptions, s)
		close(s.stop)
	}
	n.mu.Unlock()
	<-s.done
	return nil
}

// Dropped implements [engine.Subscription].
func (s *subscription) Dropped() uint64 {
	n := s.bus.network
	n.mu.Lock()
	defer n.mu.Unlock()
	return s.dropped
}
