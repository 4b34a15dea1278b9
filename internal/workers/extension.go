package workers

// Extension is what a layer above keeps with a scheduler; see
// [Scheduler.Extension].
type Extension interface {
	// Forced is called when the context of a Stop has ended while jobs were left,
	// once for each such Stop. It must not wait.
	Forced()
}

// Extension returns what is kept under key with the scheduler, and keeps what make returns
// if there is nothing yet. Keys are compared as a context compares its keys. It costs about
// 10 ns.
func (s *Scheduler) Extension(key any, make func() Extension) Extension {
	if e, ok := s.extensions.Load(key); ok {
		return e.(Extension)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.extensions.Load(key)
	if !ok {
		e = make()
		s.extensions.Store(key, e)
	}
	return e.(Extension)
}

// tellForced tells the layers above that a stop would wait no longer.
func (s *Scheduler) tellForced() {
	s.extensions.Range(func(_, e any) bool {
		e.(Extension).Forced()
		return true
	})
}
