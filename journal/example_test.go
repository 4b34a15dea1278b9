package journal_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
)

// Event is what may happen to an account. It is sealed: only types of this package have
// the method, so that persisting anything else does not compile.
type Event interface{ event() }

type Deposited struct {
	Amount int `json:"amount"`
}

type Withdrawn struct {
	Amount int `json:"amount"`
}

func (Deposited) event() {}
func (Withdrawn) event() {}

// Withdrawn had its amount as text once, under version 1.
var events = journal.Events[Event](
	journal.Event[Deposited]("deposited"),
	journal.Event[Withdrawn]("withdrawn").Version(2),
	journal.Upcast("withdrawn", 1, func(old struct{ Sum string }) (w Withdrawn, err error) {
		_, err = fmt.Sscan(old.Sum, &w.Amount)
		return w, err
	}),
)

// Command is what an account is asked to do.
type Command interface{ command() }

type Deposit struct {
	Amount int
	Reply  actor.Reply[int]
}

type Withdraw struct {
	Amount int
	Reply  actor.Reply[int]
}

func (Deposit) command()  {}
func (Withdraw) command() {}

var ErrFunds = errors.New("not enough funds")

// account has its balance as state.
type account struct{ balance int }

// Apply is the only place that changes the state.
func (a *account) Apply(e Event) {
	switch e := e.(type) {
	case Deposited:
		a.balance += e.Amount
	case Withdrawn:
		a.balance -= e.Amount
	}
}

func (a *account) Receive(ctx *journal.Context[Command, Event], m Command) error {
	switch m := m.(type) {
	case Deposit:
		if err := ctx.Persist(Deposited{m.Amount}); err != nil {
			return err
		}
		return m.Reply.Send(ctx, a.balance)
	case Withdraw:
		if m.Amount > a.balance {
			return m.Reply.Fail(ctx, ErrFunds)
		}
		if err := ctx.Persist(Withdrawn{m.Amount}); err != nil { // Waits until it is stored, then applies it.
			return err
		}
		return m.Reply.Send(ctx, a.balance)
	}
	return actor.ErrUnhandled
}

// Snapshot and Restore are optional.
func (a *account) Snapshot() (int, error)    { return a.balance, nil }
func (a *account) Restore(balance int) error { a.balance = balance; return nil }

// An account keeps its events and forgets its state: a second actor with the same id
// finds it again.
func Example() {
	store := memory.New() // Or sqlite.Open("bank.db").
	bank, err := journal.Actor(journal.Config[Command, Event]{
		Journal:   journal.New(store),
		Events:    events,
		Stream:    "account/",
		New:       func(*journal.Self) journal.Behaviour[Command, Event] { return &account{} },
		Snapshots: journal.SnapshotOf[int]("account", 1),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	defer func() { _ = sys.Stop(ctx) }()

	first, err := actor.SpawnNew(sys, bank.For("1001"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(actor.Ask(ctx, first, func(r actor.Reply[int]) Command { return Deposit{100, r} }))
	fmt.Println(actor.Ask(ctx, first, func(r actor.Reply[int]) Command { return Withdraw{30, r} }))
	fmt.Println(actor.Ask(ctx, first, func(r actor.Reply[int]) Command { return Withdraw{500, r} }))
	if err := first.Stop(ctx); err != nil {
		fmt.Println(err)
		return
	}

	again, err := actor.SpawnNew(sys, bank.For("1001"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(actor.Ask(ctx, again, func(r actor.Reply[int]) Command { return Withdraw{20, r} }))
	for r, err := range store.Read(ctx, "account/1001", 0) {
		fmt.Println(r.Version, r.Type, r.Schema, string(r.Data), err)
	}
	// Output:
	// 100 <nil>
	// 70 <nil>
	// 0 not enough funds
	// 50 <nil>
	// 1 deposited 1 {"amount":100} <nil>
	// 2 withdrawn 2 {"amount":30} <nil>
	// 3 withdrawn 2 {"amount":20} <nil>
}
