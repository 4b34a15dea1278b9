package browser_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/strand"
	"github.com/troupe-go/troupe/supervise"
)

// drawnAnew waits until the table has been replaced some times.
const drawnAnew = `new Promise((done) => {
	let left = 3;
	const seen = new MutationObserver(() => { if (--left === 0) { seen.disconnect(); done(true); } });
	seen.observe(document.querySelector('main .card'), { childList: true });
})`

// focus gives an element the focus, in one step, since it may be replaced at any time.
func (p *tab) focus(selector string) {
	p.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector(%q).focus()", selector)))
}

func (p *tab) drawnAnew() {
	p.Helper()
	if _, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](drawnAnew, chromedp.EvalAwaitPromise)); err != nil {
		p.Fatalf("the browser: %v", err)
	}
}

// The keyboard's focus stays on a page that is drawn again all the time: on the title of a
// column, on a link in a row, in a choice.
func TestFocusSurvivesRedrawing(t *testing.T) {
	s, url := newSystem(t, inspect.WebConfig{})
	s.work(t)
	p := open(t, url+"#actors")
	p.until(`document.querySelectorAll('tbody tr').length > 3`)
	p.focus(`[data-key="sort handled"]`)
	p.drawnAnew()
	p.until(`document.activeElement.innerText === 'Handled' && document.activeElement.isConnected`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(`document.querySelector('th[aria-sort]').innerText.startsWith('Handled') && document.activeElement.innerText.startsWith('Handled')`)
	p.until(`getComputedStyle(document.activeElement).outlineStyle === 'solid'`)

	p.do(chromedp.Focus(`select[aria-label="State"]`), chromedp.KeyEvent(kb.ArrowDown))
	p.drawnAnew()
	p.do(chromedp.KeyEvent(kb.ArrowDown))
	p.until(`document.activeElement.matches('select') && document.activeElement.value === 'ready'`)

	p.show("names")
	p.until(`document.querySelector('nav [aria-current]').innerText.includes('Names') && document.querySelector('tbody a')`)
	p.focus(`tbody a`)
	p.drawnAnew()
	p.until(`document.activeElement.matches('tbody a')`)
}

// An unfolded or folded part stays so while news come.
func TestFoldingSurvivesUpdates(t *testing.T) {
	s, url := newSystem(t, inspect.WebConfig{})
	sup, err := supervise.Start(s.System, supervise.Config{})
	if err != nil {
		t.Fatal(err)
	}
	failing, err := supervise.Spawn(patience.Context(t), sup, supervise.Child[int]{Name: "again", New: func() actor.Actor[int] { return fails{} }})
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, url+"#events")
	const first = `[...document.querySelectorAll('tbody tr')].find((r) => r.innerText.includes('failing'))`
	p.until(first)
	p.do(chromedp.Evaluate[chromedp.Void](first + `.querySelector('summary').click()`))
	if err := failing.Send(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	p.until(text + `.includes('again<') && ` + first + `.querySelector('details').open`)
	p.until(`[...document.querySelectorAll('details')].filter((d) => d.open).length === 1`)

	p.show("actor/" + pidOf(t, failing))
	p.until(`document.querySelector('details')?.open`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('details').open = false; document.querySelector('details').dataset.old = 'yes'`))
	p.until(`!document.querySelector('details').dataset.old`) // It is another one.
	p.until(`!document.querySelector('details').open`)
}

// A job is chosen and opened by keys, and shows its stack.
func TestJobByKeys(t *testing.T) {
	s, url := newSystem(t, inspect.WebConfig{})
	s.work(t)
	p := open(t, url+"#jobs")
	p.until(`document.querySelectorAll('tbody tr').length === 2`)
	p.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll('tbody tr')].find((r) => r.innerText.includes('strand')).focus()`), chromedp.KeyEvent(kb.Enter))
	p.until(`document.querySelector('h1')?.innerText.startsWith('strand <img') && ` + text + `.includes('strand.(*Strand).Park')`)
	p.keep("job")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until(`location.hash === '#jobs' && document.querySelectorAll('tbody tr').length === 2`)
}

// A name can't turn round the text that follows it, and an address that makes no
// sense shows a page.
func TestHostileTexts(t *testing.T) {
	s, url := newSystem(t, inspect.WebConfig{})
	turned, err := strand.Go(t.Context(), func(s *strand.Strand) error { return s.Park() }, strand.On(s.Scheduler()), strand.Name("turned\u202ename\x00"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { turned.Cancel(nil) })
	p := open(t, url+"#jobs")
	const shown = text + `.includes('turned\ufffdname\ufffd') && !document.body.innerHTML.includes('\u202e')`
	p.until(shown)
	p.show(fmt.Sprintf("job/%d", turned.ID()))
	p.until(`document.querySelector('h1') && ` + shown)
	for _, address := range []string{"actors/%", "constructor", "__proto__/x"} {
		p.show(address)
		p.until(`document.querySelector('nav [aria-current]') && ` + text + `.length > 0 && ` + status + ` === 'live'`)
	}
}

// A timer that is a little late is due; only one that is later waits for room.
func TestLateTimers(t *testing.T) {
	_, url := newSystem(t, inspect.WebConfig{})
	p := open(t, url)
	p.until(status + ` === 'live'`)
	got, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`import('./lists.js').then(({ timers }) => {
		const main = document.createElement('main');
		const timer = (number, in_seconds) => ({ number, in_seconds, due: 0, to: '1.1', lane: 'data', message: 'int' });
		timers.draw({ params: new URLSearchParams(), last: { view: { matched: 4, timers: [timer(1, -3), timer(2, -0.4), timer(3, 0), timer(4, 2)] } } }, main);
		return [...main.querySelectorAll('tbody tr')].map((r) => r.cells[0].textContent).join(', ');
	})`, chromedp.EvalAwaitPromise))
	if want := "waits for room, due, due, 2.0 s"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}
