package session

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// link is the state of the handshake, the acknowledgements and the clock. The session's mutex guards it.
//
// Each side gives its end of a session an epoch, and each frame has both. Hellos exchange them: a side repeats its own
// until a frame comes that knows it. An epoch that is higher than the known one is a new session of the other side; a lower
// one is old and refused. Nothing but hellos is accepted until both epochs are known.
type link struct {
	theirs      uint64 // The other side's epoch, 0 while unknown.
	floor       uint64 // The epoch of the session before. A hello of it that knows no epoch of this side is old.
	established bool   // The other side knows ours.
	told        bool   // A hello that knows theirs was sent.
	ready       bool   // The offer has come.
	closing     bool
	err         error // Why the session has ended.
	waiting     []*waiter

	credits    int // The lower ones of both sides.
	window     int
	maxMessage int

	helloAt       time.Time // When the next hello is due; zero if none is.
	ackAt         time.Time // When an acknowledgement is due; zero if none is.
	ackNow        bool
	missing       [lanes]bool // Frames that the other side shall send again.
	byeDue        bool
	unacked       int // Bytes that have come since the last acknowledgement.
	unackedFrames int
	heard         time.Time // When a frame of this epoch came.
	spoke         time.Time // When one was sent.
	byWriter      [2]bool   // A writer waits and must be kicked.
	stats         Stats
}

// Stats counts what a session has seen.
type Stats struct {
	// FramesSent and FramesReceived count all frames; Resent those that were sent again.
	FramesSent, FramesReceived, Resent uint64
	// Duplicates and Gaps count frames that came again, and that came before others.
	Duplicates, Gaps uint64
	// Stale counts frames of other epochs.
	Stale uint64
	// Refused counts messages that Deliver has refused.
	Refused uint64
	// Unacknowledged is how many bytes each lane has that were not acknowledged.
	Unacknowledged [lanes]int
	// Targets is how many targets and lanes have not taken all that was sent.
	Targets int
}

// frameCounters is how many counters the receiving side has.
const (
	framesReceived = iota
	duplicates
	gaps
	stale
	frameCounters
)

// Stats returns the counters.
func (s *Session) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stats
	st.FramesReceived = s.received[framesReceived].Load()
	st.Duplicates, st.Gaps, st.Stale = s.received[duplicates].Load(), s.received[gaps].Load(), s.received[stale].Load()
	st.Refused = s.refused.Load()
	for i := range s.out.lanes {
		st.Unacknowledged[i] = s.out.lanes[i].used
	}
	st.Targets = len(s.out.accounts)
	return st
}

// begin starts the handshake.
func (s *Session) begin(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.credits, s.window, s.maxMessage = s.cfg.Credits, s.cfg.Window, s.cfg.MaxMessage
	s.heard, s.spoke, s.helloAt = now, now, now
	if _, err := s.out.put(&Message{Kind: offer, Lane: Control}, func(dst []byte) ([]byte, error) { return append(dst, s.cfg.Offer...), nil }, maxOffer+fragment); err != nil {
		panic(err) // Config bounds the offer.
	}
}

// helloBody says what this side takes.
func (s *Session) helloBody(dst []byte) []byte {
	for _, v := range []int{version, version, s.cfg.MaxMessage, s.cfg.Credits, s.cfg.Window} {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	return dst
}

// hello takes a hello of the other side. It reports whether that belongs to a new session, so that this one is over.
func (s *Session) hello(f *rawFrame, now time.Time) (replaced bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return true, nil
	case f.theirs != 0 && f.theirs != s.epoch, f.epoch < s.theirs, f.theirs == 0 && f.epoch <= s.floor:
		s.received[stale].Add(1)
		return false, nil
	case s.theirs != 0 && f.epoch > s.theirs && s.established:
		return true, nil
	}
	r := reader{data: f.body}
	low, high := r.uvarint(), r.uvarint()
	size, credits, window := r.uvarint(), r.uvarint(), r.uvarint()
	switch {
	case r.err != nil:
		return false, r.err
	case low > version || high < version:
		return false, fmt.Errorf("%w: %v speaks versions %d to %d, and this node version %d; update one of them", ErrProtocol, s.peer, low, high, version)
	case size == 0 || credits == 0 || window == 0:
		return false, fmt.Errorf("%w: %v takes messages of %d bytes, %d for a target, %d bytes in a lane", ErrProtocol, s.peer, size, credits, window)
	}
	s.theirs = f.epoch
	s.maxMessage = int(min(uint64(s.cfg.MaxMessage), size))
	s.credits = int(min(uint64(s.cfg.Credits), credits))
	s.window = int(min(uint64(s.cfg.Window), window))
	s.heard = now
	if f.theirs == s.epoch && !s.established {
		s.established = true
		if s.helloAt = (time.Time{}); !s.told {
			s.helloAt = now
		}
		s.kick(engine.Bulk)
	} else if f.theirs == 0 {
		s.helloAt = now
	}
	s.kick(engine.Urgent)
	return false, nil
}

// accept reports whether a frame other than a hello is of this session, and takes its acknowledgements.
func (s *Session) accept(f *rawFrame, now time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.theirs == 0 || f.epoch != s.theirs || f.theirs != s.epoch {
		s.received[stale].Add(1)
		return false, nil
	}
	s.heard = now
	s.received[framesReceived].Add(1)
	if !s.established {
		s.established = true
		s.helloAt = time.Time{}
		s.kick(engine.Urgent)
		s.kick(engine.Bulk)
	}
	for i := range s.out.lanes {
		news, err := s.out.acknowledge(Lane(i), f.received[i], now, s.cfg.Resend)
		if err != nil {
			return false, err
		}
		if news {
			s.wakeLane(&s.out.lanes[i])
			s.kick(classOf(Lane(i)))
			if l := &s.out.lanes[i]; l.acked >= l.must {
				wakeAll(s.waiting) // A Close may wait.
			}
		}
	}
	return true, nil
}

// again has what the other side misses sent again, if it was not only just.
func (s *Session) again(f *rawFrame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range min(len(f.body), lanes) {
		l := &s.out.lanes[i]
		// An old acknowledgement names what has come since.
		if f.body[i] == 1 && f.received[i] == l.acked && l.asked != l.acked+1 {
			l.asked = l.acked + 1 // All that follows a lost frame is told missing; if this pass is lost, silence tells.
			s.stats.Resent += l.again()
			s.kick(classOf(Lane(i)))
		}
	}
}

// receive takes a frame that is for this birth, from the session's peer. It reports whether it belongs to a later session.
func (s *Session) receive(f *rawFrame) (replaced bool) {
	now := s.end.now()
	if f.typ == hello {
		replaced, err := s.hello(f, now)
		if err != nil {
			s.finish(err)
		}
		s.alarm.set(s.deadline())
		return replaced && err == nil
	}
	ours, err := s.accept(f, now)
	switch {
	case err != nil:
		s.finish(err)
		return false
	case !ours:
		return false
	}
	switch f.typ {
	case messages:
		if err := s.take(f, now); err != nil {
			s.finish(err)
			return false
		}
	case ack:
		s.again(f)
	case bye:
		s.finish(ErrPeerClosed)
		return false
	}
	s.alarm.set(s.deadline())
	return false
}

// take takes a frame of messages.
func (s *Session) take(f *rawFrame, now time.Time) error {
	l := &s.in[f.lane]
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.received.Load() + 1
	switch {
	case f.number < next:
		s.received[duplicates].Add(1)
		s.acknowledge(f, now, false, true)
		return nil
	case f.number > next:
		s.received[gaps].Add(1)
		s.acknowledge(f, now, true, true)
		return nil
	case f.lane != Control && s.in[Control].messages.Load() == 0, f.lane == Control && s.exits.n.Load() > maxExits:
		return nil // It comes again.
	}
	if err := s.fragments(l, f.lane, f.body); err != nil {
		return err
	}
	l.received.Store(next)
	s.acknowledge(f, now, false, false)
	return nil
}

// acknowledge has the next frame acknowledge what has come, soon or at once.
func (s *Session) acknowledge(f *rawFrame, now time.Time, missing, atOnce bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missing[f.lane] = missing
	s.unacked += len(f.body)
	s.unackedFrames++
	if atOnce || s.unacked*4 >= s.window || s.unackedFrames*4 >= maxFlight {
		s.ackNow = true
		s.kick(engine.Urgent)
		return
	}
	s.ackSoon(now)
}

func (s *Session) ackSoon(now time.Time) {
	if s.ackAt.IsZero() {
		s.ackAt = now.Add(s.cfg.AckDelay)
		s.alarm.set(s.ackAt)
	}
}

// nextFrame appends the next frame of a class to dst, which is empty, and returns its lane. If there is none, it notes that
// the writer waits.
func (s *Session) nextFrame(class engine.Class, dst []byte) (frame []byte, lane Lane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.end.now()
	h := header{lane: Control, from: s.cfg.Self, to: s.peer.Birth, epoch: s.epoch, theirs: s.theirs}
	for i := range s.in {
		h.received[i] = s.in[i].received.Load()
	}
	if s.err != nil {
		return nil, 0
	}
	if class == engine.Urgent && !s.helloAt.IsZero() && !now.Before(s.helloAt) {
		h.typ = hello
		h.received = [lanes]uint64{}
		s.helloAt = time.Time{}
		if s.told = s.theirs != 0; !s.established {
			s.helloAt = now.Add(s.cfg.Resend)
		}
		s.alarm.set(s.deadlineLocked())
		return s.sent(now, seal(s.helloBody(h.append(dst)))), Control
	}
	if s.established {
		if class == engine.Urgent && (s.out.due || s.ackNow) {
			s.out.putReturns(s.window, s.maxMessage)
		}
		from, to := Management, Data
		if class == engine.Urgent {
			from, to = Control, Control
		}
		for lane = from; lane <= to; lane++ {
			body, number := s.out.lanes[lane].next(now, s.cfg.Resend)
			if body == nil {
				continue
			}
			h.typ, h.lane, h.number = messages, lane, number
			s.acked()
			frame = s.sent(now, seal(append(h.append(dst), body...)))
			s.alarm.set(s.deadlineLocked())
			return frame, lane
		}
		if class == engine.Urgent && s.ackNow {
			h.typ = ack
			frame = h.append(dst)
			for _, missing := range s.missing {
				frame = append(frame, oneIf(missing))
			}
			s.ackNow = false
			s.missing = [lanes]bool{}
			s.acked()
			return s.sent(now, seal(frame)), Control
		}
	}
	s.byWriter[class] = true
	return nil, 0
}

// farewell returns the frame that tells the other side of the end, once.
func (s *Session) farewell(dst []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.byeDue {
		return nil
	}
	s.byeDue = false
	h := header{typ: bye, lane: Control, from: s.cfg.Self, to: s.peer.Birth, epoch: s.epoch, theirs: s.theirs}
	for i := range s.in {
		h.received[i] = s.in[i].received.Load()
	}
	return seal(h.append(dst))
}

// acked notes that a frame takes all acknowledgements along. A frame of its own names missing ones.
func (s *Session) acked() {
	s.unacked, s.unackedFrames = 0, 0
	if len(s.out.order) == 0 { // Else credits are still to be told.
		s.ackAt = time.Time{}
	}
	for _, missing := range s.missing {
		if missing {
			return
		}
	}
	s.ackNow = false
}

func (s *Session) sent(now time.Time, frame []byte) []byte {
	s.spoke = now
	s.stats.FramesSent++
	return frame
}

func oneIf(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// kick has the writer of a class look for frames. The caller holds the mutex.
func (s *Session) kick(class engine.Class) {
	if s.byWriter[class] {
		s.byWriter[class] = false
		s.writers[class].kick()
	}
}

// tick does what is due by the clock.
func (s *Session) tick(now time.Time) {
	if err := s.due(now); err != nil {
		s.finish(err)
	}
}

func (s *Session) due(now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil
	}
	if silent := now.Sub(s.heard); silent >= s.cfg.Unreachable {
		return fmt.Errorf("%w: nothing was heard of %v for %v", ErrUnreachable, s.peer, silent)
	}
	for i := range s.out.lanes {
		l := &s.out.lanes[i]
		if l.resendAt.IsZero() {
			continue
		}
		if stuck := now.Sub(l.since); stuck >= s.cfg.Unreachable {
			return fmt.Errorf("%w: %v has acknowledged nothing of the %v lane for %v", ErrUnreachable, s.peer, Lane(i), stuck)
		}
		if !now.Before(l.resendAt) {
			s.stats.Resent += l.again()
			l.backoff = min(2*l.backoff, 8*s.cfg.Resend)
			l.resendAt = now.Add(l.backoff)
			s.kick(classOf(Lane(i)))
		}
	}
	if !s.ackAt.IsZero() && !now.Before(s.ackAt) || s.established && now.Sub(s.spoke) >= s.cfg.Heartbeat {
		s.ackAt, s.ackNow = time.Time{}, true
		s.kick(engine.Urgent)
	}
	if !s.helloAt.IsZero() && !now.Before(s.helloAt) {
		s.kick(engine.Urgent)
	}
	return nil
}

// deadline returns when tick has something to do.
func (s *Session) deadline() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deadlineLocked()
}

func (s *Session) deadlineLocked() time.Time {
	if s.err != nil {
		return time.Time{}
	}
	at := s.heard.Add(s.cfg.Unreachable)
	earlier := func(t time.Time) {
		if !t.IsZero() && t.Before(at) {
			at = t
		}
	}
	for i := range s.out.lanes {
		if l := &s.out.lanes[i]; !l.resendAt.IsZero() {
			earlier(l.resendAt)
			earlier(l.since.Add(s.cfg.Unreachable))
		}
	}
	earlier(s.ackAt)
	earlier(s.helloAt)
	if s.established {
		earlier(s.spoke.Add(s.cfg.Heartbeat))
	}
	return at
}
