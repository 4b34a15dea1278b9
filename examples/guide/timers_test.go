package guide_test

import (
	"errors"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

//guide:begin session

// toSession is any message to a session.
type toSession interface{ isToSession() }

// open opens the session for some time.
type open struct{ length time.Duration }

// bid is an order. It is refused while the session is closed.
type bid struct{ taken actor.Reply[bool] }

// closing is what the timer sends.
type closing struct{}

func (open) isToSession()    {}
func (bid) isToSession()     {}
func (closing) isToSession() {}

var errClosed = errors.New("the session is closed")

// session begins closed. Its states are methods.
type session struct {
	timers actor.KeyedTimers[string, toSession]
}

// Receive is the closed state.
func (s *session) Receive(ctx *actor.Context[toSession], m toSession) error {
	switch m := m.(type) {
	case open:
		if err := ctx.Become(s.opened); err != nil {
			return err
		}
		return s.timers.Start(ctx, "close", m.length, closing{})
	case bid:
		return m.taken.Fail(ctx, errClosed)
	}
	return actor.ErrUnhandled
}

// opened is the open state.
func (s *session) opened(ctx *actor.Context[toSession], m toSession) error {
	switch m := m.(type) {
	case open: // Again: the timer with this key starts from the beginning.
		return s.timers.Start(ctx, "close", m.length, closing{})
	case bid:
		return m.taken.Send(ctx, true)
	case closing:
		return ctx.Unbecome()
	}
	return actor.ErrUnhandled
}

//guide:end session

//guide:begin session-test

// A session takes bids for as long as it is open. The minutes pass at once.
func TestSessionClosesByItsTimer(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		ref, err := actor.Spawn(s.System(actor.Config{}), &session{})
		if err != nil {
			s.Fatal(err)
		}
		try := func(want error) {
			s.Helper()
			_, err := actor.Ask(s.Context(), ref, func(r actor.Reply[bool]) toSession { return bid{r} })
			if !errors.Is(err, want) {
				s.Errorf("a bid ended with %v, want %v", err, want)
			}
		}
		try(errClosed)
		if err := ref.Send(s.Context(), open{length: 10 * time.Minute}); err != nil {
			s.Fatal(err)
		}
		s.Advance(9 * time.Minute)
		try(nil)
		s.Advance(2 * time.Minute)
		try(errClosed)
	})
}

//guide:end session-test
