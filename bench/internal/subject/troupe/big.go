package troupe

import (
	"math/rand/v2"
	"sync"

	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

type mail struct {
	from actor.Ref[mail] // Whom to answer; the zero Ref in an answer.
}

type pinger struct {
	others   *[]actor.Ref[mail]
	random   *rand.Rand
	pings    int
	pongs    int
	finished *sync.WaitGroup
}

func (p *pinger) Receive(ctx *actor.Context[mail], m mail) error {
	if m.from != (actor.Ref[mail]{}) {
		return m.from.Send(ctx, mail{})
	}
	if p.pongs++; p.pongs > p.pings {
		p.finished.Done()
		return nil
	}
	return (*p.others)[p.random.IntN(len(*p.others))].Send(ctx, mail{from: ctx.Self()})
}

func big(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		var (
			finished sync.WaitGroup
			pingers  = make([]*pinger, r.Size)
			refs     = make([]actor.Ref[mail], r.Size)
		)
		for i := range pingers {
			finished.Add(1)
			pingers[i] = &pinger{
				others: &refs, random: rand.New(rand.NewPCG(1, uint64(i))), pings: r.N / 2 / r.Size, finished: &finished,
			}
			var err error
			if refs[i], err = actor.Spawn(sys, pingers[i]); err != nil {
				return 0, err
			}
		}
		r.Start()
		for _, ref := range refs {
			if err := ref.Send(background, mail{}); err != nil {
				return 0, err
			}
		}
		finished.Wait()
		r.Stop()
		var pongs int64
		for _, p := range pingers {
			pongs += int64(p.pongs - 1) // The first was the start.
		}
		return 2 * pongs, nil
	})
}
