package router

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
)

// Router hands each message to one of several actors, its routees, or to all of
// them. It is a small value like a ref, to be copied, sent in messages and used
// from any goroutine. It routes where Send is called, so a message is copied
// once, into the lane of its routee. The zero Router returns [ErrNoRouter].
type Router[M any] struct{ route *route[M] }

// route is a router's way to one of the lanes.
type route[M any] struct {
	core *core[M]
	lane actor.Lane
}

// core is what all values of one router have in common.
type core[M any] struct {
	cfg    Config[M]
	sys    *actor.System
	keeper actor.Ref[order]
	routes [3]route[M] // By lane.
	// members are replaced under mu, and read by each message.
	members atomic.Pointer[members[M]]

	_ [64]byte // Keeps the fields that each message writes apart from the ones it reads.
	// turn is whose turn it is, or the state of the source of chance. Written by
	// each message.
	turn atomic.Uint64
	_    [56]byte

	died, rerouted, refused atomic.Uint64

	mu      sync.Mutex
	waiters []*workers.Waiter // Waiters of the senders that wait for a routee.
	front   actor.Ref[M]
}

// New starts a router, at the top of a system or below the actor whose context
// is given, with which it then stops. It costs an actor and, for each routee, a
// monitor.
//
// New returns an error for a configuration that makes no sense, and for a
// routee that can't be one; see [Router.Add].
func New[M any](at actor.Spawner, cfg Config[M]) (Router[M], error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return Router[M]{}, err
	}
	sys, err := systemOf(at)
	if err != nil {
		return Router[M]{}, err
	}
	c := &core[M]{cfg: cfg, sys: sys}
	for l := range c.routes {
		c.routes[l] = route[M]{c, actor.Lane(l)}
	}
	c.members.Store(&members[M]{})
	if !(*workers.Scheduler)(sys.Scheduler()).Simulated() { // There the schedule decides.
		c.turn.Store(rand.Uint64() >> 1) // Not so high that turns, which are compared, wrap around.
	}
	if cfg.Strategy == RoundRobin {
		c.turn.Store(0)
	}
	k := &keeper[M]{core: c, monitors: map[actor.PID]actor.Monitor{}}
	c.keeper, err = actor.Spawn(at, actor.Actor[order](k), actor.WithName(cfg.Name), actor.WithCapacity(actor.Data, ordersWaiting))
	if err != nil {
		return Router[M]{}, fmt.Errorf("router: start %s: %w", cfg.Name, err)
	}
	r := Router[M]{&c.routes[actor.Data]}
	ctx, ok := at.(context.Context)
	if !ok {
		ctx = context.Background()
	}
	if err := r.Add(ctx, cfg.Routees...); err != nil {
		_ = c.keeper.Stop(patient{ctx})
		return Router[M]{}, err
	}
	return r, nil
}

// ordersWaiting is how many routees may be added before the keeper comes to
// them: so many that nobody waits.
const ordersWaiting = 1 << 20

// patient is a context without an end that still knows its worker.
type patient struct{ context.Context }

func (patient) Done() <-chan struct{} { return nil }
func (patient) Err() error            { return nil }

// On returns the same router for the given lane. A router is on
// [actor.Data] unless it came from On. An unknown lane is taken for Data.
func (r Router[M]) On(l actor.Lane) Router[M] {
	if r.route == nil || int(l) >= len(r.route.core.routes) {
		return r
	}
	return Router[M]{&r.route.core.routes[l]}
}

// String returns the router's name.
func (r Router[M]) String() string {
	if r.route == nil {
		return "<no router>"
	}
	return r.route.core.cfg.Name
}

// Stats is a snapshot of a router.
type Stats struct {
	Name     string
	Strategy Strategy
	Routees  int
	// Backlogs are the backlogs of the routees, see [actor.Ref.Backlog].
	Backlogs []int
	Waiting  int    // Senders that wait for a routee.
	Died     uint64 // Routees that have left because they had stopped.
	Rerouted uint64 // Messages whose routee had stopped or was full, and which another got.
	Refused  uint64 // Messages that nobody got; their sender was told.
}

// Stats returns a snapshot. It costs about 5 ns for each routee.
func (r Router[M]) Stats() Stats {
	if r.route == nil {
		return Stats{}
	}
	c := r.route.core
	c.mu.Lock()
	waiting := len(c.waiters)
	c.mu.Unlock()
	refs := c.members.Load().refs
	s := Stats{
		Name: c.cfg.Name, Strategy: c.cfg.Strategy, Routees: len(refs), Backlogs: make([]int, len(refs)), Waiting: waiting,
		Died: c.died.Load(), Rerouted: c.rerouted.Load(), Refused: c.refused.Load(),
	}
	for i, ref := range refs {
		s.Backlogs[i] = ref.Backlog()
	}
	return s
}
