package supervise

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/actor"
)

// asker is somebody who waits for a supervisor to do something that takes more
// than one step. The handle keeps all of them, since a supervisor that is killed
// takes along what it knew.
type asker struct {
	reply actor.Reply[struct{}]
	at    int // Among the askers of the handle; negative if it is not there.
}

// await takes note of somebody who waits.
func (s *Supervisor) await(reply actor.Reply[struct{}]) *asker {
	a := &asker{reply: reply, at: -1}
	s.mu.Lock()
	over := s.over
	if !over {
		a.at = len(s.askers)
		s.askers = append(s.askers, a)
	}
	s.mu.Unlock()
	if over {
		_ = reply.Fail(context.Background(), s.gone())
		return a
	}
	s.watch.Do(func() {
		done := s.ref.Done()
		go func() {
			<-done
			s.failAll(s.gone(), true)
		}()
	})
	return a
}

// gone says that the supervisor does nothing any more.
func (s *Supervisor) gone() error {
	return fmt.Errorf("supervise: %s: %w", s.Path(), actor.ErrStopped)
}

// answer tells the waiting caller that it is done, or why not. It returns false if nobody
// waits any more.
func (s *Supervisor) answer(ctx context.Context, a *asker, err error) bool {
	if a == nil {
		return true
	}
	s.mu.Lock()
	waits := s.leave(a)
	s.mu.Unlock()
	switch {
	case !waits:
		return false
	case err != nil:
		return a.reply.Fail(ctx, err) == nil
	}
	return a.reply.Send(ctx, struct{}{}) == nil
}

// leave removes somebody who waits, and reports whether he did. The caller holds
// mu.
func (s *Supervisor) leave(a *asker) bool {
	if a.at < 0 {
		return false
	}
	last := len(s.askers) - 1
	s.askers[a.at] = s.askers[last]
	s.askers[a.at].at = a.at
	s.askers[last], s.askers = nil, s.askers[:last]
	a.at = -1
	return true
}

// failAll answers everybody who waits with err.
func (s *Supervisor) failAll(err error, over bool) {
	s.mu.Lock()
	left := s.askers
	s.askers = nil
	for _, a := range left {
		a.at = -1
	}
	s.over = s.over || over
	s.mu.Unlock()
	for _, a := range left {
		_ = a.reply.Fail(context.Background(), err) // Nobody may wait any more.
	}
}
