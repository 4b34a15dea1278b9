package supervise_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/supervise"
)

// A forest is a random tree of supervisors and workers. Random things happen to it, one after
// the other or several at once. Its model follows the documentation of policies, strategies
// and intensities: which workers are there, and how often each was made.
type forest struct {
	s       testing.TB
	ctx     context.Context
	random  *rand.Rand
	sim     *simtest.Sim // Or nil.
	sys     *actor.System
	top     *supervise.Supervisor
	root    *branch
	workers []*branch
	nested  []*branch
	stopped map[string]bool // Whom somebody has stopped.
	sent    int             // Notes.
	noted   atomic.Int64
	dead    atomic.Int64      // The messages that are dead letters.
	kin     []actor.Ref[note] // Whom workers have spawned. Guarded by mu.
	mu      sync.Mutex
}

// branch is a supervisor or a worker of a forest, and its model.
type branch struct {
	name      string
	above     *branch
	worker    bool
	policy    supervise.Policy
	strategy  supervise.Strategy
	intensity int
	period    time.Duration
	below     []*branch

	ref    actor.Ref[note] // Of a worker, as it was last.
	pid    actor.PID       // Of a supervisor, as it was last.
	made   atomic.Int64
	want   int  // How often it should have been made.
	alive  bool // It runs.
	parked bool // Somebody has stopped it.
	gone   bool // It is not known any more.
	recent []time.Time
}

// note is noted, or ends the worker.
type note struct {
	end func(*actor.Context[note]) error
}

// forestBackoff is how long a nested supervisor waits for its restart, in a simulation.
// With those above it, which may fail as well, it has restarted after forestPatience.
const (
	forestBackoff  = 50 * time.Millisecond
	forestPatience = 4 * forestBackoff
)

func (f *forest) pick(n int) int { return f.random.IntN(n) }

// plant draws what is below a supervisor.
func (f *forest) plant(b *branch, depth int) supervise.Config {
	b.strategy = supervise.Strategy(f.pick(3))
	b.intensity, b.period = []int{-1, 1, 2, 5}[f.pick(4)], []time.Duration{time.Second, 5 * time.Second, time.Minute}[f.pick(3)]
	cfg := supervise.Config{Name: b.name, Strategy: b.strategy, Intensity: b.intensity, Period: b.period}
	for i := range 1 + f.pick(4) {
		child := &branch{name: fmt.Sprintf("%s%d", b.name, i), above: b, policy: supervise.Policy(f.pick(3))}
		b.below = append(b.below, child)
		shutdown := []time.Duration{0, supervise.BrutalKill, supervise.Infinity}[f.pick(3)]
		if depth > 0 && f.pick(3) == 0 {
			f.nested = append(f.nested, child)
			nested := supervise.Nested{Config: f.plant(child, depth-1), Restart: child.policy}
			if f.sim != nil {
				nested.Backoff = supervise.Backoff{Min: forestBackoff, Factor: 1, Jitter: -1}
			}
			cfg.Children = append(cfg.Children, nested)
			continue
		}
		child.worker = true
		f.workers = append(f.workers, child)
		cfg.Children = append(cfg.Children, supervise.Child[note]{Name: child.name, Restart: child.policy, Shutdown: shutdown, New: func() actor.Actor[note] {
			child.made.Add(1)
			return actor.Func(func(c *actor.Context[note], n note) error {
				if n.end != nil {
					return n.end(c)
				}
				f.noted.Add(1)
				return nil
			})
		}})
	}
	return cfg
}

// begin is the model of a start.
func (b *branch) begin() {
	b.alive, b.parked, b.gone = true, false, false
	if b.worker {
		b.want++
		return
	}
	b.recent = nil
	for _, c := range b.below {
		c.begin()
	}
}

// end is the model of a stop, of all that is below as well.
func (b *branch) end() {
	b.alive = false
	for _, c := range b.below {
		c.end()
	}
}

// park is the model of a stop by somebody.
func (f *forest) park(b *branch) {
	b.end()
	f.stopped[b.name] = true
	b.parked, b.gone = true, b.policy == supervise.Temporary
}

// exit is the model of an end that nobody has asked for.
func (b *branch) exit(failed bool) {
	b.end()
	up := b.above
	if up == nil {
		return
	}
	if b.policy == supervise.Temporary || b.policy == supervise.Transient && !failed {
		b.gone = b.policy == supervise.Temporary
		return
	}
	now, from := time.Now(), 0
	for from < len(up.recent) && now.Sub(up.recent[from]) >= up.period {
		from++
	}
	if up.recent = append(up.recent[from:], now); len(up.recent) > max(up.intensity, 0) {
		up.exit(true)
		return
	}
	up.restart(b)
}

// restart is the model of a restart of b and, if the strategy says so, its siblings.
func (b *branch) restart(child *branch) {
	if b.strategy == supervise.OneForOne {
		child.begin()
		return
	}
	concerned := b.strategy == supervise.OneForAll
	for _, c := range b.below {
		if concerned = concerned || c == child; !concerned || c.gone {
			continue
		}
		c.end()
		switch {
		case c.policy == supervise.Temporary:
			c.gone = true
		case !c.parked:
			c.begin()
		}
	}
}

// handle returns the handle of a supervisor that is alive.
func (f *forest) handle(b *branch) *supervise.Supervisor {
	if b.above == nil {
		return f.top
	}
	h, err := f.handle(b.above).Nested(b.name)
	if err != nil {
		f.s.Fatalf("%s: %v", b.name, err)
	}
	return h
}

// note sends a worker some notes, whether it is there or not.
func (f *forest) note(b *branch) {
	for range f.pick(3) {
		f.sent++
		if err := b.ref.TrySend(f.ctx, note{}); err != nil && !errors.Is(err, actor.ErrStopped) {
			f.s.Errorf("a note to %s: %v", b.name, err)
		}
	}
}

var forestEnds = []struct {
	failed bool
	do     func(*actor.Context[note]) error
}{
	{true, func(*actor.Context[note]) error { return errWanted }},
	{true, func(*actor.Context[note]) error { panic(errWanted) }},
	{false, func(c *actor.Context[note]) error { c.Stop(); return nil }},
}

// happen has something happen, and says what to the model.
func (f *forest) happen() {
	w := f.workers[f.pick(len(f.workers))]
	up := w.above
	if len(f.nested) > 0 && f.pick(5) == 0 {
		f.befall(f.nested[f.pick(len(f.nested))])
		return
	}
	f.note(w)
	switch what := f.pick(8); {
	case what < 4 && w.alive:
		end := forestEnds[f.pick(len(forestEnds))]
		if err := w.ref.TrySend(f.ctx, note{end.do}); err != nil {
			f.s.Errorf("%s: %v", w.name, err)
		}
		f.note(w)
		f.sim.RunUntilIdle()
		w.exit(end.failed)
	case what == 4 && w.alive:
		f.ok(w, w.ref.Kill())
		f.sim.RunUntilIdle()
		w.exit(true)
	case what == 5 && w.alive:
		f.ok(w, w.ref.Stop(f.ctx))
		f.park(w)
	case what == 6 && up.alive && !w.gone:
		f.ok(w, f.handle(up).Terminate(f.ctx, w.name))
		f.park(w)
	case what == 7 && up.alive && !w.gone:
		err := f.handle(up).Restart(f.ctx, w.name)
		if w.alive != errors.Is(err, supervise.ErrNotDown) {
			f.s.Errorf("%s, of which it is %v that it is alive, is started: %v", w.name, w.alive, err)
		}
		if !w.alive {
			w.begin()
		}
	}
}

// befall has something happen to a nested supervisor.
func (f *forest) befall(b *branch) {
	if !b.alive {
		return
	}
	switch h := f.handle(b); f.pick(6) {
	case 0:
		f.ok(b, h.Stop(f.ctx))
		f.park(b)
	case 1:
		f.ok(b, f.handle(b.above).Terminate(f.ctx, b.name))
		f.park(b)
	case 2:
		f.suspend(b)
	case 3:
		f.ambush(b)
	default:
		f.ok(b, f.sys.Kill(h.PID()))
		f.sim.RunUntilIdle()
		b.exit(true)
	}
}

// suspend suspends a supervisor while something below it fails.
func (f *forest) suspend(up *branch) {
	id := f.handle(up).PID()
	f.ok(up, f.sys.Suspend(id))
	f.sim.RunUntilIdle()
	if b := up.below[f.pick(len(up.below))]; b.alive {
		if b.worker {
			f.ok(b, b.ref.TrySend(f.ctx, note{forestEnds[0].do}))
		} else {
			f.ok(b, f.sys.Kill(f.handle(b).PID()))
		}
		f.sim.RunUntilIdle()
		b.exit(true)
	}
	f.sim.Advance(forestPatience)
	f.checkMade() // It has supervised meanwhile.
	if err := f.sys.Resume(id); err != nil && up.alive {
		f.ok(up, err)
	}
}

// ambush stops and terminates children of a supervisor that waits for its restart.
func (f *forest) ambush(b *branch) {
	h := f.handle(b)
	victim := b.below[f.pick(len(b.below))]
	f.ok(b, f.sys.Kill(h.PID()))
	f.sim.RunUntilIdle()
	b.exit(true)
	for _, w := range b.below {
		if w.worker && f.pick(2) == 0 {
			f.ok(w, w.ref.Stop(f.ctx)) // Its supervisor creates it again.
		}
	}
	if f.pick(2) == 0 {
		return
	}
	err := h.Terminate(f.ctx, victim.name)
	f.sim.Advance(forestPatience)
	if !b.alive {
		return
	}
	f.ok(victim, err)
	f.unmade(victim)
	f.park(victim)
}

// unmade tells the model of what was terminated, perhaps before it was made.
func (f *forest) unmade(b *branch) {
	if b.worker && int(b.made.Load()) == b.want-1 {
		b.want--
	}
	for _, c := range b.below {
		f.unmade(c)
	}
}

func (f *forest) ok(b *branch, err error) {
	if err != nil {
		f.s.Errorf("%s: %v", b.name, err)
	}
}

// check compares who is there with the model.
func (f *forest) check() {
	f.checkMade()
	f.look(f.root)
}

func (f *forest) checkMade() {
	for _, w := range f.workers {
		if n := int(w.made.Load()); n != w.want {
			f.s.Errorf("%s was made %d times, want %d", w.name, n, w.want)
		}
	}
}

// look compares what a supervisor says of its children.
func (f *forest) look(b *branch) {
	if !b.alive {
		return
	}
	h := f.handle(b)
	b.pid = h.PID()
	all, err := h.Children(f.ctx)
	if err != nil {
		f.s.Errorf("the children of %s: %v", b.name, err)
	}
	found := map[string]supervise.ChildInfo{}
	for _, i := range all {
		found[i.Name] = i
	}
	for _, c := range b.below {
		i, known := found[c.name]
		switch {
		case known == c.gone:
			f.s.Errorf("%s is known to %s: %v", c.name, b.name, known)
		case known && (i.State == supervise.Running) != c.alive:
			f.s.Errorf("%s is %v, for %v; it should be alive: %v", c.name, i.State, i.Reason, c.alive)
		case c.alive && c.worker:
			if c.ref, err = supervise.Ref[note](h, c.name); err != nil {
				f.s.Errorf("%s: %v", c.name, err)
			}
		case c.alive:
			f.look(c)
		}
	}
}

// rage has many things happen at the same time. Their effect is chance.
func (f *forest) rage() {
	for range 20 {
		w := f.workers[f.pick(len(f.workers))]
		f.note(w)
		switch f.pick(8) {
		case 0:
			_ = w.ref.Kill()
		case 1:
			f.stopped[w.name] = true
			_ = f.sys.RequestStop(w.ref.PID())
		case 2:
			if len(f.nested) > 0 {
				_ = f.sys.Kill(f.nested[f.pick(len(f.nested))].pid) // Which it has or had.
			}
		case 3:
			other := f.workers[f.pick(len(f.workers))].ref.PID()
			_ = w.ref.TrySend(f.ctx, note{func(c *actor.Context[note]) error { return c.Link(other) }})
		case 4:
			_ = w.ref.TrySend(f.ctx, note{f.beget})
		default:
			_ = w.ref.TrySend(f.ctx, note{forestEnds[f.pick(len(forestEnds))].do})
		}
		switch {
		case f.pick(3) > 0:
		case f.sim != nil:
			f.sim.Advance(time.Duration(f.pick(3)) * time.Millisecond)
		default:
			runtime.Gosched()
		}
	}
}

// beget spawns an actor below a worker, that ends with it.
func (f *forest) beget(c *actor.Context[note]) error {
	ref, err := actor.Spawn(c, actor.Func(func(*actor.Context[note], note) error { return nil }))
	if err == nil {
		f.mu.Lock()
		f.kin = append(f.kin, ref)
		f.mu.Unlock()
	}
	return nil // A worker that is about to end has none.
}

// kinsfolk returns how many actors there are that workers have spawned.
func (f *forest) kinsfolk() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, ref := range f.kin {
		select {
		case <-ref.Done():
		default:
			n++
		}
	}
	return n
}

// count returns how many actors there are from a supervisor on, and what is not as it
// must be when nothing happens any more.
func (f *forest) count(h *supervise.Supervisor) (n int, wrong error) {
	all, wrong := h.Children(f.ctx)
	for _, c := range all {
		switch {
		case c.State == supervise.Running && c.Supervisor:
			nested, err := h.Nested(c.Name)
			if err != nil {
				return n, err
			}
			below, err := f.count(nested)
			n, wrong = n+below, errors.Join(wrong, err)
		case c.State == supervise.Running:
			n++
		case c.State != supervise.Down:
			wrong = fmt.Errorf("%s is %v", c.Path, c.State)
		case c.Policy == supervise.Permanent && !f.stopped[c.Name]:
			wrong = fmt.Errorf("%s is down, for %w", c.Path, c.Reason)
		}
	}
	return n + 1, wrong
}

// settled returns what must be so after all, and is not.
func (f *forest) settled() (wrong error) {
	want := 0
	select {
	case <-f.top.Done():
	default:
		want, wrong = f.count(f.top)
	}
	want += f.kinsfolk()
	if n := f.sys.Stats().Actors; wrong == nil && n != want {
		wrong = fmt.Errorf("there are %d actors, of which %d are known", n, want)
	}
	if noted, dead := int(f.noted.Load()), int(f.dead.Load()); wrong == nil && noted+dead != f.sent {
		wrong = fmt.Errorf("of %d notes %d were noted, and %d are dead letters", f.sent, noted, dead)
	}
	return wrong
}

// newForest starts a tree and has its model begin.
func newForest(tb testing.TB, ctx context.Context, random *rand.Rand) *forest {
	f := &forest{s: tb, ctx: ctx, random: random, root: &branch{name: "r"}, stopped: map[string]bool{}}
	cfg := actor.Config{OnDeadLetter: func(d actor.DeadLetter) {
		if n, ok := d.Message.(note); ok && n.end == nil {
			f.dead.Add(1)
		}
	}}
	if f.sim, _ = tb.(*simtest.Sim); f.sim != nil {
		f.sys = f.sim.System(cfg)
	} else {
		f.sys = newSystem(tb, cfg)
	}
	var err error
	if f.top, err = supervise.Start(f.sys, f.plant(f.root, 2)); err != nil {
		tb.Fatal(err)
	}
	f.root.begin()
	f.check()
	return f
}

func TestRandomForests(t *testing.T) {
	lane.Short(t)
	schedules := 300
	if raceEnabled {
		schedules = 20
	}
	simtest.Run(t, simtest.Config{Schedules: schedules}, func(s *simtest.Sim) {
		f := newForest(s, s.Context(), s.Rand())
		for range 30 {
			f.happen()
			s.RunUntilIdle()
			s.Advance(forestPatience)
			f.check()
			s.Advance(time.Duration(f.pick(4)) * time.Second / 2)
			if s.Failed() || !f.root.alive {
				break
			}
		}
		select {
		case <-f.top.Done():
			if f.root.alive {
				s.Errorf("the supervisor at the top has ended: %v", f.top.Err())
			}
		default:
			if !f.root.alive {
				s.Error("the supervisor at the top should have ended")
			}
			f.rage()
			s.Advance(time.Minute)
		}
		if err := f.settled(); err != nil {
			s.Error(err)
		}
	})
}

// Forests on the real scheduler, where things happen at the same moment.
func TestRandomForestsReal(t *testing.T) {
	for seed := range uint64(20) {
		f := newForest(t, guarded(t), rand.New(rand.NewPCG(seed, 1)))
		f.rage()
		var wrong error
		for f.ctx.Err() == nil {
			if wrong = f.settled(); wrong == nil {
				break
			}
			runtime.Gosched()
		}
		if wrong != nil {
			t.Errorf("seed %d: %v", seed, wrong)
		}
	}
}
