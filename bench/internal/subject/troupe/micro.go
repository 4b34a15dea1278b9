package troupe

import (
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// count is an increment, or asks for the sum of them.
type count struct {
	asked bool
	reply actor.Reply[int64]
}

func counting(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		var n int64
		counter, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[count], m count) error {
			if m.asked {
				return m.reply.Send(ctx, n)
			}
			n++
			return nil
		}))
		if err != nil {
			return 0, err
		}
		producer, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[count], m count) error {
			for range r.N {
				if err := counter.Send(ctx, count{}); err != nil {
					return m.reply.Fail(ctx, err)
				}
			}
			return counter.Send(ctx, m)
		}))
		if err != nil {
			return 0, err
		}
		r.Start()
		sum, err := actor.Ask(background, producer, askCount)
		r.Stop()
		return sum, err
	})
}

func askCount(reply actor.Reply[int64]) count { return count{true, reply} }

func throughput(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		counts := make([]int64, r.Size)
		var finished sync.WaitGroup
		finished.Add(r.Size)
		share := int64(r.N / r.Size)
		refs, err := spawnN(sys, r.Size, func(i int) func(*actor.Context[float64], float64) error {
			return func(_ *actor.Context[float64], x float64) error {
				if savina.Sine(x) {
					counts[i]++
				}
				if counts[i] == share {
					finished.Done()
				}
				return nil
			}
		})
		if err != nil {
			return 0, err
		}
		r.Start()
		for i := range r.N {
			if err := refs[i%r.Size].Send(background, savina.Theta); err != nil {
				return 0, err
			}
		}
		finished.Wait()
		r.Stop()
		return total(counts), nil
	})
}

// mayfly handles one message.
type mayfly struct {
	handled *atomic.Int64
	all     *sync.WaitGroup
}

func (m mayfly) Receive(ctx *actor.Context[float64], x float64) error {
	if savina.Sine(x) {
		m.handled.Add(1)
	}
	ctx.Stop()
	m.all.Done()
	return nil
}

func creation(r *suite.Run) (int64, error) {
	var handled atomic.Int64
	err := r.Batches(func(k int) error {
		_, err := run(func(sys *actor.System) (int64, error) {
			var all sync.WaitGroup
			all.Add(k)
			r.Start()
			for range k {
				ref, err := actor.Spawn(sys, mayfly{&handled, &all})
				if err != nil {
					return 0, err
				}
				if err := ref.Send(background, savina.Theta); err != nil {
					return 0, err
				}
			}
			all.Wait()
			r.Stop()
			return 0, nil
		})
		return err
	})
	return handled.Load(), err
}
