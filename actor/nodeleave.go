package actor

import "fmt"

// node returns the system as a node, or nil.
func (s *System) node() *host {
	if h := s.abroad.Load(); h != nil && h.whyLeft() == nil {
		return h
	}
	return nil
}

// whyLeft returns why the system is no node any more, or nil.
func (h *host) whyLeft() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.left
}

// Stopped implements [standin.Host].
func (h *host) Stopped() <-chan struct{} { return h.sys.stopped }

// Leave implements [standin.Host]. Stand-ins that come later are lost from their begin on.
func (h *host) Leave(reason error) {
	if reason == nil {
		reason = ErrStopped
	}
	var peers []*peer
	h.mu.Lock()
	if h.left == nil {
		h.left = reason
	}
	for _, r := range h.peers { // In any order: the end of one says nothing of another.
		peers = append(peers, r)
	}
	h.mu.Unlock()
	for _, r := range peers {
		h.Ended(r.node, reason)
	}
	var sent []*sentAsk // Asks that were in messages to actors of this system, or that others have sent on.
	var arrived []address
	h.mu.Lock()
	for _, s := range h.sent {
		sent = append(sent, s)
	}
	for _, asked := range h.arrived {
		arrived = append(arrived, asked)
	}
	clear(h.sent)
	clear(h.numbers)
	h.mu.Unlock()
	for _, s := range sent {
		if s.answer != nil && s.to != nil {
			s.asked.abandon(fmt.Errorf("%w from other nodes: %w", ErrNoReply, reason))
		}
	}
	for _, asked := range arrived {
		asked.slot.errand.far.left(reason)
	}
}
