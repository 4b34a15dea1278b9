package session

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// inLane is what has come in one stream.
type inLane struct {
	mu       sync.Mutex    // One frame at a time.
	received atomic.Uint64 // The last frame, written with mu held; acknowledgements read it.
	messages atomic.Uint64 // The last message, written with mu held; the marks of an Exited are compared with it.
	partial  []byte        // The begin of a message that goes on in the next frame.
	m        Message       // Of the message that is being delivered.
}

// held has the messages of one target and lane that it had no room for.
type held struct {
	queue    [][]byte
	bytes    int
	draining bool // Somebody delivers them.
	again    bool // Ready was called meanwhile.
}

// holds has what targets have no room for, and what is being delivered.
type holds struct {
	mu      sync.Mutex
	held    map[accountKey]*held
	current [lanes]current
}

// current is the target that a lane delivers to just now.
type current struct {
	target uint64
	is     bool
	ready  bool // Ready was called for it meanwhile.
}

// exits has the messages of kind Exited that wait for what was sent before them.
type exits struct {
	mu      sync.Mutex
	pending []Message
	payload [][]byte
	n       atomic.Int64 // The length of pending.
}

// maxExits is how many may wait before a frame of Control is refused, and comes again later. Picked out of thin air.
const maxExits = 4096

// fragments delivers the messages of a frame.
func (s *Session) fragments(l *inLane, lane Lane, body []byte) error {
	if len(body) == 0 {
		return fmt.Errorf("%w: a frame of messages is empty", ErrProtocol)
	}
	for len(body) > 0 {
		part, last, rest, err := nextFragment(body)
		if err != nil {
			return err
		}
		if limit := l.limit(lane, s.cfg.MaxMessage); len(l.partial)+len(part) > limit {
			return fmt.Errorf("%w: a message of the %v lane has more than %d bytes", ErrProtocol, lane, limit)
		}
		body = rest
		switch {
		case !last:
			l.partial = append(l.partial, part...)
			continue
		case len(l.partial) > 0:
			part = append(l.partial, part...)
			if l.partial = part[:0]; cap(part) > 4*maxFrame {
				l.partial = nil
			}
		}
		if err := s.message(l, lane, part); err != nil {
			return err
		}
	}
	return nil
}

// limit is the most that the next message of a lane may take. The first one of Control is the offer.
func (l *inLane) limit(lane Lane, most int) int {
	if lane == Control && l.messages.Load() == 0 {
		return maxOffer + fragment
	}
	return most
}

// message delivers one message. The caller holds the mutex of the lane.
func (s *Session) message(l *inLane, lane Lane, data []byte) error {
	m := &l.m
	if err := m.decode(lane, data); err != nil {
		return err
	}
	defer m.wipe()
	n := l.messages.Load() + 1
	if first := lane == Control && n == 1; first != (m.Kind == offer) {
		return fmt.Errorf("%w: message %d of the %v lane is of kind %v", ErrProtocol, n, lane, m.Kind)
	}
	switch m.Kind {
	case offer:
		if err := s.agreed(m.Payload); err != nil {
			return err
		}
	case credit:
		if err := s.credited(m.Payload); err != nil {
			return err
		}
	case Exited:
		s.exits.add(m)
	default:
		if err := s.deliver(m, data); err != nil {
			return err
		}
	}
	l.messages.Store(n)
	if s.exits.n.Load() > 0 {
		s.checkExits()
	}
	return nil
}

// deliver hands a message over, or keeps it behind those that wait for the same target. Data is the message, encoded.
func (s *Session) deliver(m *Message, data []byte) error {
	if !m.Kind.credited() {
		if s.cfg.Deliver(s, m) != Taken {
			s.refused.Add(1)
		}
		return nil
	}
	k := accountKey{m.Target, m.Lane}
	h := &s.holds
	h.mu.Lock()
	if waiting := h.held[k]; waiting != nil {
		defer h.mu.Unlock()
		return waiting.keep(&s.cfg, k, data)
	}
	h.current[m.Lane] = current{target: m.Target, is: true}
	h.mu.Unlock()
	for {
		switch s.cfg.Deliver(s, m) {
		case Full:
			h.mu.Lock()
			if c := &h.current[m.Lane]; c.ready {
				c.ready = false
				h.mu.Unlock()
				continue
			}
			defer h.mu.Unlock()
			h.current[m.Lane] = current{}
			waiting := &held{}
			h.held[k] = waiting
			return waiting.keep(&s.cfg, k, data)
		case Refused:
			s.refused.Add(1)
		}
		h.mu.Lock()
		h.current[m.Lane] = current{}
		h.mu.Unlock()
		s.returnCredit(k, len(data))
		return nil
	}
}

// keep copies a message for later. The caller holds the mutex of holds.
func (waiting *held) keep(cfg *Config, k accountKey, data []byte) error {
	if len(waiting.queue) >= cfg.Credits || waiting.bytes >= cfg.Window {
		return fmt.Errorf("%w: target %d, %v lane, has %d messages of %d bytes that it has not taken, and more come", ErrProtocol, k.target, k.lane, len(waiting.queue), waiting.bytes)
	}
	waiting.queue = append(waiting.queue, slices.Clone(data))
	waiting.bytes += len(data)
	return nil
}

// Ready says that a target has room again in a lane, or has ended. Messages that wait for it are delivered, by the caller or by another caller of
// Ready. It may be called at any time, also by Deliver and after the end of the session: what was acknowledged is delivered.
func (s *Session) Ready(target uint64, lane Lane) {
	if lane >= lanes {
		return
	}
	k := accountKey{target, lane}
	h := &s.holds
	h.mu.Lock()
	if c := &h.current[lane]; c.is && c.target == target {
		c.ready = true
	}
	waiting := h.held[k]
	switch {
	case waiting == nil:
		h.mu.Unlock()
		return
	case waiting.draining:
		waiting.again = true
		h.mu.Unlock()
		return
	}
	waiting.draining = true
	var m Message
	for len(waiting.queue) > 0 {
		data := waiting.queue[0]
		h.mu.Unlock()
		v := Refused
		if m.decode(lane, data) == nil { // As it was when it came.
			v = s.cfg.Deliver(s, &m)
		}
		h.mu.Lock()
		switch {
		case v != Full:
			waiting.queue = slices.Delete(waiting.queue, 0, 1)
			waiting.bytes -= len(data)
			h.mu.Unlock()
			if v == Refused {
				s.refused.Add(1)
			}
			s.returnCredit(k, len(data)) // There must be room by then: the next message may come at once.
			h.mu.Lock()
		case waiting.again:
			waiting.again = false
		default:
			waiting.draining = false
			h.mu.Unlock()
			return
		}
	}
	delete(h.held, k)
	h.mu.Unlock()
}

// add keeps an Exited until all that was sent before it has come.
func (e *exits) add(m *Message) {
	e.mu.Lock()
	waiting := *m
	waiting.Chain = nil
	e.pending = append(e.pending, waiting)
	e.payload = append(e.payload, slices.Clone(m.Payload))
	e.n.Store(int64(len(e.pending)))
	e.mu.Unlock()
}

// checkExits delivers each Exited whose time has come. One caller does it at a time, so that they stay in order.
func (s *Session) checkExits() {
	e := &s.exits
	e.mu.Lock()
	defer e.mu.Unlock()
	left := 0
	for i := range e.pending {
		m, payload := e.pending[i], e.payload[i]
		if !s.reached(m.marks) {
			e.pending[left], e.payload[left] = m, payload
			left++
			continue
		}
		m.Payload = payload
		if s.cfg.Deliver(s, &m) != Taken {
			s.refused.Add(1)
		}
	}
	clear(e.pending[left:])
	clear(e.payload[left:])
	e.pending, e.payload = e.pending[:left], e.payload[:left]
	e.n.Store(int64(left))
}

func (s *Session) reached(marks [lanes]uint64) bool {
	for i, n := range marks {
		if s.in[i].messages.Load() < n {
			return false
		}
	}
	return true
}
