package main

import (
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
)

// toAccount is any message to an account.
type toAccount interface{ isToAccount() }

// deposit puts money in.
type deposit struct {
	cents   int64
	balance actor.Reply[int64]
}

// pay takes money out, if there is enough.
type pay struct {
	cents   int64
	balance actor.Reply[int64]
}

// balance asks how much there is.
type balance struct{ balance actor.Reply[int64] }

func (deposit) isToAccount() {}
func (pay) isToAccount()     {}
func (balance) isToAccount() {}

// errFunds is the answer to a payment of more than there is.
var errFunds = errors.New("not enough money")

// account keeps money. Its fields belong to its handlers alone.
type account struct{ cents int64 }

// Receive handles one message.
func (a *account) Receive(ctx *actor.Context[toAccount], m toAccount) error {
	switch m := m.(type) {
	case deposit:
		if m.cents <= 0 {
			return m.balance.Fail(ctx, fmt.Errorf("a deposit of %d cents; it must be more than 0", m.cents))
		}
		a.cents += m.cents
		return m.balance.Send(ctx, a.cents)
	case pay:
		if m.cents > a.cents {
			return m.balance.Fail(ctx, errFunds) // An answer. The account itself is fine.
		}
		a.cents -= m.cents
		return m.balance.Send(ctx, a.cents)
	case balance:
		return m.balance.Send(ctx, a.cents)
	}
	return actor.ErrUnhandled
}
