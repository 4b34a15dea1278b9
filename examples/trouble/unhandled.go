package main

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// reading and alert are what sensors send.
type (
	reading struct{ celsius float64 }
	alert   struct{ text string }
)

// monitor knows readings. Since the last release sensors send alerts, too, which it does not handle: this is the mistake.
type monitor struct{ highest float64 }

func (m *monitor) Receive(_ *actor.Context[any], message any) error {
	switch message := message.(type) {
	case reading:
		m.highest = max(m.highest, message.celsius)
		return nil
	default:
		return actor.ErrUnhandled
	}
}

func unhandled(ctx context.Context, sys *actor.System, names *names) (func(), error) {
	mon, err := actor.Spawn(sys, &monitor{}, actor.WithName(names.culprit()))
	if err != nil {
		return nil, err
	}
	return func() {
		for mon.Send(ctx, reading{21}) == nil && mon.Send(ctx, alert{"smoke"}) == nil {
			wait(ctx, 50*time.Millisecond)
		}
	}, nil
}
