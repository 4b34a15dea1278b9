package netio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/strand"
	"github.com/troupe-go/troupe/supervise"
)

// ListenerConfig configures a Listener whose connections are actors. They take
// messages of type M and write messages of type Out.
type ListenerConfig[M, Out any] struct {
	// Name is the name of the listener in the tree of actors. Defaults to "netio".
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
	// of the operating system. Defaults to no limit; -1 means the same.
	MaxConns int
	// Timeouts bound how long a peer may take.
	Timeouts Timeouts
	// MaxBuffered is how many bytes of the program's memory a connection may take: for a message that has not
	// all come, messages that the actor has not handled, and what the peer has not taken.
	// Messages count with the bytes in which they came and the size of M. Where there is no room,
	// nothing is read from the peer until the actor has handled what it has. A message that needs a
	// larger buffer by itself, which is up to a fourth larger than the message, ends the connection with
	// [ErrBufferLimit]. Defaults to 4 MiB; -1 means no limit.
	MaxBuffered int64
	// MaxBufferedTotal is how many bytes all connections may take together. The first 8 KiB of each
	// do not count. Where there is no room, connections wait, in the order in which their messages were begun.
	// The first may exceed the limit to end its message where messages would wait for each other. If none gets
	// room for a second, the peers are cut off, with ErrBufferLimit, that have not read for as long, as many as
	// it takes; and if there are none, and most of the memory is for messages that have not all come, the one
	// whose message has been coming for longest. A peer that holds no more than 8 KiB never waits for the others and
	// is not cut off. The garbage collector lets the heap grow to about twice as much. It must be at
	// least twice MaxBuffered. Defaults to 96 MiB, or twice MaxBuffered if that is more; -1 means no limit.
	MaxBufferedTotal int64
	// Shutdown is how long the connections may take to end when the listener is stopped
	// by its supervisor or with the system; then they are cut off, and their actors
	// killed. Defaults to 5 seconds. [supervise.Infinity] means no limit,
	// [supervise.BrutalKill] no time.
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

// Listener accepts connections, each of which has an actor of its own. It comes from
// [Listen], which starts it, or from [NewListener], for a supervisor to start it. Its
// methods are safe for concurrent use. A nil or zero Listener has nothing to tell, and
// can't be stopped.
type Listener struct {
	name     string
	network  string
	shutdown time.Duration
	total    int64 // How much the connections may buffer.
	serve    func(o *opening, c *strand.Conn) error
	top      *supervise.Supervisor  // Of Listen; nil if it is the user's.
	slots    *strand.Chan[struct{}] // One for each connection; nil without a limit.
	past     past
	accepted atomic.Uint64
	troubles atomic.Uint64
	// lingering is for how long its connections linger. Tests set it before the start.
	lingering time.Duration

	mu     sync.Mutex
	addr   string           // Where to listen next.
	socket *strand.Listener // Opened by Listen for the first incarnation of the actor.
	latest *opening         // Nil before the start.
}

// Stats are figures of a listener.
type Stats struct {
	Open     int    // Connections that are open.
	Accepted uint64 // All so far.
	Failed   uint64 // Connections that have ended with an error; see [Conn.Err].
	// Troubles is how often the operating system has not handed a connection over,
	// for want of descriptors or otherwise. The listener then waits, from 5 ms up to
	// a second, and goes on.
	Troubles uint64
	Traffic  Traffic // Of all connections so far.
	// Buffered is how many bytes count for ListenerConfig.MaxBufferedTotal, and Paused the
	// number of connections from which nothing is read, since there is no room.
	Buffered int64
	Paused   int
	// CutOff counts the connections that were ended since others needed their memory; they are
	// among Failed.
	CutOff uint64
}

// Listen listens at an address and has each connection served by an actor of its own,
// until [Listener.Stop], or the end of the system or the actor below which it was
// started: at is a system, or the context of an actor. Ctx bounds the look-up of the
// address's name. If the address can't be opened, Listen returns an error that says why.
//
// Data from a peer comes to the actor as messages. While the actor's lane is full, nothing
// is read from the peer. The actor ends with its connection, and the connection with its
// actor, whatever the reason; others do not notice. An actor that fails is not restarted:
// its peer has to connect again, since nobody knows what it has been answered.
//
// Listen starts a supervisor with the name of the listener, which restarts the listener
// should it fail; see [Listener.Child], by which another supervisor does so.
//
// An idle connection takes a descriptor, a strand that holds no worker, and the
// actor: some 10 KB.
func Listen[M, Out any](ctx context.Context, at actor.Spawner, cfg ListenerConfig[M, Out]) (*Listener, error) {
	if ctx == nil || at == nil {
		return nil, fmt.Errorf("%w: Listen needs a Context and a System, or the Context of an actor", ErrConfig)
	}
	l, err := NewListener(cfg)
	if err != nil {
		return nil, err
	}
	if l.socket, err = strand.Listen(ctx, l.network, l.addr); err != nil {
		return nil, fmt.Errorf("netio: %w", err)
	}
	socket, child := l.socket, l.Child()
	child.Name = "listener"
	l.top, err = supervise.Start(at, supervise.Config{
		Name: l.name, Children: []supervise.Spec{child}, Backoff: supervise.Backoff{Min: minPause, Max: maxPause},
	})
	if err != nil {
		_ = socket.Close() // It may be closed already.
		return nil, err
	}
	return l, nil
}

// NewListener returns a listener that does nothing yet: a supervisor starts its
// [Listener.Child]. It returns an error for a configuration that makes no sense.
func NewListener[M, Out any](cfg ListenerConfig[M, Out]) (*Listener, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	l := &Listener{
		name: cfg.Name, network: cfg.Network, addr: cfg.Addr, shutdown: cfg.Shutdown, total: cfg.MaxBufferedTotal,
		serve:     func(o *opening, c *strand.Conn) error { return serve(o, &cfg, c) },
		lingering: lingering,
	}
	if cfg.MaxConns > 0 {
		l.slots = strand.NewChan[struct{}](cfg.MaxConns)
	}
	return l, nil
}

// Child describes the listener as a child of a supervisor, which may be changed in what
// concerns restarts before it is handed over. The connections are part of the child:
//
//   - It has started when the address is open. If that fails, the start fails, with an
//     error that wraps what the operating system says.
//   - When it is stopped, it first accepts no more connections. Then it ends those that
//     are open in good order, as [Listener.Stop] does; those that have not ended within
//
// ListenerConfig.Shutdown are cut off. Actors that were started before it still run
// meanwhile, so the actors of connections may use them to the end.
//   - It fails when it can't accept any more, or when the supervisor of its connections'
//     actors fails. Then the connections are ended in the same way. A restart opens the
//     same address, with the same port if the operating system has chosen it.
//
// Only one child at a time can be started by it.
func (l *Listener) Child() supervise.Child[notice] {
	if l.isVoid() {
		return supervise.Child[notice]{}
	}
	return supervise.Child[notice]{
		Name:     l.name,
		New:      func() actor.Actor[notice] { return &door{l: l} },
		Shutdown: supervise.Infinity, // It has a limit of its own.
	}
}

func (cfg *ListenerConfig[M, Out]) complete() error {
	switch {
	case cfg.New == nil:
		return fmt.Errorf("%w: New is nil", ErrConfig)
	case cfg.MaxConns < -1:
		return fmt.Errorf("%w: MaxConns is %d; it must be at least 1, or 0 or -1 for no limit", ErrConfig, cfg.MaxConns)
	case cfg.Shutdown < 0 && cfg.Shutdown != supervise.Infinity && cfg.Shutdown != supervise.BrutalKill:
		return fmt.Errorf("%w: Shutdown is %v; it must be positive, 0 for the default, supervise.Infinity or supervise.BrutalKill", ErrConfig, cfg.Shutdown)
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
	if cfg.Shutdown == 0 {
		cfg.Shutdown = 5 * time.Second
	}
	if _, err := newDecoder(cfg.Codec); err != nil {
		return err
	}
	if err := completeBytes(&cfg.MaxBuffered, "MaxBuffered", defaultBuffered); err != nil {
		return err
	}
	least := cfg.MaxBuffered
	if least < math.MaxInt64/2 {
		least *= 2
	}
	if err := completeBytes(&cfg.MaxBufferedTotal, "MaxBufferedTotal", max(defaultTotal, least)); err != nil {
		return err
	}
	if cfg.MaxBufferedTotal < least {
		return fmt.Errorf("%w: MaxBufferedTotal is %d; it must be at least twice MaxBuffered, which is %d", ErrConfig, cfg.MaxBufferedTotal, cfg.MaxBuffered)
	}
	return cfg.Timeouts.complete()
}

// completeBytes puts in the default of a setting in bytes.
func completeBytes(n *int64, name string, byDefault int64) error {
	switch {
	case *n < -1:
		return fmt.Errorf("%w: %s is %d; it must be positive, 0 for the default of %d, or -1 for no limit", ErrConfig, name, *n, byDefault)
	case *n == -1:
		*n = math.MaxInt64
	case *n == 0:
		*n = byDefault
	}
	return nil
}

func (l *Listener) isVoid() bool { return l == nil || l.serve == nil }

// current returns what is open, or was last, and nil before the start.
func (l *Listener) current() *opening {
	if l.isVoid() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.latest
}

// Addr returns the address at which the listener listens, or nil if it has not been
// started.
func (l *Listener) Addr() net.Addr {
	if o := l.current(); o != nil {
		return o.socket.Addr()
	}
	return nil
}

// Supervisor returns the supervisor of the connections' actors, or nil if the listener
// has not been started. After a restart of the listener it is another one.
func (l *Listener) Supervisor() *supervise.Supervisor {
	if o := l.current(); o != nil {
		return o.sup
	}
	return nil
}

// Stats returns a snapshot. It looks at each open connection.
func (l *Listener) Stats() Stats {
	o := l.current()
	if o == nil {
		return Stats{}
	}
	st := Stats{Accepted: l.accepted.Load(), Troubles: l.troubles.Load() + uint64(o.socket.Exhausted())}
	o.group.count(&st)
	return st
}

// Stop ends the listener with its connections; [Listener.Shutdown] lets them end by themselves.
//
// Stop accepts no more connections, reads no more from those that are open, and has
// their actors handle the messages that they have and answer them; then it closes
// the connections, and returns. Peers that don't close theirs as well keep it
// waiting for up to 500 ms, so that the last answers arrive. The listener is not
// restarted.
//
// If ctx ends first, Stop kills the actors that are left, closes their connections
// at once, and returns an error that wraps the cause of ctx. Stop may be called
// again. The actor of a connection can't wait for its own end: in a handler of it, or
// of an actor below it, Stop returns [actor.ErrWouldDeadlock], and the listener stops
// in the background, within ListenerConfig.Shutdown. A Listener that has not been
// started gets net.ErrClosed.
func (l *Listener) Stop(ctx context.Context) error {
	o := l.current()
	switch {
	case ctx == nil:
		return fmt.Errorf("%w: Stop with a nil Context", ErrConfig)
	case o == nil:
		return net.ErrClosed
	}
	o.end(ctx)
	if sys := o.sys; sys.Inside(ctx, o.keeper.PID()) {
		_ = sys.RequestStop(l.pid(o)) // Else it has ended.
		return actor.ErrWouldDeadlock
	}
	calm := context.WithoutCancel(ctx)
	err := o.group.wait.Wait(ctx)
	if err != nil {
		err = fmt.Errorf("netio: %d connections were cut off by the stop: %w", o.group.force(ErrListenerStopped), err)
		_ = o.group.wait.Wait(calm) // For the connections that were killed.
	}
	return errors.Join(err, l.stopActor(calm, o))
}

// pid returns the PID of the actor that is stopped with the listener: the supervisor
// that Listen has started, or the listener's own.
func (l *Listener) pid(o *opening) actor.PID {
	if l.top != nil {
		return l.top.PID()
	}
	return o.keeper.PID()
}

// stopActor stops that actor, whose connections have ended.
func (l *Listener) stopActor(calm context.Context, o *opening) error {
	if l.top != nil {
		return l.top.Stop(calm)
	}
	return o.keeper.Stop(calm)
}
