package strand

// Local is a variable of which each strand has its own. It is for what a library
// keeps about its caller; what a strand is told belongs into its function, and
// what concerns a request into the context. The zero Local is ready to use, as a
// package variable; it must not be copied.
type Local[T any] struct{ _ byte } // Not empty, so that no two have one address.

// local is the value of one variable. A strand has few, so they lie in a list.
type local struct {
	key   any // The *Local.
	value any
}

// Get returns the variable of s, which must be the calling strand, and whether it
// was set. Elsewhere it returns false.
func (l *Local[T]) Get(s *Strand) (value T, ok bool) {
	if s.running() == nil {
		return value, false
	}
	r := s.rare.Load()
	if r == nil {
		return value, false
	}
	for i := range r.locals {
		if r.locals[i].key == any(l) {
			value, _ = r.locals[i].value.(T) // It fails for a nil interface alone.
			return value, true
		}
	}
	return value, false
}

// Set sets the variable of s, which must be the calling strand. It reports
// [ErrNotRunning] elsewhere.
func (l *Local[T]) Set(s *Strand, value T) error {
	if s.running() == nil {
		return ErrNotRunning
	}
	r := s.rare.Load()
	if r == nil {
		r = &rare{}
		s.rare.Store(r)
	}
	for i := range r.locals {
		if r.locals[i].key == any(l) {
			r.locals[i].value = value
			return nil
		}
	}
	r.locals = append(r.locals, local{l, value})
	return nil
}
