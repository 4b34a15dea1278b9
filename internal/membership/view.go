package membership

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// A Member is a birth of a node that lives, as far as this node has seen.
type Member struct {
	Name   string
	Birth  uint64
	Labels map[string]string // Must not be changed.
	// Capacity says how much the node takes, beside others.
	Capacity int

	token    string
	revision uint64
	seen     time.Duration // When this node has seen the revision first, by its own clock.
}

// Kind says what has happened to a node.
type Kind uint8

// The kinds of events.
const (
	Joined Kind = iota
	Left        // It has ended its birth itself.
	Lost        // Its lease is over, or its entry has vanished.
)

// String returns "joined", "left" or "lost".
func (k Kind) String() string { return [...]string{"joined", "left", "lost"}[min(k, Lost)] }

// An Event is what [Node.Events] yields.
type Event struct {
	Kind   Kind
	Member Member
	Reason string // Empty for Joined.
}

// String returns the event for people.
func (e Event) String() string {
	if e.Kind == Joined {
		return fmt.Sprintf("node %q, birth %d, has joined", e.Member.Name, e.Member.Birth)
	}
	return fmt.Sprintf("node %q, birth %d, %s: %s", e.Member.Name, e.Member.Birth, e.Kind, e.Reason)
}

// end is how the last birth of a name has ended.
type end struct {
	birth  uint64
	kind   Kind
	reason string
}

// view is what a node has seen of the table.
type view struct {
	mu      sync.Mutex
	members map[string]Member
	ends    map[string]end
	past    map[string]uint64 // By name, the greatest birth that has ended.
	doubts  map[string]uint64 // Births that somebody has asked about and nobody has seen.
	changed chan struct{}     // Closed at the next change of members.
	closed  bool
}

func newView() *view {
	return &view{members: map[string]Member{}, ends: map[string]end{}, past: map[string]uint64{}, doubts: map[string]uint64{}, changed: make(chan struct{})}
}

// take takes a change of the table.
func (v *view) take(c engine.Change, now time.Duration) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if c.Deleted {
		v.past[c.Key] = max(v.past[c.Key], c.Revision)
		v.gone(c.Key, end{v.members[c.Key].Birth, Lost, "its entry has vanished"})
		return nil
	}
	e, err := decode(c.Entry)
	if err != nil {
		return err
	}
	if e.Ended != "" {
		v.past[c.Key] = max(v.past[c.Key], e.Birth)
		kind := Lost
		if e.Left {
			kind = Left
		}
		v.gone(c.Key, end{e.Birth, kind, e.Ended})
		return nil
	}
	v.past[c.Key] = max(v.past[c.Key], e.Birth-1)
	old, there := v.members[c.Key]
	v.members[c.Key] = Member{Name: c.Key, Birth: e.Birth, Labels: e.Labels, Capacity: e.Capacity, token: e.Token, revision: c.Revision, seen: now}
	if !there || old.Birth != e.Birth {
		v.tell()
	}
	return nil
}

// gone notes the end of a birth. The caller holds mu.
func (v *view) gone(name string, how end) {
	_, there := v.members[name]
	if !there && how.birth <= v.ends[name].birth {
		return
	}
	delete(v.members, name)
	v.ends[name] = how // Also of a birth that this node has not seen alive, since it may have refs to it.
	v.tell()
}

// endsSince returns the ends of births that are later than those that were told, which it brings up to date.
func (v *view) endsSince(told map[string]uint64) (events []Event, changed chan struct{}, closed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, how := range v.ends {
		if how.birth > told[name] {
			told[name] = how.birth
			events = append(events, Event{how.kind, Member{Name: name, Birth: how.birth}, how.reason})
		}
	}
	slices.SortFunc(events, func(a, b Event) int { return cmp.Compare(a.Member.Birth, b.Member.Birth) })
	return events, v.changed, v.closed
}

func (v *view) hasEnded(name string, birth uint64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if birth <= v.past[name] {
		return true
	}
	if v.members[name].Birth < birth {
		v.doubts[name] = birth
	}
	return false
}

// takeDoubts returns the births that nobody has seen, and forgets them.
func (v *view) takeDoubts() map[string]uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	doubts := v.doubts
	v.doubts = map[string]uint64{}
	return doubts
}

// tell wakes all that wait for a change. The caller holds mu.
func (v *view) tell() {
	close(v.changed)
	v.changed = make(chan struct{})
}

func (v *view) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	v.tell()
}

// overdue returns the members whose entries have not changed for a lease.
func (v *view) overdue(now, lease time.Duration) (all []Member) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, m := range v.members {
		if now-m.seen >= lease {
			all = append(all, m)
		}
	}
	return all
}

// forgive has the leases of all members begin now.
func (v *view) forgive(now time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, m := range v.members {
		m.seen = now
		v.members[name] = m
	}
}

// list returns the members by name.
func (v *view) list() []Member {
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []Member
	for _, m := range v.members {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// since returns what has changed since the known members, which it brings up to date.
func (v *view) since(known map[string]Member) (events []Event, changed chan struct{}, closed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, m := range known {
		if v.members[name].Birth == m.Birth {
			continue
		}
		how := v.ends[name]
		if how.birth != m.Birth {
			how = end{m.Birth, Lost, "a later birth has its name"}
		}
		delete(known, name)
		events = append(events, Event{how.kind, m, how.reason})
	}
	for name, m := range v.members {
		if _, there := known[name]; !there {
			known[name] = m
			events = append(events, Event{Joined, m, ""})
		}
	}
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.Member.Birth, b.Member.Birth) })
	return events, v.changed, v.closed
}

// watch follows the table until ctx ends.
func (n *Node) watch(ctx context.Context) {
	after := uint64(0)
	for ctx.Err() == nil {
		for c, err := range n.table.Watch(ctx, after) {
			if err == nil && !c.Current {
				after = max(after, c.Revision)
				err = n.view.take(c, n.config.Clock())
			}
			if errors.Is(err, engine.ErrAmnesia) {
				n.end(fmt.Errorf("%w: node %q, birth %d: %w", ErrNodeLost, n.config.Name, n.birth, err))
				return
			}
			if err != nil {
				continue // The watch ends by itself if it can't go on. A foreign entry is no member.
			}
		}
		_ = pause(ctx, n.config.Renew) // Then ctx has ended, or the watch begins again.
	}
}

// Members returns the members that this node has seen last, by name.
func (n *Node) Members() []Member { return n.view.list() }

// Events yields the members that live, as joined, and then what happens, until ctx ends, the
// node leaves, or the loop ends. Each birth that it has yielded as joined is yielded as left or
// lost later. A loop that is slow leaves out births that have begun and ended meanwhile, so
// nothing queues up.
func (n *Node) Events(ctx context.Context) iter.Seq[Event] {
	known := map[string]Member{}
	return n.each(ctx, func() ([]Event, chan struct{}, bool) { return n.view.since(known) })
}

// Ends yields the last birth of each name that has ended, and then each birth that ends. It yields a birth, too, that has begun and ended
// while this node did not look; Events leaves that out. The members have a name and a birth alone. Of several births of one name it may leave out earlier ones.
func (n *Node) Ends(ctx context.Context) iter.Seq[Event] {
	told := map[string]uint64{}
	return n.each(ctx, func() ([]Event, chan struct{}, bool) { return n.view.endsSince(told) })
}

// each yields what look returns, again and again.
func (n *Node) each(ctx context.Context, look func() (events []Event, changed chan struct{}, closed bool)) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for {
			events, changed, closed := look()
			for _, e := range events {
				if !yield(e) {
					return
				}
			}
			if closed {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}
}
