package actor

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/troupe-go/troupe/internal/workers"
)

// Answer is what has become of one of several asks: an answer, or why there is
// none.
type Answer[T any] struct {
	Value T
	Err   error // What Ask would have returned.
}

// AskAll asks all of the actors at the same time, and returns their answers, in
// the order of refs, when there are as many, or ctx has ended: what was answered
// by then is there. Each has the error that [Ask] would have returned for it
// alone, and no ask ends because another has failed. The same ref may be there
// several times; with no refs there are no answers.
//
// A handler waits once for all of them, and holds no worker. It then waits for each
// of the actors: an ask that closes a ring ends with a [*CycleError], and the others
// go on.
//
// AskAll calls msg once for each actor, one call after the other. Where a lane is full,
// the message waits for room beside the other asks. There is
// no goroutine for an ask. It allocates some 260 bytes for each, and nothing is
// used again; a single ask is better made by Ask.
func AskAll[M, T any](ctx context.Context, refs []Ref[M], msg func(Reply[T]) M) []Answer[T] {
	answers := make([]Answer[T], len(refs))
	g := gatherFrom(refs, answers, msg)
	g.all = true
	g.need.Store(int32(len(refs)))
	g.run(orBackground(ctx))
	return answers
}

// AskQuorum is [AskAll], except that it returns as soon as n of the actors have
// answered without an error, or so many asks have failed that n can't any more.
// The asks that are still open then end with [ErrNotNeeded]: their answers are
// late, see [ErrLateReply], and do no harm. With an n of 1 the first answer wins;
// with an n of all actors, the first failure ends the whole.
//
// A handler that waits for n of its asks goes on without the others, so that a
// ring is closed only when too few are left.
//
// It returns an error if there were not n answers, which joins the errors of the
// asks that have failed before that, or if n is negative or more than there are actors;
// then nobody is asked. With an n of 0 nobody is asked either.
func AskQuorum[M, T any](ctx context.Context, refs []Ref[M], n int, msg func(Reply[T]) M) ([]Answer[T], error) {
	if n < 0 || n > len(refs) {
		return nil, fmt.Errorf("actor: a quorum of %d was asked for among %d actors; it must be 0 to all of them", n, len(refs))
	}
	answers := make([]Answer[T], len(refs))
	g := gatherFrom(refs, answers, msg)
	g.need.Store(int32(n))
	g.spare.Store(int32(len(refs) - n))
	g.run(orBackground(ctx))
	if g.need.Load() <= 0 {
		return answers, nil
	}
	var failed []error
	for i := range answers {
		if err := answers[i].Err; err != nil && !errors.Is(err, ErrNotNeeded) {
			failed = append(failed, err)
		}
	}
	if len(failed) == 0 {
		failed = append(failed, g.why)
	}
	return answers, fmt.Errorf("actor: not %d answers of %d: %w", n, len(refs), errors.Join(failed...))
}

// Query is one ask of a [Gather], made by [Into]. It may be used several times.
type Query struct{ query query }

// query makes an inquiry, whatever its types.
type query interface{ inquiry() inquirer }

// Into returns an ask for a [Gather]: of the actor to, whose answer goes to
// answer. The other arguments are the same as in [Ask].
func Into[M, T any](answer *Answer[T], to Ref[M], msg func(Reply[T]) M) Query {
	return Query{&into[M, T]{answer, to, msg}}
}

type into[M, T any] struct {
	answer *Answer[T]
	ref    Ref[M]
	msg    func(Reply[T]) M
}

func (q *into[M, T]) inquiry() inquirer {
	return &inquiry[M, T]{ref: q.ref, msg: q.msg, answer: q.answer}
}

// Gather is [AskAll] for asks of several types, whose answers go where each says:
//
//	var price actor.Answer[Price]
//	var stock actor.Answer[int]
//	err := actor.Gather(ctx,
//		actor.Into(&price, prices, func(r actor.Reply[Price]) quote { return quote{item, r} }),
//		actor.Into(&stock, stocks, func(r actor.Reply[int]) count { return count{item, r} }),
//	)
//
// Its error joins the errors of the asks that have failed, and is nil if none has. It
// writes all answers before it returns, and none afterwards. If one of the queries
// is the zero Query, or has no place for its answer, nobody is asked.
func Gather(ctx context.Context, queries ...Query) error {
	g := &gathering{all: true, asks: make([]inquirer, len(queries))}
	for i, q := range queries {
		if q.query == nil {
			return fmt.Errorf("actor: query %d of %d of a Gather is the zero Query; make it by Into", i+1, len(queries))
		}
		if g.asks[i] = q.query.inquiry(); !g.asks[i].hasAnswer() {
			return fmt.Errorf("actor: query %d of %d of a Gather is Into a nil *Answer", i+1, len(queries))
		}
	}
	g.need.Store(int32(len(queries)))
	g.run(orBackground(ctx))
	var failed []error
	for _, q := range g.asks {
		if err := q.failure(); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func gatherFrom[M, T any](refs []Ref[M], answers []Answer[T], msg func(Reply[T]) M) *gathering {
	g := &gathering{asks: make([]inquirer, len(refs))}
	all := make([]inquiry[M, T], len(refs))
	for i := range all {
		q := &all[i]
		q.ref, q.msg, q.answer = refs[i], msg, &answers[i]
		g.asks[i] = q
	}
	return g
}

// inquirer is an ask of a gathering, apart from its types.
type inquirer interface {
	wait() *asking
	target() *proc // Or nil.
	hasAnswer() bool
	// begin sends the message, or leaves it where it waits for room.
	begin(ctx context.Context, g *gathering)
	// lookForRoom looks what has become of a message that waited for room.
	lookForRoom(g *gathering)
	// fail says why the ask, which is over, has no answer.
	fail(err error)
	// refuse ends the ask, unless it was answered.
	refuse(g *gathering, err error)
	// conclude writes the answer. Why is the reason if there is none yet.
	conclude(why error)
	// failure is the error of the ask, with the name of the actor.
	failure() error
}

// inquiry is an ask of a gathering.
type inquiry[M, T any] struct {
	slot   replySlot[T]
	ref    Ref[M]
	msg    func(Reply[T]) M
	answer *Answer[T]
	place  *queuePlace // While there is no room for the message.
	err    error       // Why it was not asked, or not to the end.
}

func (q *inquiry[M, T]) wait() *asking   { return &q.slot.asking }
func (q *inquiry[M, T]) hasAnswer() bool { return q.answer != nil }

func (q *inquiry[M, T]) target() *proc { return targetOf(q.ref) }

func (q *inquiry[M, T]) begin(ctx context.Context, g *gathering) {
	target := q.target()
	if target != nil && target.isStandIn() && target.sys != nowhere {
		p, err := target.routed()
		switch virtual := target.opts.virtual; {
		case err == nil && !virtual:
			q.ref.cell, target = p.impl.(*cell[M]), p
		case err == nil:
			target = p
		case virtual:
			q.refuse(g, err)
			return
		}
	}
	if err := q.precheck(g, target); err != nil {
		q.refuse(g, err)
		return
	}
	s := &q.slot
	s.waiter, s.sys = g.waiter, target.sys
	s.open(g.asker, target, g.up, AskWait, q.ref.lane)
	m := q.msg(Reply[T]{slot: s, round: onlyRound})
	asked := address{&s.asking, onlyRound}
	err := q.ref.cell.send(ctx, q.ref.lane, m, 0, asked)
	if errors.Is(err, ErrFull) && s.isOpen(onlyRound) {
		place := &queuePlace{Context: ctx, wake: g.waiter}
		if err = q.ref.cell.send(place, q.ref.lane, m, mayWait, asked); place.w != nil {
			q.place = place
			g.queued++
		}
	}
	if err != nil {
		q.refuse(g, err)
	}
}

func (q *inquiry[M, T]) lookForRoom(g *gathering) {
	if q.place == nil {
		return
	}
	over, err := q.place.check(q.target())
	if !over {
		return
	}
	q.place = nil
	g.queued--
	if err != nil {
		q.refuse(g, err)
	}
}

// precheck returns why the actor need not be asked.
func (q *inquiry[M, T]) precheck(g *gathering, p *proc) error {
	switch {
	case p == nil:
		return ErrNoRef
	case p.sys == nowhere:
		return fmt.Errorf("ask %s: %w", q.ref, ErrUnbound)
	case q.msg == nil:
		return fmt.Errorf("actor: ask %s: the function that makes the message is nil", q.ref)
	case g.asker == nil || !g.all && p != g.asker:
		return nil
	}
	if err := g.asker.wouldWaitForItself(p, g.up, AskWait, q.ref.lane); err != nil {
		return fmt.Errorf("ask %s: %w", q.ref, err)
	}
	return nil
}

func (q *inquiry[M, T]) fail(err error) {
	q.err = fmt.Errorf("ask %s: %w", q.ref, err)
	q.target().leaves(address{&q.slot.asking, onlyRound}, err)
}

func (q *inquiry[M, T]) refuse(g *gathering, err error) {
	q.err = err
	if q.slot.state.Load() == 0 || q.slot.withdraw(onlyRound) { // Else it was counted.
		g.count(err)
	}
}

func (q *inquiry[M, T]) conclude(why error) {
	s := &q.slot
	if q.place != nil {
		_ = q.target().leaveQueue(q.place.w, q.place.lane, mayWait, why) // The ask says why.
		q.place = nil
	}
	switch {
	case s.withdraw(onlyRound):
		q.fail(why)
	case q.err == nil && s.isAnswered(onlyRound):
		q.answer.Value = s.value
		if s.err != nil {
			q.err = s.sys.asks.expired(s.err, q.target(), reflect.TypeFor[M]())
		}
	case q.err == nil: // It was not begun.
		q.fail(why)
	}
	q.answer.Err = q.err
	var zero T // Somebody may keep the Reply, and with it the slots of all.
	s.value, s.err = zero, nil
	s.asker, s.holder, s.up, s.waiter = nil, nil, address{}, workers.Waiter{}
}

func (q *inquiry[M, T]) failure() error {
	if q.err == nil || q.slot.state.Load() != onlyRound|slotAnswered {
		return q.err
	}
	return fmt.Errorf("ask %s: %w", q.ref, q.err) // By Reply.Fail, which does not know the name.
}
