package browser_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/supervise"
)

// The shop is what the pictures of the documentation show: carts that ask for
// stock and hand orders to payments, which fail now and then.
type order struct {
	articles int
	done     actor.Reply[bool]
}

type cart struct{ stock, payments actor.Ref[order] }

func (c *cart) Receive(ctx *actor.Context[order], o order) error {
	work(100 * time.Microsecond)
	if _, err := actor.Ask(ctx, c.stock, func(r actor.Reply[bool]) order { return order{o.articles, r} }); err != nil {
		return o.done.Send(ctx, false)
	}
	return c.payments.Send(ctx, o)
}

type stock struct{}

func (stock) Receive(ctx *actor.Context[order], o order) error {
	work(time.Duration(o.articles) * 20 * time.Microsecond)
	return o.done.Send(ctx, true)
}

type payments struct{}

func (payments) Receive(ctx *actor.Context[order], o order) error {
	if work(200 * time.Microsecond); rand.IntN(500) == 0 {
		panic(errors.New("the bank has hung up"))
	}
	return o.done.Send(ctx, true)
}

// work computes for about so long.
func work(d time.Duration) {
	for until := time.Now().Add(d/2 + rand.N(d)); time.Now().Before(until); {
	}
}

// spawnIn starts an actor below a supervisor.
func spawnIn(t *testing.T, sup *supervise.Supervisor, name string, a actor.Actor[order]) actor.Ref[order] {
	t.Helper()
	ref, err := supervise.Spawn(t.Context(), sup, supervise.Child[order]{Name: name, New: func() actor.Actor[order] { return a }})
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// openShop returns the address of the page of a busy shop.
func openShop(t *testing.T) string {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	sys, err := actor.NewSystem(actor.Config{Workers: 4})
	must(err)
	patience.StopAtEnd(t, sys)
	i, err := inspect.New(sys, inspect.Config{})
	must(err)
	t.Cleanup(i.Close)
	_, err = i.Record(inspect.RecordConfig{})
	must(err)
	sup, err := supervise.Start(sys, supervise.Config{Intensity: 1000, Period: time.Second})
	must(err)
	goods, bank := spawnIn(t, sup, "stock", stock{}), spawnIn(t, sup, "payments", payments{})
	ctx, end := context.WithCancel(t.Context())
	var customers sync.WaitGroup
	for _, name := range []string{"cart-books", "cart-music", "cart-tea"} {
		to := spawnIn(t, sup, name, &cart{goods, bank})
		for range 4 {
			customers.Go(func() {
				for ctx.Err() == nil {
					_, _ = actor.Ask(ctx, to, func(r actor.Reply[bool]) order { return order{1 + rand.IntN(20), r} })
				}
			})
		}
	}
	t.Cleanup(func() { end(); customers.Wait() })
	page, err := i.Listen("127.0.0.1:0", inspect.WebConfig{Name: "shop", Every: 250 * time.Millisecond})
	must(err)
	t.Cleanup(func() { must(page.Close()) })
	return page.URL()
}

// TestPictures makes the pictures of the documentation (make screenshot).
func TestPictures(t *testing.T) {
	p := open(t, openShop(t))
	p.do(chromedp.EmulateViewport(1440, 900))
	p.until(`document.querySelector('.figure b')`)
	draws := 2
	if os.Getenv(screenshots) != "" {
		draws = 40 // The curves of the page take as long to look like something.
	}
	drawn := fmt.Sprintf(`new Promise((done) => {
		let left = %d;
		new MutationObserver(() => { if (--left === 0) done(true); }).observe(document.querySelector('.figure b'), { childList: true });
	})`, draws)
	if _, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](drawn, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	p.keep("page")
	p.do(chromedp.KeyEvent("d"))
	p.until(`document.documentElement.dataset.theme === 'dark'`)
	p.keep("page-dark")
	p.do(chromedp.KeyEvent("d"), chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	p.until(`document.documentElement.scrollWidth <= 390 && document.documentElement.dataset.theme === 'light'`)
	p.until(`document.querySelector('.plots canvas').getBoundingClientRect().right <= 390`)
	p.keep("page-phone")
	p.do(chromedp.EmulateViewport(1440, 900))
	p.until(`innerWidth === 1440`)
	p.show("recording")
	p.until(tracks + ` > 0 && ` + text + `.includes('Where the time went')`)
	p.do(chromedp.Focus(".workers"))
	for range 7 {
		p.do(chromedp.KeyEvent("+"))
	}
	p.keep("timelines")
}
