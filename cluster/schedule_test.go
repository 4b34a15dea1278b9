package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/lane"
)

// owner is an actor that registers itself, as a program does that believes in its name while its node is valid.
type owner struct {
	node *cluster.Node
	ref  actor.Ref[question]
}

// schedule is a site whose faults a seed chooses. Nodes take names from each other all the while.
type schedule struct {
	*site
	random *rand.Rand // Guarded by mu, as is all below.
	slow   bool       // Calls of the store take up to nine seconds, and some answers are lost.
	owners map[string][]owner
	wins   int
	lost   int
	worst  error
}

var contested = []string{"one", "two"}

// fault decides what happens to a call of the store.
func (s *schedule) fault(op memory.Op) memory.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.alone[op.Node]:
		return memory.Fault{Kind: memory.Refuse}
	case s.slow:
		f := memory.Fault{Delay: time.Duration(s.random.Int64N(int64(9 * time.Second)))}
		if s.random.IntN(3) == 0 {
			f.Kind = memory.LoseAnswer
		}
		return f
	}
	return memory.Fault{Delay: time.Duration(s.random.Int64N(int64(time.Millisecond)))}
}

// contend has a node take a name, hold it for a while, and give it up, until ctx ends.
func (s *schedule) contend(ctx context.Context, n *cluster.Node, name string, ref actor.Ref[question]) {
	for ctx.Err() == nil {
		call, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := cluster.Register(call, n, name, ref)
		cancel()
		if err == nil {
			s.mu.Lock()
			s.wins++
			s.owners[name] = append(s.owners[name], owner{n, ref})
			s.mu.Unlock()
			s.hold(ctx)
			s.disown(name, ref) // It believes no more, so it may give the name up.
			for ctx.Err() == nil {
				call, cancel := context.WithTimeout(ctx, 5*time.Second)
				err = cluster.Unregister(call, n, name)
				cancel()
				if !errors.Is(err, cluster.ErrNoQuorum) {
					break
				}
			}
		}
		if errors.Is(err, cluster.ErrNodeLost) || errors.Is(err, cluster.ErrLeft) {
			return
		}
		s.hold(ctx)
	}
}

// hold waits up to ten seconds.
func (s *schedule) hold(ctx context.Context) {
	s.mu.Lock()
	d := time.Duration(1+s.random.Int64N(10_000)) * time.Millisecond
	s.mu.Unlock()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func (s *schedule) disown(name string, ref actor.Ref[question]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, o := range s.owners[name] {
		if o.ref == ref {
			s.owners[name] = append(s.owners[name][:i:i], s.owners[name][i+1:]...)
			return
		}
	}
}

// check keeps an error if two owners believe that they have one name.
func (s *schedule) check() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, owners := range s.owners {
		var valid []owner
		for _, o := range owners {
			if o.node.Valid() == nil {
				valid = append(valid, o)
			}
		}
		if len(valid) > 1 && s.worst == nil {
			s.worst = fmt.Errorf("after %v the name %q is owned by %s/%d and %s/%d at once", time.Since(s.began), name,
				valid[0].node.Name(), valid[0].node.Birth(), valid[1].node.Name(), valid[1].node.Birth())
		}
	}
}

// pass lets time go by, and checks all the while.
func (s *schedule) pass(d time.Duration) {
	for range d / (250 * time.Millisecond) {
		<-time.After(250 * time.Millisecond)
		synctest.Wait()
		s.check()
	}
}

// upset does something to the engine.
func (s *schedule) upset() {
	s.mu.Lock()
	kind, node := s.random.IntN(6), []string{"a", "b", "c"}[s.random.IntN(3)]
	s.slow = kind == 0
	if kind >= 3 {
		s.alone[node] = true
	}
	if kind == 1 {
		clear(s.alone)
	}
	s.mu.Unlock()
	s.store.Lead(kind != 2)
}

// number returns a number below n.
func (s *schedule) number(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.IntN(n)
}

func (s *schedule) heal() {
	s.mu.Lock()
	s.slow = false
	clear(s.alone)
	s.mu.Unlock()
	s.store.Lead(true)
}

// run runs one schedule. In the end each name can be taken, and each node finds its actor.
func (s *schedule) run() error {
	s.store.Inject(s.fault)
	ctx, cancel := context.WithCancel(s.limit())
	defer cancel()
	var running sync.WaitGroup
	nodes := map[string]member{}
	begin := func(m member) {
		for _, name := range contested {
			ref := spawn(s.site, m, adder)
			running.Go(func() { s.contend(ctx, m.Node, name, ref) })
		}
	}
	for _, name := range []string{"a", "b", "c"} {
		nodes[name] = s.join(name)
		begin(nodes[name])
	}
	for range 8 {
		s.upset()
		s.pass(time.Duration(1+s.number(16)) * time.Second)
		for name, m := range nodes {
			if !errors.Is(m.Valid(), cluster.ErrNodeLost) || s.isAlone(name) {
				continue
			}
			s.lost++
			soon, cancel := context.WithTimeout(ctx, 10*time.Second)
			node, err := cluster.Join(soon, m.sys, m.engine, s.config(name))
			cancel()
			if err == nil {
				s.leaveAtEnd(node)
				nodes[name] = member{Node: node, sys: m.sys, engine: m.engine}
				begin(nodes[name])
			}
		}
	}
	s.heal()
	s.pass(40 * time.Second)
	cancel()
	running.Wait()
	s.pass(2 * time.Second) // Late writes are cleaned up meanwhile.
	return errors.Join(s.worst, s.agree(nodes))
}

func (s *schedule) isAlone(node string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alone[node]
}

// agree has a node that is valid take a new name, and all valid ones find it.
func (s *schedule) agree(nodes map[string]member) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, m := range nodes {
		if m.Valid() != nil {
			continue
		}
		name := "last-of-" + m.Name()
		ref := spawn(s.site, m, adder)
		if err := cluster.Register(ctx, m.Node, name, ref); err != nil {
			return fmt.Errorf("node %q can't register: %w", m.Name(), err)
		}
		for _, other := range nodes {
			if other.Valid() != nil {
				continue
			}
			far, err := cluster.Lookup[question](ctx, other.Node, name)
			if err != nil || cluster.Address(far) != cluster.Address(ref) {
				return fmt.Errorf("node %q does not find the actor of node %q: %w", other.Name(), m.Name(), err)
			}
		}
	}
	return nil
}

func TestNoNameHasTwoOwnersInManySchedules(t *testing.T) {
	seeds := uint64(lane.Rounds(10, 40, 3000))
	wins, lost := 0, 0
	for seed := range seeds {
		bubble(t, func(site *site) {
			s := &schedule{site: site, random: rand.New(rand.NewPCG(seed, 3)), owners: map[string][]owner{}}
			if err := s.run(); err != nil {
				s.t.Errorf("seed %d: %v", seed, err)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			wins += s.wins
			lost += s.lost
		})
		if t.Failed() {
			return
		}
	}
	if wins < int(seeds) {
		t.Errorf("names were taken %d times in %d schedules; so few prove nothing", wins, seeds)
	}
	t.Logf("%d schedules, names taken %d times, %d births lost", seeds, wins, lost)
}
