package shards

import (
	"context"
	"errors"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/membership"
)

// shard is what this node knows of a shard and does for it. It is guarded by the mu of Owners.
//
// The entry of a shard changes in four ways, each by a write that expects the revision seen before:
//
//   - from no entry to the host of the placement, by a node that wants the shard;
//   - from an owner whose birth has ended to another node, by that node;
//   - from an owner to another node, by the owner, which has given up the shard before;
//   - from an owner to itself, with a new revision, after a lapse of its lease.
//
// So only its owner ends the ownership of a living birth, and a birth that has ended never holds a
// lease again. A node owns a shard while the entry names its birth, nothing was given up at this revision, and
// its lease lasts.
type shard struct {
	entry entry[owner]
	move  entry[owner] // The last proposal.

	held   uint64 // The fence of the Acquire that was not followed by Release or Lost, or 0.
	lapses uint64 // The lapses of the lease when held was set.
	begun  bool   // Whether the Acquire has returned.
	spent  uint64 // The greatest revision that this node has used as a fence, or might have: it needs a new one.
	to     *owner // Where the shard goes, which was released.

	busy    bool // Something is under way for the shard.
	later   bool // It has failed, and is tried again by the next tick.
	wanted  bool // Somebody waits for an owner.
	changed chan struct{}
}

// wait returns a channel that is closed at the next change. The caller holds mu.
func (s *shard) wait() chan struct{} {
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// tell wakes who waits for a change. The caller holds mu.
func (s *shard) tell() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// apply takes an entry of a shard. The caller holds mu.
func (o *Owners) apply(i int, value owner, revision uint64) {
	s := &o.shards[i]
	pinned := s.entry.value.Pinned || value.Pinned
	if !s.entry.take(value, revision) {
		return
	}
	if s.held != 0 {
		o.fences[i].Store(0) // It was granted by another revision.
	}
	s.to, s.later = nil, false
	if !o.seenAll && value.birth == o.me {
		s.spent = revision // This node may have owned it before Open.
	}
	if pinned {
		o.hosts.stale = true
	}
	s.tell()
}

// stepAll does what is to be done for each shard. The caller holds mu.
func (o *Owners) stepAll() {
	for i := range o.shards {
		o.step(i)
	}
	o.tell()
}

// step begins what is to be done for a shard, if nothing is under way for it. The caller holds mu.
func (o *Owners) step(i int) {
	s := &o.shards[i]
	if s.busy || s.later || o.stopped || !o.seenAll {
		return
	}
	lapses, why := o.node.Lapses(), o.refusal()
	mine := s.entry.revision != 0 && s.entry.value.birth == o.me
	switch {
	case s.held != 0 && (!mine || s.held != s.entry.revision || why != nil || s.lapses != lapses):
		o.lose(i, why)
	case o.failed != nil:
	case s.held != 0:
		if to, ok := o.departure(i); ok {
			o.start(i, func() bool { return o.handOver(i, to) })
		}
	case mine && o.pass(i):
	case mine && o.leaving:
	case mine && why == nil && s.entry.revision > s.spent:
		o.acquire(i, lapses)
	case mine && why == nil:
		o.put(i, owner{birth: o.me, Pinned: s.entry.value.Pinned})
	case why != nil:
	case s.entry.revision == 0 && s.wanted:
		if to, ok := o.placed(i); ok {
			o.put(i, owner{birth: to})
		}
	case s.entry.revision != 0 && o.node.Ended(s.entry.value.Node, s.entry.value.Birth):
		if to, ok := o.placed(i); ok && to == o.me {
			o.put(i, owner{birth: o.me})
		}
	}
}

// refusal returns why this node may not own anything now, or nil. The caller holds mu.
func (o *Owners) refusal() error {
	if o.failed != nil {
		return o.failed
	}
	if err := o.node.Valid(); err != nil {
		return err
	}
	if !o.node.Holds() {
		return membership.ErrNoQuorum
	}
	return nil
}

// start runs do, and then goes on with the shard: at once if do returns true, or at the next tick. The caller holds mu.
func (o *Owners) start(i int, do func() bool) {
	s := &o.shards[i]
	s.busy = true
	o.steps.Go(func() {
		done := do()
		o.mu.Lock()
		defer o.mu.Unlock()
		s.busy, s.later = false, !done
		s.tell()
		o.step(i)
		if o.leaving {
			o.tell()
		}
	})
}

// lose tells the handler that a shard is lost. The caller holds mu.
func (o *Owners) lose(i int, why error) {
	s := &o.shards[i]
	o.giveUp(i)
	switch {
	case why != nil:
	case s.entry.value.birth == o.me:
		why = membership.ErrNoQuorum // It was over, and has begun again since.
	default:
		why = ErrMoved
	}
	o.start(i, func() bool {
		o.config.Handler.Lost(i, why)
		return true
	})
}

// giveUp ends the ownership under the fence that is held. The caller holds mu.
func (o *Owners) giveUp(i int) {
	s := &o.shards[i]
	o.fences[i].Store(0)
	s.spent = max(s.spent, s.held)
	s.held, s.begun = 0, false
}

// acquire begins a shard whose entry names this node. The caller holds mu.
func (o *Owners) acquire(i int, lapses uint64) {
	s := &o.shards[i]
	fence := s.entry.revision
	s.held, s.spent, s.lapses = fence, fence, lapses
	o.fences[i].Store(fence)
	o.start(i, func() bool {
		o.config.Handler.Acquire(i, fence)
		o.mu.Lock()
		defer o.mu.Unlock()
		s.begun = true
		return true
	})
}

// departure returns where a shard that this node has is to go: because the node leaves, or somebody has
// proposed it. The owner is empty if the node leaves and there is no other host. The caller holds mu.
func (o *Owners) departure(i int) (to owner, ok bool) {
	s := &o.shards[i]
	if o.leaving {
		placed, _ := o.placed(i)
		return owner{birth: placed}, true
	}
	return owner{birth: s.move.value.birth, Pinned: s.move.value.Pinned}, o.proposed(i)
}

// proposed reports whether there is a proposal that changes the entry of the shard as it is now. The caller holds mu.
func (o *Owners) proposed(i int) bool {
	s := &o.shards[i]
	to := s.move.value
	if s.move.revision == 0 || to.At != s.entry.revision || !o.hosts.has(o, to.birth) {
		return false
	}
	return to.birth != s.entry.value.birth || to.Pinned != s.entry.value.Pinned
}

// handOver closes a shard, gives it up, and names the new owner.
func (o *Owners) handOver(i int, to owner) bool {
	o.release(i)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.giveUp(i)
	if to.Node != "" && o.shards[i].entry.value.birth == o.me {
		o.shards[i].to = &to
	}
	return true
}

// release has the handler close a shard, within the limit of the hand-over.
func (o *Owners) release(i int) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(o.ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.config.Handler.Release(ctx, i)
	}()
	limit := time.NewTimer(o.config.HandOver)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		o.mu.Lock()
		o.fences[i].Store(0) // First, as no code may see that ctx has ended and the shard is owned.
		o.mu.Unlock()
		cancel(ErrHandOver)
	case <-o.ctx.Done():
		cancel(context.Cause(o.ctx))
	}
	cancel(nil)
}

// pass writes the new owner of a shard that is given up, and reports whether it does. The caller holds mu.
func (o *Owners) pass(i int) bool {
	s := &o.shards[i]
	if s.to == nil || !o.hosts.has(o, s.to.birth) {
		s.to = nil
		if o.leaving {
			if placed, ok := o.placed(i); ok {
				s.to = &owner{birth: placed}
			}
		}
	}
	if s.to == nil {
		return false
	}
	o.put(i, *s.to)
	return true
}

// put writes the entry of a shard, if the table has the revision that is known. The caller holds mu.
func (o *Owners) put(i int, value owner) {
	expected := o.shards[i].entry.revision
	o.start(i, func() bool { return o.write(i, value, expected) })
}

// write makes one attempt to write an entry, and reports whether something new is known of it. An
// attempt of unknown outcome is repeated with the same revision, which at most one of them can replace.
func (o *Owners) write(i int, value owner, expected uint64) bool {
	select {
	case o.slots <- struct{}{}:
		defer func() { <-o.slots }()
	case <-o.ctx.Done():
		return false
	}
	data, err := encode(value)
	if err != nil {
		o.fail(err)
		return false
	}
	ctx, cancel := context.WithTimeout(o.ctx, callLimit)
	defer cancel()
	revision, err := o.table.Put(ctx, shardKey(i), data, expected, 0)
	if err == nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.apply(i, value, revision)
		return true
	}
	if errors.Is(err, engine.ErrAmnesia) {
		o.fail(err)
		return false
	}
	there, err := o.table.Get(ctx, shardKey(i))
	if err != nil {
		return false
	}
	value, err = decode[owner](there)
	if err != nil {
		o.fail(err)
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.apply(i, value, there.Revision)
	return o.shards[i].entry.revision != expected
}
