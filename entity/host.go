package entity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/internal/kernel/standin"
)

// A Host has the virtual actors of a node. Its methods are safe for concurrent use.
type Host struct {
	sys      *actor.System
	valid    func() error // Whether the node may own anything.
	owner    owner
	rosters  map[*spec]*roster // Not written after the start.
	stopping atomic.Bool

	mu      sync.Mutex
	unknown map[*spec]*roster // Of kinds that the host does not have. Guarded by mu.
}

// owner knows which node owns an id.
type owner interface {
	// owns returns where the virtual actor with an id is to be. It asks nobody.
	owns(kind, id string) place
}

// place is where a virtual actor is to be.
type place struct {
	known bool
	node  string // Empty for this node.
}

// alone is the owner of everything.
type alone struct{}

func (alone) owns(string, string) place { return place{known: true} }

// Option is an argument of Start.
type Option func(*setup) error

type setup struct{ kinds []Registered }

// Kinds says which kinds and singletons the host has. Without any it has none.
func Kinds(kinds ...Registered) Option {
	return func(s *setup) error {
		s.kinds = append(s.kinds, kinds...)
		return nil
	}
}

// Start begins the host of a node's virtual actors, and its singletons. Ctx ends only the start. It returns an error for a nil node or one whose lease is over, and
// for what is wrong with a kind, or with two of one name on one system.
func Start(ctx context.Context, node *cluster.Node, opts ...Option) (*Host, error) {
	if node == nil || node.System() == nil {
		return nil, errors.New("entity: the node is nil; a valid one comes from cluster.Join")
	}
	return start(ctx, node.System(), node.Valid, opts...)
}

func start(ctx context.Context, sys *actor.System, valid func() error, opts ...Option) (*Host, error) {
	var s setup
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("entity: Start was given a nil option")
		}
		if err := opt(&s); err != nil {
			return nil, err
		}
	}
	if err := valid(); err != nil {
		return nil, fmt.Errorf("entity: start: %w", err)
	}
	h := &Host{sys: sys, valid: valid, owner: alone{}, rosters: map[*spec]*roster{}, unknown: map[*spec]*roster{}}
	names := map[string]bool{}
	var all []*spec
	for _, k := range s.kinds {
		d := described(k)
		switch {
		case d == nil:
			return nil, errors.New("entity: Kinds was given nil; kinds come from Register and Singleton")
		case d.err != nil:
			return nil, d.err
		case names[d.name]:
			return nil, fmt.Errorf("entity: the kind %q is there twice; names must differ", d.name)
		}
		names[d.name] = true
		all = append(all, d)
	}
	for _, d := range all {
		r, err := h.open(ctx, d)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("entity: start the kind %q: %w", d.name, err), h.Stop(ctx))
		}
		h.rosters[d] = r
	}
	for _, d := range all {
		if !d.single {
			continue
		}
		if err := d.begin(ctx, h); err != nil {
			return nil, errors.Join(fmt.Errorf("entity: start the singleton %q: %w", d.name, err), h.Stop(ctx))
		}
	}
	return h, nil
}

func described(k Registered) *spec {
	if k == nil {
		return nil
	}
	return k.described()
}

// open begins the keeper of a kind.
func (h *Host) open(ctx context.Context, d *spec) (*roster, error) {
	r := &roster{host: h, spec: d, seats: map[string]*seat{}, byNumber: map[uint64]*seat{}}
	var err error
	if r.keeper, err = actor.Spawn(h.sys, actor.Actor[errand](&keeper{r}), actor.WithName(cut("entity "+d.name))); err != nil {
		return nil, err
	}
	if _, err = actor.Ask(ctx, r.keeper, func(reply actor.Reply[struct{}]) errand { return errand{begun: reply} }); err == nil {
		r.known, err = standin.Virtual(h.sys, d.name, true, r)
	}
	if err != nil {
		return nil, errors.Join(err, r.keeper.Stop(ctx))
	}
	return r, nil
}

// cut returns a name that may be the name of an actor.
func cut(name string) string {
	clean := make([]rune, 0, len(name))
	for _, c := range name {
		if c < ' ' || c == 0x7f || c > 0x7e {
			c = '?'
		}
		clean = append(clean, c)
	}
	return string(clean[:min(len(clean), maxName)])
}

// rosterOf returns the roster of a kind. If the host does not have the kind, the roster's seats say so.
func (h *Host) rosterOf(d *spec) *roster {
	if r := h.rosters[d]; r != nil {
		return r
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.unknown[d]
	if r == nil {
		r = &roster{host: h, spec: d, strange: true, seats: map[string]*seat{}}
		r.known, _ = standin.Virtual(h.sys, d.name, false, r) // The system has joined a carrier.
		h.unknown[d] = r
	}
	return r
}

// inOrder returns the rosters by their names.
func (h *Host) inOrder() []*roster {
	return slices.SortedFunc(maps.Values(h.rosters), func(a, b *roster) int { return cmp.Compare(a.spec.name, b.spec.name) })
}

// Stop passivates all activations, and returns when they have ended. New ones are refused from its begin on, with [ErrHostStopped].
// If ctx ends first, those that are left are killed, and Stop returns an error that wraps the cause. Then refs of virtual actors lead to
// actors that have stopped. The node goes on, and may start another host.
func (h *Host) Stop(ctx context.Context) error {
	h.stopping.Store(true)
	var errs []error
	for _, r := range h.inOrder() {
		for _, s := range r.all() {
			s.leave()
		}
	}
	for _, r := range h.inOrder() {
		if err := r.close(ctx); err != nil {
			errs = append(errs, err)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.unknown {
		r.known.Ended(ErrHostStopped)
	}
	return errors.Join(errs...)
}
