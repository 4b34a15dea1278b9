package membership

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// A Node is a member of a cluster. Its methods may be called by several goroutines.
type Node struct {
	config Config
	table  engine.Table
	token  string
	birth  uint64
	view   *view
	stop   context.CancelCauseFunc // Ends the loops.
	done   chan struct{}           // Closed when the birth has ended.
	loops  sync.WaitGroup
	leave  sync.Once

	renewing sync.Mutex // Held during each write of the own entry; guards revision.
	revision uint64

	mu    sync.Mutex
	until time.Duration // When the lease is over, less the margin, by the own clock.
	ended error         // Why the birth has ended; nil while it lasts.

	// The same end by the quick clock, and 0 when the birth has ended. Written by extend and end, read by Holds.
	holds atomic.Int64
	// How often a lease that was over has begun again. Written by extend, read by Lapses.
	lapses atomic.Uint64
}

// Join makes this node a member of the cluster that shares the table. It waits while the
// table is unavailable, and while an older birth of the name still has a lease that nobody
// renews. It returns [ErrNameTaken] if somebody does, and [ErrNoQuorum] with the cause if ctx
// ends. The table must have nothing else in it. The ctx of Join does not end the node.
func Join(ctx context.Context, table engine.Table, c Config) (*Node, error) {
	c, err := c.checked()
	if err != nil {
		return nil, err
	}
	n := &Node{config: c, table: table, token: rand.Text(), view: newView(), done: make(chan struct{})}
	if err := n.create(ctx); err != nil {
		return nil, err
	}
	loops, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	n.stop = stop
	for {
		n.renew(ctx)
		err := n.Valid()
		if err == nil {
			break
		}
		if errors.Is(err, ErrNodeLost) {
			stop(err)
			return nil, err
		}
		if err := pause(ctx, c.Renew); err != nil {
			stop(err)
			return nil, fmt.Errorf("%w: %w", ErrNoQuorum, err)
		}
	}
	n.loops.Go(func() { n.keepRenewing(loops) })
	n.loops.Go(func() { n.watch(loops) })
	n.loops.Go(func() { n.endOthers(loops) })
	return n, nil
}

// create writes the first entry of this birth.
func (n *Node) create(ctx context.Context) error {
	value, err := entry{Token: n.token, Labels: n.config.Labels, Capacity: n.config.Capacity}.encode()
	if err != nil {
		return err
	}
	expected, seen, since := engine.Absent, uint64(0), time.Duration(0)
	for {
		tried := expected
		revision, err := n.table.Put(ctx, n.config.Name, value, expected, n.config.ttl())
		if err == nil {
			n.birth, n.revision = revision, revision
			return nil
		}
		if !passing(err) {
			return fmt.Errorf("membership: node %q can't join: %w", n.config.Name, err)
		}
		there, err := n.table.Get(ctx, n.config.Name)
		switch {
		case errors.Is(err, engine.ErrNotFound):
			expected = engine.Absent
		case err != nil && !passing(err):
			return fmt.Errorf("membership: node %q can't join: %w", n.config.Name, err)
		case err == nil:
			e, err := decode(there)
			if err != nil {
				return err
			}
			now := n.config.Clock()
			switch {
			case e.Token == n.token: // The answer to our write was lost.
				n.birth, n.revision = there.Revision, there.Revision
				return nil
			case e.Ended != "":
				expected = there.Revision
				seen = 0
			case seen == 0:
				seen, since, expected = there.Revision, now, engine.Absent
			case seen != there.Revision:
				return fmt.Errorf("%w: birth %d of node %q lives; give each node a name of its own", ErrNameTaken, e.Birth, n.config.Name)
			case now-since >= n.config.Lease:
				expected = there.Revision
			}
		}
		if expected != tried && ctx.Err() == nil {
			continue
		}
		if err := pause(ctx, n.config.Renew); err != nil {
			return fmt.Errorf("%w: node %q has not joined: %w", ErrNoQuorum, n.config.Name, err)
		}
	}
}

// passing tells whether a call may succeed later.
func passing(err error) bool {
	var conflict *engine.ConflictError
	return errors.As(err, &conflict) || errors.Is(err, engine.ErrUnavailable) || errors.Is(err, engine.ErrUnknownOutcome) || errors.Is(err, engine.ErrNotFound) || errors.Is(err, context.DeadlineExceeded)
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Name returns the name of the node.
func (n *Node) Name() string { return n.config.Name }

// Birth returns the number of this birth. A later birth of the same name has a greater one.
func (n *Node) Birth() uint64 { return n.birth }

// Valid returns nil while this node may act as the owner of what it owns. It returns
// [ErrNoQuorum] while the lease is not renewed, and [ErrNodeLost] or [ErrLeft], with the
// reason, when the birth has ended. It reads the clock and asks nobody.
func (n *Node) Valid() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.ended != nil:
		return n.ended
	case n.config.Clock() >= n.until:
		return ErrNoQuorum
	}
	return nil
}

// Holds reports what Valid does, for checks that are made very often: it reads one word and Go's
// monotonic clock. That clock may stand still while the machine sleeps. Then Holds is
// true after the sleep until the next renewal, and only fences help.
func (n *Node) Holds() bool { return int64(n.config.quick()) < n.holds.Load() }

// Lapses returns how often the lease was over and has begun again under this birth. A program that
// has seen Valid fail, or this number change, can't know what it has missed.
func (n *Node) Lapses() uint64 { return n.lapses.Load() }

// Ended reports whether a birth has ended, as far as this node has seen. True is final. A false may
// be late. It becomes true some renewals after the end of the birth, also for births that ended
// before this node joined.
func (n *Node) Ended(name string, birth uint64) bool { return n.view.hasEnded(name, birth) }

// Done returns a channel that is closed when this birth has ended. Valid says why.
func (n *Node) Done() <-chan struct{} { return n.done }

func (n *Node) end(why error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended == nil {
		n.ended = why
		n.holds.Store(0)
		close(n.done)
	}
}

func (n *Node) keepRenewing(ctx context.Context) {
	for pause(ctx, n.config.Renew) == nil {
		n.renew(ctx)
	}
}

// renew makes one attempt to renew the lease.
func (n *Node) renew(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, n.config.Lease/3)
	defer cancel()
	n.renewing.Lock()
	defer n.renewing.Unlock()
	select {
	case <-n.done:
		return
	default:
	}
	value, err := entry{Token: n.token, Birth: n.birth, Labels: n.config.Labels, Capacity: n.config.Capacity}.encode()
	if err != nil {
		return // Join has encoded the same.
	}
	// Others count from when they see the write, which is after this moment.
	asked, quick := n.config.Clock(), n.config.quick()
	revision, err := n.table.Put(ctx, n.config.Name, value, n.revision, n.config.ttl())
	if err == nil {
		n.revision = revision
		n.extend(asked, quick)
		return
	}
	n.afterFailure(ctx, err)
}

// extend extends the lease by a renewal that was asked for at a time of each clock. If the lease was over,
// the table may have been without a leader for all, so the others get a whole lease to renew theirs.
func (n *Node) extend(asked, quick time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended != nil {
		return
	}
	if now := n.config.Clock(); now >= n.until {
		n.view.forgive(now)
		n.lapses.Add(1)
	}
	n.until = asked + n.config.Lease - n.config.Margin
	n.holds.Store(int64(quick + n.config.Lease - n.config.Margin))
}

// afterFailure decides what a renewal that has failed means. It never extends the lease.
// The caller holds renewing.
func (n *Node) afterFailure(ctx context.Context, err error) {
	if errors.Is(err, engine.ErrAmnesia) {
		n.end(fmt.Errorf("%w: node %q, birth %d: %w", ErrNodeLost, n.config.Name, n.birth, err))
		return
	}
	var conflict *engine.ConflictError
	refused := errors.As(err, &conflict)
	if !refused && !errors.Is(err, engine.ErrUnknownOutcome) {
		return // Nothing was written. The next renewal is made with the same revision.
	}
	there, err := n.table.Get(ctx, n.config.Name)
	if refused && errors.Is(err, engine.ErrNotFound) {
		n.end(fmt.Errorf("%w: node %q, birth %d: its entry is gone", ErrNodeLost, n.config.Name, n.birth))
		return
	}
	if err != nil || there.Revision < n.revision {
		return // Nothing is known, or the read is a stale one.
	}
	switch e, err := decode(there); {
	case err != nil:
		n.end(fmt.Errorf("%w: %w", ErrNodeLost, err))
	case e.Token != n.token:
		n.end(fmt.Errorf("%w: node %q, birth %d: its name belongs to birth %d", ErrNodeLost, n.config.Name, n.birth, e.Birth))
	case e.Ended != "":
		n.end(fmt.Errorf("%w: node %q, birth %d: %s", ErrNodeLost, n.config.Name, n.birth, e.Ended))
	case there.Revision > n.revision:
		n.revision = there.Revision // A write whose answer was lost.
	}
}

// endOthers ends the leases of nodes whose entries have not changed for a whole lease, while
// the own one is renewed.
func (n *Node) endOthers(ctx context.Context) {
	for pause(ctx, n.config.Renew) == nil {
		if n.Valid() != nil {
			continue
		}
		for _, m := range n.view.overdue(n.config.Clock(), n.config.Lease) {
			if m.Name == n.config.Name {
				continue
			}
			value, err := entry{Token: m.token, Birth: m.Birth, Ended: fmt.Sprintf("node %q has ended its lease, which was not renewed for %v", n.config.Name, n.config.Lease)}.encode()
			if err != nil {
				continue
			}
			call, cancel := context.WithTimeout(ctx, n.config.Lease/3)
			// Our watch will show what this write, or one that came before it, has done.
			_, _ = n.table.Put(call, m.Name, value, m.revision, n.config.ttl())
			cancel()
		}
		n.endUnknown(ctx)
	}
}

// endUnknown ends births that somebody has asked about and that have left no entry: they ended
// before this node has watched. The write fails if there is an entry, and the watch will show that one.
func (n *Node) endUnknown(ctx context.Context) {
	for name, birth := range n.view.takeDoubts() {
		value, err := entry{Birth: birth, Ended: "it has left no entry"}.encode()
		if err != nil {
			continue
		}
		call, cancel := context.WithTimeout(ctx, n.config.Lease/3)
		_, _ = n.table.Put(call, name, value, engine.Absent, n.config.ttl())
		cancel()
	}
}

// Leave ends this birth, and tells the others so. If the table does not answer until ctx
// ends, Leave returns the error, and the others take the node for lost when its lease is over.
// The node is not valid from the begin of Leave on. Further calls return nil. A node that is
// lost needs a Leave, too: it ends the goroutines of the node.
func (n *Node) Leave(ctx context.Context) (err error) {
	n.leave.Do(func() {
		lost := errors.Is(n.Valid(), ErrNodeLost)
		n.end(ErrLeft)
		n.stop(ErrLeft)
		n.loops.Wait()
		n.view.close()
		if !lost {
			err = n.sayGoodbye(ctx)
		}
	})
	return err
}

func (n *Node) sayGoodbye(ctx context.Context) error {
	n.renewing.Lock()
	defer n.renewing.Unlock()
	value, err := entry{Token: n.token, Birth: n.birth, Ended: "the node has left", Left: true}.encode()
	if err != nil {
		return err
	}
	for {
		_, err := n.table.Put(ctx, n.config.Name, value, n.revision, n.config.ttl())
		if err == nil {
			return nil
		}
		if !passing(err) {
			return fmt.Errorf("membership: node %q can't say that it leaves: %w", n.config.Name, err)
		}
		if there, err := n.table.Get(ctx, n.config.Name); errors.Is(err, engine.ErrNotFound) {
			return nil
		} else if err == nil {
			e, err := decode(there)
			if err != nil || e.Token != n.token || e.Ended != "" {
				return err
			}
			n.revision = max(n.revision, there.Revision)
		}
		if pause(ctx, n.config.Renew/4) != nil {
			return fmt.Errorf("membership: node %q can't say that it leaves: %w", n.config.Name, err)
		}
	}
}
