// Package shop is a system that goes on: a shop with carts, stock, payments and mail, in which things go wrong now and then.
//
//	s, err := shop.Open(ctx, sys, shop.Config{})
//	...
//	s.Close() // No more customers come.
//
// In each round of a minute mail comes faster than it is sent, and is then worked off; the bank is slow once; an order for nothing has
// the importer panic; and vouchers go to somebody that has left. So each view of the live page has something to show.
package shop

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// Config configures a shop.
type Config struct {
	// Round is the time in which all happens once. Defaults to a minute.
	Round time.Duration
	// Seed chooses what customers want.
	Seed uint64
}

// Shop is open until it is closed.
type Shop struct {
	cfg      Config
	cancel   context.CancelFunc
	running  sync.WaitGroup
	carts    []actor.Ref[order]
	mail     actor.Ref[letter]
	archive  actor.Ref[parcel]
	importer actor.Ref[line]
	left     actor.Ref[letter] // It has stopped.
	letters  atomic.Int64      // That wait for the mailer.
}

// customers is how many orders are under way at a time.
const customers = 6

// Open starts the actors of a shop in the system, and its customers. They go on until ctx ends or the shop is closed.
func Open(ctx context.Context, sys *actor.System, cfg Config) (*Shop, error) {
	if cfg.Round < 0 {
		return nil, fmt.Errorf("shop: Config.Round is %v; it must be positive, or 0 for a minute", cfg.Round)
	}
	if cfg.Round == 0 {
		cfg.Round = time.Minute
	}
	s := &Shop{cfg: cfg}
	ctx, s.cancel = context.WithCancel(ctx)
	if err := s.hire(ctx, sys); err != nil {
		s.cancel()
		return nil, fmt.Errorf("shop: %w", err)
	}
	for n := range customers {
		s.running.Go(func() { s.buy(ctx, rand.New(rand.NewPCG(cfg.Seed, uint64(n)))) })
	}
	s.running.Go(func() { s.keepTime(ctx) })
	return s, nil
}

// Close sends the customers away, and waits until they have gone. The actors stay until their system stops.
func (s *Shop) Close() {
	s.cancel()
	s.running.Wait()
}

func (s *Shop) hire(ctx context.Context, sys *actor.System) error {
	sup, err := supervise.Start(sys, supervise.Config{Name: "shop", Intensity: 100, Period: time.Second})
	if err != nil {
		return err
	}
	bank, err := hire(ctx, sup, "bank", func() actor.Actor[order] { return &bank{every: s.cfg.Round, long: s.cfg.Round / 10} })
	if err != nil {
		return err
	}
	payments, err := hire(ctx, sup, "payments", func() actor.Actor[order] { return payments{bank} })
	if err != nil {
		return err
	}
	stock, err := hire(ctx, sup, "stock", func() actor.Actor[order] { return stock{} })
	if err != nil {
		return err
	}
	for _, name := range []string{"cart-books", "cart-music", "cart-tea"} {
		cart, err := hire(ctx, sup, name, func() actor.Actor[order] { return cart{stock, payments} })
		if err != nil {
			return err
		}
		s.carts = append(s.carts, cart)
	}
	s.mail, err = hire(ctx, sup, "mailer", func() actor.Actor[letter] { return mailer{&s.letters} }, actor.WithCapacity(actor.Data, 100_000))
	if err != nil {
		return err
	}
	if s.archive, err = hire(ctx, sup, "archive", func() actor.Actor[parcel] { return archive{s.cfg.Round} }); err != nil {
		return err
	}
	if s.importer, err = hire(ctx, sup, "importer", func() actor.Actor[line] { return importer{} }); err != nil {
		return err
	}
	if s.left, err = actor.Spawn(sys, mailer{&s.letters}, actor.WithName("former customer")); err != nil {
		return err
	}
	return s.left.Stop(ctx)
}

func hire[M any](ctx context.Context, sup *supervise.Supervisor, name string, as func() actor.Actor[M], opts ...actor.Option) (actor.Ref[M], error) {
	return supervise.Spawn(ctx, sup, supervise.Child[M]{Name: name, New: as, Options: opts})
}

// buy is a customer.
func (s *Shop) buy(ctx context.Context, wants *rand.Rand) {
	for ctx.Err() == nil {
		_, _ = actor.Ask(ctx, s.carts[wants.IntN(len(s.carts))], func(r actor.Reply[bool]) order { return order{1 + wants.IntN(20), r} })
		wait(ctx, time.Duration(1+wants.IntN(20))*time.Millisecond)
	}
}

// parts is into how many parts a round is divided.
const parts = 600

// keepTime has happen what happens in each round. In its first half more letters come than are sent, if all of before were sent.
func (s *Shop) keepTime(ctx context.Context) {
	part, due, flood := s.cfg.Round/parts, time.Duration(0), false
	for n := 0; ctx.Err() == nil; n = (n + 1) % parts {
		if n == 0 {
			flood = s.letters.Load() < 10
		}
		if n == parts/2 {
			flood = false
		}
		due += part / 10
		if flood {
			due += part * 3 / 2
		}
		for ; due >= letterTime; due -= letterTime {
			if s.mail.TrySend(ctx, letter{}) == nil {
				s.letters.Add(1)
			}
		}
		switch {
		case n%(parts/2) == parts/24: // Seldom enough to be no finding.
			_ = s.importer.TrySend(ctx, line{})
			_ = s.left.TrySend(ctx, letter{})
		case n%(parts/60) == 0:
			_ = s.importer.TrySend(ctx, line{"tea,2.50"})
			_ = s.archive.TrySend(ctx, parcel{n == parts/3})
		}
		wait(ctx, part)
	}
}

// wait returns after a time, or when ctx ends.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
