package cluster

import (
	"errors"

	"github.com/troupe-go/troupe/engine"
)

// watch follows the table of names.
func (s *names) watch() {
	ctx, after := s.node.ctx, uint64(0)
	for ctx.Err() == nil {
		for c, err := range s.table.Watch(ctx, after) {
			if err != nil {
				if ctx.Err() == nil {
					s.node.log().Warn("cluster: the table of names can't be followed", "node", s.node.Name(), "reason", err)
				}
				break
			}
			if !c.Current {
				after = max(after, c.Revision)
				s.changed(c)
			}
		}
		_ = s.pause(ctx) // Then ctx has ended, or the watch begins again.
	}
}

// changed takes a change of the table.
func (s *names) changed(c engine.Change) {
	r, err := readRecord(c.Entry)
	s.mu.Lock()
	if c.Deleted || err != nil {
		delete(s.entries, c.Key)
	} else {
		s.entries[c.Key] = seen{r, c.Revision}
		s.check[c.Key] = true
	}
	s.mu.Unlock()
	s.wake()
}

// membersChanged has clean look at all entries, since births may be over.
func (s *names) membersChanged() {
	s.mu.Lock()
	s.all = true
	s.mu.Unlock()
	s.wake()
}

func (s *names) wake() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// clean deletes entries that nobody owns any more, as they become known.
func (s *names) clean() {
	for {
		select {
		case <-s.kick:
		case <-s.node.ctx.Done():
			return
		}
		for name, entry := range s.suspects() { // In any order: each is by itself.
			if s.sweep(name, entry) {
				continue
			}
			s.mu.Lock()
			s.check[name] = true
			s.mu.Unlock()
			if s.pause(s.node.ctx) != nil {
				return
			}
			s.wake()
		}
	}
}

// suspects returns the entries that clean has to look at.
func (s *names) suspects() map[string]seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	suspects := map[string]seen{}
	if s.all {
		for name, entry := range s.entries {
			suspects[name] = entry
		}
	}
	for name := range s.check {
		if entry, there := s.entries[name]; there {
			suspects[name] = entry
		}
	}
	s.all = false
	clear(s.check)
	return suspects
}

// sweep deletes an entry that nobody owns any more. It returns false if it has to be tried again.
func (s *names) sweep(name string, entry seen) bool {
	ctx, cancel := s.node.limited()
	defer cancel()
	if entry.Node == s.node.Name() && entry.Birth == s.node.Birth() {
		if s.claimed(name, entry.Number) {
			return true
		}
	} else if over, _, err := s.node.member.Over(ctx, entry.Node, entry.Birth); err != nil || !over {
		return err == nil || !passing(err)
	}
	_, err := s.table.Delete(ctx, name, entry.revision)
	var conflict *engine.ConflictError
	return err == nil || errors.As(err, &conflict) || !passing(err) // A later state of the entry is looked at by itself.
}

// claimed reports whether an actor of this node claims a name, or a call is at work on a claim. Such a call has the
// entry looked at again when it fails.
func (s *names) claimed(name string, number uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.own[name]
	return c != nil && (c.busy != nil || c.number == number)
}
