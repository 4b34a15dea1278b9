package goakt

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tochemey/goakt/v3/actor"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// idler counts what it handles, and its own end.
type idler struct {
	handled, ended *atomic.Int64
	all            *sync.WaitGroup
}

func (a *idler) PreStart(*actor.Context) error { return nil }

func (a *idler) Receive(ctx *actor.ReceiveContext) {
	if _, ok := ctx.Message().(*emptypb.Empty); ok {
		a.handled.Add(1)
		a.all.Done()
	}
}

func (a *idler) PostStop(*actor.Context) error {
	a.ended.Add(1)
	return nil
}

// idlers are spawned, and given a message each, by the functions that it has.
type idlers struct {
	sys  actor.ActorSystem
	pids []*actor.PID
	one  idler
}

func newIdlers(sys actor.ActorSystem, n int, handled, ended *atomic.Int64) *idlers {
	var all sync.WaitGroup
	all.Add(n)
	return &idlers{sys: sys, pids: make([]*actor.PID, n), one: idler{handled, ended, &all}}
}

func (s *idlers) spawn(i int) (err error) {
	a := s.one
	s.pids[i], err = s.sys.Spawn(background, name(i), &a, longLived)
	return err
}

func (s *idlers) tell(i int) error { return actor.Tell(background, s.pids[i], ping) }

// each calls do for all of them.
func (s *idlers) each(do ...func(i int) error) error {
	for i := range s.pids {
		for _, f := range do {
			if err := f(i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *idlers) stop(i int) error { return s.pids[i].Shutdown(background) }

func spawn(r *suite.Run) (int64, error) {
	var handled, ended atomic.Int64
	err := r.Batches(func(k int) error {
		_, err := run(func(sys actor.ActorSystem) (int64, error) {
			s := newIdlers(sys, k, &handled, &ended)
			r.Start()
			err := s.each(s.spawn, s.tell)
			if err == nil {
				s.one.all.Wait()
			}
			r.Stop()
			return 0, err
		})
		return err
	})
	return handled.Load(), err
}

func stop(r *suite.Run) (int64, error) {
	var handled, ended atomic.Int64
	err := r.Batches(func(k int) error {
		_, err := run(func(sys actor.ActorSystem) (int64, error) {
			s := newIdlers(sys, k, &handled, &ended)
			if err := s.each(s.spawn, s.tell); err != nil {
				return 0, err
			}
			s.one.all.Wait()
			r.Start()
			err := s.each(s.stop)
			r.Stop()
			return 0, err
		})
		return err
	})
	return ended.Load(), err
}

func memory(r *suite.Run, used bool) (int64, error) {
	return runOnly(func(sys actor.ActorSystem) (int64, error) {
		var handled, ended atomic.Int64
		s := newIdlers(sys, r.N, &handled, &ended)
		err := r.InUse(func() error {
			if !used {
				return s.each(s.spawn)
			}
			err := s.each(s.spawn, s.tell)
			if err == nil {
				s.one.all.Wait()
			}
			return err
		})
		if err == nil && !used {
			if err = s.each(s.tell); err == nil {
				s.one.all.Wait()
			}
		}
		runtime.KeepAlive(s)
		return handled.Load(), err
	})
}
