package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// SoloMode says what becomes of the messages of members that are not soloed while others are.
type SoloMode uint8

const (
	// SoloMutes drops them, and counts them as dropped. It is the default.
	SoloMutes SoloMode = iota
	// SoloPauses makes their publishers wait.
	SoloPauses
)

// String returns the name in words.
func (m SoloMode) String() string {
	switch m {
	case SoloMutes:
		return "solo mutes"
	case SoloPauses:
		return "solo pauses"
	}
	return fmt.Sprintf("SoloMode(%d)", uint8(m))
}

// ErrNoMember is returned when a mode of somebody is to be changed who is no member of a Mult or Mix, or
// whose subscription has ended.
var ErrNoMember = errors.New("stream: it is no member of the Mult or Mix")

// mixDesk is what Outputs and Inputs have in common: members that are paused, muted and soloed.
// The modes come from mix in Clojure's core.async: while some are soloed, only these
// pass, also if they are paused or muted; of the others, solo decides. No subscription begins or ends under mu, since
// that sends to the keeper.
type mixDesk[K comparable] struct {
	begin func(ctx context.Context, member K) (*Subscription, error) // It begins paused.

	mu      sync.Mutex
	closed  bool
	solo    SoloMode
	members map[K]*mixMember
}

type mixMember struct {
	sub                   *Subscription
	paused, muted, soloed bool
}

func (m *mixMember) ended() bool { return m.sub.state.Load()&subEnded != 0 }

// Add makes members of those that are none yet. With an error none of these has become one.
func (d *mixDesk[K]) add(ctx context.Context, keys []K) error {
	if ctx == nil {
		ctx = context.Background()
	}
	var fresh []K
	for _, key := range keys {
		sub, err := d.begin(ctx, key)
		if err != nil {
			d.remove(fresh...)
			return err
		}
		switch entered, err := d.enter(key, sub); {
		case err != nil:
			sub.End()
			d.remove(fresh...)
			return err
		case entered:
			fresh = append(fresh, key)
		default:
			sub.End()
		}
	}
	return nil
}

func (d *mixDesk[K]) enter(key K, sub *Subscription) (entered bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false, ErrLiveClosed
	}
	if m := d.members[key]; m != nil && !m.ended() {
		return false, nil
	}
	if d.members == nil {
		d.members = map[K]*mixMember{}
	}
	d.members[key] = &mixMember{sub: sub}
	d.apply()
	return true, nil
}

// remove ends the subscriptions of members.
func (d *mixDesk[K]) remove(keys ...K) {
	var gone []*Subscription
	d.mu.Lock()
	for _, key := range keys {
		if m := d.members[key]; m != nil {
			delete(d.members, key)
			gone = append(gone, m.sub)
		}
	}
	d.apply() // The last one that was soloed may have left.
	d.mu.Unlock()
	for _, sub := range gone {
		sub.End()
	}
}

// change changes a member, and then has all do as the modes say.
func (d *mixDesk[K]) change(key K, change func(m *mixMember)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.members[key]
	if m == nil || m.ended() {
		return fmt.Errorf("%w: %v", ErrNoMember, key)
	}
	change(m)
	d.apply()
	return nil
}

func (d *mixDesk[K]) setSolo(mode SoloMode) error {
	if mode > SoloPauses {
		return fmt.Errorf("%w: unknown SoloMode %d; use SoloMutes or SoloPauses", ErrSubscriber, mode)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.solo = mode
	d.apply()
	return nil
}

// apply has each subscription do what the modes say, and forgets those that have ended. The caller holds mu.
func (d *mixDesk[K]) apply() {
	solo := false
	for key, m := range d.members {
		if m.ended() {
			delete(d.members, key)
			continue
		}
		solo = solo || m.soloed
	}
	for _, m := range d.members {
		switch {
		case !solo:
			m.sub.set(m.paused, m.muted)
		case m.soloed:
			m.sub.set(false, false)
		default:
			m.sub.set(d.solo == SoloPauses, d.solo == SoloMutes)
		}
	}
}

func (d *mixDesk[K]) close() {
	d.mu.Lock()
	members := d.members
	d.closed, d.members = true, nil
	d.mu.Unlock()
	for _, m := range members {
		m.sub.End()
	}
}

// stats returns the figures of the members.
func (d *mixDesk[K]) stats() (all []SubscriptionStats) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.members {
		if !m.ended() {
			all = append(all, m.sub.Stats())
		}
	}
	return all
}
