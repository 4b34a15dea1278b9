package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/journal"
)

// A transfer is a saga: money leaves one account and enters another, each in a commit of
// its own. The transfer is an actor with a journal, too. It first stores what it is going
// to do, then does it, and stores that. When it begins again after a crash, it goes on
// from what it has stored, and asks for each step again: the accounts know by the ids
// which steps they have taken.

type step interface{ step() }

type (
	// started is stored before any money moves.
	started struct {
		From  string `json:"from"`
		To    string `json:"to"`
		Cents int    `json:"cents"`
	}
	taken     struct{} // From the first account.
	completed struct{} // The second account has the money.
	refused   struct{} // The first account had too little.
	undone    struct{} // The second account was closed, and the first has its money back.
)

func (started) step()   {}
func (taken) step()     {}
func (completed) step() {}
func (refused) step()   {}
func (undone) step()    {}

var transferEvents = journal.Events[step](
	journal.Event[started]("started"),
	journal.Event[taken]("taken"),
	journal.Event[completed]("completed"),
	journal.Event[refused]("refused"),
	journal.Event[undone]("undone"),
)

// order begins a transfer, or only asks for its end if it has begun.
type order struct {
	started
	reply actor.Reply[step]
}

// closed is an account that takes nothing any more, so that transfers to it are undone.
const closed = "closed"

type transfer struct {
	self  *journal.Self
	bank  *bank
	begun *started
	last  step
}

func (t *transfer) Apply(s step) {
	if s, ok := s.(started); ok {
		t.begun = &s
	}
	t.last = s
}

func (t *transfer) Receive(ctx *journal.Context[order, step], m order) error {
	if t.begun == nil {
		if err := ctx.Persist(m.started); err != nil {
			return err
		}
	}
	for {
		next, err := t.next(ctx)
		if err != nil {
			return err
		}
		if next == nil {
			return m.reply.Send(ctx, t.last)
		}
		if err := ctx.Persist(next); err != nil {
			return err
		}
	}
}

// next does the next step, and returns it, or nil at the end.
func (t *transfer) next(ctx context.Context) (step, error) {
	switch t.last.(type) {
	case started:
		o, err := t.bank.book(ctx, t.begun.From, entry{id: t.self.ID() + "/take", cents: -t.begun.Cents})
		if err != nil || o.booked {
			return taken{}, err
		}
		return refused{}, nil
	case taken:
		if t.begun.To == closed { // The compensation.
			_, err := t.bank.book(ctx, t.begun.From, entry{id: t.self.ID() + "/undo", cents: t.begun.Cents})
			return undone{}, err
		}
		_, err := t.bank.book(ctx, t.begun.To, entry{id: t.self.ID() + "/give", cents: t.begun.Cents})
		return completed{}, err
	}
	return nil, nil
}

func newTransfers(j *journal.Journal, b *bank) (*journal.Kind[order, step], error) {
	kind, err := journal.Actor(journal.Config[order, step]{
		Journal: j, Events: transferEvents, Stream: "transfer/",
		New: func(self *journal.Self) journal.Behaviour[order, step] { return &transfer{self: self, bank: b} },
	})
	if err != nil {
		return nil, fmt.Errorf("transfers: %w", err)
	}
	return kind, nil
}

// book has an account book an entry. An account whose handler has failed begins again, and
// is asked again.
func (b *bank) book(ctx context.Context, id string, e entry) (o outcome, err error) {
	ref, ok := b.accounts[id]
	if !ok {
		return o, fmt.Errorf("there is no account %q", id)
	}
	for range 5 {
		ask, cancel := context.WithTimeout(ctx, 10*time.Second)
		o, err = actor.Ask(ask, ref, func(r actor.Reply[outcome]) entry { e.reply = r; return e })
		cancel()
		if err == nil || !errors.Is(err, actor.ErrNoReply) {
			return o, err
		}
	}
	return o, err
}
