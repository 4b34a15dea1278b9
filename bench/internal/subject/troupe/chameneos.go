package troupe

import (
	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// arrival is a creature at the mall, or one that is told to leave and says what
// it remembers.
type arrival struct {
	from       actor.Ref[meeting]
	colour     savina.Colour
	leaving    bool
	remembered int64
}

// meeting is with another creature, or tells one that there are no more.
type meeting struct {
	other savina.Colour
	over  bool
}

type creature struct {
	mall       actor.Ref[arrival]
	colour     savina.Colour
	remembered int64
}

func (c *creature) Started(ctx *actor.Context[meeting]) error { return c.arrive(ctx) }

func (c *creature) arrive(ctx *actor.Context[meeting]) error {
	return c.mall.Send(ctx, arrival{from: ctx.Self(), colour: c.colour})
}

func (c *creature) Receive(ctx *actor.Context[meeting], m meeting) error {
	if m.over {
		return c.mall.Send(ctx, arrival{leaving: true, remembered: c.remembered})
	}
	c.colour = c.colour.Meet(m.other)
	c.remembered++
	return c.arrive(ctx)
}

type mall struct {
	meetings, left int
	waiting        arrival
	occupied       bool
	remembered     int64
	result         chan<- int64
}

func (m *mall) Receive(ctx *actor.Context[arrival], a arrival) error {
	switch {
	case a.leaving:
		m.remembered += a.remembered
		if m.left--; m.left == 0 {
			m.result <- m.remembered
		}
	case m.meetings == 0:
		return a.from.Send(ctx, meeting{over: true})
	case !m.occupied:
		m.waiting, m.occupied = a, true
	default:
		m.meetings--
		m.occupied = false
		if err := m.waiting.from.Send(ctx, meeting{other: a.colour}); err != nil {
			return err
		}
		return a.from.Send(ctx, meeting{other: m.waiting.colour})
	}
	return nil
}

func chameneos(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		result := make(chan int64, 1)
		ref, err := actor.Spawn(sys, &mall{meetings: r.N, left: r.Size, result: result})
		if err != nil {
			return 0, err
		}
		r.Start()
		for i := range r.Size {
			if _, err := actor.Spawn(sys, &creature{mall: ref, colour: savina.ColourOf(i)}); err != nil {
				return 0, err
			}
		}
		sum := <-result
		r.Stop()
		return sum, nil
	})
}
