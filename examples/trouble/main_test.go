package main_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
)

var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "trouble")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "trouble")
	out, err := exec.Command("go", "build", "-o", name, ".").CombinedOutput()
	if err != nil {
		err = errors.New(string(out))
	}
	return name, err
})

func TestMain(m *testing.M) {
	status := m.Run()
	if name, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(name))
	}
	os.Exit(status)
}

// page is the live page of a trouble.
type page struct {
	*testing.T
	url      string
	culprits []string
}

// begin runs a trouble until the end of the test.
func begin(t *testing.T, trouble string) page {
	t.Helper()
	name, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, "-tell", "-addr", "127.0.0.1:0", trouble)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the program ends with %v", err)
		}
	})
	out := bufio.NewReader(stdout)
	read := func(prefix string) string {
		line, err := out.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, prefix) {
			t.Fatalf("the program says %q, and then %v", line, err)
		}
		return strings.TrimSpace(line[len(prefix):])
	}
	return page{t, read("live page at "), strings.Fields(read("the cause:"))}
}

// get reads a part of the API, as the commands of the guide do.
func get[V any](p page, path string) (v V) {
	p.Helper()
	resp, err := http.Get(p.url + "api/" + path)
	if err != nil {
		p.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // It is read.
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		p.Fatal(err)
	}
	return v
}

func (p page) until(holds func() bool) {
	p.Helper()
	patience.Until(p.T, patience.Context(p.T), holds)
}

// first returns the first actor in an order.
func (p page) first(order string) (a inspect.Actor) {
	found := get[inspect.Page](p, "actors?limit=1&sort="+order)
	if len(found.Actors) > 0 {
		a = found.Actors[0]
	}
	return a
}

// event returns the first event of a kind.
func (p page) event(kind inspect.EventKind) (e inspect.Event) {
	p.Helper()
	p.until(func() bool {
		all := get[[]inspect.Event](p, "events")
		n := slices.IndexFunc(all, func(e inspect.Event) bool { return e.Kind == kind })
		if n >= 0 {
			e = all[n]
		}
		return n >= 0
	})
	return e
}

// The slowest handler belongs to the culprit. Its stack says where it is stuck, and
// another actor waits for room behind it.
func TestStuckHandlerIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for real time")
	}
	t.Parallel()
	p := begin(t, "stuck")
	culprit := p.culprits[0]
	if e := p.event(inspect.BlockedHandler); e.Name != culprit {
		t.Errorf("the event is %v", e)
	}
	p.until(func() bool { a := p.first("slow"); return a.Name == culprit && a.Handler.Slow })
	pid, err := p.first("slow").PID.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	a := get[inspect.Actor](p, "actors/"+string(pid))
	if a.Handler == nil || !strings.Contains(a.Handler.Stack, "payments).charge") || !strings.Contains(a.Handler.Stack, "chan receive") {
		t.Errorf("the handler is %+v", a.Handler)
	}
	p.until(func() bool {
		waits := get[struct{ Waits []inspect.Wait }](p, "waits").Waits
		return len(waits) == 1 && waits[0].ToName == culprit && waits[0].Kind == "send"
	})
	p.until(func() bool { return p.first("mailbox").Mailbox == 20 })
	p.until(func() bool {
		w := get[inspect.Workers](p, "workers")
		return slices.ContainsFunc(w.Holders, func(h inspect.Holder) bool { return strings.HasPrefix(h.Work, culprit) })
	})
}

// The longest mailbox is the culprit's, which is full while senders wait; its
// handler takes 5 ms, all of its time, and waits for nobody.
func TestBacklogIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for real time")
	}
	t.Parallel()
	p := begin(t, "backlog")
	culprit := p.culprits[0]
	if e := p.event(inspect.MailboxHigh); e.Name != culprit || e.Lane != "data" {
		t.Errorf("the event is %v", e)
	}
	p.until(func() bool {
		a := p.first("mailbox")
		return a.Name == culprit && a.Lanes[2].Length >= a.Lanes[2].Capacity*8/10
	})
	p.until(func() bool { return p.first("mailbox").Lanes[2].Senders > 0 })
	p.until(func() bool {
		for _, k := range get[inspect.Metrics](p, "metrics").Kinds {
			if k.Kind == "main.mailer" {
				return k.Duration.Count > 0 && k.Duration.Quantile(.5).Seconds() >= 5e-3 && k.Latency.Quantile(.5) > k.Duration.Quantile(.5)
			}
		}
		return false
	})
	if waits := get[struct{ Total int }](p, "waits").Total; waits != 0 {
		t.Errorf("%d handlers wait", waits)
	}
}

// The ring is found when it closes, and named; the culprit fails by it, again and
// again.
func TestRingIsFound(t *testing.T) {
	t.Parallel()
	p := begin(t, "ring")
	culprit := p.culprits[0]
	e := p.event(inspect.AskCycle)
	if e.Name != culprit || strings.Count(e.Error, culprit) != 2 {
		t.Errorf("the event is %v", e)
	}
	p.until(func() bool { a := p.first("restarts"); return a.Name == culprit && a.Restarts >= 2 })
	pid, err := p.first("restarts").PID.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	a := get[inspect.Actor](p, "actors/"+string(pid))
	if len(a.Failures) == 0 || strings.Count(a.Failures[0].Error, culprit) != 2 {
		t.Errorf("the failures are %+v", a.Failures)
	}
}

// The first finding of each trouble names the culprit, the cause, and the place where that is known. Of combined troubles
// there is a finding each.
func TestFindings(t *testing.T) {
	lane.Check(t)
	for trouble, want := range map[string][]finding{
		"stuck":              {{inspect.StuckHandler, "in payments.charge (stuck.go:"}},
		"backlog":            {{inspect.Backlog, "8 senders wait for room"}},
		"ring":               {{inspect.AskRing, "would wait for itself"}},
		"panics":             {{inspect.Failing, "index out of range [1] with length 0, in importer.parse (panics.go:"}},
		"forgotten":          {{inspect.ForgottenReply, "its handler has returned without one"}},
		"suspended":          {{inspect.Suspended, "is suspended, 20 messages"}},
		"unhandled":          {{inspect.Losing, "last a main.alert"}},
		"blocked":            {{inspect.Starving, "in session.refresh (blocked.go:"}},
		"orphan":             {{inspect.Orphaned, "in report.print (orphan.go:"}},
		"stuck+backlog+ring": {{inspect.StuckHandler, "charge"}, {inspect.Backlog, "senders"}, {inspect.AskRing, "itself"}},
		"panics+orphan+suspended": {
			{inspect.Failing, "panics.go"}, {inspect.Orphaned, "orphan.go"}, {inspect.Suspended, "is suspended"},
		},
	} {
		t.Run(trouble, func(t *testing.T) {
			t.Parallel()
			p := begin(t, trouble)
			var found []inspect.Finding
			p.until(func() bool {
				found = get[[]inspect.Finding](p, "findings")
				for n, w := range want {
					at := slices.IndexFunc(found, func(f inspect.Finding) bool { return w.is(f, p.culprits[n]) })
					if at < 0 || at > 0 && len(want) == 1 {
						return false
					}
				}
				return true
			})
			for _, f := range found {
				if f.Level > slog.LevelWarn && !slices.ContainsFunc(p.culprits, func(c string) bool { return strings.Contains(f.Text, c) }) {
					t.Errorf("this blames a victim: %v", f)
				}
			}
		})
	}
}

// finding is what a finding should say.
type finding struct {
	kind inspect.FindingKind
	says string
}

func (w finding) is(f inspect.Finding, culprit string) bool {
	return f.Kind == w.kind && strings.Contains(f.Text, w.says) && strings.Contains(f.Text, culprit)
}

// Of a program that is busy and healthy there is no finding.
func TestHealthyHasNoFindings(t *testing.T) {
	lane.Check(t)
	t.Parallel()
	p := begin(t, "busy")
	// For longer than it takes for a handler to be stuck.
	p.until(func() bool {
		for _, f := range get[[]inspect.Finding](p, "findings") {
			if f.Kind != inspect.Starving { // The machine may be busy with something else.
				t.Fatalf("there is a finding: %v", f)
			}
		}
		return p.first("uptime").UptimeSeconds > 12
	})
}

func TestUsage(t *testing.T) {
	name, err := program()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(name, "nothing").CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), "backlog|blocked|busy|forgotten") {
		t.Errorf("got %v and %q", err, out)
	}
}
