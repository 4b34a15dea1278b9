package netio

import (
	"context"
	"sync"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/strand"
)

// streams are the connections of a listener, or the one that was attached.
type streams struct {
	wait strand.WaitGroup // For all of them.

	mu      sync.Mutex
	open    map[*stream]struct{}
	refused error // Why there are no new ones, or nil.
	past    Traffic
	failed  uint64
}

func newStreams() *streams { return &streams{open: make(map[*stream]struct{})} }

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
	g.past.add(s.traffic())
	if s.err() != nil {
		g.failed++
	}
	g.mu.Unlock()
	_ = g.wait.Done(context.Background()) // It was added.
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

func (g *streams) all() (all []*stream) {
	for s := range g.open {
		all = append(all, s)
	}
	return all
}

// watch asks a keeper to tell a stream of the end of its actor.
type watch struct {
	id actor.PID
	s  *stream
}

// keeper is an actor that tells streams of the ends of their actors, and ends all of
// them when the system stops: their strands would hold it up.
type keeper struct {
	group   *streams
	stop    func() // Called at its end; may be nil.
	watched map[actor.Monitor]*stream
}

func (k *keeper) Receive(ctx *actor.Context[watch], w watch) error {
	m, err := ctx.Monitor(w.id)
	if err != nil {
		return err
	}
	k.watched[m] = w.s
	return nil
}

func (k *keeper) Down(ctx *actor.Context[watch], m actor.Monitor, _ actor.Exit) error {
	s := k.watched[m]
	delete(k.watched, m)
	s.end(ctx, errActorEnded)
	return nil
}

func (k *keeper) Stopped(*actor.Context[watch], error) {
	if k.stop != nil {
		k.stop()
	}
	for _, s := range k.group.refuse(actor.ErrSystemStopped) {
		s.fail(actor.ErrSystemStopped)
	}
}
