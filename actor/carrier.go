package actor

import (
	"context"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/troupe-go/troupe/internal/kernel/layout"
)

// A message belongs to the ask that it was made for. Mostly its Reply shows that, as a
// part of the message itself. Where it does not, as it lies behind a pointer, the send of
// the ask says so, and the lane keeps the ask beside the message. A Deliverer, which
// sends the message of an ask for it, gets the ask in its context: a carrier. So nothing behind a pointer is read, and a message that only leads to the
// Reply of another one does not belong to its ask.
//
// A message that is sent on is another message: it belongs to the ask if the Reply is in
// the message itself.
//
// The alternative was to look for Replies behind pointers, by the types of the messages.
// It takes no note of the ask, but reads what others write under their locks, and takes
// an actor's own records, in which it keeps the Replies of many, for parts of every
// message that mentions them.

// carrier is the context in which a Deliverer is to send an ask's message. The Deliverer may also send other messages
// with it. It is not generic, since a type of messages should add little to a program.
type carrier struct {
	context.Context
	asked address
	m     any
}

// carriers counts the carriers. While there are none, a send need not look for one.
var carriers atomic.Int32

// carrierKey is the type of the key under which a carrier returns itself.
type carrierKey struct{}

// Value returns the carrier, or what the context has.
func (c *carrier) Value(key any) any {
	if _, ok := key.(carrierKey); ok {
		return c
	}
	return c.Context.Value(key)
}

// carries reports whether m is the carrier's message. Messages of its type that can't be
// compared are taken for it.
func (c *carrier) carries(m any) bool {
	v := reflect.ValueOf(m)
	return reflect.TypeOf(m) == reflect.TypeOf(c.m) && (m == nil || !v.Comparable() || m == c.m)
}

// deliverAsk has by deliver the message of an ask. It needs no carrier if no message of the type belongs to an ask, or
// if the message itself shows to which one it belongs.
func deliverAsk[M any](ctx context.Context, by Deliverer[M], m M, asked address) (Ref[M], error) {
	if in := messageTypeOf(reflect.TypeFor[M]()).asks; in.keepsOther(unsafe.Pointer(&m), asked) {
		carriers.Add(1)
		defer carriers.Add(-1)
		ctx = &carrier{ctx, asked, m}
	}
	return by.Deliver(ctx, m)
}

// askOf returns the ask that the message at m belongs to, which is sent with ctx. Asked is the ask
// that sends it, if an ask does. In is nil if no message of the type belongs to one.
func askOf[M any](ctx context.Context, in *laneAsks, m *M, asked address) address {
	if in == nil || !in.keeps {
		return in.shown(unsafe.Pointer(m))
	}
	if asked.slot != nil {
		return asked
	}
	if c := carrierOf(ctx); c != nil && c.carries(any(*m)) {
		return c.asked
	}
	return in.shown(unsafe.Pointer(m))
}

// carrierOf returns the carrier of a send with ctx.
//
//go:noinline
func carrierOf(ctx context.Context) *carrier {
	if carriers.Load() == 0 {
		return nil
	}
	c, _ := ctx.Value(carrierKey{}).(*carrier)
	return c
}

// only returns the ask that the message at m shows, of a type whose messages have one Reply each, and in themselves.
func (s *laneAsks) only(m unsafe.Pointer) address { return *(*address)(s.layout.OnlyReply(m)) }

// shown returns the ask that the message at m itself shows.
//
//go:noinline
func (s *laneAsks) shown(m unsafe.Pointer) address {
	if s == nil {
		return address{}
	}
	return addressAt(s.layout.FirstReply(m))
}

// keepsOther reports whether messages of the type belong to asks, but the one at m does not show that it belongs to
// asked.
//
//go:noinline
func (s *laneAsks) keepsOther(m unsafe.Pointer, asked address) bool {
	return s != nil && s.keeps && s.shown(m) != asked
}

// uncarried returns the context that ctx carries an ask in, or else ctx.
func uncarried(ctx context.Context) context.Context {
	if c, ok := ctx.(*carrier); ok {
		return c.Context
	}
	return ctx
}

// laneAsks says which asks the messages of a lane belong to.
//
// If each of them shows that by itself, nothing is kept, and all lanes for messages of
// the type have the same one. Else the asks lie beside the messages, at the same places
// as these in the buffers of the lane, which are longer if the last messages belong to
// none.
type laneAsks struct {
	layout *layout.Layout
	keeps  bool
	out    []address // The consumer's.
	in     []address // Guarded by the mailbox's mutex.
}

// newLaneAsks returns what lanes for messages of a type have, or nil if no message
// belongs to an ask.
func newLaneAsks(of *layout.Layout) *laneAsks {
	if !of.MayHoldReply() {
		return nil
	}
	return &laneAsks{layout: of, keeps: !of.HoldsOneReply()}
}

// forLane returns what a new lane has.
func (s *laneAsks) forLane() *laneAsks {
	if s == nil || !s.keeps {
		return s
	}
	return &laneAsks{layout: s.layout, keeps: true}
}

// askAt returns the ask at a place, or the zero address.
func askAt(all []address, i int) address {
	if i < len(all) {
		return all[i]
	}
	return address{}
}

// cutAsks returns all without the places from n on.
func cutAsks(all []address, n int) []address {
	n = min(n, len(all))
	clear(all[n:])
	return all[:n]
}

// asksBehind returns the asks from a place on.
func asksBehind(all []address, from int) []address { return all[min(from, len(all)):] }

// Generic code calls some of these methods. The compiler would copy them into it for each
// type of messages, so they are not inlined.

// enter takes note that the i-th message of in, which is to be the last, belongs to an
// ask, or not. S keeps asks.
func (s *laneAsks) enter(i int, a address) {
	if a.slot != nil {
		s.in = addAsk(s.in, i, a)
	}
}

// addAsk returns all with the ask at a place behind the others.
//
//go:noinline
func addAsk(all []address, i int, a address) []address {
	for len(all) < i {
		all = append(all, address{})
	}
	return append(all, a)
}

// addKept is addAsk for an ask that is kept, if there is one.
//
//go:noinline
func addKept(all []address, i int, kept *address) []address {
	if kept == nil {
		return all
	}
	return addAsk(all, i, *kept)
}

// forgetOut takes note that a place of out is empty.
func (s *laneAsks) forgetOut(i int) {
	if i < len(s.out) {
		s.out[i] = address{}
	}
}

// swapIn moves what is in "in" to "out", as the lane is about to do with its messages. A tight
// lane moves one message only. S keeps its asks.
func (s *laneAsks) swapIn(l *lane) {
	switch {
	case !l.tight:
		s.out, s.in = s.in, cutAsks(s.out, 0)
	case l.contents.pending() > 0:
		s.out = cutAsks(s.out, 0)
		if a := s.discard(int(l.skipped), l.contents.pending(), true); a.slot != nil {
			s.out = append(s.out, a)
		}
	}
}

// discard takes the ask of the oldest, or else the newest, of the n messages of in away. The
// first skipped places of in are empty.
func (s *laneAsks) discard(skipped, n int, oldest bool) (asked address) {
	if s == nil || !s.keeps {
		return address{}
	}
	at := skipped
	if !oldest {
		at += n - 1
	}
	asked = askAt(s.in, at)
	switch {
	case n == 1:
		s.in = cutAsks(s.in, 0) // The contents begin at the first place again.
	case !oldest:
		s.in = cutAsks(s.in, at)
	case at < len(s.in):
		s.in[at] = address{}
	}
	return asked
}

// push is enter, where the first closed places of in went away before.
//
//go:noinline
func (s *laneAsks) push(closed int32, i int, a address) {
	if s == nil || !s.keeps {
		return
	}
	if closed > 0 && len(s.in) > 0 {
		left := copy(s.in, asksBehind(s.in, int(closed)))
		s.in = cutAsks(s.in, left)
	}
	s.enter(i, a)
}

// part returns a copy of a part of out.
//
//go:noinline
func (s *laneAsks) part(from, to int) []address {
	if s == nil {
		return nil
	}
	return append([]address(nil), asksBehind(s.out[:min(to, len(s.out))], from)...)
}

// rest returns a copy of what is in out, which has size places, from head on, and behind
// that what is in in without the first skipped.
func (s *laneAsks) rest(head, size, skipped int) (all []address) {
	if s == nil {
		return nil
	}
	all = append(all, asksBehind(s.out, head)...)
	for i, a := range asksBehind(s.in, skipped) {
		if a.slot != nil {
			all = addAsk(all, size-head+i, a)
		}
	}
	return all
}

// empty is rest, and removes all.
//
//go:noinline
func (s *laneAsks) empty(head, size, skipped int) []address {
	all := s.rest(head, size, skipped)
	if len(all) > 0 {
		s.out, s.in = nil, nil
	}
	return all
}

// handOver gives the rest to the fresh lane, and removes it here from in.
//
//go:noinline
func (s *laneAsks) handOver(fresh *laneAsks, head, size, skipped int) {
	if all := s.rest(head, size, skipped); len(all) > 0 {
		fresh.in, s.in = all, nil
	}
}

// insert puts the asks of n messages before the asks of out from head on.
//
//go:noinline
func (s *laneAsks) insert(asks []address, n, head int) {
	if s == nil || !s.keeps || len(asks)+len(s.out) == 0 {
		return
	}
	all := append([]address(nil), asks...)
	for i, a := range asksBehind(s.out, head) {
		if a.slot != nil {
			all = addAsk(all, n+i, a)
		}
	}
	s.out = all
}

// insertFirst puts the ask of one message before the asks of out.
//
//go:noinline
func (s *laneAsks) insertFirst(a address) { s.insert(addAsk(nil, 0, a), 1, 0) }

// set says which ask the message at a place of out belongs to.
//
//go:noinline
func (s *laneAsks) set(i int, a address) {
	switch {
	case s == nil || !s.keeps:
	case i < len(s.out):
		s.out[i] = a
	case a.slot != nil:
		s.out = addAsk(s.out, i, a)
	}
}

// taken returns the ask that m belongs to, which is the message at a place of out.
func (s *laneAsks) taken(i int, m unsafe.Pointer) address {
	if s.keeps {
		return askAt(s.out, i)
	}
	return s.only(m)
}
