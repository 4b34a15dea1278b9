package main

import (
	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// desk has the refs of its members. Start fills them in.
type desk struct {
	Market  actor.Ref[toMarket]
	Account actor.Ref[toAccount]
	Risk    actor.Ref[order]
}

// startDesk starts the three below a supervisor, in this order.
func startDesk(at actor.Spawner) (*desk, *supervise.Supervisor, error) {
	return supervise.StartTroupe(at, supervise.Config{Name: "desk", Strategy: supervise.OneForOne},
		func(cast *supervise.Cast, d *desk) {
			supervise.Play(cast, &d.Market, supervise.Child[toMarket]{
				Name: "market",
				New:  newMarket,
			})
			supervise.Play(cast, &d.Account, supervise.Child[toAccount]{
				Name: "account",
				New:  func() actor.Actor[toAccount] { return &account{} },
			})
			supervise.Play(cast, &d.Risk, supervise.Child[order]{
				Name: "risk",
				New: func() actor.Actor[order] {
					return &risk{market: d.Market, account: d.Account, bought: map[string]int64{}}
				},
			})
		})
}
