package stream

// LiveStats is a snapshot of a live topic. Each message that was published counts, for each
// subscription that there was, as one of Delivered, Filtered, Dropped, Missed, Panicked and Buffered.
// A message that comes just as a subscription ends may count as none of them. While
// messages flow, a figure may be ahead of another.
type LiveStats struct {
	Name        string
	Subscribers int
	Published   uint64
	Delivered   uint64 // Copies that the subscribers' lanes have taken, or loops of All.
	Filtered    uint64 // Copies for which Where has returned false.
	Dropped     uint64 // Copies that WhenFull, Mute or the end of a subscription with a buffer has dropped.
	Missed      uint64 // Copies that were not handed over, as the publisher was told.
	Panicked    uint64 // Copies for which Where or Wrap has panicked.
	Buffered    uint64 // Copies that are in buffers now.
	Waited      uint64 // Publishes that have waited for room.
	Waiting     int    // Publishes that wait for room now.
	// Slowest is the name of the subscriber with the most messages to handle, and Lag is how
	// many these are: in its buffer, and in all lanes of the actor. Slowest is empty if
	// nobody has any.
	Slowest string
	Lag     int
}

// Stats returns a snapshot. It costs some 20 ns for each subscriber.
func (l *Live[T]) Stats() LiveStats {
	if l.isVoid() {
		return LiveStats{}
	}
	s := LiveStats{
		Name: l.name, Delivered: l.delivered.Load(), Filtered: l.filtered.Load(), Dropped: l.dropped.Load(), Missed: l.missed.Load(),
		Panicked: l.panicked.Load(), Published: l.published(), Waited: l.waited.Load(), Waiting: int(l.waiting.Load()),
	}
	open := l.buffers.open()
	for _, m := range l.members.Load().all {
		if m.state.Load()&subEnded != 0 {
			continue
		}
		s.Subscribers++
		s.Buffered += m.inBuffer()
		if lag := m.lag(); lag > s.Lag {
			s.Slowest, s.Lag = m.name, lag
		}
	}
	if open > s.Buffered {
		s.Dropped += open - s.Buffered
	}
	return s
}

// inBuffer returns how many messages the buffer holds.
func (s *Subscription) inBuffer() uint64 {
	if !s.buffered || s.state.Load()&subEnded != 0 {
		return 0
	}
	open := s.buffer.open()
	if s.courier == nil {
		return open
	}
	return open - min(open, s.courier.slid())
}

// SubscriptionStats is a snapshot of a subscription. The figures are defined in [LiveStats].
type SubscriptionStats struct {
	Name                                          string
	Filtered, Dropped, Missed, Panicked, Buffered uint64
	Lag                                           int
	Paused, Muted, Ended                          bool
	// Fault is why the last message has missed that was in the buffer, or nil.
	Fault error
}

// Stats returns a snapshot.
func (s *Subscription) Stats() SubscriptionStats {
	if s.isVoid() {
		return SubscriptionStats{Ended: true}
	}
	state := s.state.Load()
	st := SubscriptionStats{
		Name: s.name, Filtered: s.filtered.Load(), Dropped: s.dropped.Load(), Missed: s.missed.Load(), Panicked: s.panicked.Load(),
		Paused: state&subPaused != 0, Muted: state&subMuted != 0, Ended: state&subEnded != 0, Buffered: s.inBuffer(),
	}
	if open := s.buffer.open(); open > st.Buffered {
		st.Dropped += open - st.Buffered
	}
	if !st.Ended {
		st.Lag = s.lag()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st.Fault = s.fault
	return st
}

// published returns how many messages were published.
func (l *liveCore) published() uint64 {
	refused := l.refused.Load() // It is read first, so that it is not the larger one.
	return l.begun.Load() - refused
}
