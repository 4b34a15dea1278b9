package stream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/membership"
)

// Consumer says who consumes a topic, and how. T is the type of the topic's messages, and M
// the type of the actor's.
type Consumer[T, M any] struct {
	// Name is what the position is stored under: a name of up to 32 letters, digits, '-' and
	// '_'. All who consume under one name, on this and other nodes, share the partitions.
	Name string
	// To is the actor that gets the messages: a local one, one on another node, or a virtual one.
	To actor.Ref[M]
	// Wrap makes the actor's own message of a delivery.
	Wrap func(Delivery[T]) M
	// Where says which messages are wanted. Others count as acknowledged. Nil means all.
	Where func(T) bool
	// InFlight is how many messages of each partition may be pulled and not settled. One
	// that waits for an earlier message of its key counts, too. Defaults to 64. It is at most
	// [engine.MaxInFlight]. With 1, and one partition for each worker, a topic is a queue of work.
	InFlight int
	// Retry says when a message is delivered again.
	Retry Backoff
	// Timeout is how long a delivery may stay without Ack and Nack. Then it has failed, and the
	// context of its handler ends. Defaults to 30 s. -1 means without limit.
	Timeout time.Duration
	// From says where a consumer begins that the topic does not know. One that it knows goes on
	// where it was. Defaults to Begin.
	From From
	// Lease is after how long other nodes take the partitions of one that has crashed. All who
	// consume under one name must have the same one. Defaults to 15 s, which an engine in a
	// cluster needs. It is at least 1 s, and at most 1 h.
	Lease time.Duration
	// Poll is how long a partition waits until it looks for new messages, if the engine has
	// not told it of any. Defaults to 1 s.
	Poll time.Duration

	clock func() time.Duration
}

// From is where a consumer begins: [Begin], [End], [Since] or [At].
type From struct {
	kind fromKind
	time time.Time
	at   map[int]uint64
}

type fromKind uint8

const (
	fromBegin fromKind = iota
	fromEnd
	fromTime
	fromPositions
)

var (
	// Begin is the first message that is kept.
	Begin = From{}
	// End is after the last message that is stored when Consume or Seek is called.
	End = From{kind: fromEnd}
)

// Since is the first message that was stored at the time or later.
func Since(t time.Time) From { return From{kind: fromTime, time: t} }

// At is the message of each position. It may be removed, or not be stored yet: then it is
// the next one that is kept. Partitions without a position begin at their first message.
func At(positions ...Position) From {
	f := From{kind: fromPositions, at: map[int]uint64{}}
	for _, p := range positions {
		f.at[p.Partition] = p.Sequence
	}
	return f
}

func (c Consumer[T, M]) checked() (Consumer[T, M], error) {
	if err := engine.CheckName("consumer", c.Name); err != nil {
		return c, err
	}
	wrong := func(field string, value any, use string) error {
		return fmt.Errorf("%w: Consumer.%s of %q is %v; use %s", ErrConfig, field, c.Name, value, use)
	}
	orDefault := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	if c.InFlight == 0 {
		c.InFlight = 64
	}
	if c.Retry.Times == 0 {
		c.Retry.Times = 8
	}
	orDefault(&c.Retry.Min, time.Second)
	orDefault(&c.Retry.Max, max(time.Minute, c.Retry.Min))
	orDefault(&c.Timeout, 30*time.Second)
	orDefault(&c.Lease, 15*time.Second)
	orDefault(&c.Poll, time.Second)
	switch {
	case c.To == actor.Ref[M]{}:
		return c, fmt.Errorf("%w: Consumer.To of %q is the zero Ref; use the one of an actor", ErrConfig, c.Name)
	case c.Wrap == nil:
		return c, fmt.Errorf("%w: Consumer.Wrap of %q is nil; use a function that makes the actor's message", ErrConfig, c.Name)
	case c.InFlight < 1 || c.InFlight > engine.MaxInFlight:
		return c, wrong("InFlight", c.InFlight, fmt.Sprintf("1 to %d, or 0 for 64", engine.MaxInFlight))
	case c.Retry.Min < 0:
		return c, wrong("Retry.Min", c.Retry.Min, "a positive time, or 0 for 1s")
	case c.Retry.Max < c.Retry.Min:
		return c, wrong("Retry.Max", c.Retry.Max, "at least Retry.Min")
	case c.Retry.Times < -1:
		return c, wrong("Retry.Times", c.Retry.Times, "a positive number, 0 for 8, or -1 for no limit")
	case c.Timeout < -1:
		return c, wrong("Timeout", c.Timeout, "a positive time, 0 for 30s, or -1 for no limit")
	case c.Lease < time.Second || c.Lease > time.Hour:
		return c, wrong("Lease", c.Lease, "1s to 1h, or 0 for 15s")
	case c.Poll < 0:
		return c, wrong("Poll", c.Poll, "a positive time, or 0 for 1s")
	}
	return c, nil
}

// A Consumption is a consumer at work in this process. Its methods may be called by several
// goroutines.
type Consumption struct {
	core     *topicCore
	name     string
	settings partitionSettings
	handler  partitionHandler
	member   membership.Config

	doubts map[int]bool    // Partitions that may have this member as owner. Of the coordinator alone.
	ctx    context.Context // Ends when all is to end at once.
	cancel context.CancelCauseFunc
	done   chan struct{}
	nudge  chan struct{} // Has the coordinator look.

	paused    atomic.Bool
	redeliver atomic.Uint64
	dead      atomic.Uint64
	missed    atomic.Uint64

	mu       sync.Mutex
	stopping bool
	err      error
	parts    map[int]*partition
	trouble  error // The last error of the engine, until a call succeeds.
}

// Consume begins to deliver the messages of the topic to an actor. It returns when the
// consumer's positions are stored and it has joined the others of its name; ctx is for
// that alone. The consumption goes on until Stop, or until it fails: see Done and Err.
//
// Each partition has one consumption of a name at a time, by a lease. They are spread evenly
// over the consumptions of the name, and move when one joins, stops or crashes. So a key is
// handled by one actor at a time, and in order, also when a message is delivered again: the
// later ones of its key wait until it is done or dead, and other keys go on. A handler
// that goes on although its context has ended, because its node has lost the lease, may
// overlap the next owner: effects that must not happen twice need a journal and its Once.
//
// Consume returns [ErrConfig] for settings that are not allowed, and errors of the engine.
func Consume[T, M any](ctx context.Context, t *Topic[T], c Consumer[T, M]) (*Consumption, error) {
	c, err := c.checked()
	if err != nil {
		return nil, err
	}
	if err := t.core.begin(ctx, c.Name, c.From); err != nil {
		return nil, fmt.Errorf("stream: consume topic %q as %q: %w", t.core.name, c.Name, err)
	}
	s := &Consumption{
		core: t.core, name: c.Name, handler: &consumerHandler[T, M]{t, c},
		settings: partitionSettings{inFlight: c.InFlight, retry: c.Retry, poll: c.Poll, tick: c.Lease / 15},
		member:   membership.Config{Lease: c.Lease, Clock: c.clock},
		done:     make(chan struct{}), nudge: make(chan struct{}, 1), parts: map[int]*partition{}, doubts: map[int]bool{},
	}
	node, err := s.join(ctx)
	if err != nil {
		return nil, fmt.Errorf("stream: consume topic %q as %q: %w", t.core.name, c.Name, err)
	}
	s.ctx, s.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	go s.coordinate(node)
	return s, nil
}

// join makes this consumption a member of its group.
func (s *Consumption) join(ctx context.Context) (*membership.Node, error) {
	m := s.member
	m.Name = rand.Text()
	return membership.Join(ctx, prefixed{s.core.nodes, s.name + "."}, m)
}

// consumerHandler handles the messages of one consumer.
type consumerHandler[T, M any] struct {
	topic *Topic[T]
	c     Consumer[T, M]
}

// open implements [partitionHandler].
func (h *consumerHandler[T, M]) open(r topicRecord) (v any, wanted bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a function of Config or Where, or the codec, has panicked: %v", p)
		}
	}()
	if r.hops > 0 && r.only != h.c.Name {
		return nil, false, nil
	}
	value, err := h.topic.decode(r)
	if err != nil {
		return nil, true, err
	}
	return value, h.c.Where == nil || h.c.Where(value), nil
}

// ask implements [partitionHandler].
func (h *consumerHandler[T, M]) ask(ctx context.Context, i *item) (answer Settlement, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the function Wrap has panicked: %v", p)
		}
	}()
	if h.c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, h.c.Timeout)
		defer cancel()
	} else {
		ctx = actor.WithoutAskTimeout(ctx)
	}
	value, _ := i.value.(T) // A nil T that is an interface stays nil.
	return actor.Ask(ctx, h.c.To, func(reply actor.Reply[Settlement]) M {
		return h.c.Wrap(Delivery[T]{
			Value: value, Position: i.position, Key: i.record.key, Attempt: i.tries + 1, Hops: i.record.hops, Time: i.time, Reply: reply,
		})
	})
}

// coordinate takes and gives back partitions until the consumption ends.
func (s *Consumption) coordinate(node *membership.Node) {
	defer close(s.done)
	for {
		err := s.serve(node)
		s.endParts()
		goodbye, cancel := context.WithTimeout(context.Background(), callPatience)
		leave := node.Leave(goodbye)
		cancel()
		if !errors.Is(err, membership.ErrNodeLost) || s.ctx.Err() != nil {
			s.mu.Lock()
			if s.err == nil && !errors.Is(err, ErrStopped) {
				s.err = err
			}
			s.mu.Unlock()
			s.cancel(ErrStopped)
			return
		}
		s.note(errors.Join(err, leave))
		if node, err = s.join(s.ctx); err != nil {
			s.fail(err)
			s.mu.Lock()
			if s.err == nil && !s.stopping {
				s.err = err
			}
			s.mu.Unlock()
			return
		}
	}
}

// serve takes and gives back partitions while this member lives. It returns why it ends.
func (s *Consumption) serve(node *membership.Node) error {
	seen := newSeen(node, s.member.Lease)
	defer seen.end()
	tick := time.NewTicker(s.settings.tick)
	defer tick.Stop()
	for {
		if s.isStopping() {
			if s.releaseAll() {
				return ErrStopped
			}
		} else if node.Valid() == nil {
			s.spread(node, seen)
		} else {
			s.probe()
		}
		select {
		case <-tick.C:
		case <-seen.changed:
		case <-s.nudge:
		case <-node.Done():
			return node.Valid()
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		}
	}
}

// probe ends the consumption if the engine is closed. Without a lease, nothing else may ask it.
func (s *Consumption) probe() {
	ctx, cancel := context.WithTimeout(s.ctx, s.member.Lease/3)
	defer cancel()
	_, err := s.core.claimOf(ctx, s.name, 0)
	s.noteEnd(err)
}

// spread takes the partitions that are this member's, and gives back others.
func (s *Consumption) spread(node *membership.Node, seen *seenMembers) {
	mine := seen.share(len(s.core.logs))
	for p := range s.core.logs {
		s.mu.Lock()
		part := s.parts[p]
		s.mu.Unlock()
		switch {
		case part != nil && part.hasEnded():
			s.mu.Lock()
			delete(s.parts, p)
			s.mu.Unlock()
			s.doubts[p] = !part.gaveBack
			part = nil
		case part != nil && !mine[p]:
			part.release()
		}
		switch {
		case part == nil && mine[p]:
			s.take(node, seen, p)
		case part == nil && s.doubts[p]:
			s.disclaim(node, p)
		}
	}
}

// take takes a partition, if nobody has it.
func (s *Consumption) take(node *membership.Node, seen *seenMembers, p int) {
	ctx, cancel := context.WithTimeout(s.ctx, s.member.Lease/3)
	defer cancel()
	c, err := s.core.claimOf(ctx, s.name, p)
	if err != nil {
		s.noteEnd(err)
		return
	}
	if c.Owner != 0 && c.Owner != node.Birth() && !seen.gone(c.Owner) {
		return
	}
	c.Owner = node.Birth()
	s.doubts[p] = true
	if err := c.store(ctx); err != nil {
		s.noteEnd(err)
		return
	}
	if node.Valid() != nil {
		return
	}
	part := newPartition(s, node, p, c)
	s.mu.Lock()
	s.parts[p] = part
	s.mu.Unlock()
	go part.run()
}

// disclaim gives back a partition that this member may have taken by a write whose answer is
// lost. It writes in any case, so that such a write that is still under way fails.
func (s *Consumption) disclaim(node *membership.Node, p int) {
	ctx, cancel := context.WithTimeout(s.ctx, s.member.Lease/3)
	defer cancel()
	c, err := s.core.claimOf(ctx, s.name, p)
	if err == nil && (c.Owner == 0 || c.Owner == node.Birth()) {
		c.Owner = 0
		err = c.store(ctx)
	}
	if err != nil {
		s.noteEnd(err)
		return
	}
	s.doubts[p] = false
}

// releaseAll gives back all partitions, and reports whether that is done.
func (s *Consumption) releaseAll() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := true
	for _, p := range s.parts {
		p.release()
		all = all && p.hasEnded()
	}
	return all
}

// endParts ends all partitions at once.
func (s *Consumption) endParts() {
	s.mu.Lock()
	parts := s.parts
	s.parts = map[int]*partition{}
	s.mu.Unlock()
	for _, p := range parts {
		p.cancel(ErrStopped)
	}
	for _, p := range parts {
		<-p.done
	}
}

func (s *Consumption) isStopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopping
}

// fail ends the consumption with an error.
func (s *Consumption) fail(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.cancel(err)
}

// endWith is a Stop by the consumption itself.
func (s *Consumption) endWith(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.stopping = true
	s.mu.Unlock()
	tell(s.nudge)
}

// note keeps an error for Info.
func (s *Consumption) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = err
}

// noteEnd keeps an error for Info, or ends the consumption if it can't pass.
func (s *Consumption) noteEnd(err error) {
	if err != nil && !mayPass(err) && s.ctx.Err() == nil {
		s.fail(err)
		return
	}
	s.note(err)
}
