package main

import (
	"fmt"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/journal"
)

// event is what may happen to an account.
type event interface{ event() }

type (
	deposited struct {
		Cents int `json:"cents"`
	}
	withdrawn struct {
		Cents int `json:"cents"`
	}
)

func (deposited) event() {}
func (withdrawn) event() {}

var accountEvents = journal.Events[event](
	journal.Event[deposited]("deposited"),
	journal.Event[withdrawn]("withdrawn"),
)

// entry asks an account to change its balance: by cents, which may be negative. The id
// makes it happen once, however often it is asked. An account without money refuses.
type entry struct {
	id    string
	cents int
	reply actor.Reply[outcome]
}

// outcome says whether an entry was booked.
type outcome struct{ booked bool }

type account struct{ balance int }

func (a *account) Apply(e event) {
	switch e := e.(type) {
	case deposited:
		a.balance += e.Cents
	case withdrawn:
		a.balance -= e.Cents
	}
}

func (a *account) Receive(ctx *journal.Context[entry, event], m entry) error {
	done, err := ctx.WasDone(m.id)
	if err != nil {
		return err
	}
	if !done && a.balance+m.cents < 0 {
		return m.reply.Send(ctx, outcome{false})
	}
	change := event(deposited{m.cents})
	if m.cents < 0 {
		change = withdrawn{-m.cents}
	}
	if _, err := ctx.Once(m.id, change); err != nil {
		return err
	}
	return m.reply.Send(ctx, outcome{true})
}

func (a *account) Snapshot() (int, error)    { return a.balance, nil }
func (a *account) Restore(balance int) error { a.balance = balance; return nil }

func newAccounts(j *journal.Journal) (*journal.Kind[entry, event], error) {
	kind, err := journal.Actor(journal.Config[entry, event]{
		Journal: j, Events: accountEvents, Stream: "account/",
		New:       func(*journal.Self) journal.Behaviour[entry, event] { return &account{} },
		Snapshots: journal.SnapshotOf[int]("balance", 1),
	})
	if err != nil {
		return nil, fmt.Errorf("accounts: %w", err)
	}
	return kind, nil
}
