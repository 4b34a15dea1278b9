package main_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/inspect"
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
	url string
}

// begin runs a trouble until the end of the test.
func begin(t *testing.T, trouble string) page {
	t.Helper()
	name, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, "-addr", "127.0.0.1:0", trouble)
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
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return page{t, strings.TrimSpace(strings.TrimPrefix(line, "live page at "))}
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

// The slowest handler belongs to payments. Its stack says where it is stuck, and
// checkout waits for room behind it.
func TestStuckHandlerIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for real time")
	}
	p := begin(t, "stuck")
	if e := p.event(inspect.BlockedHandler); e.Name != "payments" {
		t.Errorf("the event is %v", e)
	}
	p.until(func() bool { a := p.first("slow"); return a.Name == "payments" && a.Handler.Slow })
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
		return len(waits) == 1 && waits[0].FromName == "checkout" && waits[0].ToName == "payments" && waits[0].Kind == "send"
	})
	p.until(func() bool { return p.first("mailbox").Name == "payments" || p.first("mailbox").Name == "checkout" })
	p.until(func() bool {
		w := get[inspect.Workers](p, "workers")
		return slices.ContainsFunc(w.Holders, func(h inspect.Holder) bool { return strings.HasPrefix(h.Work, "payments") })
	})
}

// The longest mailbox is the mailer's, which is full while senders wait; its
// handler takes 5 ms, all of its time, and waits for nobody.
func TestBacklogIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for real time")
	}
	p := begin(t, "backlog")
	if e := p.event(inspect.MailboxHigh); e.Name != "mailer" || e.Lane != "data" {
		t.Errorf("the event is %v", e)
	}
	p.until(func() bool {
		a := p.first("mailbox")
		return a.Name == "mailer" && a.Lanes[2].Length >= a.Lanes[2].Capacity*8/10
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

// The ring is found when it closes, and named; prices fails by it, again and
// again.
func TestRingIsFound(t *testing.T) {
	p := begin(t, "ring")
	e := p.event(inspect.AskCycle)
	if e.Name != "prices" || !strings.Contains(e.Error, "stock") {
		t.Errorf("the event is %v", e)
	}
	p.until(func() bool { a := p.first("restarts"); return a.Name == "prices" && a.Restarts >= 2 })
	pid, err := p.first("restarts").PID.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	a := get[inspect.Actor](p, "actors/"+string(pid))
	if len(a.Failures) == 0 || !strings.Contains(a.Failures[0].Error, "stock") {
		t.Errorf("the failures are %+v", a.Failures)
	}
}

func TestUsage(t *testing.T) {
	name, err := program()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(name, "nothing").CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), "stuck|backlog|ring") {
		t.Errorf("got %v and %q", err, out)
	}
}
