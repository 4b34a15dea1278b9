package actor

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// askLimit ends the asks of a system whose contexts have no deadline, and that have
// waited for Config.AskTimeout. There is no timer for an ask: while there are such asks, a
// timer of the system goes over them sixteen times in that period. It knows an ask by its
// slot and round. One that was open in an earlier sweep, and still is, has waited at least
// for the time between, so an ask ends up to two sweeps late.
//
// An ask without an errand has a slot that is used again, and the sweep knows all of
// these, by weak pointers: for such an ask there is one load, of awake. Others have a slot
// of their own, and enter a list while they wait.
//
// An ask that waits for room in a lane, and not for an answer, has a timer: it is in the
// hands of the send, which no sweep can end.
//
// In a simulation there is no limit. A sweep would move the time on where nothing else
// can, and a program that stands still would not be found.
//
// The alternatives: a timer for each ask costs 250 ns and 112 bytes. To fail an ask when
// its Reply has been collected needs an allocation for each; see decision 68.
type askLimit struct {
	sys   *System
	after time.Duration // 0 if there is no limit. Not written after the system began.
	// awake says that a sweep is to come, or that there is no limit. Written by sweeps, and
	// by the asks that start one. Of a sweep that is the last and an ask that begins just then,
	// one sees the other.
	awake atomic.Bool
	idle  int // How many sweeps in a row have found no ask. The sweep's own.

	mu    sync.Mutex
	slots []sweptSlot // Guarded by mu; the sweep takes them away while it looks.
	lists [limitedLists]limitedList

	ended, forgotten atomic.Uint64 // How many asks have ended so, and of how many the handler had returned.
}

const (
	// defaultAskTimeout is as long as the default of gen_server in OTP.
	defaultAskTimeout = 5 * time.Second
	// sweeps is how many there are in the time that an ask may take.
	sweeps = 16
	// minSweepPause is the shortest time between two sweeps.
	minSweepPause = time.Millisecond
	// idleSweeps is how many sweeps in a row must find no ask before there are no more.
	idleSweeps = 4
	// sweepShare is how many times as long as a sweep the pause after it is at least.
	sweepShare = 50
	// limitedLists keeps cores that ask at the same time from one mutex. Picked out of
	// thin air.
	limitedLists = 8
)

// sweptSlot is a slot that is used again, and the round in which it was open last.
type sweptSlot struct {
	slot  weak.Pointer[asking]
	round uint64
	since time.Duration // When a sweep has seen that round first.
}

// limitedList has asks that wait, each once. Asking.index is the place of the ask.
type limitedList struct {
	mu  sync.Mutex
	all []limitedAsk
}

type limitedAsk struct {
	slot  *asking
	since time.Duration // When a sweep has seen it first, or 0.
}

func (l *askLimit) begin(s *System) {
	l.sys, l.after = s, max(0, s.cfg.AskTimeout)
	switch {
	case s.simulated:
		l.after = 0
	case s.cfg.AskTimeout == 0:
		l.after = defaultAskTimeout
	}
	l.awake.Store(l.after == 0)
}

// rouse makes sure that a sweep comes. It is called when an ask is open.
func (l *askLimit) rouse() {
	if !l.awake.Load() {
		l.wake()
	}
}

//go:noinline
func (l *askLimit) wake() {
	if l.awake.CompareAndSwap(false, true) {
		l.idle = 0
		time.AfterFunc(l.pause(), l.sweep)
	}
}

func (l *askLimit) pause() time.Duration { return max(minSweepPause, l.after/sweeps) }

// applies reports whether an ask with ctx, which carries something, has the limit.
func (l *askLimit) applies(ctx context.Context) bool {
	if l.after == 0 {
		return false
	}
	if _, ok := ctx.Deadline(); ok {
		return false
	}
	return ctx.Value(unlimitedKey{}) == nil
}

// enrol makes a slot known that is used again. It has not been used yet.
func (l *askLimit) enrol(s *asking) {
	if l.after == 0 {
		return
	}
	l.mu.Lock()
	l.slots = append(l.slots, sweptSlot{slot: weak.Make(s)})
	l.mu.Unlock()
}

func (l *askLimit) listOf(s *asking) *limitedList {
	return &l.lists[reflect.ValueOf(s).Pointer()>>8%limitedLists]
}

// enter makes an ask known that is about to wait, or, if it is the first of a gathering,
// all of these.
func (l *askLimit) enter(s *asking) {
	list := l.listOf(s)
	list.mu.Lock()
	s.index = int32(len(list.all))
	list.all = append(list.all, limitedAsk{slot: s})
	list.mu.Unlock()
	l.rouse()
}

// leave is the end of enter.
func (l *askLimit) leave(s *asking) {
	list := l.listOf(s)
	list.mu.Lock()
	defer list.mu.Unlock()
	last := len(list.all) - 1
	moved := list.all[last]
	list.all[s.index], list.all[last] = moved, limitedAsk{}
	moved.slot.index = s.index
	list.all = list.all[:last]
}

// sweep ends all asks that have waited for too long.
func (l *askLimit) sweep() {
	now := l.sys.uptime()
	found := l.sweepSlots(now)
	if l.sweepLists(now) {
		found = true
	}
	took := l.sys.uptime() - now
	if l.idle++; found {
		l.idle = 0
	}
	if l.idle >= idleSweeps {
		l.awake.Store(false)
		if !l.anyOpen() || !l.awake.CompareAndSwap(false, true) {
			return
		}
	}
	time.AfterFunc(max(l.pause(), sweepShare*took), l.sweep)
}

// sweepSlots looks at all slots that are used again. It reports whether one is in use.
func (l *askLimit) sweepSlots(now time.Duration) (found bool) {
	l.mu.Lock()
	all := l.slots
	l.slots = nil
	l.mu.Unlock()
	kept := all[:0]
	for _, e := range all {
		s := e.slot.Value()
		if s == nil {
			continue
		}
		if e.look(s, now) {
			found = true
			if now-e.since >= l.after {
				s.expire(e.round, l.after)
			}
		}
		kept = append(kept, e)
	}
	clear(all[len(kept):])
	if len(kept) < cap(kept)/4 {
		kept = append([]sweptSlot(nil), kept...)
	}
	l.mu.Lock()
	l.slots = append(kept, l.slots...)
	l.mu.Unlock()
	return found
}

// look reports whether the slot is in use, and takes note of a new round.
func (e *sweptSlot) look(s *asking, now time.Duration) bool {
	state := s.state.Load()
	switch state & slotPhase {
	case slotOpen, slotPinned:
	default:
		return false
	}
	round := state &^ slotPhase
	if round == 0 {
		return false // It was never used.
	}
	if round != e.round {
		e.round, e.since = round, now
	}
	return true
}

// sweepLists looks at the asks that have entered. It reports whether there are any.
func (l *askLimit) sweepLists(now time.Duration) (found bool) {
	var late []*asking
	for i := range l.lists {
		list := &l.lists[i]
		list.mu.Lock()
		for i := range list.all {
			found = true
			if a := &list.all[i]; a.since == 0 {
				a.since = now
			} else if now-a.since >= l.after {
				late = append(late, a.slot)
			}
		}
		list.mu.Unlock()
	}
	for _, s := range late { // Neither these slots nor gatherings are used again.
		if s.group == nil {
			s.expire(onlyRound, l.after)
			continue
		}
		for _, q := range s.group.asks {
			q.wait().expire(onlyRound, l.after)
		}
	}
	return found
}

// anyOpen reports whether an ask is open that has the limit.
func (l *askLimit) anyOpen() bool {
	for i := range l.lists {
		list := &l.lists[i]
		list.mu.Lock()
		n := len(list.all)
		list.mu.Unlock()
		if n > 0 {
			return true
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.slots {
		if s := e.slot.Value(); s != nil && e.look(s, 0) {
			return true
		}
	}
	return false
}

// LimitAsk returns the context in which a [Deliverer] should wait where it can't hand the
// message of an ask on at once: ctx, which also ends with [ErrAskTimeout] after
// Config.AskTimeout if ctx has no deadline, and asks with it have that limit. The caller
// calls the function when it waits no longer. It costs a timer, and is not needed where a
// message is sent without waiting.
func (s *System) LimitAsk(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx = orBackground(ctx)
	if s.missing() || !s.asks.applies(ctx) {
		return ctx, func() {}
	}
	limit := s.asks.after
	return context.WithTimeoutCause(ctx, limit, &askExpiry{limit: limit})
}

// WithoutAskTimeout returns a context like ctx, except that asks with it, or with a
// context that comes from it, wait as long as the answer takes: Config.AskTimeout does not
// end them. It is for asks whose answers rightly take long. A handler that is asked so has
// the limit in its own asks, unless it opts out, too. If ctx has a deadline, that holds.
func WithoutAskTimeout(ctx context.Context) context.Context {
	return context.WithValue(orBackground(ctx), unlimitedKey{}, true)
}

type unlimitedKey struct{}

// LocalKey keeps errands from carrying the value; see [workers.LocalKey].
func (unlimitedKey) LocalKey() {}

// expire ends an ask that has waited for its limit, unless it was answered or left.
func (s *asking) expire(round uint64, limit time.Duration) {
	if !s.beginExpiry(round) {
		return
	}
	e := &askExpiry{limit: limit, returned: s.returned}
	if s.holder != nil {
		e.holder = s.holder.String()
	}
	if s.errand != nil {
		s.errand.leave()
	}
	s.err = e
	s.conclude(nil, round|slotBroken)
}

// beginExpiry makes the caller the one who answers, if the round is open. The errand is
// still open then.
func (s *asking) beginExpiry(round uint64) bool {
	for !s.state.CompareAndSwap(round|slotOpen, round|slotAnswering) {
		switch s.state.Load() {
		case round | slotOpen:
		case round | slotPinned:
			xatomic.Spin(&s.state, round|slotPinned)
		default:
			return false
		}
	}
	return true
}

// askExpiry is [ErrAskTimeout] of one ask. Its text is made when somebody wants it.
type askExpiry struct {
	limit    time.Duration
	returned bool         // A handler of the holder has returned without a reply.
	holder   string       // The actor that had the message last, or "".
	to       string       // The asked actor. Written by the asker, as is message.
	message  reflect.Type // Nil until the asker has it.
}

func (e *askExpiry) Error() string {
	text := ErrAskTimeout.Error() + ":"
	if e.message != nil {
		text += fmt.Sprintf(" %v", e.message)
	}
	text += fmt.Sprintf(" within %v", e.limit)
	if e.holder != "" && e.holder != e.to {
		text += "; the message went on to " + e.holder
	}
	if e.returned {
		return text + "; its handler returned without a reply; it must answer each Reply, by Send or Fail, now or later"
	}
	return text + "; if it rightly takes longer, give the context a deadline, or use WithoutAskTimeout"
}

func (e *askExpiry) Unwrap() error { return ErrAskTimeout }

// failed returns why an ask of p has no answer: err, with which the asker has left, or else
// the one that it was answered with. P is nil if nobody knows it.
//
//go:noinline
func (l *askLimit) failed(err, answer error, p *proc, message reflect.Type) error {
	if err == nil {
		return l.expired(answer, p, message)
	}
	if p == nil {
		return fmt.Errorf("ask: %w", err)
	}
	return fmt.Errorf("ask %s: %w", p, err)
}

// expired completes and counts the error of an ask of p, if err says that it has exceeded
// the limit, and returns others as they are. P is nil if nobody knows it.
//
//go:noinline
func (l *askLimit) expired(err error, p *proc, message reflect.Type) error {
	var e *askExpiry
	if !errors.As(err, &e) || e.message != nil {
		return err // It may have come from an ask further on, which was told before.
	}
	e.to, e.message = "an actor", message
	if p != nil {
		e.to = p.String()
	}
	if l.ended.Add(1); e.returned {
		l.forgotten.Add(1)
	}
	if err != error(e) { //nolint:errorlint // The end of a wait for room, which says where.
		return err
	}
	return fmt.Errorf("ask %s: %w", e.to, l.sys.explainLate(err))
}
