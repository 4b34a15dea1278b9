package cluster

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/membership"
)

// A Member is a birth of a node.
type Member struct {
	Name     string
	Birth    uint64 // A later birth of the same name has a greater one.
	Labels   map[string]string
	Capacity int // See [Config].
}

// String returns name and birth, as "a/7".
func (m Member) String() string { return fmt.Sprintf("%s/%d", m.Name, m.Birth) }

// Kind says what has happened to a node.
type Kind uint8

// The kinds of events.
const (
	Joined Kind = iota
	Left        // It has ended its birth itself.
	Lost        // The others have ended its birth, since it did not renew its lease.
)

// String returns "joined", "left" or "lost".
func (k Kind) String() string {
	if k > Lost {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return [...]string{"joined", "left", "lost"}[k]
}

// An Event says what has happened to a node, as another one has seen it.
type Event struct {
	Kind   Kind
	Member Member
	Reason string // For people; empty for Joined.
}

// String returns the event for people.
func (e Event) String() string {
	if e.Kind == Joined {
		return fmt.Sprintf("node %v has joined", e.Member)
	}
	return fmt.Sprintf("node %v is gone (%v): %s", e.Member, e.Kind, e.Reason)
}

func memberOf(m membership.Member) Member {
	return Member{Name: m.Name, Birth: m.Birth, Labels: maps.Clone(m.Labels), Capacity: m.Capacity}
}

func eventOf(e membership.Event) Event {
	return Event{Kind: Kind(e.Kind), Member: memberOf(e.Member), Reason: e.Reason}
}

// Members returns the nodes that live, this one among them, by name, as this node has seen last. It asks nobody. A node
// that has ended has the members of that time.
func (n *Node) Members() []Member {
	var all []Member
	for _, m := range n.member.Members() {
		all = append(all, memberOf(m))
	}
	return all
}

// Events yields the nodes that live, this one among them, as [Joined], and then what happens, until ctx ends, the birth of
// this node does, or the loop. Each birth that it has yielded as joined is yielded as [Left] or [Lost] later. A
// loop that is slow leaves out births that have begun and ended meanwhile, so nothing queues up.
func (n *Node) Events(ctx context.Context) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for e := range n.member.Events(ctx) {
			if !yield(eventOf(e)) {
				return
			}
		}
	}
}

// Notify sends an actor what Events yields, each event as the message that wrap makes of it, until ctx ends, the birth of the node
// does, or the actor. The actor's lane bounds what waits. Wrap is called on one goroutine, and must not wait.
func Notify[M any](ctx context.Context, n *Node, ref actor.Ref[M], wrap func(Event) M) error {
	switch {
	case ctx == nil:
		return errors.New("cluster: notify of events: the context is nil; use context.Background()")
	case n == nil || wrap == nil:
		return errors.New("cluster: notify of events: the node or the function is nil")
	case ref == actor.Ref[M]{}:
		return fmt.Errorf("cluster: notify of events: %w", actor.ErrNoRef)
	}
	if !n.start(func() {
		both, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(n.ctx, cancel)()
		for e := range n.member.Events(both) {
			if err := ref.Send(both, wrap(eventOf(e))); err != nil {
				return
			}
		}
	}) {
		return fmt.Errorf("cluster: notify of events: %w", n.Valid())
	}
	return nil
}
