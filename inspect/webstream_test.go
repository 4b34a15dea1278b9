package inspect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/lane"
)

// A client that takes nothing of its stream, and 10,000 events that rain
// meanwhile, hold up neither the system, nor another client, nor the end.
func TestStalledClientUnderARainOfEvents(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	s, err := i.Listen(":0", inspect.WebConfig{Every: 50 * time.Millisecond})
	wantNoErr(t, err)
	stalled, err := net.Dial("tcp", s.Addr().String())
	wantNoErr(t, err)
	defer stalled.Close() //nolint:errcheck // It is not read.
	_, err = fmt.Fprintf(stalled, "GET /api/stream?view=actors HTTP/1.1\r\nHost: localhost\r\n\r\n")
	wantNoErr(t, err)
	_, err = io.ReadFull(stalled, make([]byte, 1)) // The stream has begun, and nobody reads it any more.
	wantNoErr(t, err)
	next, _ := listen(t, s.URL()+"api/stream?view=events")
	next()
	ref := spawnKept(t, sys)
	for range 5000 { // A failure and a restart each.
		send(t, ctx, ref, false)
	}
	until(t, ctx, func() bool { return i.Metrics().Kinds[0].Restarts == 5000 })
	for {
		m, ok := next()
		if !ok {
			t.Fatal("the other stream has ended")
		}
		if n := len(m.Events); n > 0 && m.Events[n-1].Number == 10_000 {
			break
		}
	}
	wantNoErr(t, s.Close())
}

// The page stays while the system stops, and after: it shows that nothing is left.
func TestPageDuringShutdown(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	url := serve(t, i, inspect.WebConfig{Every: 50 * time.Millisecond})
	g := newGate()
	ref := spawn(t, sys, actor.Actor[int](g), actor.WithName("last"))
	g.hold(t, ctx, ref)
	next, _ := listen(t, url+"api/stream?view=actors")
	next()
	stopped := make(chan error, 1)
	go func() { stopped <- sys.Stop(ctx) }()
	until(t, ctx, func() bool { // It has begun, and can't end.
		m, ok := next()
		return ok && strings.Contains(string(m.View), `"last"`)
	})
	close(g.open)
	wantNoErr(t, <-stopped)
	until(t, ctx, func() bool {
		m, ok := next()
		return ok && m.Sample.Actors == 0 && strings.Contains(string(m.View), `"total":0`)
	})
	resp, body := request(t, "GET", url+"api/tree")
	wantStatus(t, resp, body, 200, `"top"`)
	resp, body = request(t, "GET", url+"api/actors/0.1")
	wantStatus(t, resp, body, 410, "0.1")
}

// A client has a limited time to take a message, and not until the next one: in
// HTTP/2 that would end a stream that waits.
func TestDeadlinesOfAStream(t *testing.T) {
	i := newInspector(t, newSystem(t, actor.Config{}), quiet)
	h, err := i.Handler(inspect.WebConfig{Trusted: true, Every: 50 * time.Millisecond})
	wantNoErr(t, err)
	ctx, cancel := context.WithCancel(guarded(t))
	rw := &noting{ResponseRecorder: httptest.NewRecorder(), messages: 3, enough: cancel}
	h.ServeHTTP(rw, httptest.NewRequestWithContext(ctx, "GET", "/api/stream", nil))
	want := strings.TrimSpace(strings.Repeat("limited written flushed unlimited ", 3))
	if got := strings.Join(rw.did, " "); got != want {
		t.Errorf("a stream of three messages did %q, want %q", got, want)
	}
}

// noting is a ResponseWriter that notes what is done to it, until there were enough
// messages.
type noting struct {
	*httptest.ResponseRecorder
	did      []string
	messages int
	enough   func()
}

func (n *noting) Write(b []byte) (int, error) {
	n.did = append(n.did, "written")
	return n.ResponseRecorder.Write(b)
}

func (n *noting) Flush() { n.did = append(n.did, "flushed") }

func (n *noting) SetWriteDeadline(at time.Time) error {
	if !at.IsZero() {
		n.did = append(n.did, "limited")
		return nil
	}
	n.did = append(n.did, "unlimited")
	if n.messages--; n.messages == 0 {
		n.enough()
	}
	return nil
}

// A client that takes nothing of an answer is cut off, and keeps it no longer.
func TestAnswerThatNobodyTakes(t *testing.T) {
	lane.Short(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	ref := spawn(t, sys, sink{})
	for n := range 10_000 { // Answers of 15 MB, more than a connection holds.
		wantNoErr(t, sys.Register(fmt.Sprintf("%05d%s", n, strings.Repeat("<", 240)), ref.PID()))
	}
	closed := make(chan struct{})
	s, err := inspect.ListenFor(i, 100*time.Millisecond, func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(closed)
		}
	})
	wantNoErr(t, err)
	defer func() { wantNoErr(t, s.Close()) }()
	client, err := net.Dial("tcp", s.Addr().String())
	wantNoErr(t, err)
	defer client.Close() //nolint:errcheck // It is not read.
	_, err = fmt.Fprintf(client, "GET /api/names?limit=10000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
	wantNoErr(t, err)
	select {
	case <-closed:
	case <-guarded(t).Done():
		t.Error("the answer waits for its client for ever")
	}
}

// A client that takes nothing of its stream gives up its place to a new one; a client that does keeps it.
func TestSleepingClientGivesUpItsPlace(t *testing.T) {
	lane.Short(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	ref := spawn(t, sys, sink{})
	for n := range 10_000 { // Messages of 15 MB, more than a connection holds.
		wantNoErr(t, sys.Register(fmt.Sprintf("%05d%s", n, strings.Repeat("<", 240)), ref.PID()))
	}
	page, err := i.Handler(inspect.WebConfig{Every: 50 * time.Millisecond, Streams: 2})
	wantNoErr(t, err)
	inspect.SetPatience(page, time.Hour)
	s := httptest.NewServer(page)
	defer s.Close()
	awake, hangUp := listen(t, s.URL+"/api/stream?view=events")
	defer hangUp()
	awake()
	asleep, err := net.Dial("tcp", s.Listener.Addr().String())
	wantNoErr(t, err)
	defer asleep.Close() //nolint:errcheck // It is not read.
	_, err = fmt.Fprintf(asleep, "GET /api/stream?view=names&limit=10000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
	wantNoErr(t, err)
	_, err = io.ReadFull(asleep, make([]byte, 1))
	wantNoErr(t, err)
	until(t, guarded(t), func() bool {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/api/stream", nil)
		wantNoErr(t, err)
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		wantNoErr(t, err)
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	for range 3 {
		if _, ok := awake(); !ok {
			t.Fatal("the client that takes all has lost its place")
		}
	}
}

// A stream has what came after the event that the client knows, once each, also if that
// was before it was opened.
func TestStreamGoesOnBehindAnEvent(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	url := serve(t, i, inspect.WebConfig{Every: 50 * time.Millisecond})
	ref := spawnKept(t, sys)
	for range 3 { // A failure and a restart each.
		send(t, ctx, ref, false)
	}
	until(t, ctx, func() bool { return i.Metrics().Kinds[0].Restarts == 3 })
	var all []inspect.Event
	_, body := request(t, "GET", url+"api/events")
	wantNoErr(t, json.Unmarshal([]byte(body), &all))
	if len(all) != 6 {
		t.Fatalf("there are %d events", len(all))
	}
	for _, after := range []uint64{0, all[0].Number, all[len(all)-1].Number + 1000} {
		want := all
		if after == all[0].Number {
			want = all[1:]
		}
		next, _ := listen(t, fmt.Sprintf("%sapi/stream?view=events&after=%d", url, after))
		n, ok := next()
		if !ok {
			t.Fatal("the stream has ended")
		}
		if !slices.EqualFunc(n.Events, want, func(a, b inspect.Event) bool { return a.Number == b.Number }) {
			t.Errorf("after %d: %d events came, want %d", after, len(n.Events), len(want))
		}
	}
}
