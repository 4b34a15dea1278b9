package main

import (
	"context"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
	"github.com/troupe-go/troupe/task"
)

// busy is a program that works hard and is healthy: customers ask a desk, which asks an archive that sleeps a little; a
// worker fails now and then; bursts come and go; a lane drops old prices, as it should.
func busy(ctx context.Context, sys *actor.System, names *names) (func(), error) {
	archive, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[request], r request) error {
		if err := task.Sleep(ctx, time.Millisecond); err != nil {
			return err
		}
		return r.answer.Send(ctx, r.path)
	}), actor.WithName(names.next()))
	if err != nil {
		return nil, err
	}
	desk, err := actor.Spawn(sys, front{archive}, actor.WithName(names.next()))
	if err != nil {
		return nil, err
	}
	prices, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[order], _ order) error {
		wait(ctx, 2*time.Millisecond)
		return nil
	}), actor.WithName(names.next()), actor.WithCapacity(actor.Data, 4), actor.WithBuffer(actor.Data, actor.Sliding))
	if err != nil {
		return nil, err
	}
	sup, err := supervise.Start(sys, supervise.Config{Name: names.next(), Intensity: 10, Period: time.Second})
	if err != nil {
		return nil, err
	}
	lines, err := supervise.Spawn(ctx, sup, supervise.Child[line]{
		Name: names.next(), New: func() actor.Actor[line] { return &importer{} },
	})
	if err != nil {
		return nil, err
	}
	return func() {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for ctx.Err() == nil {
					_, _ = actor.Ask(ctx, desk, func(a actor.Reply[string]) request { return request{"/", a} })
				}
			})
		}
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				_ = prices.Send(ctx, order{n})
				wait(ctx, time.Millisecond)
			}
		})
		all.Go(func() { // A burst each second, and a failure each minute.
			for n := 0; ctx.Err() == nil; n++ {
				for range 500 {
					_ = lines.Send(ctx, line{"a,b"})
				}
				if n%60 == 30 {
					_ = lines.Send(ctx, line{"e"})
				}
				wait(ctx, time.Second)
			}
		})
		all.Wait()
	}, nil
}
