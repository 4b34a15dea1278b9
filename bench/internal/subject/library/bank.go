package library

import (
	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

type (
	debit  savina.Transfer
	credit struct {
		amount int
		from   Address
	}
	credited  struct{}
	confirmed struct{}
)

// account puts aside what comes while it waits for a credit to be confirmed.
type account struct {
	balance int
	waits   bool
	stash   []any
	all     *[]Address
	teller  Address
}

func (a *account) receive(self Self, m any) {
	switch m := m.(type) {
	case credited:
		self.Send(a.teller, confirmed{})
		a.waits = false
		for len(a.stash) > 0 && !a.waits {
			m := a.stash[0]
			a.stash = a.stash[1:]
			a.handle(self, m)
		}
	case debit, credit:
		if a.waits {
			a.stash = append(a.stash, m)
		} else {
			a.handle(self, m)
		}
	}
}

func (a *account) handle(self Self, m any) {
	switch m := m.(type) {
	case debit:
		a.balance -= m.Amount
		a.waits = true
		self.Send((*a.all)[m.To], credit{m.Amount, self.Address()})
	case credit:
		a.balance += m.amount
		self.Send(m.from, credited{})
	}
}

func bank(r *suite.Run, s Stage) (int64, error) {
	var addresses []Address
	t, done := savina.NewTeller(r.N, r.Size), make(chan struct{})
	teller := s.Spawn(func(self Self, m any) {
		switch m.(type) {
		case start:
		case confirmed:
			if t.Confirm() {
				close(done)
			}
		default:
			return
		}
		for x, ok := t.Next(); ok; x, ok = t.Next() {
			self.Send(addresses[x.From], debit(x))
		}
	})
	accounts := make([]account, r.Size)
	addresses = spawnN(s, r.Size, func(i int) Receive {
		accounts[i].all, accounts[i].teller = &addresses, teller
		return accounts[i].receive
	})
	r.Start()
	s.Send(teller, start{})
	<-done
	r.Stop()
	balances := make([]int, r.Size)
	for i := range accounts {
		balances[i] = accounts[i].balance
	}
	return t.Done, savina.CheckBalances(r.N, balances)
}
