package shards_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/membership"
	"github.com/troupe-go/troupe/internal/shards"
)

// host is a node of a test. It notes what its Owners tell.
type host struct {
	member *membership.Node
	owners *shards.Owners
	way    *way
	left   bool

	release func(ctx context.Context, shard int)

	mu       sync.Mutex
	has      map[int]uint64 // Fences by shard.
	got      map[int]int    // How often each shard was acquired.
	lost     map[int]error
	released map[int]bool
	at, most int // Releases that run, and ran, at once.
}

func (h *host) Acquire(shard int, fence uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.has[shard] = fence
	h.got[shard]++
}

func (h *host) Release(ctx context.Context, shard int) {
	h.mu.Lock()
	h.at++
	h.most = max(h.most, h.at)
	h.mu.Unlock()
	if h.release != nil {
		h.release(ctx, shard)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at--
	delete(h.has, shard)
	h.released[shard] = true
}

func (h *host) Lost(shard int, why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.has, shard)
	h.lost[shard] = why
}

// count returns how many shards the host has.
func (h *host) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.has)
}

func (h *host) fences() map[int]uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := map[int]uint64{}
	for shard, fence := range h.has {
		all[shard] = fence
	}
	return all
}

// reason returns why a shard was lost.
func (h *host) reason(shard int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lost[shard]
}

// cluster is what a test runs in: a bubble with a store.
type cluster struct {
	t     *testing.T
	store *memory.Store
	hosts map[string]*host
	every []*host
}

// inBubble runs a test of a cluster with the nodes.
func inBubble(t *testing.T, c shards.Config, names string, test func(t *testing.T, c *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		all := &cluster{t: t, store: memory.NewStore(), hosts: map[string]*host{}}
		defer all.close()
		for _, name := range strings.Split(names, "") {
			if _, err := all.join(name, c); err != nil {
				t.Fatal(err)
			}
		}
		all.meet()
		test(t, all)
	})
}

func (c *cluster) join(name string, config shards.Config) (*host, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	eng := c.store.Engine(name, nil)
	members, err := eng.Table(ctx, "members")
	if err != nil {
		return nil, err
	}
	table, err := eng.Table(ctx, "shards")
	if err != nil {
		return nil, err
	}
	h := &host{way: newWay(uint64(len(c.every))), has: map[int]uint64{}, got: map[int]int{}, lost: map[int]error{}, released: map[int]bool{}}
	began := time.Now()
	h.member, err = membership.Join(ctx, newLine(members, h.way, false), membership.Config{Name: name, Clock: func() time.Duration { return time.Since(began) }})
	if err != nil {
		return nil, err
	}
	c.every = append(c.every, h)
	config.Handler = h
	h.owners, err = shards.Open(ctx, newLine(table, h.way, true), h.member, config)
	c.hosts[name] = h
	return h, err
}

// meet waits until all nodes know all hosts.
func (c *cluster) meet() {
	c.t.Helper()
	c.until(time.Minute, "all nodes know each other", func() bool {
		for _, h := range c.hosts {
			if len(h.owners.Hosts()) != len(c.hosts) {
				return false
			}
		}
		return true
	})
}

// crash ends a host at once, as far as others can tell.
func (c *cluster) crash(name string) {
	h := c.hosts[name]
	h.way.set(false, false, 0)
	c.end(h)
}

func (c *cluster) end(h *host) {
	if h.left {
		return
	}
	h.left = true
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if h.owners != nil {
		_ = h.owners.Leave(ctx)
	}
	_ = h.member.Leave(ctx)
}

func (c *cluster) close() {
	c.store.Lead(true)
	for _, h := range c.every {
		h.way.set(true, true, 0)
		c.end(h)
	}
}

// until waits until something holds, and returns how long that took; it fails after a limit of the bubble's time.
func (c *cluster) until(limit time.Duration, what string, holds func() bool) time.Duration {
	c.t.Helper()
	began := time.Now()
	for !holds() {
		if time.Since(began) > limit {
			c.t.Fatalf("after %v it is not so that %s", limit, what)
		}
		<-time.After(20 * time.Millisecond)
		synctest.Wait()
	}
	return time.Since(began)
}

// use has all shards used, and waits until the hosts own them.
func (c *cluster) use(n int, names string) {
	c.t.Helper()
	for shard := range n {
		if _, err := c.hosts[names[:1]].owners.WaitOwner(c.t.Context(), shard); err != nil {
			c.t.Fatal(err)
		}
	}
	c.settle(n, names)
}

// settle waits until the hosts own all shards.
func (c *cluster) settle(n int, names string) time.Duration {
	c.t.Helper()
	return c.until(2*time.Minute, fmt.Sprintf("the nodes %q have %d shards", names, n), func() bool { return c.owned(names) == n })
}

func (c *cluster) owned(names string) (n int) {
	for _, name := range strings.Split(names, "") {
		for shard, fence := range c.hosts[name].fences() {
			if f, ok := c.hosts[name].owners.Fence(shard); ok && f == fence {
				n++
			}
		}
	}
	return n
}

func TestAShardGetsItsOwnerWhenItIsFirstUsed(t *testing.T) {
	inBubble(t, shards.Config{Shards: 64}, "abc", func(t *testing.T, c *cluster) {
		<-time.After(5 * time.Second)
		if n := c.owned("abc"); n != 0 {
			t.Errorf("%d shards have an owner before anybody uses them", n)
		}
		if h, ok := c.hosts["a"].owners.Where(7); ok {
			t.Errorf("shard 7 has the owner %v", h)
		}
		want, err := c.hosts["a"].owners.WaitOwner(t.Context(), 7)
		if err != nil {
			t.Fatal(err)
		}
		c.settle(1, "abc")
		for name, h := range c.hosts {
			got, err := h.owners.WaitOwner(t.Context(), 7)
			if err != nil || got != want {
				t.Errorf("node %q knows the owner %v, %v; want %v", name, got, err, want)
			}
			if fence, ok := h.owners.Fence(7); ok != (name == want.Node) || ok && fence != want.Fence || ok != h.owners.Owns(7) {
				t.Errorf("node %q has the fence %d, %v; the owner is %v", name, fence, ok, want)
			}
		}
		if all := c.hosts["b"].owners.All(); len(all) != 64 || all[7] != want || all[8] != (shards.Holder{}) {
			t.Errorf("all owners are %v", all)
		}
	})
}

func TestANodeThatLeavesHandsAThirdOf1024ShardsOverWithinTwoSeconds(t *testing.T) {
	inBubble(t, shards.Config{}, "abc", func(t *testing.T, c *cluster) {
		c.use(1024, "abc")
		leaver := c.hosts["c"]
		had := leaver.count()
		if had < 250 {
			t.Fatalf("the node has %d shards", had)
		}
		leaver.release = func(context.Context, int) { <-time.After(20 * time.Millisecond) }
		c.store.Inject(func(memory.Op) memory.Fault { return memory.Fault{Delay: 600 * time.Microsecond} })
		began := time.Now()
		if err := leaver.owners.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		took += c.until(time.Minute, "the others have all shards", func() bool { return c.owned("ab") == 1024 })
		if t.Logf("%d shards in %v of the bubble's time", had, took); took > 2*time.Second {
			t.Errorf("to hand %d shards over took %v", had, took)
		}
		if len(leaver.released) != had || len(leaver.lost) != 0 {
			t.Errorf("of %d shards %d were released and %d lost", had, len(leaver.released), len(leaver.lost))
		}
		c.store.Inject(nil)
	})
}

func TestWritesOfANodeAreBounded(t *testing.T) {
	inBubble(t, shards.Config{Shards: 128, Parallel: 4}, "ab", func(t *testing.T, c *cluster) {
		c.use(128, "ab")
		var mu sync.Mutex
		at := map[time.Time]int{}
		c.store.Inject(func(op memory.Op) memory.Fault {
			mu.Lock()
			defer mu.Unlock()
			if op.Node == "b" && op.Kind == "put" && strings.HasPrefix(op.Key, "shard.") {
				at[time.Now()]++
			}
			return memory.Fault{Delay: 10 * time.Millisecond}
		})
		if err := c.hosts["b"].owners.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.store.Inject(nil)
		most := 0
		for _, n := range at {
			most = max(most, n)
		}
		if most != 4 {
			t.Errorf("%d writes began at once, want 4", most)
		}
	})
}

func TestAfterACrashTheOthersTakeTheShardsWhenTheLeaseIsOver(t *testing.T) {
	inBubble(t, shards.Config{Shards: 64}, "abc", func(t *testing.T, c *cluster) {
		c.use(64, "abc")
		before := c.hosts["c"].fences()
		c.crash("c")
		took := c.settle(64, "ab")
		if took < 13*time.Second || took > 19*time.Second { // The clock is the one of the bubble. The lease is 15 s.
			t.Errorf("it took %v", took)
		}
		for shard, fence := range before {
			h, ok := c.hosts["a"].owners.Where(shard)
			if !ok || h.Node == "c" || h.Fence <= fence {
				t.Errorf("shard %d had the fence %d, and now has the owner %v, %v", shard, fence, h, ok)
			}
		}
	})
}

func TestWithoutAQuorumANodeOwnsNothingAndThenTheSameShardsUnderNewFences(t *testing.T) {
	inBubble(t, shards.Config{Shards: 64}, "abc", func(t *testing.T, c *cluster) {
		c.use(64, "abc")
		before := map[string]map[int]uint64{}
		for name, h := range c.hosts {
			before[name] = h.fences()
		}
		c.store.Lead(false)
		c.until(20*time.Second, "nobody owns anything", func() bool { return c.owned("abc") == 0 && c.hosts["a"].count() == 0 })
		for shard := range before["a"] {
			if why := c.hosts["a"].reason(shard); !errors.Is(why, membership.ErrNoQuorum) {
				t.Errorf("shard %d is lost: %v", shard, why)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if h, err := c.hosts["a"].owners.WaitOwner(ctx, shard); !errors.Is(err, membership.ErrNoQuorum) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the owner of shard %d is %v, %v", shard, h, err)
			}
			cancel()
			break
		}
		<-time.After(20 * time.Second) // After a minute the entries of the members are gone.
		c.store.Lead(true)
		c.settle(64, "abc")
		for name, h := range c.hosts {
			after := h.fences()
			for shard, fence := range before[name] {
				if after[shard] <= fence {
					t.Errorf("node %q had the fence %d for shard %d, and has %d", name, fence, shard, after[shard])
				}
			}
		}
	})
}

func TestANodeThatComesGetsItsShareAFewAtOnce(t *testing.T) {
	config := shards.Config{Shards: 256, Moves: 8}
	inBubble(t, config, "ab", func(t *testing.T, c *cluster) {
		c.use(256, "ab")
		for _, h := range c.hosts {
			h.release = func(context.Context, int) { <-time.After(50 * time.Millisecond) }
		}
		if _, err := c.join("c", config); err != nil {
			t.Fatal(err)
		}
		most := 0
		c.until(2*time.Minute, "node c has its share", func() bool {
			moving := 0
			for _, name := range []string{"a", "b"} {
				c.hosts[name].mu.Lock()
				moving += c.hosts[name].at
				c.hosts[name].mu.Unlock()
			}
			most = max(most, moving)
			return c.owned("abc") == 256 && c.hosts["c"].count() > 60
		})
		if n := c.hosts["c"].count(); n > 107 {
			t.Errorf("node c has %d shards; its bound is 107", n)
		}
		if most == 0 || most > 8 {
			t.Errorf("%d shards moved at once, want at most 8", most)
		}
	})
}

func TestMoveHandsAShardOverAndItStaysThere(t *testing.T) {
	inBubble(t, shards.Config{Shards: 16}, "abc", func(t *testing.T, c *cluster) {
		c.use(16, "abc")
		for _, name := range []string{"a", "b", "c", "c"} {
			if err := c.hosts["a"].owners.Move(t.Context(), 5, name); err != nil {
				t.Fatal(err)
			}
			c.settle(16, "abc")
			<-time.After(10 * time.Second)
			h, ok := c.hosts["b"].owners.Where(5)
			if !ok || h.Node != name || !h.Pinned || !c.hosts[name].owners.Owns(5) {
				t.Errorf("shard 5 was moved to %q, and has the owner %v, %v", name, h, ok)
			}
		}
		if err := c.hosts["a"].owners.Move(t.Context(), 5, ""); err != nil {
			t.Fatal(err)
		}
		c.settle(16, "abc")
		places := shards.Place(16, []shards.Host{{Name: "a", Capacity: 1}, {Name: "b", Capacity: 1}, {Name: "c", Capacity: 1}}, nil, nil)
		if h, ok := c.hosts["a"].owners.Where(5); !ok || h.Node != places[5] || h.Pinned {
			t.Errorf("shard 5 belongs to %q again, and has the owner %v, %v", places[5], h, ok)
		}
	})
}

func TestMoveToWhereNoShardCanBeIsRefused(t *testing.T) {
	inBubble(t, shards.Config{Shards: 16}, "ab", func(t *testing.T, c *cluster) {
		o := c.hosts["a"].owners
		if err := o.Move(t.Context(), 3, "nobody"); !errors.Is(err, shards.ErrNoHost) || !strings.Contains(err.Error(), `"nobody"`) {
			t.Errorf("Move to a node that is not there: %v", err)
		}
		for _, shard := range []int{-1, 16} {
			if err := o.Move(t.Context(), shard, "a"); !errors.Is(err, shards.ErrNoShard) {
				t.Errorf("Move of shard %d: %v", shard, err)
			}
			if _, err := o.WaitOwner(t.Context(), shard); !errors.Is(err, shards.ErrNoShard) {
				t.Errorf("WaitOwner of shard %d: %v", shard, err)
			}
			_, held := o.Fence(shard)
			_, there := o.Where(shard)
			if o.Owns(shard) || held || there {
				t.Errorf("shard %d is owned", shard)
			}
		}
		if err := o.Move(t.Context(), 3, "b"); err != nil { // It was never used.
			t.Errorf("Move of a new shard: %v", err)
		}
		c.settle(1, "b")
	})
}

func TestAReleaseThatHangsDoesNotHoldItsShard(t *testing.T) {
	inBubble(t, shards.Config{Shards: 16}, "ab", func(t *testing.T, c *cluster) {
		c.use(16, "ab")
		from, to := c.hosts["a"], c.hosts["b"]
		shard := 0
		for !from.owners.Owns(shard) {
			shard++
		}
		cause, hang := make(chan error, 1), make(chan struct{})
		from.release = func(ctx context.Context, shard int) {
			<-ctx.Done()
			cause <- context.Cause(ctx)
			if from.owners.Owns(shard) {
				t.Error("the node owns the shard after the limit")
			}
			<-hang
		}
		began := time.Now()
		if err := from.owners.Move(t.Context(), shard, "b"); err != nil {
			t.Fatal(err)
		}
		c.until(time.Second, "the new owner has the shard", func() bool { return to.owners.Owns(shard) })
		if took := time.Since(began); took < 10*time.Second || took > 11*time.Second { // The clock of the bubble.
			t.Errorf("it took %v", took)
		}
		if err := <-cause; !errors.Is(err, shards.ErrHandOver) {
			t.Errorf("the cause is %v", err)
		}
		close(hang)
	})
}

func TestAnotherNumberOfShardsIsRefused(t *testing.T) {
	inBubble(t, shards.Config{Shards: 16}, "a", func(t *testing.T, c *cluster) {
		_, err := c.join("b", shards.Config{Shards: 32})
		if !errors.Is(err, shards.ErrCount) || !strings.Contains(err.Error(), "the cluster has 16, and node \"b\" wants 32") {
			t.Errorf("Open: %v", err)
		}
	})
}

func TestATableThatForgetsEndsAllOwnership(t *testing.T) {
	// Proposals would bring the revisions of the table back to where they were, before the watches look.
	inBubble(t, shards.Config{Shards: 16, Moves: -1}, "ab", func(t *testing.T, c *cluster) {
		c.use(8, "ab")
		c.store.Inject(func(memory.Op) memory.Fault { return memory.Fault{Kind: memory.Unsynced} })
		for shard := 8; shard < 16; shard++ {
			if _, err := c.hosts["a"].owners.WaitOwner(t.Context(), shard); err != nil {
				t.Fatal(err)
			}
		}
		c.settle(16, "ab")
		synctest.Wait() // Until all watches have seen what is lost now.
		c.store.Crash() // No write may be synced before, as a sync is one of all writes.
		c.store.Inject(nil)
		c.until(10*time.Second, "nobody owns anything", func() bool { return c.owned("ab") == 0 && c.hosts["a"].count()+c.hosts["b"].count() == 0 })
		_, err := c.hosts["a"].owners.WaitOwner(t.Context(), 0)
		if !errors.Is(err, engine.ErrAmnesia) && !errors.Is(err, membership.ErrNodeLost) {
			t.Errorf("WaitOwner: %v", err)
		}
	})
}

func TestANodeAloneReleasesItsShardsWhenItLeavesAndHasThemNextTime(t *testing.T) {
	config := shards.Config{Shards: 16}
	inBubble(t, config, "a", func(t *testing.T, c *cluster) {
		c.use(16, "a")
		h := c.hosts["a"]
		before := h.fences()
		if err := h.owners.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(h.released) != 16 || h.owners.Owns(3) {
			t.Errorf("%d shards were released; shard 3 is owned: %v", len(h.released), h.owners.Owns(3))
		}
		if _, err := h.owners.WaitOwner(t.Context(), 3); !errors.Is(err, shards.ErrLeft) {
			t.Errorf("WaitOwner after Leave: %v", err)
		}
		if err := h.owners.Move(t.Context(), 3, "a"); !errors.Is(err, shards.ErrLeft) {
			t.Errorf("Move after Leave: %v", err)
		}
		if err := h.owners.Leave(t.Context()); err != nil {
			t.Errorf("the second Leave: %v", err)
		}
		h.left = true
		if err := h.member.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		again, err := c.join("a", config)
		if err != nil {
			t.Fatal(err)
		}
		c.settle(16, "a")
		for shard, fence := range again.fences() {
			if fence <= before[shard] {
				t.Errorf("shard %d had the fence %d, and has %d", shard, before[shard], fence)
			}
		}
	})
}

func TestTheSameNodeOpensAgainUnderNewFences(t *testing.T) {
	inBubble(t, shards.Config{Shards: 4}, "a", func(t *testing.T, c *cluster) {
		c.use(4, "a")
		h := c.hosts["a"]
		before := h.fences()
		if err := h.owners.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		table, err := c.store.Engine("a", nil).Table(t.Context(), "shards")
		if err != nil {
			t.Fatal(err)
		}
		if h.owners, err = shards.Open(t.Context(), table, h.member, shards.Config{Shards: 4, Handler: h}); err != nil {
			t.Fatal(err)
		}
		c.settle(4, "a")
		for shard, fence := range h.fences() {
			if fence <= before[shard] {
				t.Errorf("shard %d had the fence %d, and has %d", shard, before[shard], fence)
			}
		}
	})
}

func TestAfterAnOutageOfAllTheNextNodeTakesAllShards(t *testing.T) {
	config := shards.Config{Shards: 32}
	for _, pause := range []time.Duration{0, 5 * time.Minute} { // Entries of members have vanished after a minute.
		inBubble(t, config, "abc", func(t *testing.T, c *cluster) {
			c.use(32, "abc")
			for _, name := range []string{"a", "b", "c"} {
				c.crash(name)
			}
			<-time.After(pause)
			if _, err := c.join("d", config); err != nil {
				t.Fatal(err)
			}
			if took := c.settle(32, "d"); took > 20*time.Second {
				t.Errorf("%v after the outage it took %v", pause, took)
			}
		})
	}
}

func TestLeaveWithoutATableEndsWithItsContext(t *testing.T) {
	inBubble(t, shards.Config{Shards: 16}, "ab", func(t *testing.T, c *cluster) {
		c.use(16, "ab")
		h := c.hosts["a"]
		had := h.count()
		c.store.Lead(false)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := h.owners.Leave(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), fmt.Sprintf("%d shards", had)) {
			t.Errorf("Leave with %d shards: %v", had, err)
		}
		if h.count() != 0 || h.owners.Owns(0) {
			t.Errorf("the node has %d shards after it left", h.count())
		}
	})
}

func TestCapacityLabelsAndPreferencesDecide(t *testing.T) {
	config := shards.Config{Shards: 256, Prefer: func(shard int, h shards.Host) bool { return shard >= 8 || h.Labels["zone"] == "b" }}
	inBubble(t, config, "a", func(t *testing.T, c *cluster) {
		big := config
		big.Capacity, big.Labels = 3, map[string]string{"zone": "b"}
		if _, err := c.join("b", big); err != nil {
			t.Fatal(err)
		}
		c.meet()
		c.use(256, "ab")
		if n := c.hosts["b"].count(); n < 170 || n > 240 {
			t.Errorf("node b with 3 of 4 units of capacity has %d shards of 256", n)
		}
		for shard := range 8 {
			if !c.hosts["b"].owners.Owns(shard) {
				t.Errorf("node b does not own shard %d, which prefers its zone", shard)
			}
		}
	})
}

func TestWithoutMovesNothingMovesByItself(t *testing.T) {
	config := shards.Config{Shards: 32, Moves: -1}
	inBubble(t, config, "a", func(t *testing.T, c *cluster) {
		c.use(32, "a")
		if _, err := c.join("b", config); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Minute)
		if n := c.hosts["a"].count(); n != 32 {
			t.Errorf("node a has %d shards", n)
		}
		if err := c.hosts["b"].owners.Move(t.Context(), 0, "b"); err != nil {
			t.Error(err)
		}
	})
}

func TestAForeignTableIsRefused(t *testing.T) {
	inBubble(t, shards.Config{Shards: 4}, "a", func(t *testing.T, c *cluster) {
		c.use(4, "a")
		table, err := c.store.Engine("x", nil).Table(t.Context(), "shards")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := table.Put(t.Context(), "shard.2", []byte("nonsense"), engine.Any, 0); err != nil {
			t.Fatal(err)
		}
		c.until(time.Second, "the node owns nothing", func() bool { return c.hosts["a"].count() == 0 })
		if _, err := c.hosts["a"].owners.WaitOwner(t.Context(), 2); err == nil || !strings.Contains(err.Error(), `"shard.2"`) {
			t.Errorf("WaitOwner: %v", err)
		}
	})
}

func TestSettingsThatCannotWorkAreRefused(t *testing.T) {
	for _, c := range []shards.Config{
		{},
		{Shards: -1, Handler: &host{}},
		{Shards: 1 << 20, Handler: &host{}},
		{Capacity: 101, Handler: &host{}},
		{Capacity: -1, Handler: &host{}},
		{HandOver: -1, Handler: &host{}},
		{Parallel: -1, Handler: &host{}},
		{Moves: -2, Handler: &host{}},
		{Pace: -1, Handler: &host{}},
	} {
		if _, err := shards.Open(t.Context(), nil, nil, c); !errors.Is(err, shards.ErrInvalid) {
			t.Errorf("Open with %+v: %v", c, err)
		}
	}
}

func BenchmarkOwns(b *testing.B) {
	store := memory.NewStore()
	members, err := store.Engine("a", nil).Table(b.Context(), "members")
	if err != nil {
		b.Fatal(err)
	}
	table, err := store.Engine("a", nil).Table(b.Context(), "shards")
	if err != nil {
		b.Fatal(err)
	}
	node, err := membership.Join(b.Context(), members, membership.Config{Name: "a"})
	if err != nil {
		b.Fatal(err)
	}
	h := &host{has: map[int]uint64{}, got: map[int]int{}, lost: map[int]error{}, released: map[int]bool{}}
	owners, err := shards.Open(b.Context(), table, node, shards.Config{Handler: h})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := errors.Join(owners.Leave(context.Background()), node.Leave(context.Background())); err != nil {
			b.Error(err)
		}
	}()
	if _, err := owners.WaitOwner(b.Context(), 7); err != nil {
		b.Fatal(err)
	}
	b.Run("Owns", func(b *testing.B) {
		for b.Loop() {
			if !owners.Owns(7) {
				b.Fatal("the node does not own the shard")
			}
		}
	})
	b.Run("Valid", func(b *testing.B) {
		for b.Loop() {
			if err := node.Valid(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Place", func(b *testing.B) {
		hosts := some(slices.Repeat([]int{4}, 32)...)
		for b.Loop() {
			shards.Place(1024, hosts, nil, nil)
		}
	})
}
