package sim

import "sync"

// serial has a chooser asked by one goroutine at a time. The stepper, the steps and the body
// take turns anyway, but the body may have its turn by a timer, which orders it behind
// nobody in the eyes of the race detector.
type serial struct {
	mu    sync.Mutex
	inner Chooser
}

func (s *serial) Next(ready []Entry) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inner.Next(ready)
}

func (s *serial) Interleave() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inner.Interleave()
}

func (s *serial) Delay() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inner.Delay()
}

func (s *serial) Pick(of int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inner.Pick(of)
}
