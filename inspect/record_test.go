package inspect_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/sched"
)

func newRecorder(tb testing.TB, i *inspect.Inspector, cfg inspect.RecordConfig) *inspect.Recorder {
	tb.Helper()
	r, err := i.Record(cfg)
	wantNoErr(tb, err)
	tb.Cleanup(r.Close)
	return r
}

// A recording is read again completely, and shows what happened.
func TestRecordingComesBack(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	r := newRecorder(t, i, inspect.RecordConfig{})
	ref := spawn(t, sys, sink{}, actor.WithName("<b>recorded</b>"))
	send(t, ctx, ref, 1, 2, 3)
	wantNoErr(t, ref.Drain(ctx))
	rec := r.Snapshot()
	rec.Reason = "a test"
	var file bytes.Buffer
	wantNoErr(t, rec.Write(&file))
	back, err := inspect.ReadRecording(bytes.NewReader(file.Bytes()))
	wantNoErr(t, err)
	if len(back.Events) != len(rec.Events) || back.Name != rec.Name || back.Reason != "a test" || back.Taken != rec.Taken || !back.Epoch.Equal(rec.Epoch) {
		t.Fatalf("got %d events of %s, want %d", len(back.Events), back.Name, len(rec.Events))
	}
	messages, runs := 0, 0
	for n, e := range back.Events {
		if e != rec.Events[n] {
			t.Fatalf("event %d is %+v, was %+v", n, e, rec.Events[n])
		}
		if e.Kind == sched.EventMessage && e.Label.Name == "int" {
			messages++
		}
		if e.Kind == sched.EventRun && e.Label.ID == ref.PID().Number() && e.Label.Name == "<b>recorded</b>" {
			runs++
		}
	}
	if messages != 3 || runs == 0 {
		t.Errorf("got %d messages and %d runs, want 3 and some", messages, runs)
	}
	wantTrace(t, file.Bytes(), "<b>recorded</b>")
}

// wantTrace checks what a viewer of Chrome's traces relies on.
func wantTrace(t *testing.T, text []byte, name string) {
	t.Helper()
	var trace struct {
		TraceEvents []struct {
			Name  string
			Phase string  `json:"ph"`
			Time  float64 `json:"ts"`
			Dur   float64
			Tid   int
		}
	}
	wantNoErr(t, json.Unmarshal(text, &trace))
	ends := map[int]float64{} // Of the work on each track; messages are within.
	found := false
	for _, e := range trace.TraceEvents {
		found = found || e.Phase == "X" && strings.HasPrefix(e.Name, name)
		if e.Phase == "X" && e.Name != "int" {
			if e.Dur < 0 || e.Time < ends[e.Tid]-.001 {
				t.Fatalf("slice %+v begins before %v", e, ends[e.Tid])
			}
			ends[e.Tid] = e.Time + e.Dur
		}
	}
	if !found {
		t.Errorf("there is no slice of %s", name)
	}
}

func TestMalformedRecordings(t *testing.T) {
	const head = `{"troupe":{"version":1,"kinds":["run"],"labels":[["actor","0.1","x"]],"events":`
	for text, want := range map[string]string{
		"":                                   "EOF",
		"hello":                              "invalid character",
		"{}":                                 `no part "troupe"`,
		"[]":                                 "cannot unmarshal",
		`{"troupe":{"version":2}}`:           "version is 2",
		head + `[[1,0,0,0,0]`:                "EOF",
		head + `[[5,0,0,0,0],[1,0,0,0,0]]}}`: "the one before",
		head + `[[-5,0,0,0,0]]}}`:            "at -5",
		head + `[[1,-1,0,0,0]]}}`:            "worker -1",
		head + `[[1,1e99,0,0,0]]}}`:          "cannot unmarshal",
		head + `[[1,99999999,0,0,0]]}}`:      "worker 99999999",
		head + `[[1,0,1,0,0]]}}`:             "kind 1, of 1",
		head + `[[1,0,0,1,0]]}}`:             "label 1, of 1",
		head + `[[1,0,0,-2,0]]}}`:            "label -2",
		`{"troupe":{"version":1,"kinds":["dance"]}}`:                 "dance",
		`{"troupe":{"version":1,"labels":[["actor","nobody","x"]]}}`: "label 0",
		`{"troupe":{"version":1,"labels":[["job","-1","x"]]}}`:       "label 0",
		`{"troupe":{"version":1,"events":[["a",0,0,0,0]]}}`:          "cannot unmarshal",
		`{"traceEvents":[{"name":"of another program","ph":"X"}]}`:   `no part "troupe"`,
	} {
		_, err := inspect.ReadRecording(strings.NewReader(text))
		wantErr(t, err, inspect.ErrNoRecording)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	rec, err := inspect.ReadRecording(strings.NewReader(head + `[[1,0,0,0,0],[1,0,0,-1,7]]}}`))
	wantNoErr(t, err)
	if len(rec.Events) != 2 || rec.Events[1].Arg != 7 {
		t.Errorf("got %+v", rec.Events)
	}
}

func FuzzReadRecording(f *testing.F) {
	f.Add([]byte(`{"troupe":{"version":1,"kinds":["run"],"labels":[["actor","0.1","x"]],"events":[[1,0,0,0,0]]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		rec, err := inspect.ReadRecording(bytes.NewReader(text))
		if err != nil {
			wantErr(t, err, inspect.ErrNoRecording)
			return
		}
		var again bytes.Buffer
		wantNoErr(t, rec.Write(&again))
		back, err := inspect.ReadRecording(&again)
		if err != nil || len(back.Events) != len(rec.Events) {
			t.Errorf("what was read is not read again: %v", err)
		}
	})
}

// panicker panics with each message.
type panicker struct{}

func (panicker) Receive(*actor.Context[int], int) error { panic("as wanted") }

// A panic of an actor, and of a job, is written; further ones soon after are
// counted; and no more files are kept than was said.
func TestRecordingOfAPanic(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	events := i.Subscribe(inspect.Subscription{Kinds: []inspect.EventKind{inspect.Recorded}})
	dir := filepath.Join(t.TempDir(), "recordings")
	for n := range 3 {
		r := newRecorder(t, i, inspect.RecordConfig{Dir: dir, Keep: 2, Every: time.Hour})
		why := "job "
		if n == 0 {
			j, err := sys.Scheduler().Go(ctx, func(context.Context) error { panic("as wanted") })
			wantNoErr(t, err)
			if err := j.Wait(ctx); err == nil {
				t.Fatal("the job does not fail")
			}
		} else {
			why = "actor "
			ref := spawn(t, sys, panicker{})
			send(t, ctx, ref, 1)
			<-ref.Done()
		}
		e := next(t, ctx, events)
		ref := spawn(t, sys, panicker{}) // Not due.
		send(t, ctx, ref, 1)
		<-ref.Done()
		r.Close()
		_, name, ok := strings.Cut(e.Text, " is in ")
		if !ok || !strings.HasPrefix(e.Error, why) {
			t.Fatalf("got %v because of %q, want %q", e, e.Error, why)
		}
		f, err := os.Open(name)
		wantNoErr(t, err)
		rec, err := inspect.ReadRecording(f)
		wantNoErr(t, errors.Join(err, f.Close()))
		failures := 0
		for _, e := range rec.Events {
			if e.Kind == sched.EventFailure && strings.Contains(e.Label.Name, "as wanted") {
				failures++
			}
		}
		if !strings.HasPrefix(rec.Reason, why) || failures == 0 {
			t.Errorf("the recording is of %q, with %d failures", rec.Reason, failures)
		}
	}
	files, err := os.ReadDir(dir)
	wantNoErr(t, err)
	if len(files) != 2 {
		t.Errorf("there are %d files, want 2", len(files))
	}
	if _, ok := tryNext(events); ok {
		t.Error("there are more recordings than are due")
	}
}

// tryNext returns an event that waits.
func tryNext(s *inspect.Subscriber) (inspect.Event, bool) {
	s.Close()
	e, err := s.Next(context.Background())
	return e, err == nil
}

// A lost directory is reported, and holds up nobody.
func TestRecordingWithoutItsDirectory(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	events := i.Subscribe(inspect.Subscription{Kinds: []inspect.EventKind{inspect.Recorded}})
	dir := filepath.Join(t.TempDir(), "lost")
	newRecorder(t, i, inspect.RecordConfig{Dir: dir})
	wantNoErr(t, os.Remove(dir))
	ref := spawn(t, sys, panicker{})
	send(t, ctx, ref, 1)
	if e := next(t, ctx, events); !strings.Contains(e.Text, "could not be written") {
		t.Errorf("got %v", e)
	}
}

func TestRecordRefuses(t *testing.T) {
	i := newInspector(t, newSystem(t, actor.Config{}), quiet)
	file := filepath.Join(t.TempDir(), "file")
	wantNoErr(t, os.WriteFile(file, nil, 0o600))
	for part, cfg := range map[string]inspect.RecordConfig{
		"RecordConfig.Every": {Every: -1}, "RecordConfig.Keep": {Keep: -1}, "RecorderConfig.Events": {Events: 1},
		"RecordConfig.Dir": {Dir: file},
	} {
		if _, err := i.Record(cfg); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want an error about %s", err, part)
		}
	}
	r := newRecorder(t, i, inspect.RecordConfig{})
	_, err := i.Record(inspect.RecordConfig{})
	wantErr(t, err, sched.ErrRecording)
	i.Close()
	if i.Recorder() != nil || len(r.Snapshot().Events) != 0 {
		t.Error("the recorder outlives its inspector")
	}
	_, err = i.Record(inspect.RecordConfig{})
	wantErr(t, err, inspect.ErrClosed)
}

func TestPageHandsOutRecording(t *testing.T) {
	i := newInspector(t, newSystem(t, actor.Config{}), quiet)
	url := serve(t, i, inspect.WebConfig{Name: "tested"})
	resp, body := request(t, "GET", url+"api/recording")
	wantStatus(t, resp, body, 404, "Record")
	newRecorder(t, i, inspect.RecordConfig{})
	resp, body = request(t, "GET", url+"api/recording")
	wantStatus(t, resp, body, 200, `"name":"tested"`)
	_, err := inspect.ReadRecording(strings.NewReader(body))
	wantNoErr(t, err)
}
