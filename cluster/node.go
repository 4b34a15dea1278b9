package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/membership"
	"github.com/troupe-go/troupe/internal/remote"
	"github.com/troupe-go/troupe/internal/session"
	"github.com/troupe-go/troupe/wire"
)

// A Node is a system that is a member of a cluster, for one birth. Its methods may be called by several goroutines.
type Node struct {
	cfg      Config
	sys      *actor.System
	eng      engine.Engine
	member   *membership.Node
	carrier  *remote.Node
	names    *names
	ctx      context.Context // Of the goroutines; ends with the birth.
	stop     context.CancelFunc
	running  sync.WaitGroup // Of goroutines that end with ctx.
	ended    sync.Once
	done     chan struct{}
	mu       sync.Mutex
	gone     error // Why the node owns nothing any more, or nil. Guarded by mu.
	stopping bool  // No goroutine begins any more. Guarded by mu.
}

// Join makes a system a node of the cluster that shares the engine. It waits while the engine has no quorum, and while an
// older birth of the name has a lease that nobody renews, such as after a crash; when ctx ends first, it returns [ErrNoQuorum]
// with the cause. [ErrNameTaken] says that another live node has the name. Further errors are for arguments that are
// wrong, for a system that has stopped or is a node already, and the engine's.
//
// The ctx of Join does not end the node. Leave does, the end of the system does, and the other nodes do when the lease runs out. After
// each of these the system may join again, with a new birth. The engine stays the caller's, to be closed after that.
func Join(ctx context.Context, sys *actor.System, eng engine.Engine, cfg Config) (*Node, error) {
	n, err := join(ctx, sys, eng, cfg)
	if err != nil {
		return nil, fmt.Errorf("cluster: join as %q: %w", cfg.Name, err)
	}
	return n, nil
}

func join(ctx context.Context, sys *actor.System, eng engine.Engine, cfg Config) (*Node, error) {
	switch {
	case ctx == nil:
		return nil, errors.New("the context is nil; use context.Background()")
	case sys == nil:
		return nil, actor.ErrNoSystem
	case sys.Stopping():
		return nil, actor.ErrSystemStopped
	case eng == nil:
		return nil, errors.New("the engine is nil; open one, such as by jet.Open")
	case eng.Bus() == nil:
		return nil, errors.New("the engine has no bus; give memory.Store.Engine the bus of a network")
	}
	cfg, err := cfg.checked()
	if err != nil {
		return nil, err
	}
	registerErrors(cfg.Registry)
	if err := cfg.Registry.Check(); err != nil {
		return nil, err
	}
	release, err := reserve(sys)
	if err != nil {
		return nil, err
	}
	defer release()
	members, err := openTable(ctx, eng, "members")
	if err != nil {
		return nil, err
	}
	table, err := openTable(ctx, eng, "names")
	if err != nil {
		return nil, err
	}
	n := &Node{cfg: cfg, sys: sys, eng: eng, done: make(chan struct{})}
	if n.member, err = membership.Join(ctx, members, cfg.member()); err != nil {
		return nil, err
	}
	n.carrier, err = remote.Join(remote.Config{
		System: sys, Bus: eng.Bus(), Registry: cfg.Registry, Self: session.Node{Name: cfg.Name, Birth: n.member.Birth()},
		Unreachable: cfg.Unreachable, Heartbeat: min(2*time.Second, cfg.Unreachable/5),
	})
	if err != nil {
		return nil, errors.Join(err, n.member.Leave(ctx))
	}
	n.carrier.Outdated(session.Node{Name: n.Name(), Birth: n.Birth() - 1}, fmt.Errorf("%w: node %q is birth %d now", ErrNodeLost, n.Name(), n.Birth()))
	n.ctx, n.stop = context.WithCancel(context.Background())
	n.names = newNames(n, table)
	n.running.Go(n.followBegins)
	n.running.Go(n.followEnds)
	n.running.Go(n.names.watch)
	n.running.Go(n.names.clean)
	go n.await()
	return n, nil
}

// openTable opens a table of the engine. It waits while the engine is unavailable.
func openTable(ctx context.Context, eng engine.Engine, name string) (engine.Table, error) {
	for {
		table, err := eng.Table(ctx, name)
		if err == nil || !passing(err) {
			return table, err
		}
		select {
		case <-time.After(retryPause):
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w: %w", ErrNoQuorum, context.Cause(ctx), err)
		}
	}
}

// joining has the systems whose Join is under way, so that the second one is refused before it has an entry.
var joining sync.Map

// reserve returns an error if the system is a node already.
func reserve(sys *actor.System) (release func(), err error) {
	if _, other := joining.LoadOrStore(sys, true); other {
		return nil, errors.New("another Join of the system is under way; a system is one node")
	}
	release = func() { joining.Delete(sys) }
	if self, is := remote.Self(sys); is {
		release()
		return nil, fmt.Errorf("the system is node %v already; Leave first, or use a system of its own", self)
	}
	return release, nil
}

// followBegins tells the carrier which births have replaced earlier ones.
func (n *Node) followBegins() {
	for e := range n.member.Events(n.ctx) {
		at := session.Node{Name: e.Member.Name, Birth: e.Member.Birth}
		if e.Kind == membership.Joined {
			n.log().Info("cluster: a node has joined", "node", at.Name, "birth", at.Birth)
			n.carrier.Outdated(session.Node{Name: at.Name, Birth: at.Birth - 1}, fmt.Errorf("%w: node %q is birth %d now", ErrNodeLost, at.Name, at.Birth))
		} else {
			n.log().Warn("cluster: a node has ended", "node", at.Name, "birth", at.Birth, "how", e.Kind.String(), "reason", e.Reason)
		}
		n.names.membersChanged()
	}
}

// followEnds tells the carrier which births have ended.
func (n *Node) followEnds() {
	for e := range n.member.Ends(n.ctx) {
		n.carrier.Lost(session.Node{Name: e.Member.Name, Birth: e.Member.Birth}, fmt.Errorf("%w: %v", ErrNodeLost, e))
		n.names.membersChanged()
	}
}

// await ends the node when its birth or its system has ended.
func (n *Node) await() {
	select {
	case <-n.ctx.Done():
	case <-n.member.Done():
		over, cancel := context.WithCancel(context.Background())
		cancel() // Nobody acknowledges the messages of a birth that has ended.
		n.ended.Do(func() {
			n.log().Error("cluster: this node is lost", "node", n.Name(), "birth", n.Birth(), "reason", n.member.Valid())
			_ = n.end(over, n.member.Valid(), nil) // It says which messages were not acknowledged, and so do their dead letters.
		})
	case <-n.carrier.Stopped():
		soon, cancel := context.WithTimeout(context.Background(), n.cfg.Lease)
		defer cancel()
		if err := n.Leave(soon); err != nil {
			n.log().Warn("cluster: the system has stopped, and its node has not left as it should", "node", n.Name(), "reason", err)
		}
	}
}

// end ends the birth, for a reason. Goodbye tells the others, and may be nil.
func (n *Node) end(ctx context.Context, reason error, goodbye func() bool) error {
	n.mu.Lock()
	n.gone = reason
	n.mu.Unlock()
	err := n.carrier.Leave(ctx, reason, goodbye)
	n.mu.Lock()
	n.stopping = true
	n.mu.Unlock()
	n.stop()
	n.names.close()
	n.running.Wait()
	if goodbye == nil {
		err = errors.Join(err, n.member.Leave(ctx))
	}
	close(n.done)
	return err
}

// start starts a goroutine that ends with the birth. It returns false if the birth has ended.
func (n *Node) start(f func()) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stopping {
		return false
	}
	n.running.Go(f)
	return true
}

// limited returns a context for a call of the engine that the node makes by itself.
func (n *Node) limited() (context.Context, context.CancelFunc) {
	return context.WithTimeout(n.ctx, n.cfg.Lease/3)
}

func (n *Node) log() *slog.Logger {
	if n.cfg.Logger != nil {
		return n.cfg.Logger
	}
	return slog.Default()
}

// System returns the system that has joined.
func (n *Node) System() *actor.System { return n.sys }

// Engine returns the engine of the cluster.
func (n *Node) Engine() engine.Engine { return n.eng }

// Name returns the name of the node.
func (n *Node) Name() string { return n.member.Name() }

// Birth returns the number of this life of the node. A later one of the same name has a greater number.
func (n *Node) Birth() uint64 { return n.member.Birth() }

// Registry returns the registry of the types that may cross.
func (n *Node) Registry() *wire.Registry { return n.cfg.Registry }

// Valid returns nil while this node may act as the owner of what it owns. It returns [ErrNoQuorum] while the lease is not
// renewed, and [ErrNodeLost] or [ErrLeft] when the birth has ended. It reads a clock and asks nobody.
func (n *Node) Valid() error {
	n.mu.Lock()
	gone := n.gone
	n.mu.Unlock()
	if gone != nil {
		return gone
	}
	return n.member.Valid()
}

// Done returns a channel that is closed when this birth has ended and nothing of it runs any more. Valid says why. The system
// may join again then.
func (n *Node) Done() <-chan struct{} { return n.done }

// Leave ends this birth of the node. It waits until the other nodes have acknowledged the messages that were sent to them,
// or ctx ends; those that are not acknowledged then are dead letters. Then it gives up the names of the node's actors and tells the others, whose
// monitors and asks get [ErrNodeLost]. The system goes on alone: sends to actors of other nodes, monitors of them and asks that they have not answered get
// [ErrLeft].
//
// If the engine does not answer until ctx ends, Leave returns the error, and the others take the node for lost when its lease is over.
// The node has ended in any case when Leave returns. Further calls wait for the first and return nil, and so does Leave of a node that is lost.
func (n *Node) Leave(ctx context.Context) (err error) {
	if ctx == nil {
		ctx = context.Background()
	}
	n.ended.Do(func() {
		var farewell error
		err = n.end(ctx, ErrLeft, func() bool {
			farewell = errors.Join(n.names.giveUp(ctx), n.member.Leave(ctx))
			return farewell == nil
		})
		err = errors.Join(err, farewell)
	})
	if err != nil {
		return fmt.Errorf("cluster: node %q leaves: %w", n.Name(), err)
	}
	return nil
}
