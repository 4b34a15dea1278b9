package troupe

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// crowd spawns n actors that live for one handler, and waits until all have
// come to its end.
func crowd(sys *actor.System, r *suite.Run, n int, live func(ctx context.Context, i int) error) error {
	var ended sync.WaitGroup
	ended.Add(n)
	failed := make(chan error, n)
	refs, err := spawnN(sys, n, func(i int) func(*actor.Context[bool], bool) error {
		return func(ctx *actor.Context[bool], _ bool) error {
			defer ended.Done()
			if err := live(ctx, i); err != nil {
				failed <- err
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	r.Start()
	for _, ref := range refs {
		if err := ref.Send(background, true); err != nil {
			return err
		}
	}
	ended.Wait()
	r.Stop()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

type request struct {
	savina.Request
	reply actor.Reply[int]
}

func dictionary(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		d := map[int]int{}
		ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[request], q request) error {
			return q.reply.Send(ctx, q.Do(d))
		}))
		if err != nil {
			return 0, err
		}
		rights := make([]int64, r.Size)
		err = crowd(sys, r, r.Size, func(ctx context.Context, i int) error {
			c := savina.NewClient(i)
			for range r.N / r.Size {
				q := c.Next()
				answer, err := actor.Ask(ctx, ref, func(reply actor.Reply[int]) request { return request{q, reply} })
				if err != nil {
					return err
				}
				c.Check(answer)
			}
			rights[i] = c.Right
			return nil
		})
		return total(rights), err
	})
}

// wish is for forks, or to be rid of them.
type wish struct {
	who  int
	done bool
	got  actor.Reply[bool]
}

func philosophers(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		table, puts := savina.NewTable(r.Size), make(chan struct{})
		left := r.N
		waiter, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[wish], w wish) error {
			if !w.done {
				return w.got.Send(ctx, table.Take(w.who))
			}
			table.Put(w.who)
			if left--; left == 0 {
				close(puts)
			}
			return nil
		}))
		if err != nil {
			return 0, err
		}
		err = crowd(sys, r, r.Size, func(ctx context.Context, i int) error {
			hungry := func(got actor.Reply[bool]) wish { return wish{who: i, got: got} }
			for meals := r.N / r.Size; meals > 0; {
				eating, err := actor.Ask(ctx, waiter, hungry)
				if err == nil && eating {
					meals--
					err = waiter.Send(ctx, wish{who: i, done: true})
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
		<-puts
		return table.Meals()
	})
}

// visit is of a customer, or of the barber who wants the next.
type visit struct {
	barber bool
	done   actor.Reply[bool] // With true when the hair is cut, with false if all chairs are taken.
}

func sleepingBarber(r *suite.Run) (int64, error) {
	var haircuts atomic.Int64
	err := r.Batches(func(k int) error {
		_, err := run(func(sys *actor.System) (int64, error) {
			shop, err := openShop(sys, savina.Chairs(r.Size))
			if err != nil {
				return 0, err
			}
			return 0, crowd(sys, r, k, func(ctx context.Context, _ int) error {
				for done := false; !done; {
					var err error
					if done, err = actor.Ask(ctx, shop, func(d actor.Reply[bool]) visit { return visit{done: d} }); err != nil {
						return err
					}
				}
				haircuts.Add(1)
				return nil
			})
		})
		return err
	})
	return haircuts.Load(), err
}

// openShop starts a waiting room and its barber.
func openShop(sys *actor.System, chairs int) (shop actor.Ref[visit], err error) {
	barber, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[visit], customer visit) error {
		savina.Cut()
		if err := customer.done.Send(ctx, true); err != nil {
			return err
		}
		return shop.Send(ctx, visit{barber: true})
	}))
	if err != nil {
		return shop, err
	}
	var waiting []visit
	asleep := true
	shop, err = actor.Spawn(sys, actor.Func(func(ctx *actor.Context[visit], v visit) error {
		switch {
		case v.barber && len(waiting) == 0:
			asleep = true
		case v.barber:
			v, waiting = waiting[0], waiting[1:]
			return barber.Send(ctx, v)
		case asleep:
			asleep = false
			return barber.Send(ctx, v)
		case len(waiting) == chairs:
			return v.done.Send(ctx, false)
		default:
			waiting = append(waiting, v)
		}
		return nil
	}))
	return shop, err
}
