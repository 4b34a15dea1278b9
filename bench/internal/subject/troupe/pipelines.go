package troupe

import (
	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// digit is a stage of the sort.
type digit struct {
	savina.Digit
	next actor.Ref[int]
}

func (d *digit) Receive(ctx *actor.Context[int], v int) error {
	if d.Pass(v) {
		if err := d.next.Send(ctx, v); err != nil {
			return err
		}
	}
	for _, v := range d.Rest() {
		if err := d.next.Send(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

func radixSort(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		order, done := savina.NewOrder(r.N), make(chan struct{})
		next, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[int], v int) error {
			if order.Take(v) {
				close(done)
			}
			return nil
		}))
		for bit := r.Size - 1; bit >= 0 && err == nil; bit-- {
			next, err = actor.Spawn(sys, &digit{savina.NewDigit(bit, r.N), next})
		}
		if err != nil {
			return 0, err
		}
		source, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], n int) error {
			for i := range n {
				if err := next.Send(ctx, savina.Value(i, r.Size)); err != nil {
					return err
				}
			}
			return nil
		}))
		if err != nil {
			return 0, err
		}
		r.Start()
		if err := source.Send(background, r.N); err != nil {
			return 0, err
		}
		<-done
		r.Stop()
		return order.Sum()
	})
}

// link is one of the chain of the sieve.
type link struct {
	savina.Filter
	next   actor.Ref[int]
	result chan<- int
}

func (l *link) Receive(ctx *actor.Context[int], v int) error {
	last := l.next == actor.Ref[int]{}
	if v == savina.LastNumber {
		ctx.Stop()
		if last {
			l.result <- l.Count()
			return nil
		}
		return l.next.Send(ctx, v)
	}
	if !l.Pass(v) {
		return nil
	}
	if last {
		var err error
		if l.next, err = actor.Spawn(ctx.System(), &link{Filter: l.Next(), result: l.result}); err != nil {
			return err
		}
	}
	return l.next.Send(ctx, v)
}

func sieve(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		var sum int64
		result := make(chan int, 1)
		r.Start()
		for range r.N {
			first, err := actor.Spawn(sys, &link{Filter: savina.NewFilter(r.Size), result: result})
			if err != nil {
				return 0, err
			}
			err = savina.Candidates(r.Size, func(v int) error { return first.Send(background, v) })
			if err != nil {
				return 0, err
			}
			sum += int64(<-result)
		}
		r.Stop()
		return sum, nil
	})
}
