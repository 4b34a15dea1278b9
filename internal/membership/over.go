package membership

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/engine"
)

// Over reports whether a birth of a name has ended for sure, and why. A birth that is over stays so, and its own node knows
// by then that it owns nothing. False means that it lives, or may live. A birth that this node has not heard of is looked up
// in the table. An entry that has vanished is written as ended, since a read that finds nothing may be late; then
// the birth can't renew it any more.
func (n *Node) Over(ctx context.Context, name string, birth uint64) (over bool, why string, err error) {
	if known, over, why := n.view.over(name, birth); known {
		return over, why, nil
	}
	there, err := n.table.Get(ctx, name)
	if errors.Is(err, engine.ErrNotFound) {
		return n.bury(ctx, name, birth)
	}
	if err != nil {
		return false, "", fmt.Errorf("membership: is birth %d of node %q over? %w", birth, name, err)
	}
	e, err := decode(there)
	switch {
	case err != nil:
		return false, "", err
	case e.Birth == birth:
		return e.Ended != "", e.Ended, nil
	default: // An earlier birth is what a late read shows.
		return e.Birth > birth, fmt.Sprintf("birth %d has its name", e.Birth), nil
	}
}

// bury writes the end of a birth whose entry is not found.
func (n *Node) bury(ctx context.Context, name string, birth uint64) (over bool, why string, err error) {
	if name == n.config.Name {
		return birth < n.birth, fmt.Sprintf("birth %d has its name", n.birth), nil
	}
	why = "its entry has vanished"
	value, err := entry{Birth: birth, Ended: why}.encode()
	if err != nil {
		return false, "", err
	}
	if _, err := n.table.Put(ctx, name, value, engine.Absent, n.config.ttl()); err != nil {
		return false, "", fmt.Errorf("membership: is birth %d of node %q over? %w", birth, name, err)
	}
	return true, why, nil
}

// over says what is known of a birth.
func (v *view) over(name string, birth uint64) (known, over bool, why string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if m, there := v.members[name]; there && m.Birth >= birth {
		return true, m.Birth > birth, fmt.Sprintf("birth %d has its name", m.Birth)
	}
	if last, there := v.ends[name]; there && last.birth >= birth {
		return true, true, last.reason
	}
	return false, false, ""
}
