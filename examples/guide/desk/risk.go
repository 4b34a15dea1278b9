package main

import (
	"fmt"

	"github.com/troupe-go/troupe/actor"
)

// order buys shares.
type order struct {
	symbol string
	shares int64
	paid   actor.Reply[int64]
}

// maxShares is the most that one order may buy.
const maxShares = 1000

// risk takes orders. It asks the market for the price and has the account pay.
type risk struct {
	market  actor.Ref[toMarket]
	account actor.Ref[toAccount]
	bought  map[string]int64
}

// Receive handles one order.
func (r *risk) Receive(ctx *actor.Context[order], o order) error {
	if o.shares <= 0 || o.shares > maxShares {
		return o.paid.Fail(ctx, fmt.Errorf("an order of %d shares; it must be 1 to %d", o.shares, maxShares))
	}
	cents, err := actor.Ask(ctx, r.market, func(p actor.Reply[int64]) toMarket { return price{o.symbol, p} })
	if err != nil {
		return o.paid.Fail(ctx, err)
	}
	total := cents * o.shares
	if _, err := actor.Ask(ctx, r.account, func(b actor.Reply[int64]) toAccount { return pay{total, b} }); err != nil {
		return o.paid.Fail(ctx, fmt.Errorf("%d of %s: %w", o.shares, o.symbol, err))
	}
	r.bought[o.symbol] += o.shares
	return o.paid.Send(ctx, total)
}
