package shards

import (
	"errors"
	"strings"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// watch follows the table.
func (o *Owners) watch() {
	after := uint64(0)
	for o.ctx.Err() == nil {
		for c, err := range o.table.Watch(o.ctx, after) {
			if errors.Is(err, engine.ErrAmnesia) {
				o.fail(err)
				return
			}
			if err != nil {
				continue // The watch ends by itself if it can't go on.
			}
			after = max(after, c.Revision)
			if err := o.see(c); err != nil {
				o.fail(err)
			}
		}
		o.pause(o.config.Pace)
	}
}

// pause waits for a time, or until this node leaves.
func (o *Owners) pause(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-o.ctx.Done():
	}
}

// see takes a change of the table.
func (o *Owners) see(c engine.Change) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.Current {
		if !o.seenAll {
			o.seenAll = true
			close(o.current)
			o.stepAll()
		}
		return nil
	}
	if c.Deleted {
		return nil // Nobody deletes entries. One that was deleted by hand is written again by a conflict with its revision.
	}
	if i, ok := numbered(c.Key, shardPrefix, len(o.shards)); ok {
		value, err := decode[owner](c.Entry)
		if err == nil {
			o.apply(i, value, c.Revision)
			o.step(i)
			if o.leaving {
				o.tell()
			}
		}
		return err
	}
	if i, ok := numbered(c.Key, movePrefix, len(o.shards)); ok {
		value, err := decode[owner](c.Entry)
		if err == nil && o.shards[i].move.take(value, c.Revision) {
			o.step(i)
		}
		return err
	}
	if c.Key == coordinatorKey {
		value, err := decode[birth](c.Entry)
		if err == nil {
			o.coordinator.take(value, c.Revision)
		}
		return err
	}
	if name, ok := strings.CutPrefix(c.Key, hostPrefix); ok {
		value, err := decode[hosting](c.Entry)
		if err == nil && o.hosts.take(name, value, c.Revision) {
			o.stepAll()
		}
		return err
	}
	return nil
}

// watchMembers follows the members of the cluster: the shards of one that has ended need new owners.
func (o *Owners) watchMembers() {
	for range o.node.Events(o.ctx) {
		o.mu.Lock()
		o.hosts.stale = true
		o.stepAll()
		o.mu.Unlock()
	}
}

// tick looks again and again whether the lease lasts, and repeats what has failed.
func (o *Owners) tick() {
	for o.ctx.Err() == nil {
		o.pause(o.config.Pace)
		o.mu.Lock()
		for i := range o.shards {
			o.shards[i].later = false
		}
		o.stepAll()
		o.mu.Unlock()
	}
}
