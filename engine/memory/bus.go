package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// Bus is the bus of one node of a [Network]. It implements [engine.Bus].
type Bus struct {
	network *Network
	node    string

	// The network's mutex guards what follows.
	subscriptions map[*subscription]bool
	created       uint64
	resumed       chan struct{} // Closed when a pause ends; nil while there is none.
	closed        bool
	ended         chan struct{} // Closed when closed is set.
}

var _ engine.Bus = (*Bus)(nil)

// waiting is how many bytes may wait for a slow link: as much as one frame may have.
const waiting = engine.MaxFrame

// Publish implements [engine.Bus].
func (b *Bus) Publish(ctx context.Context, class engine.Class, subject string, frame []byte) error {
	if len(frame) > engine.MaxFrame {
		return fmt.Errorf("%w (it has %d)", engine.ErrFrameTooLong, len(frame))
	}
	if err := checkSubject(class, subject); err != nil {
		return err
	}
	for {
		wait, resumed, err := b.publish(ctx, class, subject, frame)
		if err != nil || wait == 0 && resumed == nil {
			return err
		}
		if err := b.waitFor(ctx, wait, resumed); err != nil {
			return err
		}
	}
}

// publish publishes the frame, or returns what must be waited for first.
func (b *Bus) publish(ctx context.Context, class engine.Class, subject string, frame []byte) (time.Duration, chan struct{}, error) {
	n := b.network
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case b.closed:
		return 0, nil, engine.ErrClosed
	case ctx.Err() != nil:
		return 0, nil, context.Cause(ctx)
	case b.resumed != nil:
		return 0, b.resumed, nil
	}
	now := time.Now()
	to := b.subscribers(class, subject)
	for _, s := range to {
		d := direction{pair{b.node, s.bus.node}, class == engine.Urgent}
		if rate := n.faultsOf(d.pair).Rate; rate > 0 && d.from != d.to {
			backlog := n.link(d).free.Sub(now)
			if limit := time.Duration(float64(waiting) / float64(rate) * float64(time.Second)); backlog > limit {
				return backlog - limit, nil, nil
			}
		}
	}
	for _, s := range to {
		first, second, copies := n.arrivals(direction{pair{b.node, s.bus.node}, class == engine.Urgent}, len(frame), now)
		if copies > 0 {
			s.add(b.node, frame, first)
		}
		if copies > 1 {
			s.add(b.node, frame, second)
		}
	}
	return 0, nil, nil
}

// subscribers returns the subscriptions of a subject on all nodes, in an order that is the
// same in each run. The caller holds the network's mutex.
func (b *Bus) subscribers(class engine.Class, subject string) []*subscription {
	var to []*subscription
	for _, other := range b.network.nodes {
		for s := range other.subscriptions {
			if s.class == class && s.subject == subject {
				to = append(to, s)
			}
		}
	}
	if len(to) > 1 {
		slices.SortFunc(to, func(a, b *subscription) int {
			if by := strings.Compare(a.bus.node, b.bus.node); by != 0 {
				return by
			}
			return int(a.number) - int(b.number)
		})
	}
	return to
}

// waitFor waits for the end of a pause, or for a time.
func (b *Bus) waitFor(ctx context.Context, wait time.Duration, resumed chan struct{}) error {
	var over <-chan time.Time
	if resumed == nil {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
	case <-resumed:
	case <-b.ended:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// Subscribe implements [engine.Bus]. While deliver runs, 1,024 further frames are kept.
func (b *Bus) Subscribe(class engine.Class, subject string, deliver func(frame []byte)) (engine.Subscription, error) {
	if err := checkSubject(class, subject); err != nil {
		return nil, err
	}
	n := b.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if b.closed {
		return nil, engine.ErrClosed
	}
	b.created++
	s := &subscription{bus: b, number: b.created, class: class, subject: subject, deliver: deliver, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	if n.engine != nil {
		s.guest = n.engine.NewGuest("subscription of " + b.node)
	}
	b.subscriptions[s] = true
	go s.run()
	return s, nil
}

// Reachable implements [engine.Bus]. It fails while Cut or CutOneWay has separated the node
// from all others.
func (b *Bus) Reachable() error {
	n := b.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if b.closed {
		return engine.ErrClosed
	}
	var since time.Time
	for name := range n.nodes {
		if name == b.node {
			continue
		}
		at, cut := n.cut[pair{b.node, name}]
		back, cutBack := n.cut[pair{name, b.node}]
		if !cut && !cutBack {
			return nil
		}
		if !cut || cutBack && back.Before(at) {
			at = back
		}
		if at.After(since) {
			since = at
		}
	}
	if since.IsZero() {
		return nil
	}
	return fmt.Errorf("memory: node %q is cut off from all others since %s; Network.Heal joins them again", b.node, since.Format(time.RFC3339Nano))
}

// Close ends the node's subscriptions and its calls of Publish. It returns nil.
func (b *Bus) Close() error {
	n := b.network
	n.mu.Lock()
	if !b.closed {
		b.closed = true
		close(b.ended)
	}
	var all []*subscription
	for s := range b.subscriptions {
		all = append(all, s)
	}
	n.mu.Unlock()
	for _, s := range all {
		_ = s.Close() // It returns nil.
	}
	return nil
}

// lose drops what is under way from a node. The caller holds the network's mutex.
func (b *Bus) lose(from string) {
	for s := range b.subscriptions {
		s.lose(from)
	}
}

func checkSubject(class engine.Class, subject string) error {
	if class > engine.Bulk {
		return fmt.Errorf("memory: class %d is none of the engine's", class)
	}
	word := 0
	for i := range len(subject) {
		switch c := subject[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_':
			word++
			continue
		case c == '.' && word > 0:
			word = 0
			continue
		}
		return fmt.Errorf("memory: the subject %q has a wrong byte at place %d; it consists of words of letters, digits, '-' and '_', joined by dots", subject, i)
	}
	if word == 0 {
		return fmt.Errorf("memory: the subject %q has no word at its end", subject)
	}
	return nil
}
