package browser_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/supervise"
)

// hover moves the pointer into the first plot, and is true if each plot says of the same time what was then.
const hover = `(() => {
	const over = document.querySelector('.u-over'), box = over?.getBoundingClientRect();
	if (!box?.width) return false;
	for (const type of ['mouseenter', 'mousemove']) over.dispatchEvent(new MouseEvent(type, { clientX: box.right - 3, clientY: box.top + 20, bubbles: true }));
	const times = [...document.querySelectorAll('.u-legend .u-series:first-child .u-value')].map((e) => e.innerText);
	return times.length === 8 && times.every((t) => t === times[0] && /^\d+:\d+:\d+/.test(t));
})()`

// remembers waits until the program has so many rows of the past.
func remembers(t *testing.T, url string, rows int) {
	t.Helper()
	patience.Until(t, t.Context(), func() bool {
		r, err := http.NewRequestWithContext(t.Context(), "GET", url+"api/history", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close() //nolint:errcheck // It is read.
		var past struct {
			Times []int64 `json:"times"`
		}
		if err := json.NewDecoder(resp.Body).Decode(&past); err != nil {
			t.Fatal(err)
		}
		return len(past.Times) >= rows
	})
	http.DefaultClient.CloseIdleConnections()
}

// A page that is opened late plots what was before; its plots have axes and legends, and share the time under the pointer.
func TestPlotsOfThePast(t *testing.T) {
	_, url := newSystem(t, inspect.WebConfig{})
	remembers(t, url, 2)
	p := open(t, url+"#overview?span=60")
	p.until(`document.querySelectorAll('.u-legend').length === 8 && document.querySelector('.plots').innerText.includes('waiting senders')`)
	p.until(hover)
	p.until(`document.querySelector('select[aria-label="Time that is shown"]').value === '60'`)

	// A time at which nobody has looked is a hole in a plot, and not a line across it.
	parted, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`import('./chart.js').then((m) => JSON.stringify(m.parted([0, 1000, 2000, 60000, 61000], [[1, 2, 3, 4, NaN]])))`, chromedp.EvalAwaitPromise))
	if want := `[[0,1000,2000,2001,60000,61000],[1,2,3,null,4,null]]`; err != nil || parted != want {
		t.Errorf("got %s and %v, want %s", parted, err, want)
	}
}

// How a view is searched, sorted and grouped is in its address, and the address brings it back.
func TestAddressBringsAViewBack(t *testing.T) {
	lane.Check(t)
	s, url := newSystem(t, inspect.WebConfig{})
	s.work(t)
	p := open(t, url+"#actors")
	p.until(`document.querySelectorAll('tbody tr').length > 3`)
	p.do(chromedp.SendKeys("#filter", "HILD-")) // A part of the name, whatever the case.
	p.until(`document.querySelectorAll('tbody tr').length === 3 && location.hash.includes('search=HILD-')`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('[data-key="sort uptime"]').click()`))
	p.until(`location.hash.includes('sort=uptime') && document.querySelector('th[aria-sort]')?.innerText.startsWith('Up')`)
	for hash, want := range map[string]string{
		"actors?search=child-1&sort=pid":   `document.querySelectorAll('tbody tr').length === 1 && document.getElementById('filter').value === 'child-1' && document.querySelector('th[aria-sort]').innerText.startsWith('PID')`,
		"actors?state=exited":              text + `.includes('No actor is like that') && document.querySelector('select[aria-label="State"]').value === 'exited'`,
		"jobs?search=rand":                 `document.querySelectorAll('tbody tr').length === 1 && ` + text + `.includes('strand <img')`,
		"names?search=amed":                `document.querySelectorAll('tbody tr').length === 1`,
		"timers?search=nobody":             text + `.includes('There is none')`,
		"tree?search=child-2":              `document.querySelectorAll('tbody tr').length === 2 && ` + text + `.includes('parent')`,
		"events?search=no+such&kind=acted": text + `.includes('Nothing has happened') && document.querySelector('select[aria-label="Kind of events"]').value === 'acted'`,
	} {
		p.show(hash)
		p.until(`location.hash === '#` + hash + `' && document.getElementById('filter') && ` + want)
	}
	p.show("actors")
	p.until(`document.querySelectorAll('tbody tr').length > 3 && document.getElementById('filter').value === ''`)
}

// A view that is opened while the page is paused shows what is there then, and does not go on.
func TestPausedPageOpensOtherViews(t *testing.T) {
	lane.Check(t)
	s, url := newSystem(t, inspect.WebConfig{})
	p := open(t, url)
	p.until(status + ` === 'live' && document.querySelectorAll('canvas').length === 8`)
	p.do(chromedp.Click("#pause"))
	p.until(status + ` === 'paused'`)
	p.show("actors")
	p.until(`document.querySelectorAll('tbody tr').length > 3 && document.getElementById('status').innerText.startsWith('paused at ')`)
	if _, err := actor.Spawn(s, actor.Func(ignore), actor.WithName("late")); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.SendKeys("#filter", "lat")) // Another look, at what is asked for now.
	p.until(`document.querySelectorAll('tbody tr').length === 1 && ` + text + `.includes('late') && ` + status + ` === 'paused'`)
	p.show("workers")
	p.until(`document.querySelectorAll('canvas.lane').length > 0`)
	p.do(chromedp.Click("#pause"))
	p.until(status + ` === 'live'`)
}

// Events of one actor and one cause are one row, with their number.
func TestEventsAreGroupedByCause(t *testing.T) {
	s, url := newSystem(t, inspect.WebConfig{})
	sup, err := supervise.Start(s.System, supervise.Config{Intensity: 1000})
	if err != nil {
		t.Fatal(err)
	}
	again, err := supervise.Spawn(patience.Context(t), sup, supervise.Child[int]{Name: "again", New: func() actor.Actor[int] { return fails{} }})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 30 {
		if err := again.Send(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, url+"#events?kind=failed")
	const row = `[...document.querySelectorAll('tbody tr')].filter((r) => r.innerText.includes('again<'))`
	p.until(row + `.length === 1 && ` + row + `[0].cells[1].innerText === '30'`)
	p.show("events?kind=failed&all=1")
	p.until(row + `.length === 30`)
	p.show("actor/" + pidOf(t, again))
	p.until(`document.querySelectorAll('.error').length === 1 && ` + text + `.includes('and 3 times before')`)
	// Frames of the runtime are folded.
	p.until(`[...document.querySelectorAll('details > details, details details')].some((d) => d.innerText.includes('frames of the runtime') && !d.open)`)
	p.until(`document.querySelector('details pre:not(details details pre)')?.innerText.split('\n').find((l) => l.includes('(')).includes('fails')`)
}

// relay hands each message on, and waits until it is handled.
type relay struct{ to actor.Ref[ask] }

type ask struct{ done actor.Reply[bool] }

func (r relay) Receive(c *actor.Context[ask], m ask) error {
	ok, err := actor.Ask(c, r.to, func(done actor.Reply[bool]) ask { return ask{done} })
	if err != nil {
		return err
	}
	return m.done.Send(c, ok)
}

// holder keeps its asker waiting.
type holder struct{ open chan struct{} }

func (h holder) Receive(c *actor.Context[ask], m ask) error {
	<-h.open
	return m.done.Send(c, true)
}

// A chain of waits goes from the left to the right, and ends in the culprit; a finding about it can be acknowledged.
func TestChainEndsInTheCulprit(t *testing.T) {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	patience.StopAtEnd(t, sys)
	i, err := inspect.New(sys, inspect.Config{ScanEvery: 50 * time.Millisecond, StuckAfter: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	gate := make(chan struct{})
	spawn := func(name string, a actor.Actor[ask]) actor.Ref[ask] {
		ref, err := actor.Spawn(sys, a, actor.WithName(name))
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	last := spawn("third", holder{gate})
	first := spawn("first", relay{spawn("second", relay{last})})
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		_, _ = actor.Ask(t.Context(), first, func(done actor.Reply[bool]) ask { return ask{done} })
	}()
	t.Cleanup(func() { close(gate); <-asked })
	server, err := i.Listen("127.0.0.1:0", inspect.WebConfig{Every: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	p := open(t, server.URL()+"#waits")
	const at = `((name) => [...document.querySelectorAll('svg.graph a')].find((a) => a.textContent.startsWith(name))?.getBoundingClientRect().x)`
	p.until(at + `('first') < ` + at + `('second') && ` + at + `('second') < ` + at + `('third')`)
	p.until(`document.querySelector('svg.graph .culprit')?.textContent.startsWith('third')`)
	p.keep("waits")

	p.show("overview")
	p.until(`document.querySelector('#findings li a')?.innerText.includes('third')`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#findings li button').click()`))
	p.until(`document.querySelector('#findings details li a')?.textContent.includes('third') && document.querySelectorAll('#findings > div > ul li').length === 0`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#findings details button').click()`))
	p.until(`document.querySelector('#findings > div > ul li')?.innerText.includes('third')`)
}
