package stream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/membership"
)

// A partition at work is a loop, which alone has its state, and goroutines that tell it what
// they have done: one reads the log, one writes the claim, and each delivery has one. A message
// is read, waits for earlier ones of its key, is with the actor, perhaps waits for its
// next attempt, and is settled: acknowledged, unwanted, or stored as a dead letter. The floor is below the
// first that is not settled. Positions are written by one call at a time, which takes all
// that was settled during the call before it.

// maxSpan is how many messages may be settled above one that is not. It bounds the claim.
const maxSpan = 4096

// maxStale is how many stale reads of a claim, in a row and 100 ms apart, can't be the delay of an
// engine any more: JetStream may be some seconds late after a failure.
const maxStale = 100

// partitionSettings are the settings of a Consumer that need no types.
type partitionSettings struct {
	inFlight int
	retry    Backoff
	poll     time.Duration
	tick     time.Duration
}

// partitionHandler is the part of a consumer that knows the types.
type partitionHandler interface {
	// open returns the value of a message, and whether it is wanted.
	open(r topicRecord) (v any, wanted bool, err error)
	// ask delivers a message, and waits for the answer.
	ask(ctx context.Context, i *item) (Settlement, error)
}

// item is a message that was read. The loop alone changes it; ask reads it meanwhile.
type item struct {
	sequence uint64
	record   topicRecord
	value    any
	position Position
	time     time.Time
	tries    int
	reason   error // Why it is to be a dead letter.
	queued   bool  // It is in the queue of its key.
	settled  bool
}

// result is what a goroutine tells the loop about an item.
type result struct {
	item   *item
	kind   resultKind
	answer Settlement
	err    error
}

type resultKind uint8

const (
	asked  resultKind = iota // The ask has ended.
	due                      // The pause before the next attempt is over.
	buried                   // The dead letter is stored, or err says why it can't be.
)

// written is how a call about the claim has ended.
type written struct {
	claim claim // As it is now, if err is nil.
	ours  bool  // It is what was to be written.
	err   error
}

// partition is a partition at work.
type partition struct {
	s      *Consumption
	node   *membership.Node
	number int
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}
	nudge  chan struct{}

	releasing, breakOff, lookAgain atomic.Bool
	seekTo                         atomic.Uint64 // The Seeks of the claim that a Seek of this process has stored.
	asking, unsettled              atomic.Int64  // Written by the loop.

	gaveBack bool // The claim has no owner any more. Written before done is closed.

	// The rest belongs to the loop.
	claim   claim
	known   claim              // As it was when the loop began.
	pulled  uint64             // The last sequence that was read.
	span    []*item            // Those read that are above the floor, in order.
	queues  map[string][]*item // By key. The first of each is at work.
	ready   []*item            // May be delivered now.
	tries   map[uint64]int     // Of those that have failed and are not settled.
	asks    context.Context    // Of the deliveries under way.
	abort   context.CancelCauseFunc
	results chan result
	out     int // How many goroutines will send a result: for all but those that are due.
	stored  chan written
	stale   int     // How many reads of the claim in a row were older than what was stored.
	storing bool    // A call about the claim is under way.
	dirty   bool    // There is something to be stored.
	holding []*item // Dead letters that hold up their keys until the claim says that they are settled.
	covered []*item // The part of them that the call under way stores.
}

func newPartition(s *Consumption, node *membership.Node, number int, c claim) *partition {
	p := &partition{s: s, node: node, number: number, claim: c, done: make(chan struct{}), nudge: make(chan struct{}, 1)}
	p.ctx, p.cancel = context.WithCancelCause(s.ctx)
	return p
}

func (p *partition) hasEnded() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// release has the partition settle what is under way, give itself back, and end.
func (p *partition) release() {
	p.releasing.Store(true)
	tell(p.nudge)
}

// interrupt is release, and has the deliveries under way broken off.
func (p *partition) interrupt() {
	p.breakOff.Store(true)
	p.release()
}

// errMoved is why deliveries are broken off that the partition does not own any more.
var errMoved = errors.New("stream: the lease of the partition is over, or its consumption has ended; the message comes again")

// run runs the partition until it is released, lost or cancelled. After a Seek it begins again.
func (p *partition) run() {
	defer tell(p.s.nudge)
	defer close(p.done)
	defer p.cancel(nil)
	for p.runFrom() {
		p.lookAgain.Store(false)
	}
}

// runFrom works from the position of the claim on. It reports whether that was moved.
func (p *partition) runFrom() (moved bool) {
	p.known, p.pulled = p.claim, p.claim.Floor
	p.queues, p.span, p.ready, p.dirty = map[string][]*item{}, nil, nil, false
	p.holding, p.covered = nil, nil
	p.tries = maps.Clone(p.claim.Tries)
	if p.tries == nil {
		p.tries = map[uint64]int{}
	}
	p.results, p.stored = make(chan result, p.s.settings.inFlight), make(chan written, 1)
	p.asks, p.abort = context.WithCancelCause(p.ctx)
	reading, stop := context.WithCancel(p.ctx)
	records, read := make(chan engine.Record), make(chan struct{})
	go func() {
		defer close(read)
		p.read(reading, records, p.known.Floor+1)
	}()
	defer func() { stop(); <-read }()
	defer p.settleAll()
	tick := time.NewTicker(p.s.settings.tick)
	defer tick.Stop()
	for {
		if p.breakOff.Load() {
			p.abort(errMoved)
		}
		p.deliver()
		p.write()
		if p.releasing.Load() && p.out == 0 && !p.storing {
			p.giveBack()
			return false
		}
		in := records
		if !p.hasRoom() {
			in = nil
		}
		select {
		case r := <-in:
			p.take(r)
		case r := <-p.results:
			p.handle(r)
		case w := <-p.stored:
			p.storing = false
			if end, moved := p.afterWrite(w); end || moved {
				return moved
			}
		case <-tick.C:
			p.checkLease()
			p.lookAgain.Store(true)
		case <-p.nudge:
		case <-p.ctx.Done():
			return false
		}
	}
}

// isBehind tells whether a Seek of this process has moved the position, and this loop has not read it.
func (p *partition) isBehind() bool { return p.claim.Seeks < p.seekTo.Load() }

// hasRoom tells whether one more message may be read.
func (p *partition) hasRoom() bool {
	return !p.isBehind() && !p.releasing.Load() && !p.s.paused.Load() && int(p.unsettled.Load()) < p.s.settings.inFlight && len(p.span) < maxSpan+p.s.settings.inFlight
}

// checkLease breaks off the deliveries when the lease is over, and allows new ones when it holds again.
func (p *partition) checkLease() {
	switch {
	case p.node.Valid() != nil:
		p.abort(errMoved)
	case p.asks.Err() != nil && p.out == 0:
		p.asks, p.abort = context.WithCancelCause(p.ctx)
	}
}

// settleAll waits for what is under way. It is broken off if the partition is lost.
func (p *partition) settleAll() {
	for p.out > 0 {
		select {
		case r := <-p.results:
			if r.kind != due {
				p.out--
			}
		case <-p.asks.Done():
			if r := <-p.results; r.kind != due {
				p.out--
			}
		}
	}
	p.abort(nil)
	if p.storing {
		<-p.stored
		p.storing = false
	}
	p.asking.Store(0)
	p.unsettled.Store(0)
}

// read sends what the log has from a sequence on, until ctx ends.
func (p *partition) read(ctx context.Context, to chan<- engine.Record, next uint64) {
	bell, end := p.s.core.bells.listen(p.number)
	defer end()
	poll := time.NewTicker(p.s.settings.poll)
	defer poll.Stop()
	for ctx.Err() == nil {
		some := false
		for r, err := range p.s.core.logs[p.number].Read(ctx, next) {
			if err != nil {
				if ctx.Err() == nil {
					p.s.noteEnd(err)
				}
				some = false
				break
			}
			select {
			case to <- r:
				next, some = r.Sequence+1, true
			case <-ctx.Done():
				return
			}
		}
		if some {
			continue
		}
		select {
		case <-bell:
		case <-poll.C:
		case <-ctx.Done():
		}
	}
}

// take takes a record that was read.
func (p *partition) take(r engine.Record) {
	if r.Sequence <= p.pulled {
		return
	}
	p.s.missed.Add(r.Sequence - p.pulled - 1)
	p.pulled = r.Sequence
	i := &item{sequence: r.Sequence, time: r.Time, tries: p.tries[r.Sequence], position: Position{p.s.core.name, p.number, r.Sequence}}
	p.span = append(p.span, i)
	p.unsettled.Add(1)
	if p.known.isDone(r.Sequence) {
		p.settle(i)
		return
	}
	var err error
	if i.record, err = decodeRecord(r.Data); err != nil {
		i.record.data = r.Data
		p.bury(i, err)
		return
	}
	if i.record.hops > 0 {
		i.position.Sequence = i.record.origin
	}
	v, wanted, err := p.s.handler.open(i.record)
	switch {
	case p.isUsedUp(i):
		p.bury(i, errUsedUp)
	case err != nil:
		p.bury(i, err)
	case !wanted:
		p.settle(i)
	default:
		i.value = v
		p.queue(i)
	}
}

// errUsedUp is the reason of a dead letter whose node has crashed before it was stored.
var errUsedUp = errors.New("stream: the last attempt has failed, and its node has crashed before it could store why")

// isUsedUp tells whether the item has had all its attempts.
func (p *partition) isUsedUp(i *item) bool {
	return p.s.settings.retry.Times > 0 && i.tries >= p.s.settings.retry.Times
}

// queue has the item delivered, after earlier ones of its key.
func (p *partition) queue(i *item) {
	if i.record.key == "" {
		p.ready = append(p.ready, i)
		return
	}
	i.queued = true
	q := append(p.queues[i.record.key], i)
	p.queues[i.record.key] = q
	if len(q) == 1 {
		p.ready = append(p.ready, i)
	}
}

// deliver delivers all that is ready, if this member still owns the partition.
func (p *partition) deliver() {
	if len(p.ready) == 0 || p.isBehind() || p.releasing.Load() || p.s.paused.Load() || p.asks.Err() != nil || p.node.Valid() != nil {
		return
	}
	ready := p.ready
	p.ready = nil
	ctx, results := p.asks, p.results
	for _, i := range ready {
		p.out++
		p.asking.Add(1)
		go func() {
			answer, err := p.s.handler.ask(ctx, i)
			results <- result{i, asked, answer, err}
		}()
	}
}

// handle deals with the result of a goroutine.
func (p *partition) handle(r result) {
	i := r.item
	switch r.kind {
	case due:
		p.ready = append(p.ready, i)
	case buried:
		p.out--
		if r.err == nil {
			p.s.dead.Add(1)
			p.settleDead(i)
		} else if p.ctx.Err() == nil {
			p.bury(i, i.reason)
		}
	case asked:
		p.out--
		p.asking.Add(-1)
		switch {
		case r.err == nil && !r.answer.Nack:
			p.settle(i)
		case r.err == nil:
			p.failed(i, r.answer.Delay, errors.New(r.answer.Reason))
		case p.asks.Err() != nil:
			p.ready = append(p.ready, i)
		case hasEndedForGood(r.err):
			p.ready = append(p.ready, i)
			p.releasing.Store(true)
			p.s.endWith(fmt.Errorf("%w (consumer %q of topic %q): %w", ErrActorEnded, p.s.name, p.s.core.name, r.err))
		default:
			p.failed(i, 0, r.err)
		}
	}
}

// hasEndedForGood tells whether the message was not accepted since the actor has ended.
func hasEndedForGood(err error) bool {
	return errors.Is(err, actor.ErrNoRef) || errors.Is(err, actor.ErrStopped) && !errors.Is(err, actor.ErrNoReply)
}

// failed has the item delivered again later, or makes it a dead letter.
func (p *partition) failed(i *item, delay time.Duration, reason error) {
	i.tries++
	p.tries[i.sequence] = i.tries
	p.dirty = true
	p.s.redeliver.Add(1)
	if p.isUsedUp(i) {
		p.bury(i, reason)
		return
	}
	if delay == 0 {
		delay = p.s.settings.retry.pause(i.tries)
	}
	results := p.results // It has room for each item.
	time.AfterFunc(delay, func() { results <- result{item: i, kind: due} })
}

// bury stores the item as a dead letter.
func (p *partition) bury(i *item, reason error) {
	p.out++
	i.reason = reason
	letter := p.s.core.letter(p.s.name, i)
	results := p.results
	go func() {
		ctx, cancel := context.WithTimeout(p.ctx, 3*callPatience)
		defer cancel()
		err := p.s.core.bury(ctx, letter)
		if err != nil && p.ctx.Err() == nil {
			p.s.noteEnd(err)
		}
		results <- result{item: i, kind: buried, err: err}
	}()
}

// settleDead is the end of an item that is a dead letter. The next one of its key is ready when the claim is stored that
// says so. Otherwise, after a crash, the dead one would be delivered again, behind the later one.
func (p *partition) settleDead(i *item) {
	p.end(i)
	if i.queued {
		p.holding = append(p.holding, i)
	}
}

// settle is the end of an item. The next one of its key is ready then.
func (p *partition) settle(i *item) {
	p.end(i)
	p.next(i)
}

// next has the item after i, in the queue of their key, delivered.
func (p *partition) next(i *item) {
	if !i.queued {
		return
	}
	if q := p.queues[i.record.key][1:]; len(q) > 0 {
		p.queues[i.record.key] = q
		p.ready = append(p.ready, q[0])
	} else {
		delete(p.queues, i.record.key)
	}
}

// end notes that an item is settled.
func (p *partition) end(i *item) {
	i.settled, i.value, i.record.data = true, nil, nil
	p.unsettled.Add(-1)
	delete(p.tries, i.sequence)
	p.dirty = true
	n := 0
	for n < len(p.span) && p.span[n].settled {
		n++
	}
	p.span = p.span[n:]
}
