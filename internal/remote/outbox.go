package remote

import (
	"github.com/troupe-go/troupe/internal/kernel/standin"
	"github.com/troupe-go/troupe/internal/session"
)

// outbox has what goes to a node and must not make its caller wait, in order.
type outbox struct {
	queue   []posted
	running bool
}

// posted is a message in an outbox.
type posted struct {
	session.Message
	payload []byte
	// begun is called with the session that takes the message, and failed if none does. Both may be nil.
	begun  func(s *session.Session)
	failed func(err error)
}

// post sends a message soon.
func (n *Node) post(to standin.Node, p posted) {
	n.mu.Lock()
	o := n.outboxes[to]
	if o == nil {
		o = &outbox{}
		n.outboxes[to] = o
	}
	o.queue = append(o.queue, p)
	start := !o.running
	o.running = true
	n.mu.Unlock()
	if start && !n.run(func() { n.empty(to, o) }) {
		n.drop(to, o)
	}
}

// empty sends what is in an outbox until there is nothing.
func (n *Node) empty(to standin.Node, o *outbox) {
	for {
		n.mu.Lock()
		if len(o.queue) == 0 {
			o.running = false
			delete(n.outboxes, to)
			n.mu.Unlock()
			return
		}
		p := o.queue[0]
		o.queue = o.queue[1:]
		n.mu.Unlock()
		if err := n.send(to, p); err != nil && p.failed != nil {
			p.failed(n.told(err))
		}
	}
}

// drop fails what is in an outbox of a node that is closed.
func (n *Node) drop(to standin.Node, o *outbox) {
	n.mu.Lock()
	all := o.queue
	delete(n.outboxes, to)
	n.mu.Unlock()
	for _, p := range all {
		if p.failed != nil {
			p.failed(n.told(session.ErrClosed))
		}
	}
}

func (n *Node) send(to standin.Node, p posted) error {
	s, err := n.begin(session.Node(to))
	if err != nil {
		return err
	}
	if err := s.Await(n.ctx); err != nil {
		return err
	}
	if p.begun != nil {
		p.begun(s)
	}
	return s.Send(n.ctx, p.Message, func(dst []byte) ([]byte, error) { return append(dst, p.payload...), nil })
}
