package workers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/internal/workers/eventring"
)

// EventKind says what an [Event] of a recording is about. Package sched says what each is.
type EventKind uint8

// The kinds of events.
const (
	EventRun EventKind = iota
	EventSuspend
	EventYield
	EventPreempt
	EventResume
	EventSearch
	EventSteal
	EventPark
	EventUnpark
	EventBlocked
	EventMark
	EventMessage
	EventFailure

	numEventKinds
)

var eventKindNames = [numEventKinds]string{
	"run", "suspend", "yield", "preempt", "resume", "search", "steal", "park", "unpark", "blocked", "mark", "message", "failure",
}

// String returns the kind's name in lower case.
func (k EventKind) String() string {
	if k < numEventKinds {
		return eventKindNames[k]
	}
	return fmt.Sprintf("EventKind(%d)", uint8(k))
}

// ParseEventKind is the reverse of String.
func ParseEventKind(name string) (EventKind, error) {
	if n := slices.Index(eventKindNames[:], name); n >= 0 {
		return EventKind(n), nil
	}
	return 0, fmt.Errorf("sched: there is no kind of events %.40q; use one of %s", name, strings.Join(eventKindNames[:], ", "))
}

// Label says what a piece of work is.
type Label struct {
	Class string // Such as "actor" or "job".
	ID    uint64 // Which one, or 0.
	Name  string // Its name, or what kind it is.
}

// Labeled is implemented by a [Runner] that says what it is in recordings. Label
// is called on a worker, for each event, while a [Recorder] is at work. It must
// be quick, must not wait, and should not allocate.
type Labeled interface{ Label() Label }

// Label returns the job's number and the name of its kind.
func (j *Job) Label() Label { return Label{"job", j.ID(), j.Kind()} }

func (n *Node) label() Label {
	r := n.origin().runner
	if l, ok := r.(Labeled); ok {
		return l.Label()
	}
	return Label{Class: "work", Name: reflect.TypeOf(r).String()}
}

// Event is what sched.Event documents.
type Event struct {
	At     time.Duration
	Worker int
	Kind   EventKind
	Label  Label
	Arg    int
}

// RecorderConfig is what sched.RecorderConfig documents.
type RecorderConfig struct {
	Events    int
	OnFailure func(*Job, error)
}

const (
	defaultEvents = 8192
	minEvents     = 64
	maxEvents     = 1 << 20
	// spareShare is the part of the events that is kept of a spare worker, since
	// there may be very many.
	spareShare = 8
)

// ErrRecording is returned by Record while another recorder is at work.
var ErrRecording = errors.New("sched: the scheduler is being recorded already; close that recorder first")

var errSimulated = errors.New("sched: a scheduler in a simulation can't be recorded; simtest prints what it does")

// Recorder is a flight recorder. See sched.Recorder.
type Recorder struct {
	s   *Scheduler
	cfg RecorderConfig

	mu      sync.Mutex // Held by a reader.
	readers map[*Worker]*eventring.Reader[record]
	// outside has the events of workers that others have seen. Written under monitor.mu.
	outside *eventring.Ring[record]
}

// Record begins to record what the workers do. See sched.Scheduler.Record.
func (s *Scheduler) Record(cfg RecorderConfig) (*Recorder, error) {
	if cfg.Events != 0 && (cfg.Events < minEvents || cfg.Events > maxEvents) {
		return nil, fmt.Errorf("sched: RecorderConfig.Events is %d; it must be %d to %d, or 0 for %d", cfg.Events, minEvents, maxEvents, defaultEvents)
	}
	if s.sim != nil {
		return nil, errSimulated
	}
	n := minEvents
	for n < cmp.Or(cfg.Events, defaultEvents) {
		n *= 2
	}
	cfg.Events = n
	r := &Recorder{
		s: s, cfg: cfg,
		readers: map[*Worker]*eventring.Reader[record]{}, outside: eventring.New[record](minEvents),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.recorder.CompareAndSwap(nil, r) {
		return nil, ErrRecording
	}
	for _, w := range *s.workers.Load() {
		w.events.Store(r.ringFor(w))
	}
	return r, nil
}

func (r *Recorder) ringFor(w *Worker) *eventring.Ring[record] {
	if w.spare {
		return eventring.New[record](max(minEvents, r.cfg.Events/spareShare))
	}
	return eventring.New[record](r.cfg.Events)
}

// Close ends the recording. The events are gone. It may be called more than once.
func (r *Recorder) Close() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if !r.s.recorder.CompareAndSwap(r, nil) {
		return
	}
	for _, w := range *r.s.workers.Load() {
		w.events.Store(nil)
	}
}

// Recording is what sched.Recording documents.
type Recording struct {
	Epoch   time.Time
	Taken   time.Duration
	Events  []Event
	Missing uint64
}

// Snapshot returns what is recorded. See sched.Recorder.Snapshot.
func (r *Recorder) Snapshot() Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec := Recording{Epoch: r.s.epoch}
	for _, w := range *r.s.workers.Load() {
		if ring := w.events.Load(); ring != nil && r.s.recorder.Load() == r {
			k := r.readers[w]
			if k == nil {
				k = &eventring.Reader[record]{}
				r.readers[w] = k
			}
			k.Read(&w.events, ring)
			events, missing := k.Events()
			for n := range events {
				rec.Events = append(rec.Events, events[n].event(w.id))
			}
			rec.Missing += missing
		}
	}
	if r.s.recorder.Load() == r {
		r.s.monitor.mu.Lock()
		events, missing := r.outside.Last()
		r.s.monitor.mu.Unlock()
		for n := range events {
			rec.Events = append(rec.Events, events[n].event(int(events[n].arg)))
		}
		rec.Missing += missing
	}
	rec.Taken = r.s.now()
	slices.SortStableFunc(rec.Events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	return rec
}

// record is an event as it is written.
type record struct {
	at    time.Duration // Since the scheduler's epoch.
	label Label
	arg   int32
	kind  EventKind
}

func (e *record) event(worker int) Event {
	return Event{At: e.at, Worker: worker, Kind: e.kind, Label: e.label, Arg: int(e.arg)}
}

// noteBlocked is called where a spare is put into the worker's place, under the
// monitor's lock.
func (w *Worker) noteBlocked() {
	if r := w.s.recorder.Load(); r != nil {
		r.outside.Add(record{at: w.s.now(), kind: EventBlocked, arg: int32(w.id)})
	}
}

// write writes an event, if the worker is recorded.
func (w *Worker) write(e record) {
	e.at = w.s.now()
	for r := w.events.Load(); r != nil && !r.Add(e); r = w.events.Load() {
	}
}

// note writes an event without a label.
func (w *Worker) note(k EventKind, arg int) {
	if w.events.Load() != nil {
		w.write(record{kind: k, arg: int32(arg)})
	}
}

// noteWork writes an event about a piece of work.
func (w *Worker) noteWork(k EventKind, n *Node, p Priority) {
	if n == nil {
		return
	}
	if _, continued := n.runner.(*Fiber); continued {
		return // Which tells of itself.
	}
	w.write(record{kind: k, arg: int32(p), label: n.label()})
}

// noteLeave is called before the fiber leaves its worker's stack, and noteReturn
// when it is back on one. A fiber without work has nothing to tell.
func (f *Fiber) noteLeave() {
	k := EventSuspend
	switch f.w.op {
	case opYield, opRotate:
		k = EventYield
	case opGiveWay:
		k = EventPreempt
	case opSwitch, opRest:
		return
	}
	f.w.noteWork(k, f.running.Load(), f.priority)
}

// failed tells of a job that has ended with err.
func (r *Recorder) failed(j *Job, f *Fiber, err error) {
	f.Mark(EventFailure, fmt.Sprint(err)) // Also if its Error panics.
	if p := (*PanicError)(nil); r.cfg.OnFailure != nil && errors.As(err, &p) {
		r.cfg.OnFailure(j, err)
	}
}

// maxMark bounds the text of a mark.
const maxMark = 200

// Recorded reports whether a [Recorder] is at work. It costs a load.
func (f *Fiber) Recorded() bool { return f.w.events.Load() != nil }

// Mark writes an event into the recording, if there is one: of the kind EventMark,
// EventMessage or EventFailure, about the work that runs on the fiber. A name is cut off
// after 200 bytes. It must be called from the fiber's goroutine.
func (f *Fiber) Mark(k EventKind, name string) {
	if f.w.events.Load() == nil {
		return
	}
	if len(name) > maxMark {
		name = strings.Clone(strings.ToValidUTF8(name[:maxMark], ""))
	}
	f.w.write(record{kind: k, label: Label{Name: name}})
}

// Mark writes a mark with a name into the recording, if there is one, and the caller is a
// job that was given ctx, or other work of a scheduler; see [Recorder]. See sched.Mark.
func Mark(ctx context.Context, name string) {
	if f := Current(ctx); f != nil {
		f.Mark(EventMark, name)
	}
}
