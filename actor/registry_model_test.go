//go:build modelcheck

package actor_test

import (
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/modelcheck"
)

// naming has an actor with names stop, and one of them go to another as soon as it
// has. Meanwhile somebody gives the one that stops a further name.
func naming(p *modelcheck.Program) {
	const name, further = "name", "further name"
	s := newActorModel(p)
	s.spawn(actor.WithRegistration("first name"))
	heir := must(actor.Spawn(s.sys, actor.Func(s.receive)))
	if err := s.sys.Register(name, s.ref.PID()); err != nil {
		panic(err)
	}
	s.workers(1)
	s.act("stop", func() error {
		if err := s.ref.Stop(background); err != nil {
			return err
		}
		if ref, err := actor.Lookup[int](s.sys, name); !errors.Is(err, actor.ErrNoName) {
			s.fault("behind the stop, the name leads to %v, %v", ref, err)
		}
		if err := s.sys.Register(name, heir.PID()); err != nil {
			s.fault("the name is not free: %w", err)
		}
		return nil
	})
	s.act("register", func() error {
		if err := s.sys.Register(further, s.ref.PID()); err != nil && !errors.Is(err, actor.ErrStalePID) {
			s.fault("the further name: %w", err)
		}
		return nil
	})
	p.Finally(func() error {
		if ref, err := actor.Lookup[int](s.sys, name); ref != heir || err != nil {
			return fmt.Errorf("at the end, the name leads to %v, %w", ref, err)
		}
		if n := actor.NamesEntered(s.sys); n != 1 {
			return fmt.Errorf("%d names are left of one", n)
		}
		return nil
	})
}
