package inspect

import (
	"bufio"
	"encoding/json"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/sched"
)

// traceEvent is an event of Chrome's trace format, which Perfetto reads too. See
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"` // X for a slice, i for an instant, M for a name.
	Time     float64        `json:"ts"` // In us.
	Duration *float64       `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Scope    string         `json:"s,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// tracer makes slices of events, which have a beginning only: what runs on a
// worker ends with the worker's next event, but for those within work.
type tracer struct {
	out  *bufio.Writer
	some bool // Something was written.
	err  error
	open map[int]*track
}

// track is a worker, with what is under way there.
type track struct{ work, message *traceEvent }

func writeTrace(out *bufio.Writer, r *Recording) error {
	t := &tracer{out: out, open: map[int]*track{}}
	t.put(traceEvent{Name: "process_name", Phase: "M", Process: 1, Args: map[string]any{"name": r.Name}})
	for n := range r.Events {
		t.take(&r.Events[n])
	}
	for _, tr := range t.open {
		t.end(&tr.message, r.Taken)
		t.end(&tr.work, r.Taken)
	}
	return t.err
}

func (t *tracer) track(worker int) *track {
	tr := t.open[worker]
	if tr == nil {
		tr = &track{}
		t.open[worker] = tr
		t.put(traceEvent{Name: "thread_name", Phase: "M", Process: 1, Thread: worker, Args: map[string]any{"name": fmt.Sprintf("worker %d", worker)}})
		t.put(traceEvent{Name: "thread_sort_index", Phase: "M", Process: 1, Thread: worker, Args: map[string]any{"sort_index": worker}})
	}
	return tr
}

func (t *tracer) take(e *sched.Event) {
	tr := t.track(e.Worker)
	switch e.Kind {
	case sched.EventMark, sched.EventFailure, sched.EventBlocked:
		t.instant(e, e.Label.Name)
		return
	case sched.EventMessage:
		t.end(&tr.message, e.At)
		tr.message = slice(e, "message", e.Label.Name)
		return
	}
	t.end(&tr.message, e.At)
	t.end(&tr.work, e.At)
	switch e.Kind {
	case sched.EventRun, sched.EventResume:
		tr.work = slice(e, e.Label.Class, workName(e.Label))
		tr.work.Args = map[string]any{"kind": e.Kind.String(), "priority": sched.Priority(e.Arg).String()}
	case sched.EventSearch, sched.EventPark:
		tr.work = slice(e, "worker", e.Kind.String())
	case sched.EventSteal:
		t.instant(e, fmt.Sprintf("from worker %d", e.Arg))
	case sched.EventSuspend, sched.EventYield, sched.EventPreempt:
		t.instant(e, workName(e.Label))
	}
}

// workName is what people call a piece of work.
func workName(l sched.Label) string {
	name, id := l.Name, labelID(l)
	if name == "" {
		name = l.Class
	}
	if id != "" {
		name += " <" + id + ">"
	}
	return name
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func slice(e *sched.Event, category, name string) *traceEvent {
	return &traceEvent{Name: name, Category: category, Phase: "X", Time: micros(e.At), Process: 1, Thread: e.Worker}
}

func (t *tracer) end(open **traceEvent, at time.Duration) {
	if e := *open; e != nil {
		took := max(0, micros(at)-e.Time)
		e.Duration = &took
		t.put(*e)
		*open = nil
	}
}

func (t *tracer) instant(e *sched.Event, what string) {
	t.put(traceEvent{
		Name: e.Kind.String(), Category: "event", Phase: "i", Time: micros(e.At), Process: 1, Thread: e.Worker, Scope: "t",
		Args: map[string]any{"about": what},
	})
}

func (t *tracer) put(e traceEvent) {
	text, err := json.Marshal(e)
	if err != nil && t.err == nil {
		t.err = err
	}
	if t.some {
		_ = t.out.WriteByte(',') // As with all of it, the flush tells.
	}
	t.some = true
	_, _ = t.out.Write(append(text, '\n'))
}
