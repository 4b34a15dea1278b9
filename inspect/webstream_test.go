package inspect_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
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
