package troupe

import (
	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

type ball struct {
	left int
	from actor.Ref[ball]
}

func pingPong(r *suite.Run) (int64, error) { return playPingPong(r, false) }

func playPingPong(r *suite.Run, inspected bool) (int64, error) {
	return runWith(inspected, func(sys *actor.System) (int64, error) {
		var handled [2]int64
		done := make(chan struct{})
		players, err := spawnN(sys, 2, func(i int) func(*actor.Context[ball], ball) error {
			return func(ctx *actor.Context[ball], b ball) error {
				if handled[i]++; b.left == 0 {
					close(done)
					return nil
				}
				return b.from.Send(ctx, ball{b.left - 1, ctx.Self()})
			}
		})
		if err != nil {
			return 0, err
		}
		r.Start()
		err = players[0].Send(background, ball{r.N - 1, players[1]})
		<-done
		r.Stop()
		return handled[0] + handled[1], err
	})
}

func tell(r *suite.Run, producers int) (int64, error) { return tellAll(r, producers, false) }

func tellAll(r *suite.Run, producers int, inspected bool) (int64, error) {
	return runWith(inspected, func(sys *actor.System) (int64, error) {
		var sum int64
		seen, done := 0, make(chan struct{})
		ref, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[int], m int) error {
			sum += int64(m)
			if seen++; seen == r.N {
				close(done)
			}
			return nil
		}))
		if err != nil {
			return 0, err
		}
		share, failed := r.N/producers, make(chan error, producers)
		produce := func(p int) {
			for i := range share {
				if err := ref.Send(background, p*share+i); err != nil {
					failed <- err
					return
				}
			}
		}
		r.Start()
		if producers == 1 {
			produce(0)
		} else {
			for p := range producers {
				go produce(p)
			}
		}
		select {
		case <-done:
		case err = <-failed:
		}
		r.Stop()
		return sum, err
	})
}

func ring(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		var (
			counts = make([]int64, r.Size)
			places []actor.Ref[int]
			done   = make(chan struct{})
		)
		places, err := spawnN(sys, r.Size, func(i int) func(*actor.Context[int], int) error {
			return func(ctx *actor.Context[int], left int) error {
				if counts[i]++; left == 0 {
					close(done)
					return nil
				}
				return places[(i+1)%len(places)].Send(ctx, left-1)
			}
		})
		if err != nil {
			return 0, err
		}
		r.Start()
		err = places[0].Send(background, r.N-1)
		<-done
		r.Stop()
		return total(counts), err
	})
}

func total(counts []int64) (sum int64) {
	for _, c := range counts {
		sum += c
	}
	return sum
}
