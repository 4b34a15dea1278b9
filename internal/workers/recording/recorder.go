package recording

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/internal/workers/eventring"
)

const (
	defaultEvents = 8192
	minEvents     = 64
	maxEvents     = 1 << 20
	// spareShare is the part of the events that is kept of a spare worker, since
	// there may be very many.
	spareShare = 8
)

// Recorder reads the logs of workers. Its methods are safe for concurrent use.
type Recorder struct {
	events int // That are kept of a worker.

	mu      sync.Mutex // Held by a reader.
	readers map[*Log]*eventring.Reader[Entry]

	foreignMu sync.Mutex
	// foreign has the events of workers that others have seen. Their Arg is the worker.
	foreign *eventring.Ring[Entry]
}

// New returns a recorder that keeps so many events of each worker, rounded up to a power of
// two. 0 means the default.
func New(events int) (*Recorder, error) {
	if events != 0 && (events < minEvents || events > maxEvents) {
		return nil, fmt.Errorf("sched: RecorderConfig.Events is %d; it must be %d to %d, or 0 for %d", events, minEvents, maxEvents, defaultEvents)
	}
	n := minEvents
	for n < cmp.Or(events, defaultEvents) {
		n *= 2
	}
	return &Recorder{
		events: n, readers: map[*Log]*eventring.Reader[Entry]{}, foreign: eventring.New[Entry](minEvents),
	}, nil
}

// Attach begins to record the worker with this log.
func (r *Recorder) Attach(l *Log, spare bool) {
	n := r.events
	if spare {
		n = max(minEvents, n/spareShare)
	}
	l.Ring.Store(eventring.New[Entry](n))
}

// Detach ends the recording of the worker with this log.
func (r *Recorder) Detach(l *Log) { l.Ring.Store(nil) }

// WriteForeign writes an event of a worker that another goroutine has seen.
func (r *Recorder) WriteForeign(e Entry, worker int) {
	e.Arg = int32(worker)
	r.foreignMu.Lock()
	defer r.foreignMu.Unlock()
	r.foreign.Add(e)
}

// Snapshot returns the events in the order of their times, and how many there were before
// them. It reads the logs, by the workers' ids, for as long as isCurrent reports that the
// workers are recorded by r.
func (r *Recorder) Snapshot(logs iter.Seq2[int, *Log], isCurrent func() bool) (all []Event, missing uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, l := range logs {
		ring := l.Ring.Load()
		if ring == nil || !isCurrent() { // In this order: the ring may be another recorder's.
			continue
		}
		k := r.readers[l]
		if k == nil {
			k = &eventring.Reader[Entry]{}
			r.readers[l] = k
		}
		k.Read(&l.Ring, ring)
		events, before := k.Events()
		for n := range events {
			all = append(all, events[n].event(id))
		}
		missing += before
	}
	if isCurrent() {
		r.foreignMu.Lock()
		events, before := r.foreign.Last()
		r.foreignMu.Unlock()
		for n := range events {
			all = append(all, events[n].event(int(events[n].Arg)))
		}
		missing += before
	}
	slices.SortStableFunc(all, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	return all, missing
}
