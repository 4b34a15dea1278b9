package browser_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

// hostile is a name that does harm wherever it is taken for more than a text.
const hostile = `<img src=x onerror="document.title='harmed'"><script>document.title='harmed'</script>`

// chromium returns a browser to test with.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium in the PATH; on Debian: apt-get install chromium")
	return ""
}

// tab is an open page, with what it has complained about and asked for.
type tab struct {
	*testing.T
	ctx context.Context
	url string

	mu    sync.Mutex
	wrong []string
}

// open shows the page at the url in a browser of its own. At the end it must
// have had nothing to complain about, and have asked nobody else for anything.
func open(t *testing.T, url string) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.WindowSize(1280, 860),
		chromedp.WSURLReadTimeout(time.Minute))
	ctx, end := chromedp.NewExecAllocator(patience.Context(t), options...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); end() })
	site, _, _ := strings.Cut(url, "#")
	p := &tab{T: t, ctx: ctx, url: site}
	if err := chromedp.Listen(ctx, p.watch); err != nil {
		t.Fatalf("the browser: %v", err)
	}
	_, errNetwork := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	_, errLog := chromedp.Call(ctx, log.Enable, cdp.Empty{})
	if err := errors.Join(errNetwork, errLog); err != nil {
		t.Fatalf("the browser: %v", err)
	}
	p.do(chromedp.Navigate(url))
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, w := range p.wrong {
			t.Error(w)
		}
	})
	return p
}

func (p *tab) watch(event any) {
	wrong := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		wrong = "an exception: " + e.ExceptionDetails.Text
	case *runtime.EventConsoleAPICalled:
		wrong = fmt.Sprintf("a word on the console: %s", e.Type)
	case *log.EventEntryAdded:
		wrong = fmt.Sprintf("a log entry: %s %s", e.Entry.Text, e.Entry.URL)
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, p.url) {
			wrong = "a request to elsewhere: " + e.Request.URL
		}
	}
	if wrong != "" {
		p.mu.Lock()
		p.wrong = append(p.wrong, wrong)
		p.mu.Unlock()
	}
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.Fatalf("the browser: %v", err)
	}
}

// until waits until the JavaScript expression is true.
func (p *tab) until(expression string) {
	p.Helper()
	var err error
	for range 3 { // A page that is left takes its poll with it.
		if _, err = chromedp.Run(p.ctx, chromedp.Poll[bool]("!!("+expression+")", chromedp.WithPollingTimeout(20*time.Second))); err == nil {
			return
		} else if !strings.Contains(err.Error(), "navigated") && !strings.Contains(err.Error(), "Cannot find context") {
			break
		}
	}
	text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`location.hash + ' ' + document.body.innerText.slice(0, 800)`))
	p.Fatalf("%s does not become true: %v; the page has: %s", expression, err, text)
}

// show goes to a view.
func (p *tab) show(hash string) {
	p.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("location.hash = %q", hash)))
}

// screenshots is the variable that names the folder for pictures, if not a temporary one.
const screenshots = "TROUPE_SCREENSHOTS"

// keep writes a picture of the page for people.
func (p *tab) keep(name string) {
	p.Helper()
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.Fatalf("the browser: %v", err)
	}
	dir := os.Getenv(screenshots)
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "troupe-screenshots")
	}
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)); err != nil {
		p.Error(err)
	}
}

// fails panics with each message; stuck does not return from one.
type fails struct{}

func (fails) Receive(*actor.Context[int], int) error { panic(errors.New("broken " + hostile)) }

type stuck struct{ open chan struct{} }

func (s stuck) Receive(*actor.Context[int], int) error {
	<-s.open
	return nil
}

// parent has children.
type parent struct{ children int }

func (p parent) Started(c *actor.Context[int]) error {
	for n := range p.children {
		if _, err := actor.Spawn(c, actor.Func(ignore), actor.WithName(fmt.Sprintf("child-%d", n))); err != nil {
			return err
		}
	}
	return nil
}

func (parent) Receive(*actor.Context[int], int) error { return nil }

func ignore(*actor.Context[int], int) error { return nil }

// system is one with something of each kind to be seen.
type system struct {
	*actor.System
	inspector           *inspect.Inspector
	failed, stuck, busy actor.Ref[int]
}

func newSystem(t *testing.T, cfg inspect.WebConfig) (system, string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	sys, err := actor.NewSystem(actor.Config{})
	must(err)
	patience.StopAtEnd(t, sys)
	i, err := inspect.New(sys, inspect.Config{})
	must(err)
	t.Cleanup(i.Close)
	s := system{System: sys, inspector: i}
	s.failed, err = actor.Spawn(sys, fails{}, actor.WithName("failing"))
	must(err)
	gate := make(chan struct{})
	t.Cleanup(func() { close(gate) })
	s.stuck, err = actor.Spawn(sys, stuck{gate}, actor.WithName("stuck"))
	must(err)
	s.busy, err = actor.Spawn(sys, actor.Func(ignore), actor.WithName("busy"))
	must(err)
	_, err = actor.Spawn(sys, parent{3}, actor.WithName("parent"))
	must(err)
	_, err = actor.Spawn(sys, actor.Func(ignore), actor.WithName(hostile))
	must(err)
	for n := range 100 { // Some are out of the mailbox while the first is handled.
		must(s.stuck.Send(t.Context(), n))
	}
	cfg.Name, cfg.Every = "tested", 100*time.Millisecond
	server, err := i.Listen("127.0.0.1:0", cfg)
	must(err)
	t.Cleanup(func() { must(server.Close()) })
	must(s.failed.Send(t.Context(), 0))
	<-s.failed.Done()
	return s, server.URL()
}

// work has the system do what is no actor's: a job, a strand, a timer and a name.
func (s system) work(t *testing.T) {
	t.Helper()
	gate := make(chan struct{})
	_, err1 := s.Scheduler().Go(t.Context(), func(context.Context) error { <-gate; return nil }, sched.WithKind("blocked"))
	waits, err2 := strand.Go(context.Background(), func(s *strand.Strand) error { return s.Park() }, strand.On(s.Scheduler()), strand.Name("strand "+hostile))
	timer, err3 := actor.SendAfter(s, time.Hour, s.busy, 1)
	err4 := s.Register("named "+hostile, s.busy.PID())
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { close(gate); waits.Cancel(nil); timer.Stop() })
}

func pidOf(t *testing.T, r actor.Ref[int]) string {
	t.Helper()
	text, err := r.PID().MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
