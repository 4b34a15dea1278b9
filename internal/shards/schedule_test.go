package shards_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/membership"
	"github.com/troupe-go/troupe/internal/shards"
)

const (
	shardsOfSchedule = 12
	hosts            = "abc"
)

// life is a node in a schedule, from its join to its end. It is the handler of its shards, too.
type life struct {
	world  *world
	way    *way
	member *membership.Node
	owners *shards.Owners
	name   string

	// Guarded by the mu of the world.
	dead   bool // It has crashed: nothing of it is left.
	ending bool // Somebody ends it.
	active [shardsOfSchedule]bool
	// A shard acts no more when the context of its Release has ended: it is fenced off.
	closing [shardsOfSchedule]context.Context
}

// world is a cluster in one bubble.
type world struct {
	store  *memory.Store
	random *rand.Rand
	seed   uint64
	ended  chan struct{} // Closed at the end of the schedule.
	work   sync.WaitGroup

	mu      sync.Mutex
	lives   []*life
	fences  [shardsOfSchedule]uint64 // The greatest fence of each shard.
	sleep   *rand.Rand
	joining map[string]bool
	wrong   error // The first broken promise.

	taken, released, forced, lost int // How often that happened.
}

func newWorld(seed uint64) *world {
	return &world{
		store: memory.NewStore(), random: rand.New(rand.NewPCG(seed, 1)), sleep: rand.New(rand.NewPCG(seed, 2)), seed: seed,
		ended: make(chan struct{}), joining: map[string]bool{},
	}
}

// broken notes a broken promise. The caller holds mu.
func (w *world) broken(format string, args ...any) {
	if w.wrong == nil {
		w.wrong = fmt.Errorf(format, args...)
	}
}

// acts reports whether the life acts as the owner of a shard just now. The caller holds the world's mu.
func (l *life) acts(shard int) bool {
	if l.dead || l.owners != nil && l.owners.Owns(shard) {
		return !l.dead
	}
	return l.active[shard] && l.member.Holds() && (l.closing[shard] == nil || l.closing[shard].Err() == nil)
}

func (l *life) String() string { return fmt.Sprintf("node %q, birth %d", l.name, l.member.Birth()) }

// Acquire implements shards.Handler. An interval of ownership begins here, so it is here that two would overlap first.
func (l *life) Acquire(shard int, fence uint64) {
	l.way.running()
	w := l.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if l.dead {
		return
	}
	w.taken++
	if l.member.Holds() { // Else the interval is over already.
		for _, other := range w.lives {
			if other != l && other.acts(shard) {
				w.broken("%v acquires shard %d with the fence %d, and %v still acts as its owner", l, shard, fence, other)
			}
		}
	}
	if l.active[shard] && (l.closing[shard] == nil || l.closing[shard].Err() == nil) {
		w.broken("%v acquires shard %d twice", l, shard)
	}
	l.closing[shard] = nil
	if fence <= w.fences[shard] {
		w.broken("%v acquires shard %d with the fence %d, and there was the fence %d before", l, shard, fence, w.fences[shard])
	}
	w.fences[shard] = max(w.fences[shard], fence)
	l.active[shard] = true
}

// Release implements shards.Handler. It takes a while, or for ever.
func (l *life) Release(ctx context.Context, shard int) {
	w := l.world
	w.mu.Lock()
	w.released++
	l.closing[shard] = ctx
	takes := time.Duration(w.sleep.IntN(3000)) * time.Millisecond
	hangs := w.sleep.IntN(8) == 0
	w.mu.Unlock()
	if hangs {
		takes = time.Hour
	}
	t := time.NewTimer(takes)
	defer t.Stop()
	forced := false
	select {
	case <-t.C:
	case <-ctx.Done():
		forced = errors.Is(context.Cause(ctx), shards.ErrHandOver)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if l.closing[shard] == ctx {
		l.active[shard], l.closing[shard] = false, nil
	}
	if forced {
		w.forced++
	}
}

// Lost implements shards.Handler.
func (l *life) Lost(shard int, why error) {
	l.way.running()
	w := l.world
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost++
	if !l.active[shard] && !l.dead {
		w.broken("%v loses shard %d, which it does not have: %v", l, shard, why)
	}
	l.active[shard] = false
}

// join adds a life of the name, in the background.
func (w *world) join(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.joining[name] {
		return
	}
	w.joining[name] = true
	number := uint64(len(w.lives))
	w.work.Go(func() {
		l, err := w.begin(name, number)
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.joining, name)
		if err == nil {
			return
		}
		select {
		case <-w.ended:
		default:
			if !errors.Is(err, membership.ErrNoQuorum) && !errors.Is(err, membership.ErrNameTaken) && !errors.Is(err, membership.ErrNodeLost) && !errors.Is(err, context.DeadlineExceeded) {
				w.broken("node %q can't join: %w", name, err)
			}
		}
		if l != nil {
			l.dead = true
		}
	})
}

// begin joins the members and begins to host shards.
func (w *world) begin(name string, number uint64) (*life, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	eng := w.store.Engine(name, nil)
	members, err := eng.Table(ctx, "members")
	if err != nil {
		return nil, err
	}
	table, err := eng.Table(ctx, "shards")
	if err != nil {
		return nil, err
	}
	began := time.Now()
	w.mu.Lock()
	rate := 1 + (w.sleep.Float64()-0.5)*400e-6
	doubles := w.sleep.IntN(2) == 0
	w.mu.Unlock()
	clock := func() time.Duration { return time.Duration(float64(time.Since(began)) * rate) }
	l := &life{world: w, way: newWay(w.seed<<8 + number), name: name}
	l.way.double(doubles)
	l.member, err = membership.Join(ctx, newLine(members, l.way, false), membership.Config{Name: name, Clock: clock})
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.lives = append(w.lives, l)
	w.mu.Unlock()
	owners, err := shards.Open(ctx, newLine(table, l.way, true), l.member, shards.Config{Shards: shardsOfSchedule, Handler: l})
	w.mu.Lock()
	l.owners = owners
	w.mu.Unlock()
	return l, err
}

// end ends a life: with a hand-over if ctx lasts.
func (w *world) end(ctx context.Context, l *life) {
	w.mu.Lock()
	owners, ending := l.owners, l.ending
	l.ending = true
	w.mu.Unlock()
	if ending {
		return
	}
	if owners != nil {
		_ = owners.Leave(ctx)
	}
	_ = l.member.Leave(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	l.dead = true
}

// crash ends a life at once.
func (w *world) crash(l *life) {
	l.way.set(false, false, 0)
	w.mu.Lock()
	l.dead = true
	w.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w.work.Go(func() { w.end(ctx, l) })
}

// living returns the lives that have joined and have neither crashed nor left.
func (w *world) living() (all []*life) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lives {
		if !l.dead && l.owners != nil {
			all = append(all, l)
		}
	}
	return all
}

// check looks for two owners.
func (w *world) check() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for shard := range shardsOfSchedule {
		var acting []string
		for _, l := range w.lives {
			if l.acts(shard) {
				acting = append(acting, l.String())
			}
		}
		if len(acting) > 1 {
			w.broken("shard %d has the owners %v", shard, acting)
		}
	}
	return w.wrong
}

// pass lets time go by, and checks all the while.
func (w *world) pass(d time.Duration) error {
	for range d / (250 * time.Millisecond) {
		<-time.After(250 * time.Millisecond)
		synctest.Wait()
		if err := w.check(); err != nil {
			return err
		}
	}
	return nil
}

// fault does something to the cluster.
func (w *world) fault() {
	all := w.living()
	if len(all) == 0 {
		return
	}
	l := all[w.random.IntN(len(all))]
	switch w.random.IntN(16) {
	case 0:
		l.way.set(false, false, 0)
	case 1:
		l.way.set(true, false, 0)
	case 2:
		l.way.set(false, true, 0)
	case 3:
		l.way.set(true, true, 9*time.Second)
	case 4:
		w.store.Lead(false)
	case 5, 6:
		resume := l.way.pause()
		time.AfterFunc(time.Duration(5+w.random.IntN(35))*time.Second, resume)
	case 7:
		w.crash(l)
		w.join(l.name)
	case 8:
		w.work.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			w.end(ctx, l)
			w.join(l.name)
		})
	case 9:
		l.way.double(true)
	case 10, 11:
		to := []string{"a", "b", "c", ""}[w.random.IntN(4)]
		for range 3 {
			shard := w.random.IntN(shardsOfSchedule)
			w.work.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				defer cancel()
				_ = l.owners.Move(ctx, shard, to)
			})
		}
	case 12:
		seed := w.random.Uint64()
		var mu sync.Mutex
		random := rand.New(rand.NewPCG(seed, 3))
		w.store.Inject(func(op memory.Op) memory.Fault {
			mu.Lock()
			defer mu.Unlock()
			if op.Kind == "put" && random.IntN(3) == 0 {
				return memory.Fault{Kind: memory.LoseAnswer}
			}
			return memory.Fault{}
		})
	case 13, 14: // Then its last renewal is known to the others long before it is to the node.
		l.way.delay(4500 * time.Millisecond)
		time.AfterFunc(time.Duration(6+w.random.IntN(8))*time.Second, func() { l.way.set(false, false, 0) })
	default:
		w.store.Lead(true)
		w.store.Inject(nil)
		l.way.set(true, true, 0)
	}
}

// heal ends all faults but crashes.
func (w *world) heal() {
	w.store.Lead(true)
	w.store.Inject(nil)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lives {
		l.way.pause()()
		if !l.dead {
			l.way.set(true, true, 0)
			l.way.double(false)
		}
	}
}

// use has each shard used by some node.
func (w *world) use(ctx context.Context) {
	all := w.living()
	for shard := range shardsOfSchedule {
		l := all[w.random.IntN(len(all))]
		w.work.Go(func() { _, _ = l.owners.WaitOwner(ctx, shard) })
	}
}

// run runs one schedule of faults. Then everything heals, and each shard has to have an owner.
func (w *world) run() error {
	defer w.close()
	for _, name := range strings.Split(hosts, "") {
		w.join(name)
	}
	if err := w.pass(time.Duration(1+w.random.IntN(4)) * time.Second); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.use(ctx)
	for range 12 {
		w.fault()
		if err := w.pass(time.Duration(w.random.IntN(12*4)) * 250 * time.Millisecond); err != nil {
			return err
		}
	}
	w.heal()
	for range 8 { // A node whose birth has ended joins again.
		if err := w.pass(20 * time.Second); err != nil {
			return err
		}
		for _, l := range w.living() {
			if errors.Is(l.member.Valid(), membership.ErrNodeLost) {
				w.crash(l)
			}
		}
		for _, name := range strings.Split(hosts, "") {
			if !w.has(name) {
				w.join(name)
			}
		}
		w.heal()
	}
	w.use(ctx)
	for range 3 {
		if err := w.pass(20 * time.Second); err != nil || w.settled() == nil {
			return err
		}
	}
	return w.settled()
}

// has reports whether a node of the name lives.
func (w *world) has(name string) bool {
	for _, l := range w.living() {
		if l.name == name {
			return true
		}
	}
	return false
}

// settled returns an error unless each shard has the owner that it should have, and all nodes know it.
func (w *world) settled() error {
	all := w.living()
	if len(all) != len(hosts) {
		return fmt.Errorf("after the faults the nodes are %v", all)
	}
	var placed []shards.Host
	for _, name := range strings.Split(hosts, "") {
		placed = append(placed, shards.Host{Name: name, Capacity: 1})
	}
	fixed := map[int]string{}
	for shard, h := range all[0].owners.All() {
		if h.Pinned {
			fixed[shard] = h.Node
		}
	}
	places := shards.Place(shardsOfSchedule, placed, fixed, nil)
	for shard := range shardsOfSchedule {
		for _, l := range all {
			h, ok := l.owners.Where(shard)
			if !ok || h.Node != places[shard] {
				return fmt.Errorf("after the faults %v has the owner %v, %v for shard %d, which belongs to node %q", l, h, ok, shard, places[shard])
			}
			if owns := l.owners.Owns(shard); owns != (l.name == places[shard]) {
				return fmt.Errorf("after the faults %v owns shard %d: %v; it belongs to node %q", l, shard, owns, places[shard])
			}
			if fence, ok := l.owners.Fence(shard); ok && fence != h.Fence {
				return fmt.Errorf("after the faults %v has the fence %d for shard %d, and the entry %d", l, fence, shard, h.Fence)
			}
		}
	}
	return nil
}

// close ends all lives, and waits for what they have begun.
func (w *world) close() {
	close(w.ended)
	w.heal()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w.work.Wait()
	for _, l := range w.lives {
		w.end(ctx, l)
	}
}

func TestNoShardHasTwoOwnersInManySchedules(t *testing.T) {
	seeds := uint64(lane.Rounds(10, 100, 10_000))
	var taken, released, forced, lost int
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(seed)
			if err := w.run(); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			taken, released, forced, lost = taken+w.taken, released+w.released, forced+w.forced, lost+w.lost
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d schedules: shards were acquired %d times, released %d times, of which %d were forced, and lost %d times", seeds, taken, released, forced, lost)
	if n := int(seeds); taken < 20*n || released < 4*n || forced < n/2 || lost < 4*n {
		t.Errorf("so few prove nothing")
	}
}
