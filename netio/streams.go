package netio

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/strand"
)

// streams are the connections that a listener has accepted since it was opened, or
// the one that was attached.
type streams struct {
	wait      strand.WaitGroup // For all of them.
	past      *past
	lingering time.Duration // Of each that ends.
	memory    memory

	mu      sync.Mutex
	open    map[*stream]struct{}
	refused error // Why there are no new ones, or nil.
}

// past counts what has ended. It outlives the restarts of a listener.
type past struct {
	mu      sync.Mutex // Taken while the mutex of streams is held, or alone.
	traffic Traffic
	failed  uint64
}

// newStreams returns what watches over connections that linger for as long as said, and together buffer up to total bytes.
func newStreams(p *past, lingering time.Duration, total int64) *streams {
	g := &streams{past: p, lingering: lingering, open: make(map[*stream]struct{})}
	g.memory.limit, g.memory.patience = total, patience
	g.memory.streams = func() []*stream {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.all()
	}
	return g
}

// add enters a stream, unless all of them are to end.
func (g *streams) add(ctx context.Context, s *stream) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refused != nil {
		return g.refused
	}
	g.open[s] = struct{}{}
	return g.wait.Add(ctx, 1)
}

func (g *streams) remove(s *stream) {
	g.mu.Lock()
	delete(g.open, s)
	g.past.add(s)
	g.mu.Unlock()
	_ = g.wait.Done(context.Background()) // It was added.
}

func (p *past) add(s *stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.traffic.add(s.traffic())
	if s.err() != nil {
		p.failed++
	}
}

// count adds all connections, open or not, to st.
func (g *streams) count(st *Stats) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.past.count(st)
	g.memory.count(st)
	st.Open = len(g.open)
	for s := range g.open {
		st.Traffic.add(s.traffic())
	}
}

func (p *past) count(st *Stats) {
	p.mu.Lock()
	defer p.mu.Unlock()
	st.Failed = p.failed
	st.Traffic.add(p.traffic)
}

// refuse keeps others from being added, and returns those that are there.
func (g *streams) refuse(why error) []*stream {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refused == nil {
		g.refused = why
	}
	return g.all()
}

// number returns how many connections are open.
func (g *streams) number() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.open)
}

func (g *streams) all() (all []*stream) {
	for s := range g.open {
		all = append(all, s)
	}
	return all
}

// force ends all connections at once, and returns how many there were.
func (g *streams) force(why error) int {
	left := g.refuse(net.ErrClosed)
	for _, s := range left {
		s.force(why)
	}
	return len(left)
}

// notice tells a keeper of a stream, with the actor whose end it is to await. To the
// keeper of a listener it may tell something else instead.
type notice struct {
	id actor.PID
	s  *stream

	of   *opening // The stream that was opened, if one was.
	lost error    // Why it accepts nothing any more, or nil if all its connections have ended.
}

// keeper is an actor that tells streams of the ends of their actors, and ends all of
// them when the system stops: their strands would hold it up.
type keeper struct {
	group   *streams
	watched map[actor.Monitor]*stream
}

func newKeeper(g *streams) *keeper { return &keeper{g, map[actor.Monitor]*stream{}} }

// Receive begins to watch an actor.
func (k *keeper) Receive(ctx *actor.Context[notice], n notice) error {
	m, err := ctx.Monitor(n.id)
	if err != nil {
		return err
	}
	k.watched[m] = n.s
	return nil
}

// Down ends the connection of an actor that has ended.
func (k *keeper) Down(ctx *actor.Context[notice], m actor.Monitor, _ actor.Exit) error {
	s := k.watched[m]
	delete(k.watched, m)
	s.end(ctx, errActorEnded)
	return nil
}

// Stopped ends what is left.
func (k *keeper) Stopped(*actor.Context[notice], error) {
	for _, s := range k.group.refuse(actor.ErrSystemStopped) {
		s.fail(actor.ErrSystemStopped)
	}
}
