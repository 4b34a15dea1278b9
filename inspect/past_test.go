package inspect_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// pastOf is what api/history answers.
type pastOf struct {
	Times   []int64              `json:"times"`
	Figures map[string][]float64 `json:"figures"`
}

// groupsOf is what api/groups answers.
type groupsOf struct {
	Groups []struct {
		Count       uint64
		First, Last time.Time
		Event       inspect.Event
	} `json:"groups"`
}

// ask decodes an answer of the API.
func ask[T any](t *testing.T, url string) (answer T) {
	t.Helper()
	resp, body := request(t, "GET", url)
	wantStatus(t, resp, body, 200, "")
	wantNoErr(t, json.Unmarshal([]byte(body), &answer))
	return answer
}

// remembering is an inspector whose past grows when the test says so, since it is closed.
func remembering(t *testing.T, sys *actor.System) (*inspect.Inspector, http.Handler, string) {
	t.Helper()
	cfg := quiet
	cfg.Remember = time.Minute
	i := newInspector(t, sys, cfg)
	page, err := i.Handler(inspect.WebConfig{Every: 50 * time.Millisecond})
	wantNoErr(t, err)
	s := httptest.NewServer(page)
	t.Cleanup(s.Close)
	return i, page, s.URL + "/"
}

// Figures are kept though nobody looks, and a page that is opened later has them.
func TestPastIsKeptThoughNobodyLooks(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, sink{})
	i, page, url := remembering(t, sys)
	i.Close()
	inspect.Remember(page) // It has no rates.
	if p := ask[pastOf](t, url+"api/history"); len(p.Times) != 0 {
		t.Errorf("at first there is %+v", p)
	}
	send(t, ctx, ref, 1, 2, 3)
	until(t, ctx, func() bool { return i.Metrics().Kinds[0].Handled == 3 })
	inspect.Remember(page)
	inspect.Remember(page)
	p := ask[pastOf](t, url+"api/history")
	if len(p.Times) != 2 || p.Figures["handled_per_second"][0] == 0 || p.Figures["handled_per_second"][1] != 0 || p.Figures["actors"][0] != 1 {
		t.Fatalf("got %+v, want a second with messages and one without", p)
	}
	for range 100 {
		inspect.Remember(page)
	}
	if p = ask[pastOf](t, url+"api/history"); len(p.Times) != 60 {
		t.Errorf("there are %d rows, want those of a minute", len(p.Times))
	}
	last := p.Times[len(p.Times)-1]
	if p = ask[pastOf](t, url+"api/history?since="+strconv.FormatInt(last, 10)); len(p.Times) != 0 {
		t.Errorf("behind the last row there is %+v", p)
	}
	for _, path := range []string{"api/history", "api/stream"} {
		resp, body := request(t, "GET", url+path+"?since=today")
		wantStatus(t, resp, body, 400, "since")
	}
}

// The first message of a stream has the past, if the page asks for it.
func TestStreamBringsThePast(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	cfg := quiet
	cfg.Remember = time.Hour
	i := newInspector(t, sys, cfg)
	url := serve(t, i, inspect.WebConfig{Every: 50 * time.Millisecond})
	until(t, guarded(t), func() bool { return len(ask[pastOf](t, url+"api/history").Times) > 0 })
	next, _ := listen(t, url+"api/stream?since=0")
	first, _ := next()
	second, _ := next()
	if len(first.Past.Times) == 0 || len(second.Past.Times) != 0 || first.Sample.IntervalSeconds == 0 {
		t.Errorf("got %+v and then %+v, want the past once, and rates at once", first, second)
	}
}

// Events of one actor and one cause are one group, that stays when the events are gone.
func TestEventsAreGroupedByCause(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i, _, url := remembering(t, sys)
	again, once := spawnKept(t, sys), spawn(t, sys, actor.Actor[bool](failer{}))
	send(t, ctx, once, false)
	<-once.Done()
	for range 400 {
		send(t, ctx, again, false)
	}
	until(t, ctx, func() bool {
		return i.Metrics().Kinds[0].Restarts+i.Metrics().Kinds[len(i.Metrics().Kinds)-1].Restarts >= 400
	})
	counts := map[actor.PID]uint64{}
	for _, g := range ask[groupsOf](t, url+"api/groups").Groups {
		if g.Event.Kind == inspect.Failed {
			counts[g.Event.PID] += g.Count
		}
		if g.Last.Before(g.First) || g.First.IsZero() {
			t.Errorf("a group is from %v to %v", g.First, g.Last)
		}
	}
	if counts[again.PID()] != 400 || counts[once.PID()] != 1 || len(counts) != 2 {
		t.Errorf("got %v, want 400 failures of one actor, and one of the other", counts)
	}
}

// There are more events of a handler that stays stuck; after a minute they are errors.
func TestStuckHandlerIsToldOfAgain(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, sink{})
	i, _, url := remembering(t, sys)
	i.Close()
	want, stuckFor := uint64(0), inspect.Stuck(i, ref.PID())
	for _, c := range []struct {
		after time.Duration
		told  bool
		level slog.Level
	}{
		{6 * time.Second, true, slog.LevelWarn}, {7 * time.Second, false, slog.LevelWarn}, {61 * time.Second, true, slog.LevelError},
		{2 * time.Minute, false, slog.LevelError}, {6 * time.Minute, true, slog.LevelError}, {16 * time.Minute, true, slog.LevelError},
		{61 * time.Minute, true, slog.LevelError}, {3 * time.Hour, false, slog.LevelError},
	} {
		stuckFor(c.after)
		if c.told {
			want++
		}
		g := ask[groupsOf](t, url+"api/groups").Groups
		if len(g) != 1 || g[0].Count != want || g[0].Event.Level != c.level || g[0].Event.Kind != inspect.BlockedHandler || g[0].Event.PID != ref.PID() {
			t.Fatalf("after %v there is %+v, want %d events", c.after, g, want)
		}
	}
}

// talker fails with an error of 10 MB.
type talker struct{}

func (talker) Receive(*actor.Context[int], int) error {
	return errors.New(strings.Repeat("ä", 5_000_000))
}

// A huge error is cut in each answer, and says how long it was.
func TestHugeErrorIsCut(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i, _, url := remembering(t, sys)
	ref := spawn(t, sys, talker{})
	send(t, ctx, ref, 1)
	<-ref.Done()
	until(t, ctx, func() bool { return len(i.Failures(ref.PID())) > 0 })
	pid, err := ref.PID().MarshalText()
	wantNoErr(t, err)
	for _, path := range []string{"events", "groups", "actors/" + string(pid)} {
		_, body := request(t, "GET", url+"api/"+path)
		if len(body) > 40_000 || !strings.Contains(body, "ää... (1") || !strings.Contains(body, " bytes in all)") {
			t.Errorf("api/%s has %d bytes, and begins with %.200s", path, len(body), body)
		}
	}
}
