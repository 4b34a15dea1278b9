package main

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// report waits for a printer that is off, and somebody has killed it. Go can't end a goroutine, so its handler goes on
// waiting.
type report struct{ printed chan struct{} }

func (r *report) Receive(_ *actor.Context[order], _ order) error {
	r.print()
	return nil
}

// print waits without a limit: this is the mistake.
func (r *report) print() { <-r.printed }

func orphan(ctx context.Context, sys *actor.System, names *names) (func(), error) {
	rep, err := actor.Spawn(sys, &report{make(chan struct{})}, actor.WithName(names.culprit()))
	if err != nil {
		return nil, err
	}
	return func() {
		if rep.Send(ctx, order{1}) == nil {
			wait(ctx, 100*time.Millisecond)
			_ = sys.Kill(rep.PID())
		}
	}, nil
}
