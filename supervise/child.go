package supervise

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
)

// How a child is stopped, in place of a time.
const (
	// Infinity is no limit: the supervisor waits until the child has stopped. It is -1, as
	// for all settings.
	Infinity time.Duration = -1
	// BrutalKill kills the child at once, see [actor.Ref.Kill]. It is no time that a
	// program would compute, so a negative time by mistake is an error and not a kill.
	BrutalKill time.Duration = math.MinInt64
)

// The limits by default: OTP has the same for a stop; the one for a start is picked out of
// thin air. An actor that takes longer can do the rest after its start, by a message to
// itself.
const (
	defaultShutdown   = 5 * time.Second
	defaultStartLimit = 10 * time.Second
)

// Spec describes a child of a supervisor: a [Child], or a [Nested] supervisor.
// It is data, from which children are made as often as needed.
type Spec interface {
	plan(at checkpoint) (*plan, error)
}

// Child describes an actor to be supervised.
type Child[M any] struct {
	// Name is by what the child is known, in errors, logs, paths and to the methods
	// of [Supervisor]. It is unique among its siblings. One that is added by
	// [Spawn] need not have a name; it is known by its PID, and forgotten when
	// it ends and is not restarted.
	Name string
	// New makes the actor, once for each incarnation. It is called in the child.
	New func() actor.Actor[M]
	// Check returns what is wrong with what New has to make, or nil. It is called when the
	// description is checked, before anything starts, and its error refuses it. A panic in it
	// is such an error. Defaults to nil: there is nothing to check.
	Check func() error
	// Restart says when the child is restarted. Defaults to Permanent.
	Restart Policy
	// Significant says that its end may stop the supervisor, see [AutoShutdown].
	Significant bool
	// Shutdown is how long the child may take to stop when the supervisor stops
	// it; then it is killed, with all below it. Defaults to 5 seconds. [Infinity]
	// means no limit, [BrutalKill] no time.
	Shutdown time.Duration
	// StartLimit is how long New and the Started hook may take together; then the
	// child is killed, and has failed to start. Defaults to 10 seconds; -1 means
	// no limit.
	StartLimit time.Duration
	// Backoff is the delay before a restart. Defaults to the supervisor's.
	Backoff Backoff
	// DropMail makes a restart begin with an empty mailbox: what waits goes to the
	// dead letters. By default all messages are kept.
	DropMail bool
	// Retry is how often the message in which the child has failed is handled
	// again by the next incarnation; see [actor.WithRetry]. Defaults to none:
	// no message is handled twice. -1 means the same.
	Retry int
	// Options are passed on to the spawn.
	Options []actor.Option
}

// plan is a description that was checked, with all defaults.
type plan struct {
	name        string
	policy      Policy
	significant bool
	supervisor  bool
	empty       bool          // Restart without the messages that wait.
	shutdown    time.Duration // Or Infinity, or BrutalKill.
	startLimit  time.Duration // Negative for none.
	backoff     Backoff
	spawn       func(sup *supervisorActor, at *actor.Context[command]) (place, error)
	assign      func(ref any) // Where the ref of a member of a troupe goes, or nil.
}

// place is an actor that was spawned for a child, and how others reach it.
type place struct {
	pid actor.PID
	ref any // An actor.Ref, or the *Supervisor of a nested one.
}

// checkpoint is where in a tree of supervisors a description is checked.
type checkpoint struct {
	path   string  // Of the supervisor.
	cfg    Config  // Of the supervisor, with defaults.
	levels []*Spec // The lists of children from the top down to here.
}

func (at checkpoint) errorf(name, format string, args ...any) error {
	return fmt.Errorf("supervise: %s/%s: "+format, append([]any{at.path, name}, args...)...)
}

// common is what all descriptions have.
func (at checkpoint) common(p *plan, b Backoff) error {
	switch {
	case p.policy >= numPolicies:
		return at.errorf(p.name, "unknown policy %d; use Permanent, Transient or Temporary", p.policy)
	case p.significant && p.policy == Permanent:
		return at.errorf(p.name, "it is significant and permanent, but a permanent child never ends; make it Transient or Temporary")
	case p.significant && at.cfg.AutoShutdown == Never:
		return at.errorf(p.name, "it is significant, but its supervisor's AutoShutdown is Never; use AnySignificant or AllSignificant")
	case p.shutdown < 0 && p.shutdown != Infinity && p.shutdown != BrutalKill:
		return at.errorf(p.name, "Shutdown is %v; it must be positive, 0 for the default, Infinity or BrutalKill", p.shutdown)
	case p.startLimit < -1:
		return at.errorf(p.name, "StartLimit is %v; it must be positive, 0 for the default, or -1 for none", p.startLimit)
	}
	p.backoff = at.cfg.Backoff
	if b != (Backoff{}) {
		var err error
		if p.backoff, err = b.withDefaults(); err == nil {
			err = p.backoff.suits(at.cfg)
		}
		if err != nil {
			return at.errorf(p.name, "%w", err)
		}
	}
	return nil
}

func (c Child[M]) plan(at checkpoint) (*plan, error) {
	if c.New == nil {
		return nil, at.errorf(c.Name, "Child.New is nil; it makes the actor")
	}
	if c.Retry < -1 {
		return nil, at.errorf(c.Name, "Retry is %d; it must be positive, or 0 or -1 for none", c.Retry)
	}
	if c.Retry > 0 && c.Restart == Temporary {
		return nil, at.errorf(c.Name, "Retry is %d, but a temporary child is never restarted; make it Permanent or Transient", c.Retry)
	}
	if err := c.check(); err != nil {
		return nil, at.errorf(c.Name, "%w", err)
	}
	p := &plan{
		name: c.Name, policy: c.Restart, significant: c.Significant, empty: c.DropMail,
		shutdown: c.Shutdown, startLimit: c.StartLimit,
	}
	if err := at.common(p, c.Backoff); err != nil {
		return nil, err
	}
	if p.shutdown == 0 {
		p.shutdown = defaultShutdown
	}
	if p.startLimit == 0 {
		p.startLimit = defaultStartLimit
	}
	opts := c.options()
	p.spawn = func(_ *supervisorActor, at *actor.Context[command]) (place, error) {
		ref, err := actor.SpawnHeld(at, c.New, opts...)
		return place{ref.PID(), ref}, err
	}
	return p, nil
}

// check calls Child.Check.
func (c Child[M]) check() (err error) {
	if c.Check == nil {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("Child.Check: %w", workers.NewPanicError(v))
		}
	}()
	return c.Check()
}

func (c Child[M]) options() []actor.Option {
	opts := c.Options[:len(c.Options):len(c.Options)]
	if c.Name != "" {
		opts = append(opts, actor.WithName(c.Name))
	}
	if c.Retry > 0 {
		opts = append(opts, actor.WithRetry(c.Retry))
	}
	return opts
}

// Nested describes a supervisor below another one. It has started when all its
// children have, and it fails when its restart intensity is exceeded; then the
// supervisor above it acts. The refs of its own children stay valid over its
// restart, except of those that were added later or are temporary.
type Nested struct {
	// Config configures the supervisor. Its Name is needed.
	Config Config
	// Restart says when the supervisor is restarted. Defaults to Permanent.
	Restart Policy
	// Significant is as in [Child].
	Significant bool
	// Shutdown is as in [Child], except that it defaults to Infinity: the limits below add
	// up.
	Shutdown time.Duration
	// StartLimit is how long all children may take to start. Defaults to no limit, since
	// each child has its own; -1 means the same.
	StartLimit time.Duration
	// Backoff is the delay before the supervisor is restarted as a whole. Defaults to the
	// one of the supervisor above.
	Backoff Backoff
}

func (n Nested) plan(at checkpoint) (*plan, error) {
	p := &plan{
		name: n.Config.Name, policy: n.Restart, significant: n.Significant, supervisor: true,
		shutdown: n.Shutdown, startLimit: n.StartLimit,
	}
	if p.name == "" {
		return nil, at.errorf("?", "Nested.Config.Name is empty; a nested supervisor needs a name")
	}
	if err := at.common(p, n.Backoff); err != nil {
		return nil, err
	}
	if p.shutdown == 0 {
		p.shutdown = Infinity
	}
	if p.startLimit == 0 {
		p.startLimit = -1
	}
	design, err := at.design(n.Config)
	if err != nil {
		return nil, err
	}
	p.spawn = func(sup *supervisorActor, at *actor.Context[command]) (place, error) {
		s := newSupervisor(at.System())
		above, id := sup.handle, at.PID()
		own, err := design.fresh()
		if err != nil {
			return place{}, err
		}
		ref, err := actor.SpawnHeld(at, func() actor.Actor[command] {
			return newSupervisorActor(own, s, func(c command) { above.tell(id, c) })
		}, actor.WithName(p.name))
		s.ref = ref
		return place{ref.PID(), s}, err
	}
	return p, nil
}

// design is a supervisor's configuration that was checked, with all that is
// below it.
type design struct {
	cfg     Config
	plans   []*plan
	at      checkpoint // Of the children.
	publish func()     // Makes the members of the troupe known, or nil.
}

// fresh returns a design for a supervisor that has nothing to do with earlier
// ones: a troupe gets new refs.
func (d *design) fresh() (*design, error) {
	if d.cfg.Troupe == nil {
		return d, nil
	}
	again := &design{cfg: d.cfg, at: d.at}
	return again, again.draw()
}

// draw checks all children.
func (d *design) draw() error {
	var members []castMember
	if d.cfg.Troupe != nil {
		var err error
		if members, d.publish, err = d.cfg.Troupe.cast(); err != nil {
			return fmt.Errorf("supervise: %s: %w", d.at.path, err)
		}
	}
	for _, spec := range d.cfg.Children {
		members = append(members, castMember{spec: spec})
	}
	names := map[string]bool{}
	for i, m := range members {
		p, err := d.at.child(i, m.spec)
		if err != nil {
			return err
		}
		if names[p.name] {
			return d.at.errorf(p.name, "child %d has the name of another one: %w", i+1, ErrExists)
		}
		names[p.name] = true
		p.assign = m.assign
		d.plans = append(d.plans, p)
	}
	if n := len(d.plans); n > 0 && d.cfg.MinHealthy > n {
		return fmt.Errorf("supervise: %s: Config.MinHealthy is %d, but there are only %d children", d.at.path, d.cfg.MinHealthy, n)
	}
	return nil
}

// maxDepth is how many supervisors may be below each other: picked out of thin
// air.
const maxDepth = 100

// design checks the configuration of a supervisor below this place.
func (at checkpoint) design(cfg Config) (*design, error) {
	name := cfg.Name
	if name == "" {
		name = "supervisor"
	}
	path := at.path + "/" + name
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("supervise: %s: %w", path, err)
	}
	d := &design{cfg: cfg, at: checkpoint{path: path, cfg: cfg, levels: at.levels}}
	if err := d.at.descend(); err != nil {
		return nil, err
	}
	return d, d.draw()
}

// child checks one of the children that are declared with the supervisor.
func (at checkpoint) child(i int, spec Spec) (*plan, error) {
	if missing(spec) {
		return nil, fmt.Errorf("supervise: %s: child %d is nil; use a Child or a Nested", at.path, i+1)
	}
	p, err := spec.plan(at)
	if err != nil {
		return nil, err
	}
	if p.name == "" {
		return nil, fmt.Errorf("supervise: %s: child %d has no name; only those that are added by Spawn need none", at.path, i+1)
	}
	return p, nil
}

// descend notes the list of children at this place. It returns an error if a
// supervisor is below itself, which a slice can bring about that contains a
// Nested with the same slice.
func (at *checkpoint) descend() error {
	if len(at.cfg.Children) == 0 {
		return nil
	}
	first := &at.cfg.Children[0]
	for _, above := range at.levels {
		if above == first {
			return fmt.Errorf("supervise: %s: the supervisor is below itself: its Children are those of one above it", at.path)
		}
	}
	if len(at.levels) == maxDepth {
		return fmt.Errorf("supervise: %.80s...: more than %d supervisors are below each other", at.path, maxDepth)
	}
	at.levels = append(at.levels[:len(at.levels):len(at.levels)], first)
	return nil
}

// Check returns what [Start] would say about the configuration, and about all
// children in it. It starts nothing.
func Check(cfg Config) error {
	_, err := checkpoint{}.design(cfg)
	return err
}

var errNoSpawner = errors.New("supervise: Start was given a nil Spawner, or a zero one; use a System that comes from NewSystem, or the Context of a handler")
