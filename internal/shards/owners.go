package shards

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/membership"
)

// callLimit is how long one call of the table may take. An election of JetStream takes longer, and then the
// call is made again.
const callLimit = 5 * time.Second

// Owners knows which node owns which shard, and owns the shards of this node. Its methods may be
// called by several goroutines.
type Owners struct {
	config Config
	table  engine.Table
	node   *membership.Node
	me     birth

	// fences has the fence of each shard that this node owns, and 0 for others. Written under mu, read by Owns
	// and Fence, which ask for the lease besides.
	fences []atomic.Uint64

	departs atomic.Bool   // Set by Leave.
	slots   chan struct{} // Has one for each write under way.
	ctx     context.Context
	stop    context.CancelCauseFunc
	loops   sync.WaitGroup
	steps   sync.WaitGroup // Work for shards, without calls of Release that were given up.
	current chan struct{}  // Closed when the watch has yielded all that was in the table.

	mu          sync.Mutex
	shards      []shard
	hosts       hosts
	coordinator entry[birth]
	changed     chan struct{} // Closed at the next change of hosts or of this node's state.
	seenAll     bool          // Whether current is closed.
	leaving     bool          // The others have been told.
	stopped     bool
	failed      error // Why this node owns nothing any more, such as an engine that forgets.
}

// entry is a value as it was last seen, and its revision; 0 if there is none.
type entry[T any] struct {
	value    T
	revision uint64
}

// take takes what was seen, unless something later is known: a watch or an answer may be late.
func (e *entry[T]) take(value T, revision uint64) bool {
	if revision <= e.revision {
		return false
	}
	e.value, e.revision = value, revision
	return true
}

// Open begins to host shards on the node. The table must have nothing else in it, and be the
// same one for all nodes that share the shards. Open waits until it has seen the table, and returns
// [ErrCount] if the cluster has another number of shards, or an error with the cause if ctx ends. The ctx does
// not end what Open begins: call [Owners.Leave], and then Leave of the node.
func Open(ctx context.Context, table engine.Table, node *membership.Node, c Config) (*Owners, error) {
	c, err := c.checked()
	if err != nil {
		return nil, err
	}
	o := &Owners{
		config: c, table: table, node: node, me: birth{node.Name(), node.Birth()},
		fences: make([]atomic.Uint64, c.Shards), shards: make([]shard, c.Shards),
		slots: make(chan struct{}, c.Parallel), current: make(chan struct{}), changed: make(chan struct{}),
	}
	o.hosts.entries = map[string]entry[hosting]{}
	if err := o.agree(ctx); err != nil {
		return nil, err
	}
	o.ctx, o.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	o.loops.Go(o.watch)
	o.loops.Go(o.watchMembers)
	o.loops.Go(o.tick)
	o.loops.Go(o.balance)
	select {
	case <-o.current:
		err = o.announce(ctx, false)
	case <-ctx.Done():
		err = fmt.Errorf("shards: node %q has not seen the table of shards: %w", o.me.Node, context.Cause(ctx))
	}
	if err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// agree compares the number of shards with the cluster's, or sets it.
func (o *Owners) agree(ctx context.Context) error {
	value, err := encode(count{o.config.Shards})
	if err != nil {
		return err
	}
	return o.persist(ctx, func(ctx context.Context) error {
		there, err := o.table.Get(ctx, countKey)
		if errors.Is(err, engine.ErrNotFound) {
			_, err = o.table.Put(ctx, countKey, value, engine.Absent, 0)
			return err
		}
		if err != nil {
			return err
		}
		c, err := decode[count](there)
		if err == nil && c.Shards != o.config.Shards {
			err = fmt.Errorf("%w: the cluster has %d, and node %q wants %d; use %d", ErrCount, c.Shards, o.me.Node, o.config.Shards, c.Shards)
		}
		return err
	})
}

// announce tells the others that this node is a host, or that it leaves.
func (o *Owners) announce(ctx context.Context, leaving bool) error {
	h := hosting{Birth: o.me.Birth, Capacity: o.config.Capacity, Labels: o.config.Labels, Leaving: leaving}
	value, err := encode(h)
	if err != nil {
		return err
	}
	return o.persist(ctx, func(ctx context.Context) error {
		there, err := o.table.Get(ctx, hostPrefix+o.me.Node)
		if err != nil && !errors.Is(err, engine.ErrNotFound) {
			return err
		}
		if err == nil {
			if old, err := decode[hosting](there); err == nil && old.Birth > h.Birth {
				return fmt.Errorf("shards: node %q, birth %d: %w", o.me.Node, h.Birth, membership.ErrNodeLost)
			}
		}
		_, err = o.table.Put(ctx, hostPrefix+o.me.Node, value, there.Revision, 0)
		return err
	})
}

// persist repeats what fails only for now, until ctx ends.
func (o *Owners) persist(ctx context.Context, do func(context.Context) error) error {
	for {
		call, cancel := context.WithTimeout(ctx, callLimit)
		err := do(call)
		cancel()
		if err == nil || !passing(err) {
			return err
		}
		t := time.NewTimer(o.config.Pace)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return fmt.Errorf("shards: node %q: %w: %w", o.me.Node, context.Cause(ctx), err)
		}
	}
}

// passing tells whether a call may succeed later.
func passing(err error) bool {
	var conflict *engine.ConflictError
	return errors.As(err, &conflict) || errors.Is(err, engine.ErrUnavailable) || errors.Is(err, engine.ErrUnknownOutcome) || errors.Is(err, context.DeadlineExceeded)
}

// Owns reports whether this node owns the shard just now. It reads two words and Go's monotonic clock. A handler
// asks before it begins to act; what it writes elsewhere carries the fence, since the lease may end
// meanwhile.
func (o *Owners) Owns(shard int) bool {
	return uint(shard) < uint(len(o.fences)) && o.fences[shard].Load() != 0 && o.node.Holds()
}

// Fence returns the fence of a shard that this node owns: the revision of the entry that says so.
func (o *Owners) Fence(shard int) (fence uint64, ok bool) {
	if uint(shard) >= uint(len(o.fences)) {
		return 0, false
	}
	fence = o.fences[shard].Load()
	return fence, fence != 0 && o.node.Holds()
}

// Holder is a node that owns a shard.
type Holder struct {
	Node   string
	Birth  uint64
	Fence  uint64
	Pinned bool // By Move.
}

// Where returns the owner of a shard, as far as this node has seen. It is a hint: the owner may
// have changed. ok is false while there is none.
func (o *Owners) Where(shard int) (h Holder, ok bool) {
	if uint(shard) >= uint(len(o.fences)) {
		return h, false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.where(shard)
}

// where does the same. The caller holds mu.
func (o *Owners) where(shard int) (h Holder, ok bool) {
	e := o.shards[shard].entry
	if e.revision == 0 || o.node.Ended(e.value.Node, e.value.Birth) {
		return h, false
	}
	return Holder{e.value.Node, e.value.Birth, e.revision, e.value.Pinned}, true
}

// All returns the owners of all shards, and a Holder without a Node for a shard without an owner.
func (o *Owners) All() []Holder {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make([]Holder, len(o.shards))
	for i := range all {
		all[i], _ = o.where(i)
	}
	return all
}

// Hosts returns the nodes that shards may be placed on, by name, as far as this node has seen.
func (o *Owners) Hosts() []Host {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.hosts.list(o))
}

// WaitOwner returns the owner of a shard. If the shard was never used, it gets its entry now. WaitOwner
// waits while there is no owner, and while the owner is this node and has not begun the shard. If
// ctx ends, the error says why, and is [membership.ErrNoQuorum] if this node has no lease.
func (o *Owners) WaitOwner(ctx context.Context, shard int) (Holder, error) {
	if uint(shard) >= uint(len(o.fences)) {
		return Holder{}, fmt.Errorf("%w: %d; use 0 to %d", ErrNoShard, shard, len(o.fences)-1)
	}
	for {
		o.mu.Lock()
		s := &o.shards[shard]
		if err := o.ended(); err != nil {
			o.mu.Unlock()
			return Holder{}, err
		}
		h, ok := o.where(shard)
		if ok && (s.entry.value.birth != o.me || s.begun && o.Owns(shard)) {
			o.mu.Unlock()
			return h, nil
		}
		s.wanted = true
		o.step(shard)
		changed := s.wait()
		o.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			err := fmt.Errorf("shards: shard %d has no owner: %w", shard, context.Cause(ctx))
			if why := o.node.Valid(); why != nil {
				err = fmt.Errorf("%w: %w", err, why)
			}
			return Holder{}, err
		}
	}
}

// ended returns why this node will never own a shard again, or nil. The caller holds mu.
func (o *Owners) ended() error {
	switch {
	case o.failed != nil:
		return o.failed
	case o.stopped:
		return ErrLeft
	}
	select {
	case <-o.node.Done():
		return o.node.Valid()
	default:
		return nil
	}
}

// fail has this node own nothing any more.
func (o *Owners) fail(why error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed == nil {
		o.failed = fmt.Errorf("shards: node %q owns nothing any more: %w", o.me.Node, why)
		for i := range o.fences {
			o.fences[i].Store(0)
		}
		o.stepAll()
	}
}

// tell wakes who waits for hosts, or for the end of hand-overs. The caller holds mu.
func (o *Owners) tell() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// Leave hands all shards of this node over, and ends what Open has begun. It returns an error if
// ctx ends before: then the shards that are left are lost at once, and get new owners when the node has
// left, too. If there is no other host, each shard is released and keeps its entry. Further calls return
// at once.
func (o *Owners) Leave(ctx context.Context) error {
	if o.departs.Swap(true) {
		return nil
	}
	defer o.close()
	// The others have to see this before they see the first hand-over. Two nodes that leave at the same
	// time would else hand a shard back and forth.
	if err := o.announce(ctx, true); err != nil {
		return o.leftBehind(err)
	}
	o.mu.Lock()
	o.leaving = true
	o.hosts.stale = true
	o.stepAll()
	o.mu.Unlock()
	for {
		o.mu.Lock()
		changed := o.changed
		o.mu.Unlock()
		if o.left() == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-o.node.Done():
			return nil // Nothing is left that could be handed over.
		case <-ctx.Done():
			return o.leftBehind(context.Cause(ctx))
		}
	}
}

// leftBehind says what Leave has not done.
func (o *Owners) leftBehind(why error) error {
	return fmt.Errorf("shards: node %q leaves with %d shards that are not handed over; others take them when the node has left: %w", o.me.Node, o.left(), why)
}

// left returns how many shards are not handed over.
func (o *Owners) left() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed != nil {
		return 0
	}
	alone := len(o.hosts.list(o)) == 0
	for i := range o.shards {
		if s := &o.shards[i]; s.busy || s.held != 0 || !alone && s.entry.revision != 0 && s.entry.value.birth == o.me {
			n++
		}
	}
	return n
}

// close ends the loops, and loses what is still owned.
func (o *Owners) close() {
	o.mu.Lock()
	o.leaving, o.stopped = true, true
	for i := range o.fences {
		o.fences[i].Store(0)
	}
	o.mu.Unlock()
	o.stop(ErrLeft)
	o.loops.Wait()
	o.steps.Wait()
	o.mu.Lock()
	var lost []int
	for i := range o.shards {
		if o.shards[i].held != 0 {
			o.giveUp(i)
			lost = append(lost, i)
		}
		o.shards[i].tell()
	}
	o.tell()
	o.mu.Unlock()
	for _, i := range lost {
		o.config.Handler.Lost(i, ErrLeft)
	}
}
