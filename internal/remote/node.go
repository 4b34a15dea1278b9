package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/kernel/standin"
	"github.com/troupe-go/troupe/internal/session"
	"github.com/troupe-go/troupe/wire"
)

// Config is what a [Node] is made of. Durations are as in session.Config, with the same defaults.
type Config struct {
	System   *actor.System
	Self     session.Node
	Bus      engine.Bus
	Registry *wire.Registry // Defaults to wire.Default.

	Unreachable time.Duration
	Heartbeat   time.Duration
	Resend      time.Duration
	AckDelay    time.Duration
}

// Node is a system that has joined others. Its methods are safe for concurrent use.
type Node struct {
	self  standin.Node
	host  standin.Host
	offer *wire.Offer
	own   *wire.Agreement // With itself: types have the same numbers for all peers.
	end   *session.End

	ctx     context.Context // Ends with Close.
	cancel  context.CancelCauseFunc
	running sync.WaitGroup // Of goroutines that wait for actors, and of outboxes.

	mu       sync.Mutex // Guards all below. Nobody is called with it held.
	closed   bool
	asks     map[uint64]*sent             // Asks of this node that others have, by number.
	arrived  map[standin.Address]arrival  // Asks of others that actors of this node have.
	watched  map[standin.Address]*watched // Actors of others that are watched here.
	watching map[place]func()             // How to end the watches of others here.
	pending  map[room]*waiting            // Messages for which goroutines wait.
	orders   map[uint64]*order            // Orders of this node, by number.
	obeyed   map[place]context.CancelFunc // Orders of others.
	outboxes map[standin.Node]*outbox
	number   uint64 // Of the latest order.
	gone     map[string]ended
	reason   error // The error of sends once the node closes.
}

// ended is the latest birth of a name that has ended. Earlier ones have, too.
type ended struct {
	birth  uint64
	reason error
}

// place is a number of a session.
type place struct {
	session *session.Session
	number  uint64
}

// room is a lane of an actor, for the messages of a session.
type room struct {
	place
	lane session.Lane
}

// sent is an ask that has left.
type sent struct {
	session *session.Session
	lane    session.Lane
}

// arrival is an ask that has come.
type arrival struct {
	lane session.Lane
}

// watched is an actor that is watched here.
type watched struct {
	to      standin.StandIn
	session *session.Session // Nil until the other node is told.
}

// waiting is a message that a full lane has not taken yet.
type waiting struct{ taken bool }

// Join makes a system a node. It returns what is wrong with the configuration.
func Join(cfg Config) (*Node, error) {
	if cfg.Registry == nil {
		cfg.Registry = wire.Default
	}
	offer, err := cfg.Registry.Offer()
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	own, err := offer.Agree(offer.Bytes())
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	n := &Node{
		self: standin.Node(cfg.Self), offer: offer, own: own,
		asks: map[uint64]*sent{}, arrived: map[standin.Address]arrival{},
		watched: map[standin.Address]*watched{}, watching: map[place]func(){}, pending: map[room]*waiting{},
		orders: map[uint64]*order{}, obeyed: map[place]context.CancelFunc{}, outboxes: map[standin.Node]*outbox{},
		gone: map[string]ended{}, reason: session.ErrClosed,
	}
	n.ctx, n.cancel = context.WithCancelCause(context.Background())
	begun := make(chan struct{}) // Frames may come before the host is known.
	defer close(begun)
	n.end, err = session.Listen(session.Config{
		Bus: cfg.Bus, Self: cfg.Self, Offer: offer.Bytes(),
		Agree: func(s *session.Session, theirs []byte) error {
			<-begun
			return n.agree(s, theirs)
		},
		Deliver: n.deliver, Unconfirmed: n.unconfirmed, Ended: n.ended,
		Unreachable: cfg.Unreachable, Heartbeat: cfg.Heartbeat, Resend: cfg.Resend, AckDelay: cfg.AckDelay,
	})
	if err != nil {
		n.cancel(err)
		return nil, fmt.Errorf("remote: %w", err)
	}
	if n.host, err = standin.Join(cfg.System, n.self, carrier{n}); err != nil {
		n.cancel(err)
		return nil, errors.Join(fmt.Errorf("remote: %w", err), n.end.Close(context.Background()))
	}
	return n, nil
}

// Lost says that a node is lost, for a reason that membership knows. Its stand-ins end with it for good, and there is no
// session with it, or with an earlier birth of its name, any more.
func (n *Node) Lost(peer session.Node, reason error) {
	n.Outdated(peer, reason)
	n.host.Ended(standin.Node(peer), reason)
}

// Outdated says that a birth, and all earlier ones of its name, have ended. From then on sends to them return the reason, and sessions with them end.
func (n *Node) Outdated(last session.Node, reason error) {
	n.mu.Lock()
	if last.Birth > n.gone[last.Name].birth {
		n.gone[last.Name] = ended{last.Birth, reason}
	}
	n.mu.Unlock()
	for _, s := range n.end.Sessions() {
		if peer := s.Peer(); peer.Name == last.Name && peer.Birth <= last.Birth {
			s.Lost(reason)
			n.host.Ended(standin.Node(peer), reason)
		}
	}
}

// over returns why there is no session with a node, if it has ended.
func (n *Node) over(peer session.Node) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if last := n.gone[peer.Name]; peer.Birth <= last.birth {
		return last.reason
	}
	return nil
}

// begin is Begin of the end, but refuses births that have ended.
func (n *Node) begin(peer session.Node) (*session.Session, error) {
	if err := n.over(peer); err != nil {
		return nil, err
	}
	s, err := n.end.Begin(peer)
	if err != nil {
		return nil, err
	}
	if err := n.over(peer); err != nil { // Lost may not have seen the session.
		s.Lost(err)
		return nil, err
	}
	return s, nil
}

// Close ends the sessions when the other nodes have acknowledged all messages, or when ctx ends. A send to an
// actor of another node is an error after that. It returns when nothing of the node runs any more.
func (n *Node) Close(ctx context.Context) error { return n.Leave(ctx, session.ErrClosed, nil) }

// Leave is Close, and gives stand-ins, asks and sends the reason. It calls goodbye, unless that is nil, before the sessions end:
// goodbye returns whether it has told the other nodes. The system may be a node of another birth after that.
func (n *Node) Leave(ctx context.Context, reason error, goodbye func() bool) error {
	n.mu.Lock()
	n.closed, n.reason = true, reason
	n.mu.Unlock()
	err := n.end.CloseAfter(ctx, func() bool {
		n.host.Leave(reason) // Before others hear of it, and end their sessions.
		return goodbye != nil && goodbye()
	})
	n.cancel(reason)
	n.running.Wait()
	return err
}

// Stopped returns a channel that is closed when the system has stopped.
func (n *Node) Stopped() <-chan struct{} { return n.host.Stopped() }

// run starts a goroutine of the node, unless it is closed.
func (n *Node) run(f func()) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return false
	}
	n.running.Add(1)
	go func() {
		defer n.running.Done()
		f()
	}()
	return true
}

func (n *Node) agree(s *session.Session, theirs []byte) error {
	if err := n.over(s.Peer()); err != nil {
		return err
	}
	a, err := n.offer.Agree(theirs)
	if err != nil {
		return err
	}
	s.Kept.Store(a)
	return nil
}

// agreement returns what the sides of a session have agreed on, or nil if the session is not ready.
func (n *Node) agreement(s *session.Session) *wire.Agreement {
	a, _ := s.Kept.Load().(*wire.Agreement)
	return a
}

// told returns an error of a session as programs see it.
func (n *Node) told(err error) error {
	switch {
	case errors.Is(err, session.ErrClosed):
		n.mu.Lock()
		reason := n.reason
		n.mu.Unlock()
		if !errors.Is(err, reason) {
			err = fmt.Errorf("%w: %w", reason, err)
		}
	case errors.Is(err, session.ErrPeerClosed):
		err = fmt.Errorf("%w: %w", wire.ErrUnreachable, err)
	case err == nil, errors.Is(err, wire.ErrUnreachable):
		return err
	case errors.Is(err, session.ErrFull):
		return actor.ErrFull
	case errors.Is(err, session.ErrUnreachable), errors.Is(err, session.ErrPeerClosed): // The latter also if only that side heard nothing.
		err = fmt.Errorf("%w: %w", wire.ErrUnreachable, err)
	}
	if errors.Is(err, session.ErrUnconfirmed) {
		err = fmt.Errorf("%w: %w", wire.ErrUnconfirmed, err)
	}
	return err
}

// Self returns the node that a system is.
func Self(sys *actor.System) (self session.Node, is bool) {
	host, err := standin.HostOf(sys)
	if err != nil {
		return self, false
	}
	return session.Node(host.Node()), true
}
