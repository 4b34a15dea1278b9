package shop

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
)

type order struct {
	articles int
	done     actor.Reply[bool]
}

// cart asks whether there is enough in stock, and has the order paid.
type cart struct{ stock, payments actor.Ref[order] }

func (c cart) Receive(ctx *actor.Context[order], o order) error {
	ok, err := actor.Ask(ctx, c.stock, func(r actor.Reply[bool]) order { return order{o.articles, r} })
	if err != nil || !ok {
		return o.done.Send(ctx, false)
	}
	return c.payments.Send(ctx, o)
}

// stock counts the articles, one by one.
type stock struct{}

func (stock) Receive(ctx *actor.Context[order], o order) error {
	compute(time.Duration(o.articles) * 20 * time.Microsecond)
	return o.done.Send(ctx, true)
}

// payments asks the bank.
type payments struct{ bank actor.Ref[order] }

func (p payments) Receive(ctx *actor.Context[order], o order) error {
	ok, err := actor.Ask(ctx, p.bank, func(r actor.Reply[bool]) order { return order{o.articles, r} })
	return o.done.Send(ctx, err == nil && ok)
}

// bank is quick, but once in a while.
type bank struct {
	every, long time.Duration
	last        time.Time
}

func (b *bank) Receive(ctx *actor.Context[order], o order) error {
	switch now := time.Now(); {
	case b.last.IsZero():
		b.last = now
	case now.Sub(b.last) > b.every:
		b.last = now
		waitForTheCounter(ctx, b.long)
	}
	compute(100 * time.Microsecond)
	return o.done.Send(ctx, true)
}

func waitForTheCounter(ctx context.Context, d time.Duration) { wait(ctx, d) }

type letter struct{}

// letterTime is what the mailer needs for a letter.
const letterTime = 2 * time.Millisecond

type mailer struct{ left *atomic.Int64 } // How many letters wait.

func (m mailer) Receive(ctx *actor.Context[letter], _ letter) error {
	wait(ctx, letterTime)
	m.left.Add(-1)
	return nil
}

type parcel struct{ large bool }

// archive is slow.
type archive struct{ round time.Duration }

func (a archive) Receive(ctx *actor.Context[parcel], p parcel) error {
	if p.large {
		wait(ctx, a.round/5)
		return nil
	}
	wait(ctx, a.round/2000)
	return nil
}

type line struct{ text string }

// importer reads lines of a name and a price, and panics where there is no price: that is the fault.
type importer struct{}

func (importer) Receive(_ *actor.Context[line], l line) error {
	compute(time.Duration(len(price(l.text))) * time.Microsecond)
	return nil
}

func price(text string) string { return strings.Split(text, ",")[1] }

// compute takes about so long.
func compute(d time.Duration) {
	for until := time.Now().Add(d); time.Now().Before(until); {
	}
}
