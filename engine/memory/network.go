package memory

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/troupe-go/troupe/internal/sim"
)

// Network joins nodes of one process.
type Network struct {
	engine *sim.Engine // The simulation that the network is part of, or nil.

	mu     sync.Mutex
	rand   *rand.Rand
	faults Faults          // Of all pairs that have none of their own.
	pairs  map[pair]Faults // One direction each.
	cut    map[pair]time.Time
	nodes  map[string]*Bus
	links  map[direction]*link
	closed bool
}

// pair is the way from one node to another.
type pair struct{ from, to string }

// direction is a pair's connection of one class.
type direction struct {
	pair
	urgent bool
}

// link is what a connection has under way.
type link struct {
	free time.Time // When a slow link has sent what it was given.
	last time.Time // When the last frame arrives that keeps its place.
}

// NewNetwork returns a network with the given faults between all nodes; without any it is
// perfect. It fails if a fault is out of its range.
func NewNetwork(faults ...Faults) (*Network, error) {
	n := &Network{
		engine: sim.Current(),
		rand:   rand.New(rand.NewPCG(1, 1)),
		pairs:  map[pair]Faults{},
		cut:    map[pair]time.Time{},
		nodes:  map[string]*Bus{},
		links:  map[direction]*link{},
	}
	for _, f := range faults {
		if err := n.Set(f); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// Seed sets the seed of the random numbers, outside of simulations. It is 1 at first.
func (n *Network) Seed(seed uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rand = rand.New(rand.NewPCG(seed, 1))
}

// Set sets the faults between all nodes, from now on, and forgets the faults of pairs. Nodes
// that [Network.Cut] has separated stay so.
func (n *Network) Set(f Faults) error {
	if err := f.check(); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.faults = f
	clear(n.pairs)
	return nil
}

// SetPair sets the faults of the way from one node to another, from now on. The way back
// has its own.
func (n *Network) SetPair(from, to string, f Faults) error {
	if err := f.check(); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pairs[pair{from, to}] = f
	return nil
}

// Cut separates two nodes: frames are lost both ways, also those that are under way.
func (n *Network) Cut(a, b string) {
	n.CutOneWay(a, b)
	n.CutOneWay(b, a)
}

// CutOneWay has all frames lost from one node to another, also those that are under way.
// The way back works.
func (n *Network) CutOneWay(from, to string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, ok := n.cut[pair{from, to}]; !ok {
		n.cut[pair{from, to}] = time.Now()
	}
	if b := n.nodes[to]; b != nil {
		b.lose(from)
	}
}

// Heal ends what Cut and CutOneWay have done to two nodes.
func (n *Network) Heal(a, b string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.cut, pair{a, b})
	delete(n.cut, pair{b, a})
}

// Pause stops a node as the operating system stops a process: it receives nothing, and its
// calls of Publish wait. Frames that arrive meanwhile are kept, up to the bound
// of each subscription.
func (n *Network) Pause(node string) { n.setPaused(node, true) }

// Resume ends a pause.
func (n *Network) Resume(node string) { n.setPaused(node, false) }

func (n *Network) setPaused(node string, paused bool) {
	b := n.Bus(node)
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case paused && b.resumed == nil:
		b.resumed = make(chan struct{})
	case !paused && b.resumed != nil:
		close(b.resumed)
		b.resumed = nil
		for s := range b.subscriptions {
			s.nudge()
		}
	}
}

// Bus returns the bus of a node. The first call for a name makes the node.
func (n *Network) Bus(node string) *Bus {
	n.mu.Lock()
	defer n.mu.Unlock()
	b := n.nodes[node]
	if b == nil {
		b = &Bus{network: n, node: node, subscriptions: map[*subscription]bool{}, closed: n.closed, ended: make(chan struct{})}
		if b.closed {
			close(b.ended)
		}
		n.nodes[node] = b
	}
	return b
}

// Close closes the bus of each node.
func (n *Network) Close() error {
	n.mu.Lock()
	n.closed = true
	buses := make([]*Bus, 0, len(n.nodes))
	for _, b := range n.nodes {
		buses = append(buses, b)
	}
	n.mu.Unlock()
	for _, b := range buses {
		_ = b.Close() // It returns nil.
	}
	return nil
}

// chances is the number of outcomes of one random choice.
const chances = 1 << 12

// pick returns a number below of. In a simulation the schedule chooses it, and 0 is the
// choice of the simplest schedule. The caller holds mu.
func (n *Network) pick(of int) int {
	if n.engine != nil {
		return n.engine.Pick(of)
	}
	return n.rand.IntN(of)
}

// chance reports whether something happens that has the given share. The caller holds mu.
func (n *Network) chance(share float64) bool {
	return share > 0 && n.pick(chances) >= chances-int(share*chances)
}

// part returns a random part of d. The caller holds mu.
func (n *Network) part(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(float64(d) * float64(n.pick(chances)) / (chances - 1))
}

// link returns the connection of one class. The caller holds mu.
func (n *Network) link(d direction) *link {
	l := n.links[d]
	if l == nil {
		l = &link{}
		n.links[d] = l
	}
	return l
}

// arrivals returns when the copies of a frame arrive, if at all. The caller holds mu.
func (n *Network) arrivals(d direction, size int, now time.Time) (first, second time.Time, copies int) {
	if d.from == d.to {
		return now, now, 1
	}
	f := n.faultsOf(d.pair)
	l := n.link(d)
	sent := now
	if f.Rate > 0 {
		if l.free.After(sent) {
			sent = l.free
		}
		sent = sent.Add(time.Duration(float64(size) / float64(f.Rate) * float64(time.Second)))
		l.free = sent
	}
	if _, cut := n.cut[d.pair]; cut || f.Cut || n.chance(f.Loss) {
		return now, now, 0
	}
	first = sent.Add(f.Delay + n.part(f.Jitter))
	if first.Before(l.last) {
		first = l.last
	}
	if n.chance(f.Reorder) {
		first = first.Add(time.Millisecond + n.part(4*(f.Delay+f.Jitter)))
	} else {
		l.last = first
	}
	if !n.chance(f.Double) {
		return first, first, 1
	}
	return first, first.Add(n.part(f.Delay + f.Jitter)), 2
}

func (n *Network) faultsOf(p pair) Faults {
	if f, ok := n.pairs[p]; ok {
		return f
	}
	return n.faults
}
