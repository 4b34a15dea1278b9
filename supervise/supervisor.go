package supervise

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// ErrIntensity is the reason of a supervisor that has stopped because its
// children failed more often than its restart intensity allows.
var ErrIntensity = errors.New("supervise: restart intensity exceeded")

// Config configures a [Supervisor]. The zero value is a good one.
type Config struct {
	// Name is for people; it appears in errors and logs. Defaults to
	// "supervisor".
	Name string
	// Intensity is how many restarts within Period are borne. One more stops
	// all children, and then the supervisor with [ErrIntensity]. Defaults to 3;
	// -1 means none.
	Intensity int
	// Period is the length of the window in which restarts are counted.
	// Defaults to 5 seconds.
	Period time.Duration
	// OnRestart is called in the supervisor before each restart, and must not
	// wait. Defaults to nil.
	OnRestart func(Restart)
}

// Restart tells of a restart that is about to happen.
type Restart struct {
	PID    actor.PID
	Name   string
	Reason error // Why the incarnation ended; nil if it stopped itself.
	// Recent is how many restarts there were within the period, with this one.
	Recent int
}

func (c Config) withDefaults() (Config, error) {
	if c.Intensity < -1 {
		return c, fmt.Errorf("supervise: Config.Intensity is %d; it must be positive, 0 for the default, or -1 for none", c.Intensity)
	}
	if c.Period < 0 {
		return c, fmt.Errorf("supervise: Config.Period is %v; it must be positive, or 0 for the default", c.Period)
	}
	if c.Name == "" {
		c.Name = "supervisor"
	}
	switch c.Intensity {
	case 0:
		c.Intensity = 3
	case -1:
		c.Intensity = 0
	}
	if c.Period == 0 {
		c.Period = 5 * time.Second
	}
	return c, nil
}

// Supervisor is the handle of a supervisor. Its methods are safe for
// concurrent use.
type Supervisor struct {
	ref      actor.Ref[command]
	restarts atomic.Int64
}

// Start starts a supervisor without children, at the top of a system or below
// the actor whose context is given.
func Start(at actor.Spawner, cfg Config) (*Supervisor, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Supervisor{}
	k := &keeper{cfg: cfg, handle: s, children: map[actor.PID]Policy{}}
	s.ref, err = actor.Spawn(at, actor.Actor[command](k), actor.WithName(cfg.Name))
	if err != nil {
		return nil, fmt.Errorf("supervise: start %s: %w", cfg.Name, err)
	}
	return s, nil
}

// Restarts returns how many restarts there were since the start.
func (s *Supervisor) Restarts() int { return int(s.restarts.Load()) }

// Done returns a channel that is closed when the supervisor and all its
// children have stopped.
func (s *Supervisor) Done() <-chan struct{} { return s.ref.Done() }

// Err returns nil until Done is closed, and after that why the supervisor has
// stopped: nil if it was asked to, or an error that wraps [ErrIntensity] and
// the reason of the child that failed last.
func (s *Supervisor) Err() error { return s.ref.Err() }

// PID returns the supervisor's PID.
func (s *Supervisor) PID() actor.PID { return s.ref.PID() }

// Stop stops the children, and then the supervisor; see [actor.Ref.Stop] for
// what happens when ctx ends first.
func (s *Supervisor) Stop(ctx context.Context) error { return s.ref.Stop(ctx) }

// Policy says when a child is restarted.
type Policy uint8

// The policies. An actor that was asked to stop, by [actor.Ref.Stop] or
// [actor.Ref.Drain], is restarted under none of them.
const (
	Permanent Policy = iota // However its incarnation ended.
	Transient               // If it failed; not if it stopped itself.
	Temporary               // Never.

	numPolicies = 3
)

// String returns the policy's name in lower case.
func (p Policy) String() string {
	if p < numPolicies {
		return [numPolicies]string{"permanent", "transient", "temporary"}[p]
	}
	return fmt.Sprintf("Policy(%d)", uint8(p))
}

// restarts reports whether a child whose incarnation ended for reason begins
// again.
func (p Policy) restarts(reason error) bool {
	return p == Permanent || p == Transient && reason != nil
}

// Child describes an actor to be supervised.
type Child[M any] struct {
	// Name is for people; it need not be unique. Defaults to none.
	Name string
	// New makes the actor, for each incarnation anew. It is called in the
	// supervisor at first, and in the child at a restart.
	New func() actor.Actor[M]
	// Restart says when the child is restarted. Defaults to Permanent.
	Restart Policy
	// Options are passed on to the spawn.
	Options []actor.Option
}

// Spawn starts a child under s and returns its ref, which stays valid however
// often the child is restarted. Messages that wait for the child are kept over
// a restart; the one in which it failed is not handled again, and if it was an
// ask, the asker gets [actor.ErrNoReply].
//
// Spawn waits until the supervisor has spawned the child. If ctx ends first,
// no child is left behind.
func Spawn[M any](ctx context.Context, s *Supervisor, c Child[M]) (actor.Ref[M], error) {
	if c.New == nil {
		return actor.Ref[M]{}, fmt.Errorf("supervise: spawn %q: Child.New is nil; it makes the actor", c.Name)
	}
	if c.Restart >= numPolicies {
		return actor.Ref[M]{}, fmt.Errorf("supervise: spawn %q: unknown policy %d; use Permanent, Transient or Temporary", c.Name, c.Restart)
	}
	opts := c.Options
	if c.Name != "" {
		opts = append(opts[:len(opts):len(opts)], actor.WithName(c.Name))
	}
	var ref actor.Ref[M] // Read after the answer, or not at all.
	_, err := actor.Ask(ctx, s.ref.On(actor.Control), func(r actor.Reply[struct{}]) command {
		return command{reply: r, policy: c.Restart, spawn: func(at *actor.Context[command]) (actor.PID, error) {
			var err error
			ref, err = actor.SpawnNew(at, c.New, opts...)
			return ref.PID(), err
		}}
	})
	if err != nil {
		return actor.Ref[M]{}, fmt.Errorf("supervise: spawn %q: %w", c.Name, err)
	}
	return ref, nil
}

// command asks a supervisor to spawn a child.
type command struct {
	spawn  func(at *actor.Context[command]) (actor.PID, error)
	policy Policy
	reply  actor.Reply[struct{}]
}

// spawnSafely spawns the child. Should Child.New panic, that is an error of this
// child alone, as if it had returned nil.
func (m command) spawnSafely(at *actor.Context[command]) (id actor.PID, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("in Child.New: %w", &actor.PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	return m.spawn(at)
}

// keeper is the supervisor's actor.
type keeper struct {
	cfg      Config
	handle   *Supervisor
	children map[actor.PID]Policy
	recent   []time.Time // Of the restarts within the period.
}

// Receive spawns a child.
func (k *keeper) Receive(ctx *actor.Context[command], m command) error {
	id, err := m.spawnSafely(ctx)
	if err != nil {
		_ = m.reply.Fail(ctx, err) // Whether or not anybody still waits for it.
		return nil
	}
	if m.reply.Send(ctx, struct{}{}) != nil {
		return ctx.StopChild(id) // The caller has gone, and nobody else knows of it.
	}
	k.children[id] = m.policy
	return nil
}

// ChildExited decides whether a child is restarted.
func (k *keeper) ChildExited(ctx *actor.Context[command], e actor.Exit) error {
	if !e.Held {
		delete(k.children, e.PID)
		return nil
	}
	if !k.children[e.PID].restarts(e.Reason) {
		return orGone(ctx.Release(e.PID))
	}
	if !k.allow(time.Now()) {
		return fmt.Errorf("%w: more than %d in %v, last by %s%s: %w",
			ErrIntensity, k.cfg.Intensity, k.cfg.Period, e.Name, e.PID, orNormal(e.Reason))
	}
	k.handle.restarts.Add(1)
	if k.cfg.OnRestart != nil {
		k.cfg.OnRestart(Restart{PID: e.PID, Name: e.Name, Reason: e.Reason, Recent: len(k.recent)})
	}
	return orGone(ctx.Restart(e.PID))
}

// orGone returns the error of a decision about a child, unless it comes too
// late: somebody may have stopped the child meanwhile.
func orGone(err error) error {
	if errors.Is(err, actor.ErrStalePID) {
		return nil
	}
	return err
}

// errNormal stands for the reason of a child that stopped itself.
var errNormal = errors.New("it stopped itself")

func orNormal(reason error) error {
	if reason == nil {
		return errNormal
	}
	return reason
}

// allow counts a restart, and reports whether it is within the intensity. A
// restart that is exactly one period old does not count any more.
func (k *keeper) allow(now time.Time) bool {
	old := 0
	for old < len(k.recent) && now.Sub(k.recent[old]) >= k.cfg.Period {
		old++
	}
	k.recent = append(k.recent[old:], now)
	return len(k.recent) <= k.cfg.Intensity
}
