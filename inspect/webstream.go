package inspect

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect/internal/memory"
)

// A stream is what keeps an open page up to date. It is made for one client, by
// the goroutine that serves it, which looks at the system, writes, and only then
// looks again: so nothing is kept for a client that is slow but the events in
// its subscription, which are bounded, and nobody waits for it. The cost of
// a look bounds how often it looks.
const (
	// costFactor is for how many times of what a look has cost there is none: 50 is
	// 2 % of a processor.
	costFactor = 50
	// maxWait is between two looks, whatever they cost: the page says that the
	// connection is lost if it hears nothing for longer.
	maxWait = 10 * time.Second
	// writeTime is for a client to take what it gets. One that does not is cut off.
	writeTime = 10 * time.Second
	// yieldAfter is for how long a client has taken nothing when its stream is given to a new one, if there are no more.
	yieldAfter = time.Second
	// maxNewEvents is how many events one message has; a page can't show more.
	maxNewEvents = 100
	// maxPast is how far back the figures go that a page gets: some 500 KB. All of them are in api/history.
	maxPast = time.Hour
)

// news is a message of the stream.
type news struct {
	Sample  Sample   `json:"sample"`
	History []Sample `json:"history,omitempty"` // In the first message, if asked for.
	// Past are the figures of after the parameter since. In the first message, if that is given.
	Past *memory.Past `json:"past,omitempty"`
	// Findings are what is wrong.
	Findings []Finding `json:"findings"`
	View     any       `json:"view,omitempty"`
	Error    string    `json:"error,omitempty"` // Why there is no view.
	Events   []Event   `json:"events,omitempty"`
	Dropped  uint64    `json:"dropped,omitempty"` // Events, so far.
	// NextSeconds is when the next message comes, about.
	NextSeconds float64 `json:"next_seconds"`
}

var errStreams = errors.New("so many pages are open already that there are no more streams; close one, or see WebConfig.Streams")

// stream serves a page until it is closed.
func (w *web) stream(rw http.ResponseWriter, r *http.Request) {
	look, err := w.viewOf(r.URL.Query())
	if err != nil {
		refuse(rw, http.StatusBadRequest, err)
		return
	}
	since, err := sinceOf(r.URL.Query())
	if err != nil {
		refuse(rw, http.StatusBadRequest, err)
		return
	}
	events, err := w.follow(r.URL.Query().Get("after"))
	if err != nil {
		refuse(rw, http.StatusBadRequest, err)
		return
	}
	defer events.from.Close()
	out := &place{out: http.NewResponseController(rw)}
	if !w.places.enter(out, w.cfg.Streams) {
		refuse(rw, http.StatusServiceUnavailable, errStreams)
		return
	}
	defer w.places.leave(out)
	rw.Header().Set("Content-Type", "text/event-stream")
	rw.Header().Set("X-Accel-Buffering", "no") // A proxy's.
	first, remember := r.URL.Query().Get("history") == "1", r.URL.Query().Has("since")
	for {
		began := time.Now()
		n := w.compose(look, events)
		if first {
			n.History, first = w.sampler.past(), false
		}
		if remember {
			if hour := began.Add(-maxPast); since.Before(hour) {
				since = hour
			}
			past := w.past.figures.Since(since)
			n.Past, remember = &past, false
		}
		wait := w.wait(time.Since(began))
		n.NextSeconds = wait.Seconds()
		if !w.write(rw, out, n) || !w.sleep(r, wait) {
			return
		}
	}
}

// wait returns when to look again, by what a look has cost.
func (w *web) wait(cost time.Duration) time.Duration {
	return min(max(w.cfg.Every, cost*costFactor*time.Duration(w.places.count())), max(maxWait, w.cfg.Every))
}

// sleep returns false if the stream is over.
func (w *web) sleep(r *http.Request, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
	case <-w.i.closing:
	}
	return false
}

func (w *web) compose(look func() (any, error), events *follower) (n news) {
	n.Sample = w.sampler.take(w.cfg.Every / 2)
	v, err := look()
	if n.View = v; err != nil {
		n.View, n.Error = nil, err.Error()
	}
	for range maxNewEvents {
		e, ok := events.take()
		if !ok {
			break
		}
		n.Events = append(n.Events, e)
	}
	n.Findings = w.i.Findings()
	n.Dropped = events.missed + events.from.Dropped()
	return n
}

// follower has the events that come after one of which a client knows: also those that
// have come before it asked, as far as they are kept.
type follower struct {
	from   *Subscriber
	kept   []Event
	last   uint64 // The number of the last one that was taken.
	missed uint64 // How many are not kept any more.
}

// follow returns a follower of the event with the given number, or, if there is none, of
// the last one.
func (w *web) follow(after string) (*follower, error) {
	f := &follower{}
	if after != "" {
		number, err := strconv.ParseUint(after, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("after is %.40q; it must be the number of an event, or 0", after)
		}
		f.last = number
	}
	f.from = w.i.Subscribe(Subscription{})
	w.i.hub.mu.Lock()
	known := f.last <= w.i.hub.number
	w.i.hub.mu.Unlock()
	if !known {
		f.last = 0 // The client has it from a program that ran here before.
	}
	if after == "" {
		return f, nil
	}
	kept := w.recent.list()
	first, _ := slices.BinarySearchFunc(kept, f.last+1, func(e Event, n uint64) int { return cmp.Compare(e.Number, n) })
	if f.kept = kept[first:]; len(f.kept) > 0 {
		f.missed = f.kept[0].Number - f.last - 1
	}
	return f, nil
}

// take returns the next event.
func (f *follower) take() (e Event, ok bool) {
	if len(f.kept) > 0 {
		e, f.kept = f.kept[0], f.kept[1:]
		f.last = e.Number
		return e, true
	}
	for {
		if e, ok = f.from.take(); !ok || e.Number > f.last {
			return e, ok
		}
	}
}

// write returns false if the client does not take it. The deadline is for the
// writing alone: in HTTP/2 it would end a stream that waits, too.
func (w *web) write(rw http.ResponseWriter, p *place, n news) bool {
	text, err := json.Marshal(n)
	if err != nil || !p.begin(w.writeTime) {
		return false
	}
	if _, err := fmt.Fprintf(rw, "data: %s\n\n", text); err != nil {
		return false
	}
	return p.out.Flush() == nil && p.end()
}

// place is one of the streams that there may be.
type place struct {
	out *http.ResponseController

	mu     sync.Mutex
	began  time.Time // When the client was given what it has not taken yet, or zero.
	vacant bool      // Another client has the place.
}

// begin says that the client has a time to take a message. It returns false if another one has its place.
func (p *place) begin(d time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.vacant {
		return false
	}
	p.began = time.Now()
	_ = p.out.SetWriteDeadline(p.began.Add(d)) // Not all servers can.
	return true
}

// end says that the client has taken it.
func (p *place) end() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.vacant {
		return false
	}
	p.began = time.Time{}
	_ = p.out.SetWriteDeadline(time.Time{})
	return true
}

// idle returns for how long the client has taken nothing.
func (p *place) idle(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.began.IsZero() {
		return 0
	}
	return now.Sub(p.began)
}

// vacate cuts the client off if it still takes nothing.
func (p *place) vacate(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.began.IsZero() || now.Sub(p.began) < yieldAfter {
		return false
	}
	p.vacant = true
	_ = p.out.SetWriteDeadline(now)
	return true
}

// places are the streams that there are. A client that takes nothing gives up its place to a new one.
type places struct {
	mu  sync.Mutex
	all []*place
}

func (s *places) enter(p *place, limit int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) >= limit {
		now := time.Now()
		asleep := slices.MaxFunc(s.all, func(a, b *place) int { return cmp.Compare(a.idle(now), b.idle(now)) })
		if !asleep.vacate(now) {
			return false
		}
		s.all = slices.DeleteFunc(s.all, func(one *place) bool { return one == asleep })
	}
	s.all = append(s.all, p)
	return true
}

func (s *places) leave(p *place) {
	s.mu.Lock()
	s.all = slices.DeleteFunc(s.all, func(one *place) bool { return one == p })
	s.mu.Unlock()
	p.mu.Lock()
	p.began = time.Time{} // From here on nobody uses its ResponseController.
	p.mu.Unlock()
}

func (s *places) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

// viewOf returns how to get what the page shows, by its parameters.
func (w *web) viewOf(v url.Values) (func() (any, error), error) {
	switch view := v.Get("view"); view {
	case "", "overview":
		return func() (any, error) { return w.overview(), nil }, nil
	case "events":
		return func() (any, error) { return w.eventsPage(), nil }, nil
	case "actors":
		q, err := queryOf(v)
		if err == nil {
			_, err = q.check()
		}
		return func() (any, error) { return w.i.Actors(q) }, err
	case "actor":
		id, err := actor.ParsePID(v.Get("pid"))
		return func() (any, error) { return w.look(id) }, err
	case "tree":
		f, err := foldsOf(v)
		if v.Get("delta") == "" {
			return func() (any, error) { return w.rows(f), nil }, err
		}
		var d treeDeltas // Of this stream.
		return func() (any, error) { return d.next(w.rows(f)) }, err
	case "workers":
		return func() (any, error) { return w.i.Workers(), nil }, nil
	case "waits":
		return func() (any, error) { return w.waits(), nil }, nil
	case "letters":
		return func() (any, error) { return w.i.DeadLetters(), nil }, nil
	case "jobs", "timers", "names":
		return w.listOf(v)
	case "tasks":
		return func() (any, error) { return w.i.Tasks(), nil }, nil
	default:
		return nil, fmt.Errorf("inspect: the parameter view is %.40q; use overview, actors, actor, tree, workers, waits, jobs, timers, names, events, letters or tasks", view)
	}
}
