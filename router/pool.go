package router

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// PoolConfig configures a [Pool] whose tasks are made of a J and result in an R.
// Only Do has to be given.
type PoolConfig[J, R any] struct {
	// Name is for people; it appears in errors, and is the kind of the jobs in the
	// scheduler's statistics. Defaults to "pool".
	Name string
	// Do does one task. It is called by several workers at the same time, and may
	// wait and block as any job. Its context ends when the asker's does, when the
	// task's time is up, and when a stop would not wait any longer. A panic is
	// the error of this task alone, a *[actor.PanicError].
	Do func(ctx context.Context, task J) (R, error)
	// Workers is how many tasks are at work at the same time, at most. A task that
	// waits for another of its pool does not count. Defaults to the number of the
	// scheduler's workers.
	Workers int
	// Capacity is how many tasks may wait in each lane. Defaults to 1024.
	Capacity int
	// Key finds out the key of a task. Tasks of one key are done one after the
	// other, in the order in which they were taken on, whatever their lanes.
	// Defaults to none: tasks are independent.
	Key Key[J]
	// Timeout is for how long a task may run. Then its context ends, with the
	// cause [ErrTaskTimeout]; Do is expected to return soon. Defaults to no
	// limit; -1 means the same.
	Timeout time.Duration
	// Priority is how urgent the tasks of Data and Management are for the scheduler:
	// [sched.High], [sched.Normal] or [sched.Low]. Tasks of Control are critical in any case.
	// Defaults to Normal.
	Priority sched.Priority
	// OnError is called when a task has failed that was sent, so that nobody else
	// is told. It is called where the task ran, by several at the same time, and
	// must not wait. A panic in it is contained and reported to Logger. Defaults
	// to nil: such failures are only counted.
	OnError func(task J, err error)
	// Logger reports a panic in OnError. Defaults to [slog.Default], as it is at that time.
	Logger *slog.Logger
}

const maxPoolWorkers = 1 << 20 // A slip of the pen.

// check returns what is wrong with the configuration, or nil.
func (c PoolConfig[J, R]) check() error {
	switch {
	case c.Do == nil:
		return errors.New("router: PoolConfig.Do is nil; it does the tasks")
	case c.Workers < 0 || c.Workers > maxPoolWorkers:
		return fmt.Errorf("router: PoolConfig.Workers is %d; it must be positive, at most %d, or 0 for the default", c.Workers, maxPoolWorkers)
	case c.Capacity < 0:
		return fmt.Errorf("router: PoolConfig.Capacity is %d; it must be positive, or 0 for the default", c.Capacity)
	case c.Priority > workers.Low:
		return fmt.Errorf("router: PoolConfig.Priority is %v; use High, Normal or Low", c.Priority)
	case c.Timeout < -1:
		return fmt.Errorf("router: PoolConfig.Timeout is %v; it must be positive, or 0 or -1 for none", c.Timeout)
	}
	return nil
}

// withDefaults fills in what a checked configuration leaves out.
func (c PoolConfig[J, R]) withDefaults(s *workers.Scheduler) PoolConfig[J, R] {
	if c.Name == "" {
		c.Name = "pool"
	}
	if c.Priority == workers.Critical { // The zero value.
		c.Priority = workers.Normal
	}
	if c.Workers == 0 {
		c.Workers = s.Workers()
	}
	if c.Capacity == 0 {
		c.Capacity = 1024
	}
	return c
}

// missing reports whether there is no pool.
func (p *Pool[J, R]) missing() bool { return p == nil || p.home == nil }

// Pool does tasks: like one actor outside, with its lanes and a ref, and like many inside,
// since up to PoolConfig.Workers of them are done at the same time, as jobs of the
// scheduler, which idle workers steal. Its methods are safe for concurrent use. The methods
// of a nil or zero Pool, which NewPool has not returned, return [ErrNoPool], or nothing.
type Pool[J, R any] struct {
	home *home[J, R]
	lane actor.Lane
}

// home is what all lanes of one Pool have in common.
type home[J, R any] struct {
	// core is replaced at each start by a supervisor, by the front. All else reads it.
	core  atomic.Pointer[pool[J, R]]
	lanes [3]Pool[J, R]
}

func newHome[J, R any](c *pool[J, R]) *home[J, R] {
	h := &home[J, R]{}
	for l := range h.lanes {
		h.lanes[l] = Pool[J, R]{h, actor.Lane(l)}
	}
	h.core.Store(c)
	return h
}

// core returns the incarnation to which calls go now.
func (p *Pool[J, R]) core() *pool[J, R] { return p.home.core.Load() }

// pool is a Pool from one start to its end. A NewPool has one, and a supervised pool one
// for each incarnation of its front: so tasks that a killed pool has left behind have
// nothing to do with the next one.
type pool[J, R any] struct {
	cfg   PoolConfig[J, R]
	s     *workers.Scheduler
	key   any // The key by which a task's context leads to the task.
	front actor.Ref[J]

	mu      sync.Mutex
	ready   [3]queue[J, R] // By lane, tasks that may start.
	senders [3]queue[J, R] // By lane, tasks whose senders wait for room.
	held    [3]int         // By lane, how many tasks were taken on and have not started.
	// keys has the keys of the tasks that are ready or started, each with those
	// that wait behind it, or nil.
	keys    map[uint64]*queue[J, R]
	busy    queue[J, R] // Tasks that are jobs.
	running int         // How many of them have a place.
	left    int         // Tasks that were taken on and are not over.
	stats   PoolStats

	draining  bool // Nothing new is taken on.
	closed    bool // Nothing at all.
	frontGone bool
	forced    bool // Tasks that run were told to end.
	stoppers  []*workers.Waiter
}

// NewPool starts a pool, at the top of a system or below the actor whose context
// is given, with which it stops then. It costs an actor. A kill of that actor, which is the
// actor of [Pool.Ref], ends the pool: waiting tasks are dropped, the contexts of those that run
// end, and their askers get an error that wraps [actor.ErrKilled]. NewPool returns an error
// for a configuration that makes no sense.
func NewPool[J, R any](at actor.Spawner, cfg PoolConfig[J, R]) (*Pool[J, R], error) {
	sys, err := systemOf(at)
	if err != nil {
		return nil, err
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	c := newCore(cfg, sys)
	front := &soleFront[J, R]{}
	front.c = c
	c.front, err = actor.Spawn(at, actor.Actor[J](front), actor.WithName(c.cfg.Name))
	if err != nil {
		return nil, fmt.Errorf("router: start %s: %w", c.cfg.Name, err)
	}
	return &newHome(c).lanes[actor.Data], nil
}

// newCore makes a pool of a checked configuration.
func newCore[J, R any](cfg PoolConfig[J, R], sys *actor.System) *pool[J, R] {
	s := (*workers.Scheduler)(sys.Scheduler())
	c := &pool[J, R]{cfg: cfg.withDefaults(s), s: s, keys: map[uint64]*queue[J, R]{}}
	c.key = ownKey{c}
	return c
}

// On returns the same pool for the given lane. Waiting tasks of Control are done before
// tasks of Management, and these before tasks of Data. Tasks of Control are also urgent for
// the scheduler. A pool is on [actor.Data] unless it came from On. An unknown lane is taken
// for Data.
func (p *Pool[J, R]) On(l actor.Lane) *Pool[J, R] {
	if p.missing() {
		return p
	}
	if int(l) >= len(p.home.lanes) {
		l = actor.Data
	}
	return &p.home.lanes[l]
}

// Ref returns a ref to an actor that hands what it is sent to the pool, on the
// same lane. While it waits for room in one lane nothing overtakes, also not a
// Control message; with [Pool.Send] one does.
func (p *Pool[J, R]) Ref() actor.Ref[J] {
	if p.missing() {
		return actor.Ref[J]{}
	}
	return p.core().front.On(p.lane)
}

// String returns the pool's name.
func (p *Pool[J, R]) String() string {
	if p.missing() {
		return "<no pool>"
	}
	return p.core().cfg.Name
}

// Send takes a task on, whose result nobody waits for; see PoolConfig.OnError.
// While the lane is full Send waits, until ctx ends; senders get room in the
// order in which they came, and, unless tasks have keys, when a 64th of a large
// Capacity is free, so that they are not woken for each place. The task's context is not derived from ctx.
//
// Send returns [actor.ErrStopped] if the pool has stopped, [ErrNoKey] for a task
// without a key, or an error that wraps the cause of ctx. In a handler or a task,
// with its context, a wait holds no worker. A task that sends to its own pool does
// not wait, whatever the capacity.
func (p *Pool[J, R]) Send(ctx context.Context, task J) error {
	if p.missing() {
		return ErrNoPool
	}
	return p.core().send(ctx, p.lane, task, true, false)
}

// TrySend is Send, except that it returns [actor.ErrFull] instead of waiting.
func (p *Pool[J, R]) TrySend(ctx context.Context, task J) error {
	if p.missing() {
		return ErrNoPool
	}
	return p.core().send(ctx, p.lane, task, false, false)
}

func (c *pool[J, R]) send(ctx context.Context, l actor.Lane, task J, wait, front bool) error {
	if ctx == nil {
		ctx = context.Background()
	}
	w, err := c.newWork(ctx, l, task, false)
	if err != nil {
		return err
	}
	return c.submit(ctx, w, wait, front)
}

// Ask does a task and returns its result: what Do returned, also a
// *[actor.PanicError] if it panicked, or [actor.ErrGoexit]. If ctx ends first Ask
// returns its cause; a task that has not begun then never does, and the context
// of one that has ends. Otherwise it is like Send, and returns ErrStopped also
// for a task that was taken on and not begun when the pool was stopped.
//
// A task may ask its own pool, with its context: as long as it waits, it leaves its place to
// another. If it asks for a task with its own key, or with the key of a task that
// waits for it, it gets [actor.ErrAskCycle].
func (p *Pool[J, R]) Ask(ctx context.Context, task J) (R, error) {
	var none R
	if p.missing() {
		return none, ErrNoPool
	}
	if ctx == nil {
		ctx = context.Background()
	}
	c := p.core()
	w, err := c.newWork(ctx, p.lane, task, true)
	if err != nil {
		return none, err
	}
	if err := c.submit(ctx, w, true, false); err != nil {
		return none, err
	}
	return c.await(ctx, w)
}

// await waits until a task is over, or gives it up when ctx ends.
func (c *pool[J, R]) await(ctx context.Context, w *work[J, R]) (R, error) {
	if i := c.awaitAny(ctx, []*work[J, R]{w}); i < 0 {
		c.giveUp(ctx, w)
		var none R
		return none, fmt.Errorf("ask %s: %w", c.cfg.Name, context.Cause(ctx))
	}
	if w.abandoned != nil {
		var none R
		return none, w.abandoned
	}
	return w.value, w.err
}

// awaitAny waits until one of the tasks is over or abandoned, and returns its index, or -1
// if ctx has ended before.
func (c *pool[J, R]) awaitAny(ctx context.Context, tasks []*work[J, R]) int {
	var waiter workers.Waiter
	waiter.Arm(ctx, c.s)
	defer waiter.Disarm()
	isOver := func(w *work[J, R]) bool { return w.stage == over || w.abandoned != nil }
	var lent *work[J, R]
	waits := false
	c.mu.Lock()
	defer func() {
		if waits { // A simulation has given up the caller.
			c.mu.Lock()
		}
		for _, w := range tasks {
			w.waiter = workers.Waiter{}
		}
		if lent != nil {
			c.takePlace(lent)
		}
		c.mu.Unlock()
	}()
	i := slices.IndexFunc(tasks, isOver)
	if i >= 0 {
		return i
	}
	for _, w := range tasks {
		w.waiter = waiter
	}
	if above := tasks[0].above; above != nil && above.place {
		above.place = false
		c.running--
		lent = above
		c.dispatch(workers.Current(ctx))
		c.mu.Lock()
	}
	for i = slices.IndexFunc(tasks, isOver); i < 0; i = slices.IndexFunc(tasks, isOver) {
		c.mu.Unlock()
		waits = true
		goOn := waiter.Wait(ctx)
		c.mu.Lock()
		waits = false
		if !goOn && !slices.ContainsFunc(tasks, isOver) {
			break
		}
	}
	return i
}

// takePlace gives a task that has waited its place back, beyond the limit if
// others are at work in all. The caller holds mu.
func (c *pool[J, R]) takePlace(w *work[J, R]) {
	if w.stage == started {
		w.place = true
		c.running++
	}
}

// giveUp takes back a task that nobody waits for any more, if it has not begun.
// A task that has begun learns it from its context.
func (c *pool[J, R]) giveUp(ctx context.Context, w *work[J, R]) {
	c.mu.Lock()
	waits := w.stage == ready || w.stage == behind
	if waits {
		c.held[w.lane]--
		w.leave()
		w.stage = started // It is nobody else's now.
	}
	c.mu.Unlock()
	if waits {
		c.settle(workers.Current(ctx), w, context.Cause(ctx))
		c.mu.Lock()
		c.dispatch(workers.Current(ctx))
	}
}

// PoolStats is a snapshot of a pool.
type PoolStats struct {
	Name    string
	Workers int
	Running int    // Tasks at work, without those that wait for another of the pool.
	Waiting [3]int // Tasks that have not begun, by lane.
	Senders [3]int // Senders that wait for room, by lane.

	Done      uint64 // Tasks that returned no error.
	Failed    uint64 // Tasks that returned an error, or panicked, or called runtime.Goexit.
	Panicked  uint64 // The failed tasks that panicked.
	Cancelled uint64 // Tasks that were given up by their asker, and returned that, or had not begun.
	Dropped   uint64 // Tasks that had not begun when the pool stopped.
}

// Stats returns a snapshot. It costs a mutex. A supervised pool counts from its last start on.
func (p *Pool[J, R]) Stats() PoolStats {
	if p.missing() {
		return PoolStats{}
	}
	c := p.core()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Name, s.Workers, s.Running, s.Waiting = c.cfg.Name, c.cfg.Workers, c.running, c.held
	for l := range c.senders {
		s.Senders[l] = c.senders[l].n
	}
	return s
}

// tally counts how a task has ended. The caller holds mu.
func (c *pool[J, R]) tally(w *work[J, R], err error) {
	if err == nil {
		c.stats.Done++
		return
	}
	var p *workers.PanicError
	switch {
	case w.parent.Err() != nil || errors.Is(err, actor.ErrForced):
		c.stats.Cancelled++
	case !w.adopted:
		c.stats.Dropped++
	case errors.As(err, &p):
		c.stats.Panicked++
		c.stats.Failed++
	default:
		c.stats.Failed++
	}
}

func (c *pool[J, R]) panicked(v any, stack []byte) {
	log := c.cfg.Logger
	if log == nil {
		log = slog.Default()
	}
	log.Error("OnError panicked", slog.Any("panic", v), slog.String("pool", c.cfg.Name), slog.String("stack", string(stack)))
}

func (c *pool[J, R]) stopped() error {
	if c.s == nil {
		return fmt.Errorf("%s has not started; its supervisor starts it: %w", c.cfg.Name, actor.ErrStopped)
	}
	return fmt.Errorf("%s: %w", c.cfg.Name, actor.ErrStopped)
}

// poolFront is the actor behind [Pool.Ref].
type poolFront[J, R any] struct{ c *pool[J, R] }

// Receive hands a task to the pool. A message that it does not take is a dead letter.
func (f poolFront[J, R]) Receive(ctx *actor.Context[J], task J) error {
	if err := f.c.send(ctx, ctx.Lane(), task, true, true); err != nil {
		return fmt.Errorf("%w: %w", actor.ErrUnhandled, err)
	}
	return nil
}
