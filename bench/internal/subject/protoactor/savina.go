package protoactor

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/bench/internal/subject/library"
)

// stage starts actors and sends from outside.
type stage struct{ root *actor.RootContext }

func host(do func(library.Stage) (int64, error)) (int64, error) {
	return run(func(sys *actor.ActorSystem) (int64, error) { return do(stage{sys.Root}) })
}

func (s stage) Spawn(receive library.Receive) library.Address { return s.root.Spawn(props(receive)) }

func (s stage) Send(to library.Address, m any) { s.root.Send(to.(*actor.PID), m) }

func props(receive library.Receive) *actor.Props {
	return actor.PropsFromProducer(func() actor.Actor { return &self{receive: receive} })
}

// self is an actor, which sends and starts others by its context.
type self struct {
	receive library.Receive
	ctx     actor.Context
}

func (s *self) Receive(ctx actor.Context) {
	s.ctx = ctx
	s.receive(s, ctx.Message())
}

func (s *self) Spawn(receive library.Receive) library.Address {
	// Not ctx.Spawn: the children of one that stops would be stopped, too.
	return s.ctx.ActorSystem().Root.Spawn(props(receive))
}

func (s *self) Send(to library.Address, m any) { s.ctx.Send(to.(*actor.PID), m) }

func (s *self) Address() library.Address { return s.ctx.Self() }

func (s *self) Stop() { s.ctx.Stop(s.ctx.Self()) }
