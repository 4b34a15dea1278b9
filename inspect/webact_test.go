package inspect_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// An actor is suspended and resumed from the page. The user who did it is named in an event
// and in the log. A user without permission causes neither.
func TestPageSuspends(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	cfg := quiet
	var log bytes.Buffer
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	i := newInspector(t, sys, cfg)
	events := i.Subscribe(inspect.Subscription{Kinds: []inspect.EventKind{inspect.Acted}})
	url := serve(t, i, inspect.WebConfig{Token: token, Actions: true, Who: func(r *http.Request) string {
		if r.Header.Get("User") == "" {
			panic("nobody")
		}
		return r.Header.Get("User")
	}})
	bearer := []string{"Authorization", "Bearer " + token}
	_, body := request(t, "GET", url+"api/system", bearer...)
	var info struct {
		ActionKey string `json:"action_key"`
	}
	wantNoErr(t, json.Unmarshal([]byte(body), &info))
	acting := append(bearer, "Troupe-Action", info.ActionKey)
	handled := make(chan int, 1)
	ref := spawn(t, sys, actor.Func(func(_ *actor.Context[int], m int) error { handled <- m; return nil }), actor.WithName("worker"))
	pid, err := ref.PID().MarshalText()
	wantNoErr(t, err)
	at := url + "api/actors/" + string(pid)

	resp, body := request(t, "POST", at+"/suspend", bearer...)
	wantStatus(t, resp, body, 403, "Troupe-Action")
	resp, body = request(t, "POST", at+"/suspend", append(acting, "Origin", "http://evil.example")...)
	wantStatus(t, resp, body, 403, "other sites")
	resp, body = request(t, "POST", at+"/suspend", append(acting, "User", "anna")...)
	wantStatus(t, resp, body, 200, "{}")
	until(t, ctx, func() bool {
		_, body := request(t, "GET", url+"api/actors?state=suspended", bearer...)
		return strings.Contains(body, `"name":"worker"`)
	})
	send(t, ctx, ref, 7)
	resp, body = request(t, "POST", at+"/resume", append(acting, "User", strings.Repeat("<b>", 100))...)
	wantStatus(t, resp, body, 200, "{}")
	select {
	case m := <-handled:
		if m != 7 {
			t.Errorf("got message %d", m)
		}
	case <-ctx.Done():
		t.Fatal("the actor is not resumed")
	}
	wantNoErr(t, ref.Stop(ctx))
	resp, body = request(t, "POST", at+"/suspend", acting...)
	wantStatus(t, resp, body, 410, string(pid))

	if e := next(t, ctx, events); e.PID != ref.PID() || e.By != "anna" || e.Text != "worker"+ref.PID().String()+": suspend, by anna" {
		t.Errorf("the first event is %+v", e)
	}
	if e := next(t, ctx, events); len(e.By) != 200 || !strings.Contains(e.Text, ": resume, by <b>") {
		t.Errorf("the second event is %+v", e)
	}
	if e := next(t, ctx, events); !strings.Contains(e.Text, "in vain") || !strings.HasPrefix(e.By, "127.0.0.1:") {
		t.Errorf("the third event is %+v", e)
	}
	if e, ok := tryNext(events); ok {
		t.Errorf("a refused action is an event: %+v", e)
	}
	if !strings.Contains(log.String(), "event=acted") || !strings.Contains(log.String(), "by=anna") {
		t.Errorf("the log has %s", &log)
	}
}
