package shards

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// Move has a shard move to a node and stay there: it is not moved for balance any more. With an empty
// node, the shard is placed as the others are again. Move returns when the shard's entry says so, and an error if
// ctx ends before. Then the move may still be made. The owner closes the shard first, so a
// Move can take as long as Config.HandOver and more. Once the node is lost or leaves, the shard is placed as the others are.
func (o *Owners) Move(ctx context.Context, shard int, node string) error {
	if uint(shard) >= uint(len(o.fences)) {
		return fmt.Errorf("%w: %d; use 0 to %d", ErrNoShard, shard, len(o.fences)-1)
	}
	for {
		o.mu.Lock()
		to, err := o.destination(shard, node)
		s := &o.shards[shard]
		changed, expected, at := s.wait(), s.move.revision, s.entry
		proposed := s.move.value.At == at.revision && s.move.value.birth == to.birth && s.move.value.Pinned == to.Pinned && expected != 0
		o.mu.Unlock()
		switch {
		case err != nil:
			return err
		case at.revision != 0 && at.value == to:
			return nil
		case at.revision == 0:
			err = o.propose(ctx, shardKey(shard), to, engine.Absent)
		case !proposed:
			to.At = at.revision
			err = o.propose(ctx, moveKey(shard), to, expected)
		}
		if err != nil && !passing(err) {
			return err
		}
		t := time.NewTimer(o.config.Pace)
		select {
		case <-changed:
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return fmt.Errorf("shards: the move of shard %d to node %q is not made yet: %w", shard, to.Node, context.Cause(ctx))
		}
		t.Stop()
	}
}

// destination returns the owner that a Move wants. The caller holds mu.
func (o *Owners) destination(shard int, node string) (owner, error) {
	if err := o.ended(); err != nil {
		return owner{}, err
	}
	all := o.hosts.list(o)
	if node == "" {
		places := Place(len(o.shards), all, o.pinned(shard), o.config.Prefer)
		if places == nil {
			return owner{}, fmt.Errorf("%w: there is no host", ErrNoHost)
		}
		return owner{birth: birth{places[shard], o.hosts.births[places[shard]]}}, nil
	}
	b, ok := o.hosts.births[node]
	if !ok {
		var names []string
		for _, h := range all {
			names = append(names, h.Name)
		}
		return owner{}, fmt.Errorf("%w: %q; the hosts are %q", ErrNoHost, node, names)
	}
	return owner{birth: birth{node, b}, Pinned: true}, nil
}

// propose writes an entry that says where a shard is to go.
func (o *Owners) propose(ctx context.Context, key string, to owner, expected uint64) error {
	data, err := encode(to)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	revision, err := o.table.Put(ctx, key, data, expected, 0)
	if errors.Is(err, engine.ErrAmnesia) {
		o.fail(err)
	}
	if i, ok := numbered(key, movePrefix, len(o.shards)); ok && err == nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.shards[i].move.take(to, revision) {
			o.step(i)
		}
	}
	return err
}

// balance has this node be the coordinator if there is none, and propose moves if it is.
func (o *Owners) balance() {
	if o.config.Moves < 0 {
		return
	}
	for o.ctx.Err() == nil {
		o.pause(o.config.Pace)
		if o.node.Valid() != nil || !o.coordinates() {
			continue
		}
		for i, m := range o.misplaced() {
			if o.propose(o.ctx, moveKey(i), m.value, m.revision) != nil {
				break
			}
		}
	}
}

// coordinates reports whether this node is the coordinator. It takes the place of one whose birth has ended. Two that
// believe so for a while do no harm: a proposal is about one revision of an entry.
func (o *Owners) coordinates() bool {
	o.mu.Lock()
	c, idle := o.coordinator, o.leaving || o.failed != nil
	o.mu.Unlock()
	if idle || c.revision != 0 && c.value == o.me {
		return !idle
	}
	if c.revision != 0 && !o.node.Ended(c.value.Node, c.value.Birth) {
		return false
	}
	data, err := encode(o.me)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(o.ctx, callLimit)
	defer cancel()
	_, _ = o.table.Put(ctx, coordinatorKey, data, c.revision, 0) // The watch tells who has won.
	return false
}

// misplaced returns proposals for shards that are not where they should be, as many as may move besides those that do.
func (o *Owners) misplaced() map[int]entry[owner] {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.leaving || o.failed != nil {
		return nil
	}
	moves, room := map[int]entry[owner]{}, o.config.Moves
	for i := range o.shards {
		s := &o.shards[i]
		to, ok := o.placed(i)
		switch {
		case !ok || s.entry.revision == 0 || s.entry.value.birth == to || s.entry.value.Pinned || !o.hosts.has(o, s.entry.value.birth):
		case o.proposed(i):
			room--
		default:
			moves[i] = entry[owner]{owner{birth: to, At: s.entry.revision}, s.move.revision}
		}
	}
	for i := range moves {
		if len(moves) <= max(room, 0) {
			break
		}
		delete(moves, i)
	}
	return moves
}
