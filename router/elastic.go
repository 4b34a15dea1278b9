package router

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// ElasticConfig configures an [Elastic]. Only New has to be given.
type ElasticConfig[M any] struct {
	// Name is for people; members are called by it and a number. Defaults to
	// "elastic".
	Name string
	// New makes a member, once for each of its incarnations. It is called by several at the
	// same time.
	New func() actor.Actor[M]
	// Options are passed on to the spawn of each member.
	Options []actor.Option
	// Router says how messages are spread over the members. It must have no Routees, and
	// another strategy than Broadcast; its Name defaults to the name of the pool.
	Router Config[M]

	// Min and Max are how many members there are at least and at most. Min
	// defaults to 1, Max to four times the scheduler's workers, or to Min if that
	// is more.
	Min, Max int
	// Every is how often the pool looks at its members. Defaults to 100 ms.
	Every time.Duration
	// UpBacklog is how many messages a member may have to do, in the mean; with
	// more the pool grows. Defaults to 10; -1 means that it does not go by the
	// backlog.
	UpBacklog float64
	// DownBacklog is the mean backlog below which the pool shrinks. It must be less
	// than UpBacklog. Defaults to a tenth of UpBacklog, or 1 without that; -1
	// means that the pool never shrinks.
	DownBacklog float64
	// UpLatency is how long a message may take, with its waiting; the pool grows
	// if the estimate is more. See Sample.Latency. By default the pool
	// does not go by the latency; -1 means the same. Defaults to 0.
	UpLatency time.Duration
	// DownLatency is the estimate below which the pool may shrink, if it goes by
	// the latency; its backlog must be low as well. It must be less than UpLatency.
	// Defaults to a fourth of UpLatency.
	DownLatency time.Duration
	// StepUp and StepDown are by how many members it grows and shrinks at a time.
	// Default to 1.
	StepUp, StepDown int
	// Cooldown is how much time passes between two changes at least. Members that
	// are missing to Min are replaced nevertheless. Defaults to 1 s; -1 means none.
	Cooldown time.Duration

	// Intensity and Period bound the restarts of members, all together; see
	// package supervise, whose defaults they have. If they fail more often, the
	// pool stops.
	Intensity int
	Period    time.Duration
	// OnScale is called after each change, and must not wait. A panic in it is
	// contained. Defaults to nil.
	OnScale func(Scaling)
}

func (c ElasticConfig[M]) withDefaults(workers int) (ElasticConfig[M], error) {
	if c.Name == "" {
		c.Name = "elastic"
	}
	if c.Min == 0 {
		c.Min = 1
	}
	if c.Max == 0 {
		c.Max = max(4*workers, c.Min)
	}
	if err := c.checkSize(); err != nil {
		return c, err
	}
	def(&c.Every, 100*time.Millisecond)
	def(&c.UpBacklog, 10)
	def(&c.DownBacklog, c.defaultDown())
	def(&c.DownLatency, c.UpLatency/4)
	def(&c.StepUp, 1)
	def(&c.StepDown, 1)
	def(&c.Cooldown, time.Second)
	if c.Router.Name == "" {
		c.Router.Name = c.Name
	}
	return c, c.checkThresholds()
}

func (c ElasticConfig[M]) defaultDown() float64 {
	if c.UpBacklog == -1 {
		return 1
	}
	return c.UpBacklog / 10
}

// def sets what was not given.
func def[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

const maxElasticMin = 1 << 20 // A slip of the pen.

func (c ElasticConfig[M]) checkSize() error {
	switch {
	case c.New == nil:
		return errors.New("router: ElasticConfig.New is nil; it makes the members")
	case c.Min < 0:
		return fmt.Errorf("router: ElasticConfig.Min is %d; it must be positive, or 0 for 1", c.Min)
	case c.Min > maxElasticMin:
		return fmt.Errorf("router: ElasticConfig.Min is %d; it must be at most %d, since so many are started at once", c.Min, maxElasticMin)
	case c.Max < 0:
		return fmt.Errorf("router: ElasticConfig.Max is %d; it must be positive, or 0 for the default", c.Max)
	case c.Min > c.Max:
		return fmt.Errorf("router: ElasticConfig.Min is %d, and Max only %d; raise Max or lower Min", c.Min, c.Max)
	case len(c.Router.Routees) > 0:
		return fmt.Errorf("router: ElasticConfig.Router has %d Routees; the pool makes its own", len(c.Router.Routees))
	case c.Router.Strategy == Broadcast:
		return errors.New("router: ElasticConfig.Router has the strategy broadcast; more members would have more to do, not less")
	}
	return nil
}

func (c ElasticConfig[M]) checkThresholds() error {
	switch {
	case c.Every < 0:
		return fmt.Errorf("router: ElasticConfig.Every is %v; it must be positive, or 0 for the default", c.Every)
	case !(c.UpBacklog > 0) && c.UpBacklog != -1:
		return fmt.Errorf("router: ElasticConfig.UpBacklog is %v; it must be positive, 0 for the default, or -1 for not at all", c.UpBacklog)
	case !(c.DownBacklog >= 0) && c.DownBacklog != -1:
		return fmt.Errorf("router: ElasticConfig.DownBacklog is %v; it must be positive, 0 for the default, or -1 for never", c.DownBacklog)
	case c.UpBacklog > 0 && c.DownBacklog >= c.UpBacklog:
		return fmt.Errorf("router: ElasticConfig.DownBacklog is %v, and UpBacklog %v; it must be less, or the pool never rests", c.DownBacklog, c.UpBacklog)
	case c.UpLatency < -1:
		return fmt.Errorf("router: ElasticConfig.UpLatency is %v; it must be positive, or 0 or -1 for not at all", c.UpLatency)
	case c.DownLatency < 0:
		return fmt.Errorf("router: ElasticConfig.DownLatency is %v; it must be positive, or 0 for the default", c.DownLatency)
	case c.DownLatency > 0 && c.DownLatency >= c.UpLatency:
		return fmt.Errorf("router: ElasticConfig.DownLatency is %v, and UpLatency %v; it must be less, or the pool never rests", c.DownLatency, c.UpLatency)
	case c.StepUp < 0 || c.StepDown < 0:
		return fmt.Errorf("router: ElasticConfig.StepUp is %d and StepDown %d; they must be positive, or 0 for 1", c.StepUp, c.StepDown)
	case c.Cooldown < -1:
		return fmt.Errorf("router: ElasticConfig.Cooldown is %v; it must be positive, 0 for the default, or -1 for none", c.Cooldown)
	}
	return nil
}

// Elastic is a pool of actors whose number follows the load: members that a
// supervisor restarts when they fail, behind a [Router]. Each has its own state
// and mailbox; for plain functions a [Pool] is the better choice. The methods of a nil
// or zero Elastic, which NewElastic has not returned, return [ErrNoPool], or nothing.
type Elastic[M any] struct {
	cfg    ElasticConfig[M]
	sys    *actor.System
	chief  actor.Ref[tick[M]]
	router Router[M]
	sup    *supervise.Supervisor // Of the members.

	mu    sync.Mutex
	stats ElasticStats
	// leaving are members that were taken out and still handle what they have.
	leaving []actor.Ref[M]
}

// NewElastic starts a pool with ElasticConfig.Min members, at the top of a system
// or below the actor whose context is given, with which it stops then. It returns
// an error for a configuration that makes no sense, and if the members can't be
// spawned.
func NewElastic[M any](at actor.Spawner, cfg ElasticConfig[M]) (*Elastic[M], error) {
	sys, err := systemOf(at)
	if err != nil {
		return nil, err
	}
	if cfg, err = cfg.withDefaults(sys.Scheduler().Workers()); err != nil {
		return nil, err
	}
	if _, err := cfg.Router.withDefaults(); err != nil {
		return nil, err
	}
	e := &Elastic[M]{cfg: cfg, sys: sys}
	e.chief, err = actor.Spawn(at, actor.Actor[tick[M]](&chief[M]{e: e}), actor.WithName(cfg.Name))
	if err != nil {
		return nil, fmt.Errorf("router: start %s: %w", cfg.Name, err)
	}
	ctx, ok := at.(context.Context)
	if !ok {
		ctx = context.Background()
	}
	// The members start meanwhile, which takes as long as their hooks do.
	_, err = actor.Ask(actor.WithoutAskTimeout(ctx), e.chief, func(r actor.Reply[struct{}]) tick[M] { return tick[M]{begin: r, first: true} })
	if err != nil {
		_ = e.chief.Stop(patient{ctx})
		return nil, err
	}
	return e, nil
}

// Router returns the router that leads to the members. It is to be used as any
// router, but not to be changed or stopped.
func (e *Elastic[M]) Router() Router[M] {
	if e.missing() {
		return Router[M]{}
	}
	return e.router
}

// missing reports whether there is no pool.
func (e *Elastic[M]) missing() bool { return e == nil || e.sys == nil }

// String returns the pool's name.
func (e *Elastic[M]) String() string {
	if e.missing() {
		return "<no pool>"
	}
	return e.cfg.Name
}

// Stop stops the members after the messages that they are handling, and the
// pool; see [actor.Ref.Stop]. Members that have not stopped after 5 seconds are
// killed, and Stop returns an error that names them and wraps [actor.ErrForced].
func (e *Elastic[M]) Stop(ctx context.Context) error {
	if e.missing() {
		return ErrNoPool
	}
	return e.end(ctx)
}

// end stops the pool. Its supervisor has stopped then, and says whom it had to kill.
func (e *Elastic[M]) end(ctx context.Context) error {
	if err := e.chief.Stop(ctx); err != nil {
		return err
	}
	return e.sup.Stop(ctx)
}

// Drain refuses new messages, lets the members handle what they have, and then
// stops the pool. If ctx ends first it goes on like Stop.
func (e *Elastic[M]) Drain(ctx context.Context) error {
	if e.missing() {
		return ErrNoPool
	}
	refs := e.router.Routees()
	err := e.router.Stop(ctx)
	e.mu.Lock()
	refs = append(refs, e.leaving...)
	e.mu.Unlock()
	for _, ref := range refs {
		err = errors.Join(err, ref.Drain(ctx))
	}
	return errors.Join(err, e.end(ctx))
}

// Done returns a channel that is closed when the pool has stopped.
func (e *Elastic[M]) Done() <-chan struct{} {
	if e.missing() {
		return actor.Ref[M]{}.Done()
	}
	return e.chief.Done()
}

// Err returns why the pool has stopped: nil if it was asked to or has not, or an
// error that wraps [supervise.ErrIntensity] if its members failed too often. If members
// had to be killed, it names them and wraps [actor.ErrForced], as Stop does.
//
// [supervise.ErrIntensity]: https://pkg.go.dev/github.com/troupe-go/troupe/supervise#ErrIntensity
func (e *Elastic[M]) Err() error {
	if e.missing() {
		return ErrNoPool
	}
	if err := e.chief.Err(); err != nil {
		return err
	}
	return e.sup.Err()
}

// ElasticStats is a snapshot of an Elastic.
type ElasticStats struct {
	Name     string
	Members  int // Members that get messages.
	Leaving  int // Members that were taken out and still handle the rest of their messages.
	Min, Max int
	Ups      uint64    // How often it has grown.
	Downs    uint64    // How often it has shrunk.
	Last     Sample    // The figures of the last look.
	Recent   []Scaling // The last changes, 32 at most, the oldest first.
}

const recentScalings = 32

// Stats returns a snapshot. It costs a mutex and a copy.
func (e *Elastic[M]) Stats() ElasticStats {
	if e.missing() {
		return ElasticStats{}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.stats
	s.Name, s.Leaving, s.Min, s.Max = e.cfg.Name, len(e.leaving), e.cfg.Min, e.cfg.Max
	s.Recent = slices.Clone(s.Recent)
	return s
}
