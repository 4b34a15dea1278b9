// Package hosts runs work that is not on the scheduler: on goroutines that come and go, on an OS thread of its own,
// inside somebody's event loop, or on the main goroutine.
package hosts

import (
	"sync"

	"github.com/troupe-go/troupe/internal/workers"
)

// Host runs the entries of work that is not on the scheduler. It gets each entry that would otherwise be queued there.
// All methods are safe for concurrent use.
type Host interface {
	// Submit has the node run. It must not wait.
	Submit(n *workers.Node, p workers.Priority)
	// Abandon is called when a run has lost its work to a kill, before the next entry is submitted: it may never return.
	Abandon()
	// End is called when the work has ended. Entries that are submitted afterwards are void.
	End()
}

// Site is what the hosts of one system have in common.
type Site struct {
	scheduler  *workers.Scheduler // Lends fibers to hosts.
	empty      <-chan struct{}
	goroutines sync.WaitGroup
}

// NewSite returns a site that has fibers of the scheduler. Empty is closed when no work is left, and none can come.
func NewSite(s *workers.Scheduler, empty <-chan struct{}) *Site {
	return &Site{scheduler: s, empty: empty}
}

// Wait returns when the goroutines of all hosts have ended.
func (s *Site) Wait() { s.goroutines.Wait() }

// entry is a node that is to run.
type entry struct {
	n *workers.Node
	p workers.Priority
}

// entries is a queue of them, urgent ones first.
type entries struct{ urgent, normal []entry }

func (q *entries) push(e entry) {
	if e.p == workers.Critical {
		q.urgent = append(q.urgent, e)
	} else {
		q.normal = append(q.normal, e)
	}
}

func (q *entries) empty() bool { return len(q.urgent)+len(q.normal) == 0 }

func (q *entries) pop() (e entry, ok bool) {
	from := &q.urgent
	if len(*from) == 0 {
		from = &q.normal
	}
	if len(*from) == 0 {
		return entry{}, false
	}
	e = (*from)[0]
	(*from)[0] = entry{}
	if *from = (*from)[1:]; len(*from) == 0 {
		*from = (*from)[:0:0]
	}
	return e, true
}
