package goactor

import (
	"sync"

	"github.com/vladopajic/go-actor/actor"

	"github.com/troupe-go/troupe/bench/internal/subject/library"
)

// stage starts actors and sends from outside. Mailboxes are the library's
// default: the programs need some that are not bounded.
type stage struct {
	mu  sync.Mutex
	all []*self
}

func host(do func(library.Stage) (int64, error)) (int64, error) {
	s := &stage{}
	n, err := do(s)
	for _, a := range s.all {
		a.actor.Stop()
		a.mailbox.Stop()
	}
	return n, err
}

func (s *stage) Spawn(receive library.Receive) library.Address {
	a := &self{stage: s, mailbox: actor.NewMailbox[any](), receive: receive}
	a.mailbox.Start()
	a.actor = actor.New(a)
	a.actor.Start()
	s.mu.Lock()
	s.all = append(s.all, a)
	s.mu.Unlock()
	return a
}

func (s *stage) Send(to library.Address, m any) {
	library.Check(to.(*self).mailbox.Send(background, m))
}

// self is an actor with its mailbox.
type self struct {
	stage   *stage
	mailbox actor.Mailbox[any]
	actor   actor.Actor
	receive library.Receive
	ctx     actor.Context
	ended   bool
}

func (s *self) DoWork(ctx actor.Context) actor.WorkerStatus {
	select {
	case <-ctx.Done():
		return actor.WorkerEnd
	case m, ok := <-s.mailbox.ReceiveC():
		if !ok {
			return actor.WorkerEnd
		}
		s.ctx = ctx
		if s.receive(s, m); s.ended {
			return actor.WorkerEnd
		}
		return actor.WorkerContinue
	}
}

func (s *self) Spawn(receive library.Receive) library.Address { return s.stage.Spawn(receive) }

func (s *self) Send(to library.Address, m any) { library.Check(to.(*self).mailbox.Send(s.ctx, m)) }

func (s *self) Address() library.Address { return s }

func (s *self) Stop() { s.ended = true }
