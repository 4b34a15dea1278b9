package recording

import (
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/workers/eventring"
)

// Label says what a piece of work is.
type Label struct {
	Class string // Such as "actor" or "job".
	ID    uint64 // Which one, or 0.
	Name  string // Its name, or what kind it is.
}

// Event is what sched.Event documents.
type Event struct {
	At     time.Duration
	Worker int
	Kind   Kind
	Label  Label
	Arg    int
}

// Entry is an event as a worker writes it.
type Entry struct {
	At    time.Duration // Since the scheduler's epoch.
	Label Label
	Arg   int32
	Kind  Kind
}

func (e *Entry) event(worker int) Event {
	return Event{At: e.At, Worker: worker, Kind: e.Kind, Label: e.Label, Arg: int(e.Arg)}
}

// Log has the events of one worker. The zero Log is not recorded.
type Log struct {
	// Ring is nil unless the worker is recorded. Written by the recorder. It is exported for
	// functions of the worker that the compiler would not inline if they called On.
	Ring atomic.Pointer[eventring.Ring[Entry]]
}

// On reports whether the worker is recorded. It costs a load.
func (l *Log) On() bool { return l.Ring.Load() != nil }

// Write writes an event, if the worker is recorded. Only the worker calls it.
func (l *Log) Write(e Entry) {
	for r := l.Ring.Load(); r != nil && !r.Add(e); r = l.Ring.Load() {
	}
}
