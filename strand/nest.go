package strand

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// nest is what strands have in common that were started with one context: the
// first one and those that it and they have started. If that context may end, the
// nest is the one that their jobs are derived from. To tell all of them when the one
// above ends, it registers there once; each strand by itself would take 0.6 KB
// there, and deeper calls than fit a small stack.
//
// Strands that wait are told by the cancellation of their jobs, so Done returns
// nil. Others look at Err.
type nest struct {
	above context.Context
	ends  bool // The one above may end.
	// linked says that the one above will tell. Written under mu.
	linked atomic.Bool

	mu     sync.Mutex
	first  *Strand
	unlink func() bool
}

// rootless is the nest of strands that were started with the background context.
var rootless = &nest{above: context.Background()}

// nestOf returns the nest for a new strand.
func nestOf(ctx context.Context) *nest {
	if ctx == rootless.above {
		return rootless
	}
	return &nest{above: ctx, ends: ctx.Done() != nil}
}

// context is what jobs are derived from.
func (n *nest) context() context.Context {
	if n.ends {
		return n
	}
	return n.above
}

func (n *nest) Deadline() (time.Time, bool) { return n.above.Deadline() }
func (n *nest) Err() error                  { return n.above.Err() }
func (n *nest) Value(key any) any           { return n.above.Value(key) }

// Done sees to it that strands are told.
func (n *nest) Done() <-chan struct{} {
	if !n.linked.Load() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if !n.linked.Load() && n.first != nil {
			n.linked.Store(true)
			n.unlink = context.AfterFunc(n.above, n.end)
		}
	}
	return nil
}

func (n *nest) add(s *Strand) {
	if !n.ends {
		return // Nobody has to be told.
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if s.next = n.first; s.next != nil {
		s.next.previous = s
	}
	n.first = s
}

// remove takes a strand out that has ended. With the last one, the context above
// forgets the nest.
func (n *nest) remove(s *Strand) {
	if !n.ends {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if s.previous != nil {
		s.previous.next = s.next
	} else {
		n.first = s.next
	}
	if s.next != nil {
		s.next.previous = s.previous
	}
	s.next, s.previous = nil, nil
	if n.first == nil && n.linked.Load() {
		n.linked.Store(false)
		n.unlink()
	}
}

// end cancels the strands that have begun, since the context above has ended. The
// others see that when they begin.
func (n *nest) end() {
	var all []*Strand
	n.mu.Lock()
	for s := n.first; s != nil; s = s.next {
		if s.State() >= workers.JobRunning {
			all = append(all, s)
		}
	}
	n.mu.Unlock()
	why := cause(n.above)
	for _, s := range all {
		s.job.Cancel(why)
	}
}
