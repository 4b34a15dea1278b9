package entity

import (
	"context"

	"github.com/troupe-go/troupe/actor"
)

// A Single is a virtual actor that there is one of. It is begun when its host starts, and not when it is first asked.
type Single[M any] struct{ kind Kind[M] }

// Singleton describes a virtual actor that there is one of. The name is like the name of a kind. Its Idle defaults to never. If it fails it is
// begun again without a limit, and if it was stopped or passivated, by the next message.
func Singleton[M any](name string, cfg Config[M]) *Single[M] {
	s := &Single[M]{Kind[M]{newSpec(name, cfg, true)}}
	s.kind.spec.begin = func(ctx context.Context, h *Host) error {
		_, err := s.Activation(ctx, h)
		return err
	}
	return s
}

func (s *Single[M]) described() *spec {
	if s == nil {
		return nil
	}
	return s.kind.spec
}

// Name returns the name.
func (s *Single[M]) Name() string { return s.kind.Name() }

// Ref is [Kind.Ref].
func (s *Single[M]) Ref(h *Host) actor.Ref[M] { return s.kind.Ref(h, s.Name()) }

// Activation is [Kind.Activation].
func (s *Single[M]) Activation(ctx context.Context, h *Host) (actor.Ref[M], error) {
	return s.kind.Activation(ctx, h, s.Name())
}

// Passivate is [Kind.Passivate].
func (s *Single[M]) Passivate(ctx context.Context, h *Host) error {
	return s.kind.Passivate(ctx, h, s.Name())
}
