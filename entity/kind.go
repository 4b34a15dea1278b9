package entity

import (
	"context"
	"fmt"
	"runtime"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/kernel/standin"
)

// A Kind is one kind of virtual actors, with messages of type M. It is safe for concurrent use, and may be given to hosts
// of several systems.
type Kind[M any] struct{ spec *spec }

// Register describes a kind of virtual actors. The name identifies it, also on other nodes and in refs that are stored: 1 to 255
// bytes. A mistake in the Config is an error of Start.
func Register[M any](name string, cfg Config[M]) *Kind[M] {
	return &Kind[M]{newSpec(name, cfg, false)}
}

// Registered is a *Kind or a *Single.
type Registered interface{ described() *spec }

func (k *Kind[M]) described() *spec {
	if k == nil {
		return nil
	}
	return k.spec
}

// Name returns the name of the kind.
func (k *Kind[M]) Name() string { return k.spec.name }

// Ref returns the ref of the virtual actor with an id. It makes no call and no actor. Refs of one id are equal. An id that is empty or longer
// than MaxID is an error, ErrID, of each use of the ref, and so is a kind that the host does not have, ErrNoKind. For a nil host it is the zero Ref.
// A ref that is not held takes no memory.
func (k *Kind[M]) Ref(h *Host, id string) (ref actor.Ref[M]) {
	if h == nil {
		return ref
	}
	if err := h.rosterOf(k.spec).known.Lead(&ref, id); err != nil { // It has the type that spawn uses, so there is none.
		return actor.Ref[M]{}
	}
	return ref
}

// Activation returns the ref of the activation for an id, which is begun if there is none. It ends with the activation: sends
// return actor.ErrStopped from then on.
func (k *Kind[M]) Activation(ctx context.Context, h *Host, id string) (actor.Ref[M], error) {
	if h == nil {
		return actor.Ref[M]{}, errNilHost
	}
	ref := k.Ref(h, id)
	defer runtime.KeepAlive(ref) // With its seat, which others who use the id meanwhile find.
	s, err := standin.SeatOf(ref)
	if err != nil {
		return actor.Ref[M]{}, err
	}
	a, err := s.(*seat).begin(ctx)
	if err != nil {
		return actor.Ref[M]{}, fmt.Errorf("entity: activate %s %.40q: %w", k.spec.name, id, err)
	}
	return actor.Resolve[M](h.sys, actor.PIDFromNumber(a.Number()))
}

// Passivate ends the activation for an id when it has handled what it has, and returns when it has ended: a journaled actor's
// state is stored then. It returns nil if there is no activation, and an error if the activation fails meanwhile, if ctx ends first, or
// in a handler of the activation itself. The passivation goes on.
func (k *Kind[M]) Passivate(ctx context.Context, h *Host, id string) error {
	if h == nil {
		return errNilHost
	}
	ref := k.Ref(h, id)
	defer runtime.KeepAlive(ref)
	s, err := standin.SeatOf(ref)
	if err != nil {
		return err
	}
	if err := s.(*seat).Order(ctx, standin.Drain); err != nil {
		return fmt.Errorf("entity: passivate %s %.40q: %w", k.spec.name, id, err)
	}
	return nil
}

// spawner spawns a held actor below the keeper.
type spawner func(at *actor.Context[errand], id string) (standin.Activation, error)

func spawnerOf[M any](cfg Config[M]) spawner {
	create, options := cfg.New, cfg.Options // Alone, since each actor keeps what its function refers to.
	return func(at *actor.Context[errand], id string) (standin.Activation, error) {
		ref, err := actor.SpawnHeld(at, func() actor.Actor[M] {
			if make := create(id); make != nil {
				return make()
			}
			return nil
		}, options...)
		if err != nil {
			return nil, err
		}
		return standin.ActivationOf(ref)
	}
}
