package netio

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/strand"
	"github.com/troupe-go/troupe/supervise"
)

// ListenerConfig configures a Listener whose connections are actors that take
// messages of type M, and write those of type Out.
type ListenerConfig[M, Out any] struct {
	// Name is that of the supervisor of the connections' actors. Defaults to "netio".
	Name string
	// Network is "tcp", "tcp4", "tcp6" or "unix". Defaults to "tcp".
	Network string
	// Addr is where to listen, as [net.Listen] has it. Defaults to "127.0.0.1:0", a
	// free port that only this machine can reach; for a Unix socket it is needed.
	Addr string
	// Codec makes messages of bytes, and bytes of messages. It is needed. See [Map].
	Codec Codec[M, Out]
	// New makes the actor of a connection, which writes by conn. It is called in the
	// actor. It is needed.
	New func(conn *Conn[Out]) actor.Actor[M]
	// Options are those with which each actor is spawned, such as the capacity of its
	// lane. Defaults to none.
	Options []actor.Option
	// Ended makes a message by which the actor learns that nothing more comes. The
	// error is nil if the peer has ended the stream, else see [Conn.Err], or
	// [net.ErrClosed] after Conn.Close. It comes behind all messages of the
	// connection. If it panics or calls Goexit, that is the connection's error, and the
	// actor is drained as if there were none. Defaults to nil: there is no such message.
	Ended func(err error) M
	// HalfOpen leaves the actor alone when the peer has ended its direction of the
	// stream: it goes on to write, and stops or closes the connection by itself. By
	// default it is drained: it handles what it has, and stops.
	HalfOpen bool
	// MaxConns is how many connections are open at a time. Others wait in the queue
	// of the operating system. Defaults to 0, which is no limit.
	MaxConns int
	// Timeouts bound how long a peer may take.
	Timeouts Timeouts
	// Shutdown is how long an actor may take to stop when the system stops; then it is
	// killed. Defaults to 5 seconds.
	Shutdown time.Duration
	// OnEnd is called when a connection has been closed, on its strand, and must not
	// wait. A panic or a Goexit in it is contained. Defaults to nil.
	OnEnd func(End)
}

// End tells of a connection that is over.
type End struct {
	Remote  net.Addr
	Err     error // See [Conn.Err].
	Traffic Traffic
}

// Listener accepts connections, each of which has an actor of its own. Its methods
// are safe for concurrent use. A nil Listener, and one that Listen has not made, has
// nothing to tell, and can't be stopped.
type Listener struct {
	l          *strand.Listener
	group      *streams
	sup        *supervise.Supervisor
	keeper     actor.Ref[watch]
	slots      *strand.Chan[struct{}] // One for each connection; nil without a limit.
	accepting  *strand.Strand
	accepted   atomic.Uint64
	troubles   atomic.Uint64
	serve      func(c *strand.Conn) error
	stopListen func()
}

// Stats are figures of a listener.
type Stats struct {
	Open     int    // Connections that are open.
	Accepted uint64 // All so far.
	Failed   uint64 // Those that have ended with an error; see [Conn.Err].
	// Troubles is how often the operating system has not handed a connection over,
	// for want of descriptors or otherwise. The listener then waits, from 5 ms up to
	// a second, and goes on.
	Troubles uint64
	Traffic  Traffic // Of all connections so far.
}

// Listen listens at an address, and has each connection served by an actor of its
// own below a supervisor, until [Listener.Stop] or the end of the system. Ctx
// bounds the look-up of the address's name.
//
// What a peer sends comes to the actor as messages. While the actor's lane is full,
// nothing is read from the peer. The actor ends with its connection, and the
// connection with its actor, whatever the reason; others do not notice. An actor
// that fails is not restarted: its peer has to connect again, since nobody knows
// what it has been answered.
//
// An idle connection takes a descriptor, a strand that holds no worker, and the
// actor: some 10 KB.
func Listen[M, Out any](ctx context.Context, sys *actor.System, cfg ListenerConfig[M, Out]) (*Listener, error) {
	if err := cfg.complete(ctx, sys); err != nil {
		return nil, err
	}
	sup, err := supervise.Start(sys, supervise.Config{Name: cfg.Name, Strategy: supervise.Dynamic})
	if err != nil {
		return nil, err
	}
	l := &Listener{group: newStreams(), sup: sup}
	calm := context.WithoutCancel(ctx)
	if l.l, err = strand.Listen(ctx, cfg.Network, cfg.Addr); err != nil {
		_ = sup.Stop(calm) // It has no children.
		return nil, fmt.Errorf("netio: %w", err)
	}
	if err := l.begin(sys, cfg.MaxConns, func(c *strand.Conn) error { return serve(l, sys, &cfg, c) }); err != nil {
		_ = l.l.Close()
		_ = sup.Stop(calm)
		return nil, err
	}
	return l, nil
}

func (cfg *ListenerConfig[M, Out]) complete(ctx context.Context, sys *actor.System) error {
	switch {
	case ctx == nil || sys == nil:
		return fmt.Errorf("%w: Listen needs a Context and a System", ErrConfig)
	case cfg.New == nil:
		return fmt.Errorf("%w: New is nil", ErrConfig)
	case cfg.MaxConns < 0:
		return fmt.Errorf("%w: MaxConns is %d; it must be at least 1, or 0 for no limit", ErrConfig, cfg.MaxConns)
	case cfg.Network == "unix" && cfg.Addr == "":
		return fmt.Errorf("%w: Addr is empty; a Unix socket needs a path", ErrConfig)
	}
	if cfg.Name == "" {
		cfg.Name = "netio"
	}
	if cfg.Network == "" {
		cfg.Network = "tcp"
	}
	if cfg.Addr == "" {
		cfg.Addr = "127.0.0.1:0"
	}
	if _, err := newDecoder(cfg.Codec); err != nil {
		return err
	}
	return cfg.Timeouts.complete()
}

// begin starts what a listener consists of.
func (l *Listener) begin(sys *actor.System, conns int, serve func(c *strand.Conn) error) (err error) {
	l.serve = serve
	if conns > 0 {
		l.slots = strand.NewChan[struct{}](conns)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.stopListen = func() { cancel(); _ = l.l.Close() }
	k := &keeper{group: l.group, stop: l.stopListen, watched: map[actor.Monitor]*stream{}}
	if l.keeper, err = actor.Spawn(sys, actor.Actor[watch](k)); err != nil {
		cancel()
		return err
	}
	if l.accepting, err = strand.Go(ctx, l.accept, strand.On(sys.Scheduler()), strand.Kind("netio")); err != nil {
		_ = l.keeper.Stop(context.Background()) // It has nothing to do.
	}
	return err
}

// accept is the strand that accepts.
func (l *Listener) accept(me *strand.Strand) error {
	pause := minPause
	for {
		if err := l.takeSlot(me); err != nil {
			return err
		}
		c, err := l.l.Accept(me)
		if err == nil {
			l.accepted.Add(1)
			err = l.serve(c)
		}
		switch {
		case err == nil:
			pause = minPause
			continue
		case errors.Is(err, net.ErrClosed) || me.Err() != nil:
			return err
		}
		l.troubles.Add(1)
		l.freeSlot(me)
		if err := me.Sleep(pause); err != nil {
			return err
		}
		pause = min(2*pause, maxPause)
	}
}

// The pauses after an Accept that has failed are those of package strand.
const (
	minPause = 5 * time.Millisecond
	maxPause = time.Second
)

func (l *Listener) takeSlot(ctx context.Context) error {
	if l.slots == nil {
		return nil
	}
	return l.slots.Send(ctx, struct{}{})
}

func (l *Listener) freeSlot(ctx context.Context) {
	if l.slots != nil {
		_, _, _ = l.slots.TryReceive(ctx) // It holds one for whoever comes here.
	}
}

// serve starts the strand of a connection, which starts its actor: so the next one is
// accepted meanwhile.
func serve[M, Out any](l *Listener, sys *actor.System, cfg *ListenerConfig[M, Out], c *strand.Conn) error {
	s := newStream(c, cfg.Timeouts, l.group)
	if err := l.group.add(context.Background(), s); err != nil {
		_ = c.Close()
		return err
	}
	conn := &Conn[Out]{encode: cfg.Codec.Append, s: s}
	child := supervise.Child[M]{
		New:      func() actor.Actor[M] { return cfg.New(conn) },
		Restart:  supervise.Temporary,
		Shutdown: cfg.Shutdown,
		Options:  cfg.Options,
	}
	k := &link[M]{
		s: s, keeper: l.keeper, ended: cfg.Ended, halfOpen: cfg.HalfOpen,
	}
	k.start = func(ctx context.Context) (to actor.Ref[M], err error) {
		defer func() {
			if k.decoder == nil && err == nil {
				s.fail(fmt.Errorf("%w: NewDecoder called runtime.Goexit", ErrNoActor))
			}
		}()
		if k.decoder, err = newDecoder(cfg.Codec); err != nil {
			return to, err
		}
		return supervise.Spawn(ctx, l.sup, child)
	}
	s.atEnd = func(ctx context.Context) {
		defer l.freeSlot(ctx) // When it is over for OnEnd as well.
		if cfg.OnEnd != nil {
			defer func() { _ = recover() }() // It is only told.
			cfg.OnEnd(End{c.RemoteAddr(), s.err(), s.traffic()})
		}
	}
	if _, err := strand.Go(context.Background(), k.run, strand.On(sys.Scheduler()), strand.Kind("netio")); err != nil {
		_ = c.Close()
		l.group.remove(s)
		return err
	}
	return nil
}

func (l *Listener) isVoid() bool { return l == nil || l.group == nil }

// Addr returns the address at which the listener listens.
func (l *Listener) Addr() net.Addr {
	if l.isVoid() {
		return nil
	}
	return l.l.Addr()
}

// Supervisor returns the supervisor of the connections' actors.
func (l *Listener) Supervisor() *supervise.Supervisor {
	if l.isVoid() {
		return nil
	}
	return l.sup
}

// Stats returns a snapshot. It looks at each open connection.
func (l *Listener) Stats() Stats {
	if l.isVoid() {
		return Stats{}
	}
	l.group.mu.Lock()
	defer l.group.mu.Unlock()
	st := Stats{
		Open: len(l.group.open), Accepted: l.accepted.Load(), Failed: l.group.failed,
		Troubles: l.troubles.Load() + uint64(l.l.Exhausted()), Traffic: l.group.past,
	}
	for s := range l.group.open {
		st.Traffic.add(s.traffic())
	}
	return st
}

// Stop accepts no more connections, reads no more from those that are open, and has
// their actors handle the messages that they have and answer them; then it closes
// the connections, and returns. Peers that don't close theirs as well keep it
// waiting for up to 500 ms, so that the last answers arrive.
//
// If ctx ends first, Stop kills the actors that are left, closes their connections
// at once, and returns an error that wraps the cause of ctx. Stop may be called
// again. The actor of a connection can't wait for its own end: Stop returns
// [actor.ErrWouldDeadlock] in its handler, with its Context, and the connections
// end in the background. A Listener that Listen has not made gets net.ErrClosed.
func (l *Listener) Stop(ctx context.Context) error {
	switch {
	case ctx == nil:
		return fmt.Errorf("%w: Stop with a nil Context", ErrConfig)
	case l.isVoid():
		return net.ErrClosed
	}
	l.stopListen()
	all := l.group.refuse(net.ErrClosed)
	for _, s := range all {
		s.end(ctx, ErrListenerStopped)
	}
	if self, ok := ctx.(interface{ PID() actor.PID }); ok && l.has(self.PID()) {
		return actor.ErrWouldDeadlock
	}
	calm := context.WithoutCancel(ctx)
	err := l.group.wait.Wait(ctx)
	if err != nil {
		err = l.force(calm, err)
	}
	_ = l.accepting.Join(calm) // It says that it was cancelled.
	_ = l.sup.Stop(calm)       // Its children have ended.
	_ = l.keeper.Stop(calm)
	return err
}

// force ends the connections that have not ended by themselves.
func (l *Listener) force(calm context.Context, why error) error {
	left := l.group.refuse(net.ErrClosed)
	for _, s := range left {
		s.force(ErrListenerStopped)
	}
	_ = l.group.wait.Wait(calm) // For those that were killed.
	return fmt.Errorf("netio: %d connections were cut off by the stop: %w", len(left), why)
}

// has reports whether the actor with the given PID is that of a connection.
func (l *Listener) has(id actor.PID) bool {
	for _, s := range l.group.refuse(net.ErrClosed) {
		if s.isOf(id) {
			return true
		}
	}
	return false
}
