package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/sim"
)

// writer publishes the frames of one class. While it is busy, messages fill the next frame.
type writer struct {
	s      *Session
	class  engine.Class
	wake   chan struct{}
	guest  *sim.Guest
	engine *sim.Engine
}

func (s *Session) startWriter(class engine.Class) *writer {
	w := &writer{s: s, class: class, wake: make(chan struct{}, 1), engine: sim.Current()}
	if w.engine != nil {
		w.guest = w.engine.NewGuest("writer of " + s.cfg.Self.Name)
	}
	return w
}

// kick wakes the writer. In a simulation it waits until the running step is over.
func (w *writer) kick() {
	if w == nil {
		return
	}
	offer := func() {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
	if e := sim.Working(); e != nil {
		e.AfterStep(offer)
		return
	}
	offer()
}

// farewellWait is how long the end of a session may wait for the bus.
const farewellWait = time.Second

// run publishes frames until the session is over.
func (w *writer) run() {
	defer w.s.end.running.Done()
	w.await()
	buffer := make([]byte, 0, maxFrame)
	for {
		frame, lane := w.s.nextFrame(w.class, buffer[:0])
		if frame != nil {
			w.publish(w.s.ctx, lane, frame)
			continue
		}
		select {
		case <-w.s.ctx.Done():
			w.await()
			if w.class == engine.Urgent {
				w.farewell(buffer[:0])
			}
			return
		case <-w.wake:
			w.await()
		}
	}
}

// await has the writer wait for its turn in a simulation.
func (w *writer) await() {
	if w.guest != nil {
		w.engine.Await(w.guest)
	}
}

// farewell tells the other side of the end. Nobody waits for an answer.
func (w *writer) farewell(buffer []byte) {
	if frame := w.s.farewell(buffer); frame != nil {
		ctx, cancel := context.WithTimeout(context.Background(), farewellWait)
		defer cancel()
		w.publish(ctx, Control, frame)
	}
}

// publish gives a frame to the bus. A frame that it does not take is a lost one, unless the bus is closed.
func (w *writer) publish(ctx context.Context, lane Lane, frame []byte) {
	err := w.s.cfg.Bus.Publish(ctx, w.class, subject(w.s.peer, lane), frame)
	if errors.Is(err, engine.ErrClosed) {
		w.s.finish(err)
	}
}

// alarm calls a session's tick when its time has come.
type alarm struct {
	mu      sync.Mutex
	timer   *time.Timer
	least   time.Duration // Overdue work is looked at again after it.
	at      time.Time
	stopped bool
}

func (s *Session) startAlarm() *alarm {
	a := &alarm{least: s.cfg.AckDelay}
	e := sim.Current()
	var guest *sim.Guest
	if e != nil {
		guest = e.NewGuest("alarm of " + s.cfg.Self.Name)
	}
	a.timer = time.AfterFunc(time.Hour, func() {
		if guest != nil {
			e.Await(guest)
		}
		a.mu.Lock()
		a.at = time.Time{}
		a.mu.Unlock()
		s.tick(s.end.now())
		a.set(s.deadline())
	})
	return a
}

// set has the alarm go off at a time, or earlier if that was said before.
func (a *alarm) set(at time.Time) {
	if a == nil || at.IsZero() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped || !a.at.IsZero() && !at.Before(a.at) {
		return
	}
	a.at = at
	wait := time.Until(at)
	if wait <= 0 { // The writer is at it, or waits for the bus.
		wait = a.least
	}
	a.timer.Reset(wait)
}

func (a *alarm) stop() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = true
	a.timer.Stop()
}
