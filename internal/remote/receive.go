package remote

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/kernel/standin"
	"github.com/troupe-go/troupe/internal/session"
	"github.com/troupe-go/troupe/wire"
)

// deliver takes a message that has come. It is a session's Deliver.
func (n *Node) deliver(s *session.Session, m *session.Message) session.Verdict {
	a := n.agreement(s)
	if a == nil {
		return session.Refused // The session lets nothing through before the agreement.
	}
	switch m.Kind {
	case session.Tell, session.Ask:
		return n.message(s, a, m)
	case session.Reply:
		return n.reply(a, m)
	case session.Cancel:
		return n.cancelled(s, a, m)
	case session.Order:
		return n.obey(s, m)
	case session.Watch, session.Unwatch:
		n.watch(s, m.Target, m.Kind == session.Watch)
		return session.Taken
	case session.Exited:
		name, reason, err := readExit(a, m.Payload)
		if err != nil {
			reason = err
		}
		n.exited(standin.Address{Node: standin.Node(s.Peer()), Number: m.Sender}, nil, name, reason)
		return session.Taken
	}
	return session.Refused
}

// message gives a message to its actor, or has a goroutine wait for room.
func (n *Node) message(s *session.Session, a *wire.Agreement, m *session.Message) session.Verdict {
	at := room{place{s, m.Target}, m.Lane}
	n.mu.Lock()
	if w := n.pending[at]; w != nil {
		defer n.mu.Unlock()
		if !w.taken {
			return session.Full
		}
		delete(n.pending, at)
		return session.Taken
	}
	n.mu.Unlock()
	l, err := n.letter(s, a, m)
	if err != nil {
		if l.Ask != nil && l.Ask.To.Birth != 0 {
			_ = carrier{n}.Answer(l.Ask.To, nil, fmt.Errorf("%w: node %v can't read the message: %w", actor.ErrNoReply, n.self, err))
			n.host.Cancel(l.Ask.To, err)
		}
		return session.Refused
	}
	err = n.host.Deliver(n.ctx, m.Target, l)
	if !errors.Is(err, actor.ErrFull) {
		return session.Taken // If the actor has ended, it is a dead letter here.
	}
	w := &waiting{}
	n.mu.Lock()
	n.pending[at] = w
	n.mu.Unlock()
	number, lane := m.Target, m.Lane
	if !n.run(func() {
		l.Wait = true
		_ = n.host.Deliver(n.ctx, number, l) // As above.
		n.mu.Lock()
		w.taken = true
		n.mu.Unlock()
		s.Ready(number, lane)
	}) {
		n.mu.Lock()
		delete(n.pending, at)
		n.mu.Unlock()
		over, cancel := context.WithCancelCause(n.ctx) // The node is closed, and does not wait: the message is a dead letter.
		cancel(session.ErrClosed)
		l.Wait = true
		_ = n.host.Deliver(over, number, l)
		return session.Taken
	}
	return session.Full
}

// letter reads a message, with its refs bound. If it fails, the ask may be set.
func (n *Node) letter(s *session.Session, a *wire.Agreement, m *session.Message) (standin.Letter, error) {
	l := standin.Letter{Lane: laneFor(m.Lane)}
	if m.Kind == session.Ask {
		var err error
		if l.Ask, err = readAsk(a, m.Values, m.Left); err != nil {
			return l, err
		}
		if l.Ask.To.Node != n.self {
			n.mu.Lock()
			n.arrived[l.Ask.To] = arrival{m.Lane}
			n.mu.Unlock()
		}
	}
	v, err := a.DecodeFor(m.Payload, func(ref any) error { return n.host.Bind(ref, l.Ask) })
	if err != nil {
		return l, fmt.Errorf("from node %v: %w", s.Peer(), err)
	}
	l.Message = v
	return l, nil
}

func (n *Node) reply(a *wire.Agreement, m *session.Message) session.Verdict {
	var value any
	var err error
	if m.Failed {
		remote, bad := a.DecodeError(m.Payload)
		if err = remote; bad != nil {
			err = bad
		}
	}
	if m.Target&orderMark != 0 {
		if !n.finish(m.Target, err) {
			return session.Refused
		}
		return session.Taken
	}
	if !m.Failed {
		if value, err = a.DecodeFor(m.Payload, func(ref any) error { return n.host.Bind(ref, nil) }); err != nil {
			err = fmt.Errorf("%w: the answer can't be read: %w", actor.ErrNoReply, err)
		}
	}
	n.note(m.Target, nil)
	if n.host.Answered(m.Target, value, err) != nil {
		return session.Refused // It is late.
	}
	return session.Taken
}

func (n *Node) cancelled(s *session.Session, a *wire.Agreement, m *session.Message) session.Verdict {
	if m.Ask&orderMark != 0 {
		n.mu.Lock()
		cancel := n.obeyed[place{s, m.Ask}]
		n.mu.Unlock()
		if cancel == nil {
			return session.Refused
		}
		cancel()
		return session.Taken
	}
	ask, rest, err := readAddress(m.Payload)
	if err != nil {
		return session.Refused
	}
	cause, err := a.DecodeError(rest)
	if err != nil {
		return session.Refused
	}
	n.mu.Lock()
	delete(n.arrived, ask)
	n.mu.Unlock()
	n.host.Cancel(ask, cause)
	return session.Taken
}

// obey does what another node orders.
func (n *Node) obey(s *session.Session, m *session.Message) session.Verdict {
	at, target, command, limit := place{s, m.Ask}, m.Target, m.Command, m.Left
	if at.number&orderMark == 0 {
		return session.Refused
	}
	ctx, cancel := context.WithCancel(n.ctx)
	if limit > 0 {
		cancel()
		ctx, cancel = context.WithTimeout(n.ctx, limit)
	}
	n.mu.Lock()
	n.obeyed[at] = cancel
	n.mu.Unlock()
	forget := func() {
		n.mu.Lock()
		delete(n.obeyed, at)
		n.mu.Unlock()
		cancel()
	}
	if !n.run(func() {
		defer forget()
		err := n.host.Order(ctx, target, standin.Order(command))
		reply := posted{Message: session.Message{Kind: session.Reply, Lane: session.Control, Target: at.number, Failed: err != nil}}
		if err != nil {
			reply.payload = n.own.AppendError(nil, err)
		}
		n.post(standin.Node(s.Peer()), reply)
	}) {
		forget()
		return session.Refused
	}
	return session.Taken
}

// watch begins or ends a watch of another node for an actor of this one.
func (n *Node) watch(s *session.Session, number uint64, on bool) {
	at := place{s, number}
	n.mu.Lock()
	cancel := n.watching[at]
	delete(n.watching, at)
	n.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	if !on {
		return
	}
	cancel = n.host.Watch(number, func(name string, reason error) {
		n.post(standin.Node(s.Peer()), posted{Message: session.Message{Kind: session.Exited, Lane: session.Control, Sender: number}, payload: n.appendExit(name, reason)})
	})
	n.mu.Lock()
	n.watching[at] = cancel
	n.mu.Unlock()
	if s.Err() != nil { // It may have ended before the watch was in the table.
		n.endWatches(s)
	}
}

// endWatches ends the watches of another node whose session has ended.
func (n *Node) endWatches(s *session.Session) {
	var cancels []func()
	n.mu.Lock()
	for at, cancel := range n.watching {
		if at.session == s {
			cancels = append(cancels, cancel)
			delete(n.watching, at)
		}
	}
	n.mu.Unlock()
	for _, cancel := range cancels {
		cancel()
	}
}

// maxExitName bounds the name of an actor that has ended. Picked out of thin air.
const maxExitName = 4 << 10

func (n *Node) appendExit(name string, reason error) []byte {
	name = name[:min(len(name), maxExitName)]
	data := append(binary.AppendUvarint(nil, uint64(len(name))), name...)
	if reason != nil {
		data = n.own.AppendError(data, reason)
	}
	return data
}

func readExit(a *wire.Agreement, data []byte) (name string, reason, err error) {
	size, used := binary.Uvarint(data)
	if used <= 0 || size > maxExitName || size > uint64(len(data)-used) {
		return "", nil, fmt.Errorf("%w: the name of an actor that has ended is cut or too long", wire.ErrData)
	}
	name, data = string(data[used:used+int(size)]), data[used+int(size):]
	if len(data) == 0 {
		return name, nil, nil
	}
	remote, err := a.DecodeError(data)
	if err != nil {
		return "", nil, err
	}
	return name, remote, nil
}

// unconfirmed deals with a message of this node that was not acknowledged. It is a session's Unconfirmed.
func (n *Node) unconfirmed(s *session.Session, m *session.Message, err error) {
	if m.Kind != session.Tell && m.Kind != session.Ask {
		return
	}
	err = n.told(err)
	to := standin.Address{Node: standin.Node(s.Peer()), Number: m.Target}
	if v, bad := n.own.Decode(m.Payload); bad == nil {
		n.host.Lost(to, standin.Letter{Lane: laneFor(m.Lane), Message: v}, err)
	}
	if m.Kind != session.Ask {
		return
	}
	ask, _, bad := readAddress(m.Values)
	if bad != nil {
		return
	}
	failed := fmt.Errorf("%w from node %v: %w", actor.ErrNoReply, to.Node, err)
	if ask.Node != n.self {
		_ = carrier{n}.Answer(ask, nil, failed)
		return
	}
	n.note(ask.Number, nil)
	_ = n.host.Answered(ask.Number, nil, failed) // It may be late.
}

// ended ends what hangs on a session: asks that have left by it, asks that have come, watches and orders. It is a session's Ended.
func (n *Node) ended(s *session.Session, err error) {
	peer, err := standin.Node(s.Peer()), n.told(err)
	var asks, orders []uint64
	var arrived []standin.Address
	exits := map[standin.Address]*watched{}
	var cancels []func()
	n.mu.Lock()
	for number, a := range n.asks {
		if a.session == s {
			asks = append(asks, number)
			delete(n.asks, number)
		}
	}
	for ask := range n.arrived {
		if ask.Node == peer {
			arrived = append(arrived, ask)
			delete(n.arrived, ask)
		}
	}
	for at, w := range n.watched {
		if w.session == s {
			exits[at] = w
		}
	}
	for number, w := range n.orders {
		if w.session == s {
			orders = append(orders, number)
		}
	}
	for at, cancel := range n.obeyed {
		if at.session == s {
			cancels = append(cancels, cancel)
		}
	}
	n.mu.Unlock()
	for _, number := range asks {
		_ = n.host.Answered(number, nil, fmt.Errorf("%w from node %v: %w", actor.ErrNoReply, peer, err)) // It may be late.
	}
	for _, ask := range arrived {
		n.host.Cancel(ask, err)
	}
	for at, w := range exits {
		n.parted(at, w, err)
	}
	for _, number := range orders {
		n.finish(number, err)
	}
	n.endWatches(s)
	for _, cancel := range cancels {
		cancel()
	}
}
