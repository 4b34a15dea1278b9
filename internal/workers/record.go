package workers

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/troupe-go/troupe/internal/workers/recording"
)

// Labeled is implemented by a [Runner] that says what it is in recordings. Label
// is called on a worker, for each event, while a [Recorder] is at work. It must
// be quick, must not wait, and should not allocate.
type Labeled interface{ Label() recording.Label }

// Label returns the job's number and the name of its kind.
func (j *Job) Label() recording.Label {
	return recording.Label{Class: "job", ID: j.ID(), Name: j.Kind()}
}

func (n *Node) label() recording.Label {
	r := n.origin().runner
	if l, ok := r.(Labeled); ok {
		return l.Label()
	}
	return recording.Label{Class: "work", Name: reflect.TypeOf(r).String()}
}

// RecorderConfig is what sched.RecorderConfig documents.
type RecorderConfig struct {
	Events    int
	OnFailure func(*Job, error)
}

// ErrRecording is returned by Record while another recorder is at work.
var ErrRecording = errors.New("sched: the scheduler is being recorded already; close that recorder first")

var errSimulated = errors.New("sched: a scheduler in a simulation can't be recorded; simtest prints what it does")

// Recorder is a flight recorder. See sched.Recorder.
type Recorder struct {
	s         *Scheduler
	recorder  *recording.Recorder
	onFailure func(*Job, error)
}

// Record begins to record what the workers do. See sched.Scheduler.Record.
func (s *Scheduler) Record(cfg RecorderConfig) (*Recorder, error) {
	recorder, err := recording.New(cfg.Events)
	if err != nil {
		return nil, err
	}
	if s.sim != nil {
		return nil, errSimulated
	}
	r := &Recorder{s, recorder, cfg.OnFailure}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.recorder.CompareAndSwap(nil, r) {
		return nil, ErrRecording
	}
	for _, w := range *s.workers.Load() {
		recorder.Attach(&w.log, w.spare)
	}
	return r, nil
}

// Close ends the recording. The events are gone. It may be called more than once.
func (r *Recorder) Close() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if !r.s.recorder.CompareAndSwap(r, nil) {
		return
	}
	for _, w := range *r.s.workers.Load() {
		r.recorder.Detach(&w.log)
	}
}

// Recording is what sched.Recording documents.
type Recording struct {
	Epoch   time.Time
	Taken   time.Duration
	Events  []recording.Event
	Missing uint64
}

// Snapshot returns what is recorded. See sched.Recorder.Snapshot.
func (r *Recorder) Snapshot() Recording {
	rec := Recording{Epoch: r.s.epoch}
	rec.Events, rec.Missing = r.recorder.Snapshot(r.logs, r.isCurrent)
	rec.Taken = r.s.now()
	return rec
}

// logs returns the workers' logs by their ids.
func (r *Recorder) logs(yield func(int, *recording.Log) bool) {
	for _, w := range *r.s.workers.Load() {
		if !yield(w.id, &w.log) {
			return
		}
	}
}

func (r *Recorder) isCurrent() bool { return r.s.recorder.Load() == r }

// noteBlocked is called where a spare is put into the worker's place.
func (w *Worker) noteBlocked() {
	if r := w.s.recorder.Load(); r != nil {
		r.recorder.WriteForeign(recording.Entry{At: w.s.now(), Kind: recording.Blocked}, w.id)
	}
}

// write writes an event, if the worker is recorded.
func (w *Worker) write(e recording.Entry) {
	e.At = w.s.now()
	w.log.Write(e)
}

// note writes an event without a label.
func (w *Worker) note(k recording.Kind, arg int) {
	if w.log.Ring.Load() != nil { // As On, but cheap enough to be inlined.
		w.write(recording.Entry{Kind: k, Arg: int32(arg)})
	}
}

// noteWork writes an event about a piece of work.
func (w *Worker) noteWork(k recording.Kind, n *Node, p Priority) {
	if n == nil {
		return
	}
	if _, continued := n.runner.(*Fiber); continued {
		return // Which tells of itself.
	}
	w.write(recording.Entry{Kind: k, Arg: int32(p), Label: n.label()})
}

// noteLeave is called before the fiber leaves its worker's stack, and noteReturn
// when it is back on one. A fiber without work has nothing to tell.
func (f *Fiber) noteLeave() {
	k := recording.Suspend
	switch f.w.op {
	case opYield, opRotate:
		k = recording.Yield
	case opGiveWay:
		k = recording.Preempt
	case opSwitch, opRest:
		return
	}
	f.w.noteWork(k, f.running.Load(), f.priority)
}

// failed tells of a job that has ended with err.
func (r *Recorder) failed(j *Job, f *Fiber, err error) {
	f.Mark(recording.Failure, fmt.Sprint(err)) // Also if its Error panics.
	if p := (*PanicError)(nil); r.onFailure != nil && errors.As(err, &p) {
		r.onFailure(j, err)
	}
}

// maxMark bounds the text of a mark.
const maxMark = 200

// Recorded reports whether a [Recorder] is at work. It costs a load.
func (f *Fiber) Recorded() bool { return f.w.log.On() }

// Mark writes an event into the recording, if there is one: of the kind recording.Mark,
// Message or Failure, about the work that runs on the fiber. A name is cut off
// after 200 bytes. It must be called from the fiber's goroutine.
func (f *Fiber) Mark(k recording.Kind, name string) {
	if !f.w.log.On() {
		return
	}
	if len(name) > maxMark {
		name = strings.Clone(strings.ToValidUTF8(name[:maxMark], ""))
	}
	f.w.write(recording.Entry{Kind: k, Label: recording.Label{Name: name}})
}

// Mark writes a mark with a name into the recording, if there is one, and the caller is a
// job that was given ctx, or other work of a scheduler; see [Recorder]. See sched.Mark.
func Mark(ctx context.Context, name string) {
	if f := Current(ctx); f != nil {
		f.Mark(recording.Mark, name)
	}
}
