package stream

import (
	"context"
	"fmt"
	"time"
)

// Pause has the consumption deliver nothing more until Resume. Deliveries in flight go on. It
// concerns this consumption only, and keeps its partitions.
func (s *Consumption) Pause() { s.paused.Store(true) }

// Resume ends a Pause.
func (s *Consumption) Resume() {
	s.paused.Store(false)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.parts {
		tell(p.nudge)
	}
}

// Seek moves the position of the consumer, on all nodes, and returns when that is stored.
// Deliveries in flight are settled first; then the consumers go on from there. This consumption
// delivers nothing more of the old place; other nodes may until they see the new one, within
// Lease/15. It can go back, for a replay, or forward. Attempts are counted from 1 again.
func (s *Consumption) Seek(ctx context.Context, to From) error {
	if s.ctx.Err() != nil {
		return ErrStopped
	}
	seeks, err := s.core.seek(ctx, s.name, to)
	if err != nil {
		return fmt.Errorf("stream: seek in topic %q as %q: %w", s.core.name, s.name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, p := range s.parts {
		p.seekTo.Store(seeks[n])
		tell(p.nudge)
	}
	return nil
}

// Info describes a consumer.
type Info struct {
	// Partitions are those that this consumption has just now.
	Partitions []int
	// Lag is how many messages of the topic the consumer has not settled, on all nodes. It may
	// be a moment old.
	Lag uint64
	// InFlight is how many messages are with the actor of this consumption.
	InFlight int
	// Waiting is how many it has pulled besides: they wait for a retry, or for one of their key.
	Waiting int
	// Redeliveries is how many failed attempts this consumption has seen, and Dead how many
	// messages it has made dead letters.
	Redeliveries, Dead uint64
	// Missed is how many messages were removed, by their age or a limit, before this
	// consumption got them.
	Missed uint64
	// Paused says that Pause was called.
	Paused bool
	// Trouble is the last error of the engine, or nil when calls succeed. The consumption tries again.
	Trouble error
}

// Info returns what the consumption does. It asks the engine for the lag.
func (s *Consumption) Info(ctx context.Context) (Info, error) {
	i := Info{Redeliveries: s.redeliver.Load(), Dead: s.dead.Load(), Missed: s.missed.Load(), Paused: s.paused.Load()}
	s.mu.Lock()
	i.Trouble = s.trouble
	for n := range s.core.logs {
		if p := s.parts[n]; p != nil && !p.hasEnded() {
			i.Partitions = append(i.Partitions, n)
			asking := p.asking.Load()
			i.InFlight += int(asking)
			i.Waiting += int(max(p.unsettled.Load()-asking, 0)) // The loop may have gone on meanwhile.
		}
	}
	s.mu.Unlock()
	lag, err := s.core.lag(ctx, s.name)
	i.Lag = lag
	if err != nil {
		return i, fmt.Errorf("stream: info of %q of topic %q: %w", s.name, s.core.name, err)
	}
	return i, nil
}

// Done returns a channel that is closed when the consumption has ended. Err says why.
func (s *Consumption) Done() <-chan struct{} { return s.done }

// Err returns why the consumption has ended by itself, such as [ErrActorEnded], or an error of
// the engine that does not pass. It is nil while the consumption goes on, and after a Stop.
func (s *Consumption) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Stop ends the consumption. It pulls nothing more, waits for what is in flight, stores the
// positions and gives the partitions back, so that others may go on at once. If ctx ends
// before, the contexts of the handlers end, their messages come again to the next consumer
// without counting as attempts, and Stop returns the cause. Further calls wait as well.
func (s *Consumption) Stop(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	s.mu.Unlock()
	tell(s.nudge)
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for _, p := range s.parts {
		p.interrupt()
	}
	s.mu.Unlock()
	grace := time.NewTimer(lastPause) // To store the positions and leave.
	defer grace.Stop()
	select {
	case <-s.done:
	case <-grace.C:
		s.cancel(ErrStopped)
		<-s.done
	}
	return fmt.Errorf("stream: stop of %q of topic %q: not all that was in flight is settled: %w", s.name, s.core.name, context.Cause(ctx))
}
