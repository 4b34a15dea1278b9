package goakt

import (
	"github.com/tochemey/goakt/v3/actor"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Data is an Empty, an urgent message a BoolValue.
var (
	data   = &emptypb.Empty{}
	urgent = wrapperspb.Bool(true)
)

func urgentFirst(a, b proto.Message) bool {
	_, first := a.(*wrapperspb.BoolValue)
	_, second := b.(*wrapperspb.BoolValue)
	return first && !second
}

func urgentFlood(r *suite.Run) (int64, error) {
	return run(func(sys actor.ActorSystem) (int64, error) {
		f := workload.NewFlood(r)
		pid, err := sys.Spawn(background, "flooded", &receiver{func(ctx *actor.ReceiveContext) {
			switch ctx.Message().(type) {
			case *wrapperspb.BoolValue:
				f.Urgent()
			case *emptypb.Empty:
				f.Data()
			}
		}}, longLived, actor.WithMailbox(actor.NewUnboundedPriorityMailBox(urgentFirst)))
		if err != nil {
			return 0, err
		}
		return f.Run(
			func() error { return actor.Tell(background, pid, data) },
			func() error { return actor.Tell(background, pid, urgent) },
		)
	})
}

func urgentBusy(r *suite.Run) (int64, error) {
	return run(func(sys actor.ActorSystem) (int64, error) {
		b := workload.NewBusy(r)
		hero, err := sys.Spawn(background, "urgent", &receiver{func(ctx *actor.ReceiveContext) {
			if _, ok := ctx.Message().(*wrapperspb.BoolValue); ok {
				b.Urgent()
			}
		}}, longLived)
		if err != nil {
			return 0, err
		}
		busy, err := spawnN(sys, r.Size, func(int) func(*actor.ReceiveContext) {
			return func(ctx *actor.ReceiveContext) {
				if m, ok := ctx.Message().(*emptypb.Empty); ok && b.Work() {
					ctx.Tell(ctx.Self(), m)
				}
			}
		})
		if err != nil {
			return 0, err
		}
		return b.Run(
			func(i int) error { return actor.Tell(background, busy[i], data) },
			func() error { return actor.Tell(background, hero, urgent) },
		)
	})
}
