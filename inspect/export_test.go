package inspect

import (
	"net"
	"net/http"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect/internal/diagnosis"
)

// Add counts a duration.
func Add(h *Histogram, d time.Duration) { h.add(d) }

// GraphOf makes the graph of waits that need not be there.
var GraphOf = graphOf

// Tell has the inspector tell of an event.
func Tell(i *Inspector, e Event) { i.hub.tell(e) }

// EventBacklog is a buffer of events without a subscriber.
type EventBacklog struct{ b backlog }

func NewBacklog(limit int) *EventBacklog { return &EventBacklog{backlog{limit: limit}} }

func (b *EventBacklog) Put(e Event)         { b.b.put(e) }
func (b *EventBacklog) Take() (Event, bool) { return b.b.take() }
func (b *EventBacklog) Dropped() uint64     { return b.b.dropped }

// ListenFor is Inspector.Listen with a time for clients to take answers.
func ListenFor(i *Inspector, d time.Duration, state func(net.Conn, http.ConnState)) (*Server, error) {
	h, err := i.Handler(WebConfig{})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := newServer(l, h)
	if s.server.WriteTimeout > 0 {
		s.server.WriteTimeout = d
	}
	s.server.ConnState = state
	s.start()
	return s, nil
}

// ShownAfter returns how many measurements are shown of an interval that had 7, then,
// and so long after, when nothing new has come.
func ShownAfter(spans ...time.Duration) (counts [3]uint64) {
	var s shown
	now := time.Now()
	counts[0] = s.update(HistogramSnapshot{Count: 7}, now).Count
	for n, span := range spans[:2] {
		counts[n+1] = s.update(HistogramSnapshot{}, now.Add(span)).Count
	}
	return counts
}

// Remember has the page of a closed inspector add a row to its past.
func Remember(page http.Handler) {
	p := page.(*web).past
	p.due = time.Time{}
	p.look()
}

// Stuck returns a scan that judges a handler which has been stuck for so long.
func Stuck(i *Inspector, id actor.PID) func(time.Duration) {
	s := newScan(i)
	return func(d time.Duration) {
		now := time.Now()
		s.repeat([]diagnosis.Finding{{ID: "stuck", Kind: diagnosis.Stuck, Text: "stuck for " + d.String(), PID: id, Since: now.Add(-d)}}, now)
	}
}

// SetPatience has a page wait so long for clients that take nothing.
func SetPatience(page http.Handler, d time.Duration) { page.(*web).writeTime = d }

// TreeRow is a row of the tree of the page.
type TreeRow = treeRow

// NewTreeDeltas returns what makes the messages of one stream from the rows.
func NewTreeDeltas() func([]treeRow) (any, error) {
	d := &treeDeltas{}
	return func(rows []treeRow) (any, error) { return d.next(rows) }
}
