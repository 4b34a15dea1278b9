package inspect_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

const token = "0123456789abcdef"

// serve serves the page of an inspector on loopback.
func serve(tb testing.TB, i *inspect.Inspector, cfg inspect.WebConfig) string {
	tb.Helper()
	s, err := i.Listen("127.0.0.1:0", cfg)
	wantNoErr(tb, err)
	tb.Cleanup(func() { wantNoErr(tb, s.Close()) })
	return s.URL()
}

// request sends a request with the headers, which alternate with their values.
func request(tb testing.TB, method, url string, headers ...string) (*http.Response, string) {
	tb.Helper()
	r, err := http.NewRequestWithContext(tb.Context(), method, url, nil)
	wantNoErr(tb, err)
	for n := 0; n < len(headers); n += 2 {
		r.Header.Set(headers[n], headers[n+1])
		if headers[n] == "Host" {
			r.Host = headers[n+1]
		}
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(r)
	wantNoErr(tb, err)
	defer resp.Body.Close() //nolint:errcheck // It is read.
	body, err := io.ReadAll(resp.Body)
	wantNoErr(tb, err)
	return resp, string(body)
}

func wantStatus(tb testing.TB, resp *http.Response, body string, status int, part string) {
	tb.Helper()
	if resp.StatusCode != status || !strings.Contains(body, part) {
		tb.Errorf("%s: got status %d and %q, want %d and %q", resp.Request.URL, resp.StatusCode, body, status, part)
	}
}

func TestPageAnswers(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	ref := spawn(t, sys, sink{}, actor.WithName("<script>alert(1)</script>"))
	pid, err := ref.PID().MarshalText()
	wantNoErr(t, err)
	url := serve(t, i, inspect.WebConfig{Name: "tested"})
	for _, c := range []struct {
		path   string
		status int
		part   string
	}{
		{"", 200, `<script type="module" src="main.js">`},
		{"main.js", 200, "EventSource"},
		{"style.css", 200, "--accent"},
		{"nothing.js", 404, "no such file"},
		{"asset.go", 404, "no such file"},
		{"api/system", 200, `"name":"tested"`},
		{"api/actors?limit=1&sort=mailbox", 200, `"total":1`},
		{"api/actors", 200, `\u003cscript\u003e`},
		{"api/actors?sort=size", 400, "Query.Sort"},
		{"api/actors?limit=many", 400, "limit"},
		{"api/actors?parent=x", 400, "no PID"},
		{"api/actors/" + string(pid), 200, `"state":"waiting"`},
		{"api/actors/77.7", 410, "77.7"},
		{"api/actors/x", 400, "no PID"},
		{"api/actors/" + string(pid) + "/children", 200, "[]"},
		{"api/tree", 200, `"top"`},
		{"api/links", 200, `"links"`},
		{"api/waits", 200, `"waits":[]`},
		{"api/workers", 200, `"workers"`},
		{"api/stacks", 200, "[]"},
		{"api/tasks", 200, "[]"},
		{"api/names", 200, "[]"},
		{"api/letters", 200, ""},
		{"api/events", 200, "[]"},
		{"api/metrics", 200, `"kinds"`},
		{"api/sample", 200, `"actors":1`},
		{"api/nothing", 404, "no such part"},
		{"api/stream?view=nothing", 400, "view"},
		{"api/stream?after=-1", 400, "number of an event"},
		{"api/stream?view=actor&pid=x", 400, "no PID"},
	} {
		resp, body := request(t, "GET", url+c.path)
		wantStatus(t, resp, body, c.status, c.part)
		if !strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s has no Content-Security-Policy", c.path)
		}
	}
}

// A request with the wrong method for a part gets the right method in its error.
func TestPageTellsMethods(t *testing.T) {
	url := serve(t, newInspector(t, newSystem(t, actor.Config{}), quiet), inspect.WebConfig{})
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"POST", "api/actors", 405, "GET, HEAD"}, {"DELETE", "api/jobs/1", 405, "GET, HEAD"}, {"PUT", "api/stream", 405, "GET, HEAD"},
		{"GET", "api/actors/1.1/kill", 405, "POST"}, {"HEAD", "api/system", 200, ""}, {"POST", "api/nothing", 404, ""}, {"DELETE", "", 405, "GET, HEAD"},
	} {
		resp, body := request(t, c.method, url+c.path)
		wantStatus(t, resp, body, c.status, "")
		if got := resp.Header.Get("Allow"); got != c.allow {
			t.Errorf("%s %s: allowed is %q, want %q", c.method, c.path, got, c.allow)
		}
	}
}

// Names come in parts.
func TestPageDividesNames(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	url := serve(t, newInspector(t, sys, quiet), inspect.WebConfig{})
	for _, name := range []string{"b-1", "a-1", "b-3", "b-2"} {
		wantNoErr(t, sys.Register(name, spawn(t, sys, sink{}).PID()))
	}
	for query, want := range map[string]string{
		"": "a-1 b-1 b-2 b-3", "?prefix=b": "b-1 b-2 b-3", "?limit=2": "a-1 b-1", "?prefix=b&after=b-1&limit=1": "b-2", "?after=b-3": "",
	} {
		_, body := request(t, "GET", url+"api/names"+query)
		var got []inspect.Name
		wantNoErr(t, json.Unmarshal([]byte(body), &got))
		var names []string
		for _, n := range got {
			names = append(names, n.Name)
		}
		if strings.Join(names, " ") != want || got == nil {
			t.Errorf("%s: got %v, want %s", query, names, want)
		}
	}
	resp, body := request(t, "GET", url+"api/names?limit=-1")
	wantStatus(t, resp, body, 400, "limit")
}

func TestPageRefusesForeignHosts(t *testing.T) {
	i := newInspector(t, newSystem(t, actor.Config{}), quiet)
	url := serve(t, i, inspect.WebConfig{Hosts: []string{"ours.example"}})
	for host, status := range map[string]int{
		"evil.example": 421, "127.0.0.1.evil.example:80": 421, "": 200, "localhost:1": 200, "LOCALHOST.": 200,
		"[::1]:80": 200, "ours.example:80": 200,
	} {
		headers := []string{"Host", host}
		if host == "" {
			headers = nil
		}
		if resp, body := request(t, "GET", url+"api/system", headers...); resp.StatusCode != status {
			t.Errorf("Host %q: got %d, want %d: %s", host, resp.StatusCode, status, body)
		}
	}
}

// A handler in a server that listens elsewhere serves nobody without a token.
func TestPageIsLocalWithoutToken(t *testing.T) {
	i := newInspector(t, newSystem(t, actor.Config{}), quiet)
	h, err := i.Handler(inspect.WebConfig{})
	wantNoErr(t, err)
	near, far := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}, &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 80}
	for _, c := range []struct {
		at     net.Addr
		remote string
		status int
	}{
		{near, "127.0.0.1:999", 200}, {&net.UnixAddr{Name: "x", Net: "unix"}, "@", 200},
		{far, "10.0.0.2:999", 403}, {far, "127.0.0.1:999", 403}, {near, "10.0.0.2:999", 403}, {nil, "127.0.0.1:999", 403},
	} {
		r := httptest.NewRequest("GET", "http://10.0.0.1/api/system", nil)
		r.RemoteAddr = c.remote
		if c.at != nil {
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, c.at))
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != c.status {
			t.Errorf("at %v from %s: got %d, want %d: %s", c.at, c.remote, w.Code, c.status, w.Body)
		}
	}
	_, err = i.Listen("0.0.0.0:0", inspect.WebConfig{})
	if err == nil || !strings.Contains(err.Error(), "Token") {
		t.Errorf("Listen on all addresses without a token: got %v", err)
	}
}

func TestPageWantsToken(t *testing.T) {
	i := newInspector(t, newSystem(t, actor.Config{}), quiet)
	url := serve(t, i, inspect.WebConfig{Token: token})
	resp, body := request(t, "GET", url+"api/system")
	wantStatus(t, resp, body, 401, "token")
	resp, body = request(t, "GET", url+"api/system", "Authorization", "Bearer "+token+"x")
	wantStatus(t, resp, body, 401, "token")
	resp, body = request(t, "GET", url+"api/stream", "Cookie", "troupe=x")
	wantStatus(t, resp, body, 401, "token")
	resp, body = request(t, "GET", url+"api/system", "Authorization", "Bearer "+token)
	wantStatus(t, resp, body, 200, "troupe")
	resp, body = request(t, "GET", url)
	wantStatus(t, resp, body, 401, "<form")
	resp, body = request(t, "GET", url+"?token="+token)
	wantStatus(t, resp, body, 303, "")
	cookie, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
	if strings.Contains(cookie, token) {
		t.Error("the cookie has the token in it")
	}
	resp, body = request(t, "GET", url+"api/system", "Cookie", cookie)
	wantStatus(t, resp, body, 200, "troupe")
	resp, body = request(t, "POST", url+"login?token="+token, "Sec-Fetch-Site", "cross-site")
	wantStatus(t, resp, body, 403, "other sites")
	resp, body = request(t, "POST", url+"login", "Sec-Fetch-Site", "same-origin")
	wantStatus(t, resp, body, 401, "That is not the token.")
}

func TestPageActs(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	url := serve(t, i, inspect.WebConfig{Token: token, Actions: true})
	bearer := []string{"Authorization", "Bearer " + token}
	_, body := request(t, "GET", url+"api/system", bearer...)
	var info struct {
		ActionKey string `json:"action_key"`
	}
	wantNoErr(t, json.Unmarshal([]byte(body), &info))
	acting := append(bearer, "Troupe-Action", info.ActionKey)
	for _, action := range []string{"stop", "kill"} {
		ref := spawn(t, sys, sink{})
		pid, err := ref.PID().MarshalText()
		wantNoErr(t, err)
		at := url + "api/actors/" + string(pid) + "/" + action
		resp, body := request(t, "POST", at, bearer...)
		wantStatus(t, resp, body, 403, "Troupe-Action")
		resp, body = request(t, "GET", at, acting...)
		wantStatus(t, resp, body, 405, "asked by POST")
		resp, body = request(t, "POST", at, append(acting, "Sec-Fetch-Site", "cross-site")...)
		wantStatus(t, resp, body, 403, "other sites")
		resp, body = request(t, "POST", at, append(acting, "Origin", "http://evil.example")...)
		wantStatus(t, resp, body, 403, "other sites")
		resp, body = request(t, "POST", at, acting...)
		wantStatus(t, resp, body, 200, "{}")
		select {
		case <-ref.Done():
		case <-guarded(t).Done():
			t.Fatalf("the actor does not %s", action)
		}
		resp, body = request(t, "POST", at, acting...)
		wantStatus(t, resp, body, 410, string(pid))
	}
	resp, body := request(t, "POST", url+"api/actors/x/stop", acting...)
	wantStatus(t, resp, body, 400, "no PID")
	readOnly := serve(t, i, inspect.WebConfig{})
	resp, body = request(t, "POST", readOnly+"api/actors/0.1/kill")
	wantStatus(t, resp, body, 403, "not enabled")
}

func TestWebConfig(t *testing.T) {
	i := newInspector(t, newSystem(t, actor.Config{}), quiet)
	for part, cfg := range map[string]inspect.WebConfig{
		"WebConfig.Token": {Token: "short"}, "WebConfig.Actions": {Actions: true}, "WebConfig.Every": {Every: time.Nanosecond},
		"WebConfig.Streams": {Streams: -1}, "WebConfig.Hosts": {Hosts: []string{"http://x"}},
	} {
		if _, err := i.Handler(cfg); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want an error about %s", err, part)
		}
	}
	for _, addr := range []string{"nonsense", "127.0.0.1:99999"} {
		if _, err := i.Listen(addr, inspect.WebConfig{}); err == nil {
			t.Errorf("Listen at %q: got no error", addr)
		}
	}
}

// message is what the tests need of a message of the stream.
type message struct {
	Sample  inspect.Sample   `json:"sample"`
	History []inspect.Sample `json:"history"`
	Past    pastOf           `json:"past"`
	View    json.RawMessage  `json:"view"`
	Error   string           `json:"error"`
	Events  []inspect.Event  `json:"events"`
}

// listen opens a stream, and returns a function that waits for its next message.
func listen(tb testing.TB, url string) (next func() (message, bool), hangUp func()) {
	tb.Helper()
	ctx, cancel := context.WithCancel(guarded(tb))
	tb.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	wantNoErr(tb, err)
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	wantNoErr(tb, err)
	tb.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		tb.Fatalf("the stream has status %d", resp.StatusCode)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<24)
	return func() (m message, ok bool) {
		for lines.Scan() {
			if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); ok {
				wantNoErr(tb, json.Unmarshal(data, &m))
				return m, true
			}
		}
		return m, false
	}, cancel
}

func TestStreamShowsWhatHappens(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	url := serve(t, i, inspect.WebConfig{Every: 50 * time.Millisecond, Streams: 1})
	next, _ := listen(t, url+"api/stream?view=actors&history=1")
	first, _ := next()
	if len(first.History) != 1 || first.Sample.Actors != 0 {
		t.Fatalf("got first %+v", first)
	}
	resp, body := request(t, "GET", url+"api/stream")
	wantStatus(t, resp, body, 503, "WebConfig.Streams")

	ref := spawn(t, sys, sink{}, actor.WithName("worker"))
	failing := spawn(t, sys, failer{})
	send(t, ctx, ref, 1, 2, 3)
	send(t, ctx, failing, true)
	var handled float64
	var failed, shown bool
	for !failed || !shown || handled == 0 {
		m, ok := next()
		if !ok {
			t.Fatalf("the stream has ended; handled %v, failed %v, shown %v", handled, failed, shown)
		}
		handled += m.Sample.HandledPerSecond
		shown = shown || strings.Contains(string(m.View), `"name":"worker"`)
		for _, e := range m.Events {
			failed = failed || e.Kind == inspect.Failed
		}
	}
	i.Close()
	for {
		if _, ok := next(); !ok {
			return
		}
	}
}

// The page shows an actor that has stopped, with its errors.
func TestStreamOfGoneActor(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	url := serve(t, i, inspect.WebConfig{Every: 50 * time.Millisecond})
	failing := spawn(t, sys, failer{})
	send(t, ctx, failing, true)
	<-failing.Done()
	pid, err := failing.PID().MarshalText()
	wantNoErr(t, err)
	next, _ := listen(t, url+"api/stream?view=actor&pid="+string(pid))
	if m, _ := next(); !strings.Contains(string(m.View), `"gone":true`) || !strings.Contains(string(m.View), "failer.Receive") {
		t.Errorf("got %s, want its failure with the stack", m.View)
	}
	next, _ = listen(t, url+"api/stream?view=actor&pid=70.7")
	if m, _ := next(); !strings.Contains(m.Error, "70.7") {
		t.Errorf("got error %q, want one about the PID", m.Error)
	}
}

// A client that does not read costs no more than its buffers, and holds up
// nobody; the place of one that has gone is free again.
func TestStreamOfVanishedClient(t *testing.T) {
	i := newInspector(t, newSystem(t, actor.Config{}), quiet)
	url := serve(t, i, inspect.WebConfig{Every: 50 * time.Millisecond, Streams: 1})
	next, hangUp := listen(t, url+"api/stream")
	next()
	hangUp()
	until(t, guarded(t), func() bool {
		r, err := http.NewRequestWithContext(t.Context(), "GET", url+"api/stream", nil)
		wantNoErr(t, err)
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		wantNoErr(t, err)
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}
