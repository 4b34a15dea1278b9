package actor

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/troupe-go/troupe/internal/kernel/hosts"
	"github.com/troupe-go/troupe/internal/kernel/standin"
	"github.com/troupe-go/troupe/internal/workers"
)

// Actor handles messages of type M, one at a time. Its fields
// need no locks. It may block, compute for long, or call a database: other
// actors go on.
type Actor[M any] interface {
	// Receive handles m. An error or a panic ends the actor, or this incarnation
	// of it: a parent may restart it. An error that the actor can live with is
	// not to be returned, except that [ErrLateReply] ends nothing, so that a
	// handler may end with `return m.reply.Send(ctx, answer)`; that an error which
	// only says that the asker has left, as the Err or the cause of ctx do then, ends
	// nothing either; and that [ErrUnhandled] only makes a dead letter of the message.
	Receive(ctx *Context[M], m M) error
}

// Func makes an actor of a function.
func Func[M any](receive func(ctx *Context[M], m M) error) Actor[M] {
	return funcActor[M](receive)
}

type funcActor[M any] func(ctx *Context[M], m M) error

// check is called by the spawn.
func (f funcActor[M]) check() error {
	if f == nil {
		return errors.New("actor: Func was given a nil function")
	}
	return nil
}

func (f funcActor[M]) standsFor() (code uintptr, other any) {
	return reflect.ValueOf(f).Pointer(), nil
}

func (f funcActor[M]) Receive(ctx *Context[M], m M) error { return f(ctx, m) }

// Spawner is where an actor can be spawned: a [*System], or the [*Context] of
// an actor, which becomes the parent.
type Spawner interface {
	spawner() (birthplace, error)
}

// birthplace says under which parent an actor is spawned, in which of its
// incarnations, and on which fiber the call runs, if any.
type birthplace struct {
	parent      *proc
	incarnation uint32
	fiber       *workers.Fiber
}

// Spawn starts an actor and returns its ref, to which messages can be sent at
// once. If the actor is a [Starter], its hook runs before the first of them is
// handled, but not before Spawn returns.
//
// Spawn returns [ErrSystemStopped] when the system is stopping, [ErrStopped]
// when the parent is, and an error for a nil actor, a wrong option, or a value with a
// method that has the name of a hook, such as Started or Stopped, but not its signature:
// that would never be called. It costs one allocation.
func Spawn[M any](at Spawner, a Actor[M], opts ...Option) (Ref[M], error) {
	if a == nil {
		return Ref[M]{}, errors.New("actor: Spawn was given a nil actor; use Func, or a value with a method Receive")
	}
	return spawn(at, a, nil, opts)
}

// SpawnNew is Spawn for an actor that can be restarted: newActor makes the
// value for each incarnation, the first at once. When an incarnation ends, the
// actor is held with the messages that wait for it, and its parent decides, if
// that is a [Parent]. A panic of the first call is the caller's, and no actor is
// spawned; a panic of a later call is a failure of the incarnation.
func SpawnNew[M any](at Spawner, newActor func() Actor[M], opts ...Option) (Ref[M], error) {
	if newActor == nil {
		return Ref[M]{}, errors.New("actor: SpawnNew was given a nil function")
	}
	a := newActor()
	if a == nil {
		return Ref[M]{}, errors.New("actor: the function that makes the actor returned nil")
	}
	return spawn(at, a, newActor, opts)
}

// check returns what is wrong with the user's value, whose Context is of type ctx.
func check(a any, ctx reflect.Type) error {
	if known, err := checkOwn(a); known {
		return err
	}
	return kindOfType(reflect.TypeOf(a)).fit(a, ctx)
}

// checkOwn is check for a value of this package; known says whether it is one.
func checkOwn(a any) (known bool, err error) {
	v, known := a.(interface{ check() error })
	if known {
		err = v.check()
	}
	return known, err
}

func spawn[M any](at Spawner, a Actor[M], newActor func() Actor[M], opts []Option) (Ref[M], error) {
	var c *cell[M]
	if unsafe.Sizeof(*new(M)) > maxByValue {
		c = new(cell[M])
	} else {
		c = &new(pocketedCell[M]).cell
	}
	c.produce = newActor
	x := &c.first
	x.typed, x.p, x.actor = x, &c.proc, a
	c.proc.impl = c
	c.proc.nature = natureOf(reflect.TypeFor[M](), newActor != nil)
	c.proc.ctx.Store(&x.scope)
	if a == nil { // Nothing else is known before it begins.
		x.kind.Store(kindOfType(reflect.TypeFor[Actor[M]]()))
	}
	if err := c.proc.spawn(at, a, opts); err != nil {
		return Ref[M]{}, err
	}
	return Ref[M]{cell: c}, nil
}

// spawn begins the life of p. Value is the user's, or nil for an actor that is
// held first.
func (p *proc) spawn(at Spawner, value any, opts []Option) error {
	if at == nil {
		return errors.New("actor: Spawn was given a nil Spawner; use a System or a Context")
	}
	b, err := at.spawner()
	if err != nil {
		return err
	}
	parent := b.parent
	if parent.sys.stopping.Load() {
		return ErrSystemStopped
	}
	if _, err := checkOwn(value); err != nil {
		return err
	}
	if p.opts, err = parent.sys.settled(opts, p.impl); err != nil {
		return err
	}
	if _, ok := value.(sequel); ok {
		if err := p.opts.suitProcess(); err != nil {
			return err
		}
	}
	if p.opts.retry > 0 && (!p.nature.has(renewable) || parent.traits&isParent == 0) {
		return fmt.Errorf("actor: WithRetry(%d) under %s, but the actor is never restarted; use SpawnNew or SpawnHeld below an actor that is a Parent", p.opts.retry, parent)
	}
	x := p.ctx.Load()
	if value == nil {
		if parent.traits&isParent == 0 {
			return fmt.Errorf("actor: SpawnHeld under %s, which has no method ChildExited and so never restarts a child, see Parent", parent)
		}
		p.phase.Store(waiting)
		p.hold()
		p.nature |= seat
	} else {
		k, telling := kindOf(value)
		if telling {
			if err := k.fit(value, reflect.TypeOf(x.typed)); err != nil {
				return err
			}
		}
		x.kind.Store(k)
		_, x.process = value.(sequel)
		x.learn(k, telling)
		p.traits = x.traits()
	}
	p.sys = parent.sys
	if p.reentrancy = p.opts.reentrancy; p.reentrancy != NoReentrancy {
		p.rareLocked().turns = p.newTurns()
	}
	p.node.Init(p)
	p.born = p.sys.uptime()
	prepares := value != nil && x.has(onStarted)
	if prepares {
		// The parent may ask the child to stop as soon as it has adopted it.
		p.first = sysStart
		p.mu.Init(pendingSystem | queuedNormal)
	} else if value != nil {
		p.phase.Store(alive)
	}
	if name := p.opts.registered; name != "" {
		p.rareLocked().names = []string{name}
	}
	if err := parent.adopt(b.fiber, p, b.incarnation); err != nil {
		return err
	}
	if prepares {
		// A start is no more urgent than a message, and no less than the parent's work that mostly waits for it.
		p.submit(b.fiber, min(p.opts.priority, workers.Normal))
	}
	return nil
}

// settled returns what the options say, and what follows from it in s.
func (s *System) settled(opts []Option, c cellular) (*options, error) {
	o, err := collect(opts)
	if err != nil {
		return nil, err
	}
	if o.timeouts != nil {
		if o.timing, err = newTiming(s, o.timeouts, c); err != nil {
			return nil, err
		}
	}
	if err := o.settleOverflow(c); err != nil {
		return nil, err
	}
	if err := o.settlePriority(); err != nil {
		return nil, err
	}
	if err := o.settle(s); err != nil {
		return nil, err
	}
	if err := o.settleReentrancy(); err != nil {
		return nil, err
	}
	if err := o.settleReads(s, c); err != nil {
		return nil, err
	}
	if o.backend != OnScheduler || o.host != nil {
		if o.host, err = s.newHost(o); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// Option changes how one actor is spawned. Of two that set the same thing, the last
// one counts.
type Option func(*options) error

type options struct {
	name       string
	registered string
	stash      int
	capacity   [numLanes]int
	sized      [numLanes]bool // The capacity is the user's.
	overflow   *overflow      // Nil if all lanes are Fixed and there is no limit.
	throughput int
	bursts     *bursts   // Nil if no lane has one.
	timeouts   *timeouts // From the options, and
	timing     *timing   // derived from timeouts.
	retry      int
	priority   workers.Priority // For Data and Management.
	backend    Backend
	host       hosts.Host // Nil for the scheduler.
	pump       *Pump      // The pump whose loop is the host, or nil.
	place      workers.Place
	placed     bool
	near       *proc // The actor that place is yet to be taken from.

	carrier standin.Carrier // Of stand-ins; nil for actors of the system.
	virtual bool            // They are stand-ins of virtual actors.

	reentrancy   Reentrancy
	maxSuspended int
	reads        *reads // Nil without readers.
	maxReaders   int
	// Whether the options set them, not the defaults.
	choseReentrancy, boundsSuspended bool
}

// defaultThroughput is how many messages an actor handles before others get
// their turn.
const defaultThroughput = 100

var defaults = options{
	capacity: defaultCapacity, throughput: defaultThroughput, priority: workers.Normal, stash: defaultStash, maxSuspended: defaultMaxSuspended,
}

func collect(opts []Option) (*options, error) {
	if len(opts) == 0 {
		return &defaults, nil
	}
	o := defaults
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("actor: Spawn was given a nil option")
		}
		if err := opt(&o); err != nil {
			return nil, err
		}
	}
	if o.name == "" {
		o.name = o.registered
	}
	return &o, nil
}

// maxName is the length of the longest name, in bytes: picked out of thin air.
const maxName = 255

// WithName gives the actor a name, for people: it appears in errors, logs and
// statistics and need not be unique. It has 1 to 255 bytes of printable text.
// [WithRegistration] gives a name under which the actor can be found.
func WithName(name string) Option {
	return func(o *options) error {
		if err := checkName(name); err != nil {
			return err
		}
		o.name = name
		return nil
	}
}

// WithCapacity sets how many messages a lane holds, besides the one that is
// being handled. The defaults are 1024 for Data and 128 for Management and
// Control. A lane of more than 64 may report full when it has room for 1/64 of
// its capacity. [WithBuffer] sets what becomes of those for which there is no
// room.
func WithCapacity(l Lane, n int) Option {
	return func(o *options) error {
		if l >= numLanes {
			return fmt.Errorf("actor: unknown lane %d; use Data, Management or Control", l)
		}
		if n < 1 || n > maxCapacity {
			return fmt.Errorf("actor: capacity %d for the %v lane; it must be 1 to %d", n, l, maxCapacity)
		}
		o.capacity[l], o.sized[l] = n, true
		return nil
	}
}

const maxCapacity = 1 << 30

// WithThroughput sets how many messages of Data and Management the actor
// handles before it gives others their turn. The default is 100; a larger
// number costs others latency, a smaller one costs throughput. Whatever the number,
// a turn also ends with the message during which 1 ms has passed since it began. Where
// messages have become slow all of a sudden, it takes up to 16 of them to notice.
func WithThroughput(n int) Option {
	return func(o *options) error {
		if n < 1 {
			return fmt.Errorf("actor: throughput %d; it must be at least 1", n)
		}
		o.throughput = n
		return nil
	}
}
