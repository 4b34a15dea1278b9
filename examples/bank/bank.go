package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/supervise"
)

// bank has its accounts and makes transfers.
type bank struct {
	sys       *actor.System
	sup       *supervise.Supervisor
	accounts  map[string]actor.Ref[entry]
	transfers *journal.Kind[order, step]
}

const (
	numAccounts = 10
	opening     = 1000 // The first deposit of each account, in cents.
)

func accountID(n int) string { return fmt.Sprint(1000 + n) }

// openBank starts all accounts. Each gets its first deposit, once and for ever.
func openBank(ctx context.Context, j *journal.Journal) (b *bank, err error) {
	b = &bank{accounts: map[string]actor.Ref[entry]{}}
	if b.transfers, err = newTransfers(j, b); err != nil {
		return nil, err
	}
	kind, err := newAccounts(j)
	if err != nil {
		return nil, err
	}
	if b.sys, err = actor.NewSystem(actor.Config{}); err != nil {
		return nil, err
	}
	if b.sup, err = supervise.Start(b.sys, supervise.Config{Intensity: 100, Period: time.Second}); err != nil {
		return nil, errors.Join(err, b.sys.Stop(ctx))
	}
	for n := range numAccounts {
		id := accountID(n)
		ref, err := supervise.Spawn(ctx, b.sup, supervise.Child[entry]{Name: "account " + id, New: kind.For(id)})
		if err == nil {
			b.accounts[id] = ref
			_, err = b.book(ctx, id, entry{id: "opening", cents: opening})
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("account %s: %w", id, err), b.sys.Stop(ctx))
		}
	}
	return b, nil
}

// transfer makes a transfer, or goes on with one that has begun, and returns its last step.
func (b *bank) transfer(ctx context.Context, id string, s started) (last step, err error) {
	ref, err := supervise.Spawn(ctx, b.sup, supervise.Child[order]{New: b.transfers.For(id), Restart: supervise.Transient, Retry: 3})
	if err != nil {
		return nil, err
	}
	last, err = actor.Ask(ctx, ref, func(r actor.Reply[step]) order { return order{s, r} })
	return last, errors.Join(err, ref.Stop(ctx))
}

func (b *bank) close(ctx context.Context) error { return b.sys.Stop(ctx) }
