package hollywood

import (
	"github.com/anthdm/hollywood/actor"

	"github.com/troupe-go/troupe/bench/internal/subject/library"
)

// stage starts actors and sends from outside.
type stage struct{ engine *actor.Engine }

func host(do func(library.Stage) (int64, error)) (int64, error) {
	return run(func(e *actor.Engine) (int64, error) { return do(stage{e}) })
}

func (s stage) Spawn(receive library.Receive) library.Address {
	return s.engine.Spawn(func() actor.Receiver { return &self{receive: receive} }, "actor", smallInbox)
}

func (s stage) Send(to library.Address, m any) { s.engine.Send(to.(*actor.PID), m) }

// self is an actor, which sends by its context.
type self struct {
	receive library.Receive
	ctx     *actor.Context
}

func (s *self) Receive(ctx *actor.Context) {
	s.ctx = ctx
	s.receive(s, ctx.Message())
}

func (s *self) Spawn(receive library.Receive) library.Address {
	return stage{s.ctx.Engine()}.Spawn(receive)
}

func (s *self) Send(to library.Address, m any) { s.ctx.Send(to.(*actor.PID), m) }

func (s *self) Address() library.Address { return s.ctx.PID() }

func (s *self) Stop() { s.ctx.Engine().Stop(s.ctx.PID()) }
