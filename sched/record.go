package sched

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/recording"
)

// Label says what a piece of work is. Its Class is "actor" or "job", say. Its ID
// is the number of the actor or job, or 0. Its Name is the work's name or kind.
type Label = recording.Label

// Event is something that a worker did.
type Event struct {
	At     time.Duration // Since the recording's epoch.
	Worker int
	Kind   EventKind
	Label  Label
	Arg    int
}

// RecorderConfig configures a [Recorder].
type RecorderConfig struct {
	// Events is how many events are kept of each worker, the last ones; spare
	// workers keep an eighth of that. An event takes 56 bytes. Defaults to 8192; it
	// is rounded up to a power of two; at least 64, at most 2^20.
	Events int
	// OnFailure is called with each job that ends with a [PanicError], where that
	// happens. It must not wait. Defaults to nil.
	OnFailure func(*Job, error)
}

// Recording is what a [Recorder] knew at one moment.
type Recording struct {
	// Epoch is what the times of events count from: the birth of the scheduler.
	Epoch time.Time
	// Taken is when the recording was taken, since the epoch.
	Taken time.Duration
	// Events are in the order of their times.
	Events []Event
	// Missing is how many events there were before them.
	Missing uint64
}

// EventKind says what an [Event] of a recording is about. Its method String returns the
// name in lower case; [ParseEventKind] is the reverse.
type EventKind = recording.Kind

// The kinds of events.
const (
	EventRun     EventKind = recording.Run     // A piece of work begins; Arg is its priority. It runs until the worker's next event of another kind than EventMark, EventMessage and EventFailure.
	EventSuspend EventKind = recording.Suspend // The work waits, and has left the worker.
	EventYield   EventKind = recording.Yield   // The work has gone to the end of a queue, so that others run.
	EventPreempt EventKind = recording.Preempt // The work has given way to critical work.
	EventResume  EventKind = recording.Resume  // The work goes on, maybe on another worker.
	EventSearch  EventKind = recording.Search  // The worker has nothing to do, and looks at the others' queues.
	EventSteal   EventKind = recording.Steal   // It has taken work from the worker Arg.
	EventPark    EventKind = recording.Park    // It sleeps for want of work, or, a spare, until it is needed.
	EventUnpark  EventKind = recording.Unpark  // It was woken.
	EventBlocked EventKind = recording.Blocked // The worker was held for long, and a spare has taken its place. The work still runs.
	EventMark    EventKind = recording.Mark    // A mark by Mark.
	EventMessage EventKind = recording.Message // An actor begins to handle a message of the type Name.
	EventFailure EventKind = recording.Failure // The work has failed, by the error Name.
)

// ParseEventKind is the reverse of String.
func ParseEventKind(name string) (EventKind, error) { return recording.ParseKind(name) }

// Recorder is a flight recorder: it keeps the last events of each worker, in
// bounded memory, so that one can see afterwards what led to something. Its
// methods are safe for concurrent use.
type Recorder workers.Recorder

// Record begins to record what the workers do. While there is no recorder, that
// costs a load for each piece of work, suspension and search; with one, each
// event costs about 50 ns, most of it for the time of day. It returns an error
// for a configuration that makes no sense, for a scheduler in a simulation, and
// [ErrRecording] if there is a recorder.
func (s *Scheduler) Record(cfg RecorderConfig) (*Recorder, error) {
	to := workers.RecorderConfig{Events: cfg.Events}
	if told := cfg.OnFailure; told != nil {
		to.OnFailure = func(j *workers.Job, err error) { told((*Job)(j), err) }
	}
	r, err := s.workers().Record(to)
	return (*Recorder)(r), err
}

// Close ends the recording. Its events are gone. It may be called more
// than once.
func (r *Recorder) Close() { (*workers.Recorder)(r).Close() }

// Snapshot returns what is recorded. Nobody waits for it. It takes about 50 ns
// for each event, and as much memory as the recorder has. A recorder that is
// closed has nothing.
func (r *Recorder) Snapshot() Recording {
	rec := (*workers.Recorder)(r).Snapshot()
	return recordingOf(&rec)
}

func recordingOf(from *workers.Recording) Recording {
	rec := Recording{Epoch: from.Epoch, Taken: from.Taken, Missing: from.Missing}
	if from.Events != nil {
		rec.Events = make([]Event, len(from.Events))
	}
	for i, e := range from.Events {
		rec.Events[i] = Event{At: e.At, Worker: e.Worker, Kind: e.Kind, Label: e.Label, Arg: e.Arg}
	}
	return rec
}

// Mark writes a mark with a name into the recording, if there is one, and the
// caller is a job that was given ctx, or other work of a scheduler; see
// [Recorder]. Elsewhere it does nothing. Without a recorder it costs some ns.
func Mark(ctx context.Context, name string) { workers.Mark(ctx, name) }
