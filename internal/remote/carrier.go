package remote

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/kernel/standin"
	"github.com/troupe-go/troupe/internal/session"
	"github.com/troupe-go/troupe/internal/workers"
)

// carrier is a node, as the kernel sees it.
type carrier struct{ *Node }

var (
	_ standin.Carrier = carrier{}
	_ standin.Counter = carrier{}
)

// Route implements [standin.Carrier].
func (n carrier) Route(standin.StandIn) any { return nil }

// open returns a session that is ready, if the caller may wait for it.
func (n carrier) open(ctx context.Context, to standin.Node, wait bool) (*session.Session, error) {
	s, err := n.begin(session.Node(to))
	switch {
	case err != nil:
		return nil, err
	case wait:
		return s, s.Await(ctx)
	case n.agreement(s) == nil:
		return nil, actor.ErrFull // It takes messages soon.
	}
	return s, nil
}

// Carry implements [standin.Carrier].
func (n carrier) Carry(ctx context.Context, to standin.StandIn, l standin.Letter) error {
	at := to.Address()
	s, err := n.open(ctx, at.Node, l.Wait)
	if err != nil {
		return n.told(err)
	}
	a := n.agreement(s)
	message := reflect.ValueOf(l.Message).Elem().Interface()
	m := session.Message{Kind: session.Tell, Lane: laneOf(l.Lane), Target: at.Number}
	if l.Ask != nil {
		m.Kind, m.Ask, m.Left = session.Ask, l.Ask.To.Number, left(l.Ask.Context)
		if m.Values, err = appendAsk(nil, a, l.Ask); err != nil {
			return err
		}
		if l.Ask.To.Node == n.self {
			n.note(l.Ask.To.Number, &sent{s, m.Lane})
			defer func() {
				if err != nil {
					n.note(l.Ask.To.Number, nil)
				}
			}()
		}
	}
	data, err := a.Append(nil, message) // Not under the session's lock: the methods of a program may take long.
	if err != nil {
		return err
	}
	payload := func(dst []byte) ([]byte, error) { return append(dst, data...), nil }
	if l.Wait {
		err = s.Send(ctx, m, payload)
	} else {
		err = s.TrySend(m, payload)
	}
	err = n.told(err)
	return err
}

// note enters an ask that leaves, or takes it out.
func (n *Node) note(number uint64, a *sent) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if a == nil {
		delete(n.asks, number)
		return
	}
	n.asks[number] = a
}

// Watch implements [standin.Carrier].
func (n carrier) Watch(to standin.StandIn, on bool) {
	at := to.Address()
	n.mu.Lock()
	if !on {
		w := n.watched[at]
		delete(n.watched, at)
		n.mu.Unlock()
		if w != nil {
			n.post(at.Node, posted{Message: session.Message{Kind: session.Unwatch, Lane: session.Control, Target: at.Number}})
		}
		return
	}
	w := &watched{to: to}
	n.watched[at] = w
	n.mu.Unlock()
	n.post(at.Node, posted{
		Message: session.Message{Kind: session.Watch, Lane: session.Control, Target: at.Number},
		begun: func(s *session.Session) {
			n.mu.Lock()
			defer n.mu.Unlock()
			w.session = s
		},
		failed: func(err error) {
			if errors.Is(err, session.ErrClosed) { // Maybe Watch has not returned, and this node reaches nobody any more.
				n.exited(at, w, "", err)
				return
			}
			n.parted(at, w, err)
		},
	})
}

// Backlog implements [standin.Counter].
func (n carrier) Backlog(to standin.StandIn) int {
	at := to.Address()
	if s := n.end.Known(session.Node(at.Node)); s != nil {
		return s.Untaken(at.Number)
	}
	return 0
}

// exited tells a stand-in that its actor has ended. If w is not nil, only that watch ends.
func (n *Node) exited(at standin.Address, w *watched, name string, reason error) {
	if w = n.unwatch(at, w); w != nil {
		w.to.Exited(name, reason)
	}
}

// parted tells a stand-in that nothing is known of its actor any more.
func (n *Node) parted(at standin.Address, w *watched, reason error) {
	if w = n.unwatch(at, w); w != nil {
		w.to.Parted(reason)
	}
}

// unwatch takes out the watch of an actor, if it is w or w is nil, and returns it.
func (n *Node) unwatch(at standin.Address, w *watched) *watched {
	n.mu.Lock()
	defer n.mu.Unlock()
	known := n.watched[at]
	if known == nil || w != nil && known != w {
		return nil
	}
	delete(n.watched, at)
	return known
}

// Answer implements [standin.Carrier].
func (n carrier) Answer(to standin.Address, value any, err error) error {
	n.mu.Lock()
	lane := session.Data
	if a, ok := n.arrived[to]; ok {
		lane = a.lane
		delete(n.arrived, to)
	}
	n.mu.Unlock()
	agreed := n.own
	if s, bad := n.begin(session.Node(to.Node)); bad == nil {
		if a := n.agreement(s); a != nil {
			agreed = a
		}
	}
	var data []byte
	var failed error
	if err == nil {
		if data, failed = agreed.Append(nil, value); failed != nil {
			err = fmt.Errorf("%w: the answer can't be sent: %w", actor.ErrNoReply, failed)
		}
	}
	if err != nil {
		data = n.own.AppendError(nil, err)
	}
	if to.Node == n.self { // An ask of this node whose message has been away.
		return failed
	}
	n.post(to.Node, posted{Message: session.Message{Kind: session.Reply, Lane: lane, Target: to.Number, Failed: err != nil}, payload: data})
	return failed
}

// Cancel implements [standin.Carrier].
func (n carrier) Cancel(to standin.StandIn, ask standin.Address, cause error) {
	if ask.Node == n.self {
		n.note(ask.Number, nil)
	}
	data := n.own.AppendError(appendAddress(nil, ask), cause)
	n.post(to.Address().Node, posted{Message: session.Message{Kind: session.Cancel, Lane: session.Control, Target: to.Address().Number, Ask: ask.Number}, payload: data})
}

// order is an order that a caller waits for.
type order struct {
	workers.Waiter
	session *session.Session
	done    bool // Guarded by the node's mu, as is err.
	err     error
}

// orderMark marks the numbers of orders among the numbers in replies.
const orderMark = 1 << 63

// Order implements [standin.Carrier].
func (n carrier) Order(ctx context.Context, to standin.StandIn, o standin.Order) error {
	at := to.Address()
	s, err := n.open(ctx, at.Node, true)
	if err != nil {
		return n.told(err)
	}
	w := &order{session: s}
	w.Arm(ctx, nil)
	defer w.Disarm()
	n.mu.Lock()
	n.number++
	number := n.number | orderMark
	n.orders[number] = w
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		delete(n.orders, number)
		n.mu.Unlock()
	}()
	lane := session.Control
	if o == standin.Drain { // It comes after what was sent before.
		lane = session.Data
	}
	m := session.Message{Kind: session.Order, Lane: lane, Target: at.Number, Ask: number, Left: left(ctx), Command: session.Command(o)}
	if err := s.Send(ctx, m, nil); err != nil {
		return n.told(err)
	}
	if o == standin.Kill {
		return nil
	}
	for {
		n.mu.Lock()
		done, result := w.done, w.err
		n.mu.Unlock()
		if done {
			return result
		}
		if err := s.Err(); err != nil { // It may have ended before the order was in the table.
			return n.told(err)
		}
		if !w.Wait(ctx) {
			n.post(at.Node, posted{Message: session.Message{Kind: session.Cancel, Lane: lane, Target: at.Number, Ask: number}, payload: n.own.AppendError(nil, context.Cause(ctx))})
			return context.Cause(ctx)
		}
	}
}

// finish ends the wait for an order.
func (n *Node) finish(number uint64, err error) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	w := n.orders[number]
	if w == nil {
		return false
	}
	w.done, w.err = true, err
	w.Wake(nil, workers.Low)
	return true
}
