package troupe

import (
	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// money is taken from the account that gets this, or is a credit.
type money struct {
	amount   int
	credit   bool
	credited actor.Reply[bool]
	to       actor.Ref[money] // Of a debit.
}

type account struct {
	balance int
	teller  actor.Ref[bool]
}

func (a *account) Receive(ctx *actor.Context[money], m money) error {
	if m.credit {
		a.balance += m.amount
		return m.credited.Send(ctx, true)
	}
	a.balance -= m.amount
	ok, err := actor.Ask(ctx, m.to, func(credited actor.Reply[bool]) money {
		return money{amount: m.amount, credit: true, credited: credited}
	})
	if err != nil {
		return err
	}
	return a.teller.Send(ctx, ok)
}

// clerk is the teller. Each message confirms a transfer, except for the first.
type clerk struct {
	*savina.Teller
	accounts []actor.Ref[money]
	done     chan<- struct{}
}

func (c *clerk) Receive(ctx *actor.Context[bool], confirmed bool) error {
	if confirmed && c.Confirm() {
		close(c.done)
	}
	for x, ok := c.Next(); ok; x, ok = c.Next() {
		if err := c.accounts[x.From].Send(ctx, money{amount: x.Amount, to: c.accounts[x.To]}); err != nil {
			return err
		}
	}
	return nil
}

func bank(r *suite.Run) (int64, error) {
	var accounts []*account
	teller := savina.NewTeller(r.N, r.Size)
	n, err := run(func(sys *actor.System) (int64, error) {
		done := make(chan struct{})
		c := &clerk{Teller: teller, done: done}
		ref, err := actor.Spawn(sys, c)
		if err != nil {
			return 0, err
		}
		for range r.Size {
			a := &account{teller: ref}
			to, err := actor.Spawn(sys, a)
			if err != nil {
				return 0, err
			}
			accounts, c.accounts = append(accounts, a), append(c.accounts, to)
		}
		r.Start()
		if err := ref.Send(background, false); err != nil {
			return 0, err
		}
		<-done
		r.Stop()
		return teller.Done, nil
	})
	if err != nil {
		return n, err
	}
	balances := make([]int, r.Size)
	for i, a := range accounts {
		balances[i] = a.balance
	}
	return n, savina.CheckBalances(r.N, balances)
}
