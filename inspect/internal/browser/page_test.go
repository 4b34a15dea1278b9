package browser_test

import (
	"iter"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

const (
	text   = `document.querySelector('main').innerText`
	status = `document.getElementById('status').dataset.state`
)

func TestPageViews(t *testing.T) {
	s, url := newSystem(t, inspect.WebConfig{})
	s.work(t)
	p := open(t, url)
	p.until(status + ` === 'live' && document.querySelectorAll('canvas').length === 8`)
	p.until(text + `.includes('By kind of actor') && ` + text + `.includes('browser_test.stuck')`)
	p.keep("overview")

	p.show("tree")
	p.until(text + `.includes('child-2') && ` + text + `.includes('<img src=x')`)
	p.keep("tree")
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('[aria-label="Fold parent"]').click()`)) // At once, as rows are drawn again.
	p.until(`!` + text + `.includes('child-2')`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('[aria-label="Unfold parent"]').click()`)) // At once, as rows are drawn again.
	p.until(text + `.includes('child-2')`)

	p.show("actors")
	p.until(`document.querySelector('tbody tr')?.innerText.includes('stuck')`) // The longest mailbox.
	p.keep("actors")
	p.do(chromedp.SendKeys("#filter", "child"))
	p.until(`document.querySelectorAll('tbody tr').length === 3`)

	p.show("actor/" + pidOf(t, s.stuck))
	p.until(text + `.includes('The current handler') && ` + text + `.includes('stuck.Receive')`)
	p.keep("stuck")
	p.show("actor/" + pidOf(t, s.failed))
	p.until(text + `.includes('has stopped') && ` + text + `.includes('fails.Receive') && ` + text + `.includes('broken <img')`)
	p.show("actor/7777.1")
	p.until(`document.querySelector('.notice.bad')?.innerText.includes('7777.1')`)

	p.show("workers")
	p.until(`document.querySelectorAll('canvas.lane').length > 0 && ` + text + `.includes('Preempted')`)
	p.keep("workers")
	p.show("waits")
	p.until(text + `.includes('No handler waits')`)
	p.show("events")
	p.until(text + `.includes('failing') && ` + text + `.includes('broken <img')`)
	p.show("letters")
	p.until(text + `.length > 0`)

	p.show("jobs")
	p.until(`document.querySelectorAll('tbody tr').length === 2 && ` + text + `.includes('strand <img src=x')`)
	p.keep("jobs")
	p.do(chromedp.SendKeys("#filter", "strand"))
	p.until(`document.querySelectorAll('tbody tr').length === 1 && ` + text + `.includes('1 of 2 under way')`)
	p.show("timers")
	p.until(text + `.includes('the system') && ` + text + `.includes('busy')`)
	p.keep("timers")
	p.show("names")
	p.until(text + `.includes('named <img src=x')`)

	p.until(`document.title !== 'harmed' && document.querySelectorAll('main img, main script').length === 0`)
}

// The page shows the facts of the program and of an actor, as text.
func TestPageShowsFacts(t *testing.T) {
	var cfg inspect.WebConfig
	cfg.Overview = func() iter.Seq2[string, string] {
		return func(yield func(string, string) bool) { yield("Commit latency", "p50 1ms "+hostile) }
	}
	cfg.Facts = func(actor.PID) iter.Seq2[string, string] {
		return func(yield func(string, string) bool) { yield("Version", "4711 "+hostile) }
	}
	s, url := newSystem(t, cfg)
	s.work(t)
	p := open(t, url)
	p.until(text + `.includes('Commit latency') && ` + text + `.includes('p50 1ms <img src=x')`)
	p.show("actor/" + pidOf(t, s.stuck))
	p.until(text + `.includes('Version') && ` + text + `.includes('4711 <img src=x')`)
	p.until(`document.title !== 'harmed' && document.querySelectorAll('main img, main script').length === 0`)
}

func TestPageCanBePaused(t *testing.T) {
	s, url := newSystem(t, inspect.WebConfig{})
	p := open(t, url+"#actors")
	p.until(`document.querySelectorAll('tbody tr').length > 3`)
	p.do(chromedp.Click("#pause"))
	p.until(status + ` === 'paused'`)
	if _, err := actor.Spawn(s, actor.Func(ignore), actor.WithName("late")); err != nil {
		t.Fatal(err)
	}
	stays, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`new Promise((r) => setTimeout(() => r(!`+text+`.includes('late')), 500))`, chromedp.EvalAwaitPromise))
	if err != nil || !stays {
		t.Errorf("a paused page goes on: %v", err)
	}
	p.do(chromedp.Click("#pause"))
	p.until(text + `.includes('late')`)
}

func TestKeys(t *testing.T) {
	s, url := newSystem(t, inspect.WebConfig{})
	p := open(t, url)
	p.until(status + ` === 'live'`)
	p.do(chromedp.KeyEvent("3"))
	p.until(`document.querySelector('tbody tr')?.innerText.includes('stuck')`)
	p.do(chromedp.KeyEvent("j"))
	p.until(`document.activeElement.dataset.pid === '` + pidOf(t, s.stuck) + `'`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(`document.querySelector('h1')?.innerText === 'stuck'`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until(`location.hash === '#actors' && document.querySelector('#filter')`)
	p.do(chromedp.KeyEvent("/"))
	p.until(`document.activeElement.id === 'filter'`)
	p.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(" "))
	p.until(status + ` === 'paused'`)
	p.do(chromedp.KeyEvent("?"))
	p.until(`document.getElementById('keys').open`)
}

// The colours differ, and texts are readable in both.
func TestColoursOfDarkAndLightMode(t *testing.T) {
	_, url := newSystem(t, inspect.WebConfig{})
	p := open(t, url+"#actors")
	p.until(`document.querySelectorAll('tbody tr').length > 3`)
	const contrast = `(() => {
		const light = (c) => { const [r, g, b] = c.match(/[\d.]+/g).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
		const ground = light(getComputedStyle(document.querySelector('.card')).backgroundColor);
		return [...document.querySelectorAll('td, th, .dim')].every((e) => {
			const ink = light(getComputedStyle(e).color);
			return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05) >= 4.5;
		});
	})()`
	const ground = `getComputedStyle(document.documentElement).backgroundColor`
	before, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](ground))
	if err != nil {
		t.Fatal(err)
	}
	p.until(contrast)
	p.do(chromedp.KeyEvent("d"))
	p.until(ground + ` !== '` + before + `'`)
	p.until(contrast)
	p.keep("dark")
}

func TestPageOnAPhone(t *testing.T) {
	_, url := newSystem(t, inspect.WebConfig{})
	p := open(t, url)
	p.do(chromedp.EmulateViewport(375, 667, chromedp.EmulateMobile))
	for _, view := range []string{"overview", "tree", "actors", "workers", "waits", "events", "letters", "jobs", "timers", "names"} {
		p.show(view)
		p.until(status + ` === 'live' && ` + text + `.length > 0`)
		p.until(`document.documentElement.scrollWidth <= 375`)
	}
	p.show("overview")
	p.keep("phone")
}

func TestManyActors(t *testing.T) {
	s, url := newSystem(t, inspect.WebConfig{})
	for range 100_000 {
		if _, err := actor.Spawn(s, actor.Func(ignore)); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, url+"#actors")
	p.until(`document.querySelectorAll('tbody tr').length === 100 && ` + text + `.includes('100k actors')`)
	p.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll('button')].find((b) => b.innerText.startsWith('Next')).click()`))
	p.until(`![...document.querySelectorAll('tbody tr')].some((r) => r.innerText.includes('stuck'))`)
	p.do(chromedp.SendKeys("#filter", "stuck"))
	p.until(`document.querySelectorAll('tbody tr').length === 1 && ` + text + `.includes('1 of 100k actors')`)
	p.show("tree")
	p.until(allRows + ` > 200 && ` + made + ` > 20 && ` + made + ` < 150`)
}

func TestTokenForm(t *testing.T) {
	const token = "a token of the tests"
	s, url := newSystem(t, inspect.WebConfig{Token: token, Actions: true})
	p := open(t, "about:blank")
	p.url = url
	p.do(chromedp.Navigate(url), chromedp.SendKeys("#token", token), chromedp.Click("button"))
	p.until(`document.getElementById('status')?.dataset.state === 'live'`)
	p.show("actor/" + pidOf(t, s.busy))
	const button = `document.querySelector('[data-key="suspend"]')`
	for _, next := range []string{"Resume", "Suspend"} { // At once, as the page is drawn again.
		p.until(button)
		p.do(chromedp.Evaluate[chromedp.Void](`window.confirm = () => true; ` + button + `.click()`))
		p.until(button + `.innerText === '` + next + `' && ` + text + `.includes('suspended') === ` + map[bool]string{true: "true", false: "false"}[next == "Resume"])
	}
	p.show("actor/" + pidOf(t, s.stuck))
	p.until(`document.querySelector('button.danger')`)
	p.do(chromedp.Evaluate[chromedp.Void](`window.confirm = () => true; document.querySelector('button.danger').click()`))
	p.until(text + `.includes('has stopped')`)
	p.mu.Lock()
	p.wrong = nil // The browser's own word on the status 401.
	p.mu.Unlock()
}
