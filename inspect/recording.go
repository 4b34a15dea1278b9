package inspect

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
)

// Recording is what a [Recorder] knew at one moment.
type Recording struct {
	// Name is the name of the program.
	Name string
	// Reason is why it was written, if a panic was.
	Reason string
	sched.Recording
}

// recordingFile is how a recording is written: as one JSON object. The field
// troupe has all of it; traceEvents has the same for viewers of traces, and is
// not read again.
type recordingFile struct {
	Troupe      *recordingBody  `json:"troupe"`
	Unit        string          `json:"displayTimeUnit"`
	TraceEvents json.RawMessage `json:"traceEvents"`
}

// recordingBody has each label once, and an event as the numbers that it
// consists of: when in ns, worker, kind, label (-1 if there is none), arg.
type recordingBody struct {
	Version int         `json:"version"`
	Name    string      `json:"name"`
	Reason  string      `json:"reason,omitempty"`
	Epoch   time.Time   `json:"epoch"`
	Taken   int64       `json:"taken_ns"`
	Missing uint64      `json:"missing"`
	Kinds   []string    `json:"kinds"`
	Labels  [][3]string `json:"labels"` // Class, id and name.
	Events  [][5]int64  `json:"events"`
}

const (
	recordingVersion = 1
	// maxRecording bounds the size of a file to read: a recording of 64 workers with
	// 100,000 events each is smaller.
	maxRecording = 1 << 30
	// maxWorker keeps a file from asking for all memory.
	maxWorker = 1 << 16
)

// Write writes the recording as JSON. The file can be read by [ReadRecording],
// opened in the live page, and in viewers of Chrome's trace format, such as
// ui.perfetto.dev or chrome://tracing: with a track for each worker.
func (r *Recording) Write(w io.Writer) error {
	body, err := json.Marshal(r.body())
	if err != nil {
		return fmt.Errorf("inspect: write a recording: %w", err)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `{"troupe":%s,"displayTimeUnit":"ns","traceEvents":[`, body) //nolint:errcheck // The flush tells.
	err = writeTrace(out, r)
	fmt.Fprintln(out, "]}") //nolint:errcheck // The flush tells.
	if err = errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("inspect: write a recording: %w", err)
	}
	return nil
}

func (r *Recording) body() *recordingBody {
	b := &recordingBody{
		Version: recordingVersion, Name: r.Name, Reason: r.Reason, Epoch: r.Epoch, Taken: int64(r.Taken), Missing: r.Missing,
		Kinds: []string{}, Labels: [][3]string{}, Events: make([][5]int64, 0, len(r.Events)),
	}
	for k := sched.EventRun; k <= sched.EventFailure; k++ {
		b.Kinds = append(b.Kinds, k.String())
	}
	known := map[sched.Label]int64{{}: -1}
	for _, e := range r.Events {
		n, ok := known[e.Label]
		if !ok {
			n = int64(len(b.Labels))
			known[e.Label] = n
			b.Labels = append(b.Labels, [3]string{e.Label.Class, labelID(e.Label), e.Label.Name})
		}
		b.Events = append(b.Events, [5]int64{int64(e.At), int64(e.Worker), int64(e.Kind), n, int64(e.Arg)})
	}
	return b
}

// labelID writes the number of a label as people know it.
func labelID(l sched.Label) string {
	if l.ID == 0 {
		return ""
	}
	if text, err := actor.PIDFromNumber(l.ID).MarshalText(); l.Class == "actor" && err == nil {
		return string(text)
	}
	return strconv.FormatUint(l.ID, 10)
}

func labelOf(text [3]string) (l sched.Label, err error) {
	l.Class, l.Name = text[0], text[2]
	switch {
	case text[1] == "":
	case l.Class == "actor":
		var id actor.PID
		id, err = actor.ParsePID(text[1])
		l.ID = id.Number()
	default:
		l.ID, err = strconv.ParseUint(text[1], 10, 64)
	}
	return l, err
}

// ErrNoRecording is returned by ReadRecording for what Recording.Write has not
// written, or not all of it.
var ErrNoRecording = errors.New("inspect: this is no recording, or it is damaged")

// ReadRecording reads what [Recording.Write] has written. It returns an error
// that wraps [ErrNoRecording], and says where, for anything else.
func ReadRecording(r io.Reader) (*Recording, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxRecording+1))
	if err != nil {
		return nil, fmt.Errorf("inspect: read a recording: %w", err)
	}
	if len(text) > maxRecording {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrNoRecording, maxRecording)
	}
	var file recordingFile
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&file); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRecording, err)
	}
	b := file.Troupe
	switch {
	case b == nil:
		return nil, fmt.Errorf(`%w: the JSON has no part "troupe"`, ErrNoRecording)
	case b.Version != recordingVersion:
		return nil, fmt.Errorf("%w: its version is %d, and this program reads %d", ErrNoRecording, b.Version, recordingVersion)
	}
	return b.recording()
}

func (b *recordingBody) recording() (*Recording, error) {
	rec := &Recording{Name: b.Name, Reason: b.Reason}
	rec.Epoch, rec.Taken, rec.Missing = b.Epoch, time.Duration(b.Taken), b.Missing
	var kinds []sched.EventKind
	for _, name := range b.Kinds {
		k, err := sched.ParseEventKind(name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoRecording, err)
		}
		kinds = append(kinds, k)
	}
	labels := make([]sched.Label, len(b.Labels))
	for n, text := range b.Labels {
		var err error
		if labels[n], err = labelOf(text); err != nil {
			return nil, fmt.Errorf("%w: label %d: %w", ErrNoRecording, n, err)
		}
	}
	before := int64(0)
	for n, e := range b.Events {
		at, worker, kind, label, arg := e[0], e[1], e[2], e[3], e[4]
		switch {
		case at < before:
			return nil, fmt.Errorf("%w: event %d is at %d ns, and the one before at %d", ErrNoRecording, n, at, before)
		case worker < 0 || worker > maxWorker:
			return nil, fmt.Errorf("%w: event %d is on worker %d", ErrNoRecording, n, worker)
		case kind < 0 || kind >= int64(len(kinds)):
			return nil, fmt.Errorf("%w: event %d is of kind %d, of %d", ErrNoRecording, n, kind, len(kinds))
		case label < -1 || label >= int64(len(labels)):
			return nil, fmt.Errorf("%w: event %d has label %d, of %d", ErrNoRecording, n, label, len(labels))
		}
		one := sched.Event{At: time.Duration(at), Worker: int(worker), Kind: kinds[kind], Arg: int(arg)}
		if label >= 0 {
			one.Label = labels[label]
		}
		rec.Events = append(rec.Events, one)
		before = at
	}
	return rec, nil
}

func programName() string {
	if len(os.Args) == 0 {
		return ""
	}
	return filepath.Base(os.Args[0])
}
