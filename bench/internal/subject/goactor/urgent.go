package goactor

import (
	"github.com/vladopajic/go-actor/actor"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

func urgentFlood(r *suite.Run) (int64, error) {
	f := workload.NewFlood(r)
	data := actor.NewMailbox[int](actor.OptAsChan(), actor.OptCapacity(workload.FloodCapacity))
	urgent := actor.NewMailbox[int](actor.OptAsChan(), actor.OptCapacity(capacity))
	flooded := actor.New(actor.NewWorker(func(ctx actor.Context) actor.WorkerStatus {
		select {
		case <-urgent.ReceiveC():
			f.Urgent()
			return actor.WorkerContinue
		default:
		}
		select {
		case <-ctx.Done():
			return actor.WorkerEnd
		case <-urgent.ReceiveC():
			f.Urgent()
		case <-data.ReceiveC():
			f.Data()
		}
		return actor.WorkerContinue
	}))
	all := actor.Combine(data, urgent, flooded).Build()
	all.Start()
	n, err := f.Run(
		func() error { return data.Send(background, 1) },
		func() error { return urgent.Send(background, 1) },
	)
	flooded.Stop()
	return n, err
}

func urgentBusy(r *suite.Run) (int64, error) {
	b := workload.NewBusy(r)
	hero := start(capacity, func(actor.Context, int) { b.Urgent() })
	defer hero.end()
	var failed failure
	busy := make([]member[int], r.Size)
	for i := range busy {
		busy[i] = start(1, func(ctx actor.Context, m int) {
			if b.Work() {
				failed.note(busy[i].Send(ctx, m))
			}
		})
	}
	defer endAll(busy)
	n, err := b.Run(
		func(i int) error { return busy[i].Send(background, 1) },
		func() error { return hero.Send(background, 1) },
	)
	if err == nil {
		err = failed.get()
	}
	return n, err
}
