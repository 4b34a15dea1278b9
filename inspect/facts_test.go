package inspect_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// titled returns a sequence of titles and texts.
func titled(all ...string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for n := 0; n < len(all); n += 2 {
			if !yield(all[n], all[n+1]) {
				return
			}
		}
	}
}

// The API and the streams of the page have the facts of an actor and of the program.
func TestFacts(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ref := spawnKept(t, sys)
	url := serve(t, newInspector(t, sys, quiet), inspect.WebConfig{
		Facts: func(pid actor.PID) iter.Seq2[string, string] {
			if pid != ref.PID() {
				return nil
			}
			return titled("Version", "7", "Stream", "<b>\xff")
		},
		Overview: func() iter.Seq2[string, string] { return titled("Commit latency", "p50 1ms") },
	})
	id := strings.Trim(ref.PID().String(), "<>")
	const want = `"facts":[{"title":"Version","text":"7"},{"title":"Stream","text":"`
	resp, body := request(t, "GET", url+"api/actors/"+id)
	wantStatus(t, resp, body, 200, want)
	for view, want := range map[string]string{"actor&pid=" + id: want, "overview": `"facts":[{"title":"Commit latency","text":"p50 1ms"}]`, "": `"Commit latency"`} {
		next, _ := listen(t, url+"api/stream?view="+view)
		if m, ok := next(); !ok || !strings.Contains(string(m.View), want) {
			t.Errorf("the view %s is %s, want %s in it", view, m.View, want)
		}
	}
}

// A page without them is as before, and too many facts are cut.
func TestFactsAreBounded(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ref := spawnKept(t, sys)
	i := newInspector(t, sys, quiet)
	id := strings.Trim(ref.PID().String(), "<>")
	_, body := request(t, "GET", serve(t, i, inspect.WebConfig{})+"api/actors/"+id)
	if strings.Contains(body, `"facts"`) {
		t.Errorf("there are facts in %s", body)
	}
	given := 0
	url := serve(t, i, inspect.WebConfig{Facts: func(actor.PID) iter.Seq2[string, string] {
		return func(yield func(string, string) bool) {
			for given = 1; yield(fmt.Sprint(given), strings.Repeat("x", 1<<20)); given++ {
			}
		}
	}})
	_, body = request(t, "GET", url+"api/actors/"+id)
	if n := strings.Count(body, `"title"`); n != 50 || len(body) > 100_000 {
		t.Errorf("%d of %d facts are shown, in %d bytes, want 50 in less than 100,000", n, given, len(body))
	}
}
