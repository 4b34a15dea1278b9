package actor

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// registry has the actors of a system by their names.
//
// A name leads to a proc, not to a PID, so that a look-up sees at once whether
// its actor has stopped. An actor ends under its mu, and a name is entered under
// the mu of its actor: so no name is entered for one that has stopped, and the
// end finds all that were. A goroutine that finds the name of an actor that has
// stopped, before the end has come to remove it, removes it. So a name
// is free from the moment on at which its actor stops.
//
// sync.Map is a trie that is read without a lock, and locks one of its nodes to
// be changed.
type registry struct{ names sync.Map } // From string to *proc.

// enter gives p the name. The caller holds p's mu, and p has not stopped.
func (r *registry) enter(name string, p *proc) error {
	rare := p.rareLocked()
	if slices.Contains(rare.names, name) {
		return r.claim(name, p) // It may have been unregistered.
	}
	err := r.claim(name, p)
	if err == nil {
		rare.names = append(rare.names, name)
	}
	return err
}

// claim makes the name lead to p.
func (r *registry) claim(name string, p *proc) error {
	for {
		other, taken := r.names.LoadOrStore(name, p)
		holder := other.(*proc)
		if !taken || holder == p {
			return nil
		}
		if !holder.stopped.Load() {
			return fmt.Errorf("register %s as %q, which is %s: %w", p, name, holder, ErrNameTaken)
		}
		r.names.CompareAndDelete(name, other)
	}
}

// find returns the actor with the name, or nil.
func (r *registry) find(name string) *proc {
	p, ok := r.names.Load(name)
	if !ok || p.(*proc).stopped.Load() {
		return nil
	}
	return p.(*proc)
}

// leave frees the names of p, which has stopped.
func (r *registry) leave(p *proc, names []string) {
	for _, name := range names {
		r.names.CompareAndDelete(name, p)
	}
}

// Register enters the actor with the given PID under a name, under which
// [Lookup] finds it until it stops for good or [System.Unregister] is called; a
// restart in place keeps the name. An actor may have several names. The name
// that [WithName] gives is another matter: it is for people only.
//
// Register returns [ErrNameTaken] if another actor has the name, [ErrStalePID]
// if the actor has stopped, and an error for a name that has not 1 to 255 bytes
// of printable text. Registering an actor again under its own name does
// nothing.
func (s *System) Register(name string, id PID) error {
	if s.missing() {
		return ErrNoSystem
	}
	if err := checkName(name); err != nil {
		return err
	}
	p := s.lookup(id)
	if p == nil {
		return fmt.Errorf("register %s as %q: %w", id, name, ErrStalePID)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped.Load() {
		return fmt.Errorf("register %s as %q: %w", p, name, ErrStalePID)
	}
	return s.registry.enter(name, p)
}

// Register is [System.Register] for the actor itself.
func (c *scope) Register(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	p := c.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := c.absent(); err != nil {
		return fmt.Errorf("register %s as %q: %w", p, name, err)
	}
	return p.sys.registry.enter(name, p)
}

// WithRegistration makes the spawn register the actor under the given name,
// before anyone can know of it; see [System.Register]. The spawn fails with
// [ErrNameTaken] if another actor has the name. If [WithName] is not given, the
// actor is called by this name too.
func WithRegistration(name string) Option {
	return func(o *options) error {
		if err := checkName(name); err != nil {
			return err
		}
		o.registered = name
		return nil
	}
}

// Unregister frees a name. It returns [ErrNoName] if no actor has it.
func (s *System) Unregister(name string) error {
	if s.missing() {
		return ErrNoSystem
	}
	if p := s.registry.find(name); p == nil || !s.registry.names.CompareAndDelete(name, p) {
		return fmt.Errorf("unregister %q: %w", name, ErrNoName)
	}
	return nil
}

// WhereIs returns the PID of the actor with the given registered name. It
// returns [ErrNoName] if there is none.
func (s *System) WhereIs(name string) (PID, error) {
	if s.missing() {
		return PID{}, ErrNoSystem
	}
	p := s.registry.find(name)
	if p == nil {
		return PID{}, fmt.Errorf("look up %q: %w", name, ErrNoName)
	}
	return p.pid, nil
}

// Names returns the registered names with their actors, in no order. Names
// that are registered meanwhile may or may not be among them.
func (s *System) Names() iter.Seq2[string, PID] {
	return func(yield func(string, PID) bool) {
		if s.missing() {
			return
		}
		s.registry.names.Range(func(name, p any) bool {
			return p.(*proc).stopped.Load() || yield(name.(string), p.(*proc).pid)
		})
	}
}

// Lookup returns the ref of the actor with the given registered name. It
// returns [ErrNoName] if there is none, and another error if the actor takes
// messages of another type than M. It takes no lock, and costs about 20 ns.
func Lookup[M any](s *System, name string) (Ref[M], error) {
	if s.missing() {
		return Ref[M]{}, ErrNoSystem
	}
	p := s.registry.find(name)
	if p == nil {
		return Ref[M]{}, fmt.Errorf("look up %q: %w", name, ErrNoName)
	}
	c, ok := p.impl.(*cell[M])
	if !ok {
		return Ref[M]{}, fmt.Errorf("actor: look up %q: %w", name, p.takesNo(reflect.TypeFor[M]()))
	}
	return Ref[M]{cell: c}, nil
}

// GetOrSpawn returns the ref of the actor with the given registered name, as [Lookup] does, or
// spawns it below at, as [SpawnNew] does, with that name. However many do so at the same time,
// one actor is spawned, and all get its ref; spawned says whether it was by this call. A
// caller that comes second may find that only after its newActor has made a value, which is
// dropped.
//
// GetOrSpawn returns an error if the actor with the name takes messages of another type than
// M, and the errors of SpawnNew. An actor that is stopping has its name until it has stopped: a send
// to it returns [ErrStopped], and may be tried again after another GetOrSpawn.
func GetOrSpawn[M any](at Spawner, name string, newActor func() Actor[M], opts ...Option) (ref Ref[M], spawned bool, err error) {
	if at == nil {
		return ref, false, errors.New("actor: GetOrSpawn was given a nil Spawner; use a System or a Context")
	}
	b, err := at.spawner()
	if err != nil {
		return ref, false, err
	}
	own := append(opts[:len(opts):len(opts)], WithRegistration(name))
	for {
		ref, err = Lookup[M](b.parent.sys, name)
		if !errors.Is(err, ErrNoName) {
			return ref, false, err
		}
		ref, err = SpawnNew(at, newActor, own...)
		if !errors.Is(err, ErrNameTaken) {
			return ref, err == nil, err
		}
	}
}

// checkName returns an error unless the name has 1 to maxName bytes of
// printable text.
func checkName(name string) error {
	if name == "" || len(name) > maxName {
		return fmt.Errorf("actor: the name %.20q has %d bytes; it must have 1 to %d", name, len(name), maxName)
	}
	if !utf8.ValidString(name) {
		return fmt.Errorf("actor: the name %q is not valid UTF-8", name)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("actor: the name %q contains %q, which is not printable", name, r)
		}
	}
	return nil
}
