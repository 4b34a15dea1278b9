package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/workers"
)

// Session is one epoch of what joins two births of nodes. Its methods are safe for concurrent use.
type Session struct {
	// Kept is for the functions of Config. Agree may store what Deliver and the others load, also after the end of the session.
	Kept atomic.Value

	cfg   Config
	end   *End
	peer  Node
	epoch uint64

	mu sync.Mutex // Guards link and out. Nobody is called with it held, except functions that append a payload.
	link
	out   outbound
	quiet bool // The end of the session is told by others.

	in       [lanes]inLane
	holds    holds
	exits    exits
	refused  atomic.Uint64
	received [frameCounters]atomic.Uint64

	writers [2]*writer // By class; nil in tests that pump by hand.
	alarm   *alarm
	ctx     context.Context // Of the writers; ends with the session.
	cancel  context.CancelCauseFunc
}

// waiter is a caller that waits for the session.
type waiter struct{ workers.Waiter }

// Peer returns the other side.
func (s *Session) Peer() Node { return s.peer }

// Epoch returns the number of this session; each session of an End has its own. It is never used again.
func (s *Session) Epoch() uint64 { return s.epoch }

// Untaken returns how many messages of this side a target has not taken yet, with those that wait for credits.
func (s *Session) Untaken(target uint64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.untaken(target)
}

// Err returns why the session has ended, or nil.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Send sends a message, with the payload that the function appends; nil appends none. It returns when the session has the message. It waits
// while the target or the lane has no credit, until ctx ends; a fiber suspends meanwhile. Errors are the cause of ctx, the error of payload, [ErrMessage], [ErrTooLarge], and
// why the session has ended. The payload is appended under the session's lock: the function must neither wait nor use the session.
//
// Messages that one caller sends in one lane to one target arrive in order.
func (s *Session) Send(ctx context.Context, m Message, payload func(dst []byte) ([]byte, error)) error {
	done, err := s.trySend(&m, payload, nil)
	if done || err != nil {
		return err
	}
	return s.sendSlow(ctx, m, payload)
}

// TrySend is Send, but returns ErrFull where Send waits.
func (s *Session) TrySend(m Message, payload func(dst []byte) ([]byte, error)) error {
	done, err := s.trySend(&m, payload, nil)
	if !done && err == nil {
		return ErrFull
	}
	return err
}

func (s *Session) sendSlow(ctx context.Context, m Message, payload func(dst []byte) ([]byte, error)) error {
	w := &waiter{}
	w.Arm(ctx, nil)
	defer w.Disarm()
	for {
		done, err := s.trySend(&m, payload, w)
		if done || err != nil {
			s.leave(&m, w)
			return err
		}
		if !w.Wait(ctx) {
			s.leave(&m, w)
			return context.Cause(ctx)
		}
	}
}

// trySend sends the message if there is room, and reports whether it did. Else w, if it is not nil, is in the queue that
// it has to wait in.
func (s *Session) trySend(m *Message, payload func(dst []byte) ([]byte, error), w *waiter) (bool, error) {
	if err := m.check(); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return false, s.err
	case s.closing:
		return false, ErrClosed
	case !s.ready:
		join(&s.waiting, w)
		return false, nil
	}
	k := accountKey{m.Target, m.Lane}
	var a *account
	if m.Kind.credited() {
		a = s.out.account(k)
		if !mayGo(a.waiting, w) || a.messages >= uint64(s.credits) || a.bytes >= uint64(s.window) {
			join(&a.waiting, w)
			return false, nil
		}
	}
	l := &s.out.lanes[m.Lane]
	if !mayGo(l.waiting, w) || l.used >= s.window {
		join(&l.waiting, w)
		if a != nil && w != nil && !slices.Contains(a.waiting, w) {
			a.waiting = slices.Insert(a.waiting, 0, w) // Nobody was before it.
		} else if a != nil {
			s.out.settle(k, a)
		}
		return false, nil
	}
	if m.Kind == Exited {
		for i := range m.marks {
			m.marks[i] = s.out.lanes[i].messages
		}
	}
	size, err := s.out.put(m, payload, s.maxMessage)
	if a != nil && err == nil {
		a.messages++
		a.bytes += uint64(size)
	}
	if a != nil {
		s.out.settle(k, a)
	}
	if err != nil {
		return false, err
	}
	s.kick(classOf(m.Lane))
	return true, nil
}

// mayGo reports whether w need not wait for others in a queue.
func mayGo(queue []*waiter, w *waiter) bool { return len(queue) == 0 || queue[0] == w }

func join(queue *[]*waiter, w *waiter) {
	if w != nil && !slices.Contains(*queue, w) {
		*queue = append(*queue, w)
	}
}

// leave takes a sender out of its queues, and lets the next ones look.
func (s *Session) leave(m *Message, w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(other *waiter) bool { return other == w }
	s.waiting = slices.DeleteFunc(s.waiting, is)
	if m.Lane >= lanes {
		return
	}
	l := &s.out.lanes[m.Lane]
	l.waiting = slices.DeleteFunc(l.waiting, is)
	s.wakeLane(l)
	k := accountKey{m.Target, m.Lane}
	if a := s.out.accounts[k]; a != nil {
		a.waiting = slices.DeleteFunc(a.waiting, is)
		s.wakeTarget(a)
		s.out.settle(k, a)
	}
}

// wakeLane wakes the first that waits for the lane, if it has room.
func (s *Session) wakeLane(l *outLane) {
	if len(l.waiting) > 0 && (l.used < s.window || s.err != nil) {
		l.waiting[0].Wake(nil, workers.Low)
	}
}

func (s *Session) wakeTarget(a *account) {
	if len(a.waiting) > 0 && (a.messages < uint64(s.credits) && a.bytes < uint64(s.window) || s.err != nil) {
		a.waiting[0].Wake(nil, workers.Low)
	}
}

func wakeAll(queue []*waiter) {
	for _, w := range queue {
		w.Wake(nil, workers.Low)
	}
}

// credited gives credits back that the other side has returned.
func (s *Session) credited(data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := reader{data: data}
	for len(r.data) > 0 {
		var c returned
		c.read(&r)
		if r.err != nil {
			return r.err
		}
		a, err := s.out.giveBack(c)
		if err != nil {
			return err
		}
		s.wakeTarget(a)
		s.out.settle(c.key, a)
	}
	return r.err
}

// returnCredit notes that a target has taken a message.
func (s *Session) returnCredit(k accountKey, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.out.taken(k, size, s.credits, s.window)
	if s.out.due {
		s.kick(engine.Urgent)
	}
	if s.ackAt.IsZero() {
		s.ackSoon(s.end.now())
	}
}

// agreed takes the other side's offer.
func (s *Session) agreed(theirs []byte) error {
	if s.cfg.Agree != nil {
		if err := s.cfg.Agree(s, theirs); err != nil {
			return fmt.Errorf("session: no agreement with %v: %w", s.peer, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = true
	wakeAll(s.waiting)
	return nil
}

// Await waits until messages can cross, or ctx ends. It returns why the session has ended, if it has.
func (s *Session) Await(ctx context.Context) error {
	return s.await(ctx, func() (bool, error) { return s.ready, s.err })
}

// await waits until what done reports, with the mutex held, or ctx ends.
func (s *Session) await(ctx context.Context, done func() (bool, error)) error {
	w := &waiter{}
	w.Arm(ctx, nil)
	defer w.Disarm()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waiting = slices.DeleteFunc(s.waiting, func(other *waiter) bool { return other == w })
	}()
	for {
		s.mu.Lock()
		ok, err := done()
		if !ok && err == nil {
			join(&s.waiting, w)
		}
		s.mu.Unlock()
		if ok || err != nil {
			return err
		}
		if !w.Wait(ctx) {
			return context.Cause(ctx)
		}
	}
}

// Close ends the session when the other side has acknowledged all messages, or with ctx. Further calls of Send return
// [ErrClosed]. If ctx ends first, it returns that error, and what is left is handed to Config.Unconfirmed.
func (s *Session) Close(ctx context.Context) error { return s.close(s.drain(ctx), false) }

// drain refuses further messages, and waits until the other side has acknowledged all, or ctx ends.
func (s *Session) drain(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	for i := range s.out.lanes {
		wakeAll(s.out.lanes[i].waiting)
	}
	for _, a := range s.out.accounts {
		wakeAll(a.waiting)
	}
	wakeAll(s.waiting)
	s.mu.Unlock()
	return s.await(ctx, func() (bool, error) {
		for i := range s.out.lanes {
			if l := &s.out.lanes[i]; l.acked < l.must {
				return s.err != nil, nil
			}
		}
		return true, nil
	})
}

// close ends the session after drain, which has returned err. A quiet one does not tell the other side.
func (s *Session) close(err error, quiet bool) error {
	s.mu.Lock()
	s.quiet = quiet
	s.mu.Unlock()
	s.finish(ErrClosed)
	if ended := s.Err(); err == nil && !errors.Is(ended, ErrClosed) && !errors.Is(ended, ErrPeerClosed) {
		return ended
	}
	return err
}

// Lost ends the session for a reason that somebody else knows, as membership does when a node has left.
func (s *Session) Lost(reason error) {
	if reason == nil {
		reason = ErrUnreachable
	}
	s.finish(reason)
}

// finish ends the session. The first reason counts.
func (s *Session) finish(reason error) {
	s.mu.Lock()
	if s.err != nil {
		s.mu.Unlock()
		return
	}
	s.err = reason
	var left [lanes][][]byte
	for i := range s.out.lanes {
		l := &s.out.lanes[i]
		left[i] = l.unconfirmed()
		l.frames, l.used, l.resendAt = nil, 0, time.Time{}
		wakeAll(l.waiting)
	}
	for _, a := range s.out.accounts { // In any order: each one that waits gets the same error.
		wakeAll(a.waiting)
	}
	wakeAll(s.waiting)
	s.out.returns, s.out.order = nil, nil
	theirs := s.floor
	if s.established { // Else the other side may still be about to begin that epoch.
		theirs = s.theirs
	}
	s.byeDue = s.theirs != 0 && !s.quiet && !errors.Is(reason, ErrPeerClosed)
	for _, c := range []engine.Class{engine.Urgent, engine.Bulk} {
		s.kick(c)
	}
	s.mu.Unlock()
	s.end.forget(s, theirs)
	s.alarm.stop()
	s.cancel(reason)
	var m Message
	for lane, all := range left {
		for _, data := range all {
			if m.decode(Lane(lane), data) != nil || m.Kind > Pong { // This side has written it.
				continue
			}
			if s.cfg.Unconfirmed != nil {
				s.cfg.Unconfirmed(s, &m, fmt.Errorf("%w: %w", ErrUnconfirmed, reason))
			}
		}
	}
	if s.cfg.Ended != nil {
		s.cfg.Ended(s, reason)
	}
}

func classOf(l Lane) engine.Class {
	if l == Control {
		return engine.Urgent
	}
	return engine.Bulk
}
