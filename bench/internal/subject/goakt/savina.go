package goakt

import (
	"sync/atomic"

	"github.com/tochemey/goakt/v3/actor"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/bench/internal/subject/library"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// parcel carries any message. It is a protobuf message for the library's sake;
// nothing serializes it.
type parcel struct {
	emptypb.Empty
	content any
}

// savinaRuns are the runs that all libraries have, except Cobweb.
func savinaRuns() map[string]suite.Func {
	runs := library.Runs(host)
	delete(runs, savina.Cobweb)
	return runs
}

// stage starts actors and sends from outside.
type stage struct {
	sys   actor.ActorSystem
	names *atomic.Int64
}

func host(do func(library.Stage) (int64, error)) (int64, error) {
	return runOnly(func(sys actor.ActorSystem) (int64, error) { return do(stage{sys, new(atomic.Int64)}) })
}

func (s stage) Spawn(receive library.Receive) library.Address {
	pid, err := s.sys.Spawn(background, name(int(s.names.Add(1))), newSelf(s, receive), longLived)
	library.Check(err)
	return pid
}

func (s stage) Send(to library.Address, m any) {
	library.Check(actor.Tell(background, to.(*actor.PID), &parcel{content: m}))
}

// self is an actor, which sends by its context.
type self struct {
	receiver
	stage stage
	ctx   *actor.ReceiveContext
}

func newSelf(s stage, receive library.Receive) *self {
	a := &self{stage: s}
	a.receive = func(ctx *actor.ReceiveContext) {
		if p, ok := ctx.Message().(*parcel); ok {
			a.ctx = ctx
			receive(a, p.content)
		}
	}
	return a
}

func (s *self) Spawn(receive library.Receive) library.Address { return s.stage.Spawn(receive) }

func (s *self) Send(to library.Address, m any) { s.ctx.Tell(to.(*actor.PID), &parcel{content: m}) }

func (s *self) Address() library.Address { return s.ctx.Self() }

func (s *self) Stop() { s.ctx.Shutdown() }
