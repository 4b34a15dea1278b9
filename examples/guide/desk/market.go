package main

import (
	"fmt"

	"github.com/troupe-go/troupe/actor"
)

// toMarket is any message to the market.
type toMarket interface{ isToMarket() }

// tick is a new price. There are many.
type tick struct {
	symbol string
	cents  int64
}

// halt ends the trade in a symbol. It is sent on the Control lane.
type halt struct{ symbol string }

// price asks for the last price of a symbol.
type price struct {
	symbol string
	cents  actor.Reply[int64]
}

func (tick) isToMarket()  {}
func (halt) isToMarket()  {}
func (price) isToMarket() {}

// market knows the last price of each symbol.
type market struct {
	last   map[string]int64
	halted map[string]bool
}

func newMarket() actor.Actor[toMarket] {
	return &market{last: map[string]int64{}, halted: map[string]bool{}}
}

// Receive handles one message.
func (k *market) Receive(ctx *actor.Context[toMarket], m toMarket) error {
	switch m := m.(type) {
	case tick:
		k.last[m.symbol] = m.cents
		return nil
	case halt:
		k.halted[m.symbol] = true
		return nil
	case price:
		cents, known := k.last[m.symbol]
		switch {
		case !known:
			return m.cents.Fail(ctx, fmt.Errorf("no price for %q yet", m.symbol))
		case k.halted[m.symbol]:
			return m.cents.Fail(ctx, fmt.Errorf("trade in %q is halted", m.symbol))
		}
		return m.cents.Send(ctx, cents)
	}
	return actor.ErrUnhandled
}
