package memory

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// groupData is a group, guarded by the store's mu.
type groupData struct {
	config    engine.GroupConfig
	next      uint64 // The first sequence that was never delivered.
	unsettled map[uint64]*unsettled
	forgotten bool
}

// unsettled is a record that was delivered. It is delivered again when it is due.
type unsettled struct {
	record  engine.Record
	attempt int
	due     time.Time
}

// group is a group for one node.
type group struct {
	l      *log
	name   string
	data   *groupData
	closed chan struct{}
	once   sync.Once
}

// Group implements [engine.Log].
func (l *log) Group(ctx context.Context, name string, c engine.GroupConfig) (engine.Group, error) {
	if err := engine.CheckName("group", name); err != nil {
		return nil, err
	}
	c, err := c.Checked()
	if err != nil {
		return nil, err
	}
	if err := l.e.read(ctx, Op{Node: l.e.node, Kind: "read", Name: l.name}); err != nil {
		return nil, err
	}
	l.e.store.mu.Lock()
	defer l.e.store.mu.Unlock()
	d := l.data.groups[name]
	if d == nil {
		d = &groupData{config: c, next: max(c.From, 1), unsettled: map[uint64]*unsettled{}}
		l.data.groups[name] = d
	}
	if d.config != c {
		return nil, fmt.Errorf("engine: group %q of %s %w: %+v, not %+v; open it with that, or use another name", name, l.where, engine.ErrExists, d.config, c)
	}
	return &group{l: l, name: name, data: d, closed: make(chan struct{})}, nil
}

// Forget implements [engine.Log].
func (l *log) Forget(ctx context.Context, name string) error {
	if err := engine.CheckName("group", name); err != nil {
		return err
	}
	if err := l.e.read(ctx, Op{Node: l.e.node, Kind: "read", Name: l.name}); err != nil {
		return err
	}
	l.e.store.mu.Lock()
	defer l.e.store.mu.Unlock()
	d := l.data.groups[name]
	if d == nil {
		return fmt.Errorf("engine: group %q of %s is %w", name, l.where, engine.ErrNotFound)
	}
	d.forgotten = true
	delete(l.data.groups, name)
	l.e.store.wake()
	return nil
}

// Close implements [engine.Group].
func (g *group) Close() error {
	g.once.Do(func() { close(g.closed) })
	return nil
}

// usable returns an error if nothing can be done.
func (g *group) usable(ctx context.Context, what string) error {
	what = fmt.Sprintf("%s of group %q of %s", what, g.name, g.l.where)
	select {
	case <-g.closed:
		return fmt.Errorf("engine: %s: the group is closed: %w", what, engine.ErrClosed)
	default:
		return g.l.e.usable(ctx, what)
	}
}

// Next implements [engine.Group].
func (g *group) Next(ctx context.Context) (engine.Delivery, error) {
	s := g.l.e.store
	for {
		if err := g.usable(ctx, "next"); err != nil {
			return engine.Delivery{}, err
		}
		s.mu.Lock()
		if g.data.forgotten {
			s.mu.Unlock()
			return engine.Delivery{}, fmt.Errorf("engine: group %q of %s is %w", g.name, g.l.where, engine.ErrNotFound)
		}
		u, wait := g.take()
		changed := s.changed
		s.mu.Unlock()
		if u != nil {
			r := u.record
			r.Data = bytes.Clone(r.Data)
			return engine.Delivery{Record: r, Attempt: u.attempt, Settler: &settler{g, r.Sequence, u.attempt}}, nil
		}
		g.wait(ctx, changed, wait)
	}
}

// wait waits for a change, or for a time if it is not 0.
func (g *group) wait(ctx context.Context, changed <-chan struct{}, d time.Duration) {
	var due <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		due = t.C
	}
	select {
	case <-changed:
	case <-due:
	case <-ctx.Done():
	case <-g.closed:
	case <-g.l.e.closed:
	}
}

// take returns a copy of the next record that is due, or how long to wait for one; 0 means
// until something changes. The caller holds the store's mu.
func (g *group) take() (*unsettled, time.Duration) {
	if g.l.e.store.headless {
		return nil, 0
	}
	d, now := g.data, time.Now()
	g.l.data.expire(now)
	var first *unsettled
	var soonest time.Time
	for _, u := range d.unsettled {
		if !u.due.After(now) {
			if first == nil || u.record.Sequence < first.record.Sequence {
				first = u
			}
		} else if soonest.IsZero() || u.due.Before(soonest) {
			soonest = u.due
		}
	}
	if first == nil {
		first = g.fresh()
	}
	if first == nil {
		if soonest.IsZero() {
			return nil, 0
		}
		return nil, soonest.Sub(now)
	}
	first.attempt++
	first.due = now.Add(d.config.Redeliver)
	u := *first
	return &u, 0
}

// fresh returns the next record that was never delivered, if there is room for it.
func (g *group) fresh() *unsettled {
	d := g.data
	if len(d.unsettled) >= d.config.InFlight {
		return nil
	}
	for _, r := range g.l.data.from(d.next) {
		d.next = r.Sequence + 1
		if d.config.Key == "" || d.config.Key == r.Key {
			u := &unsettled{record: r}
			d.unsettled[r.Sequence] = u
			return u
		}
	}
	return nil
}

// Info implements [engine.Group].
func (g *group) Info(ctx context.Context) (info engine.GroupInfo, err error) {
	if err := g.usable(ctx, "info"); err != nil {
		return info, err
	}
	g.l.e.store.mu.Lock()
	defer g.l.e.store.mu.Unlock()
	d := g.data
	if d.forgotten {
		return info, fmt.Errorf("engine: group %q of %s is %w", g.name, g.l.where, engine.ErrNotFound)
	}
	info.InFlight, info.Acked = uint64(len(d.unsettled)), d.next-1
	for seq := range d.unsettled {
		info.Acked = min(info.Acked, seq-1)
	}
	for _, r := range g.l.data.from(d.next) {
		if d.config.Key == "" || d.config.Key == r.Key {
			info.Waiting++
		}
	}
	return info, nil
}

// settler settles one delivery.
type settler struct {
	g        *group
	sequence uint64
	attempt  int
}

// Ack implements [engine.Settler].
func (s *settler) Ack(ctx context.Context) error {
	return s.settle(ctx, func(u *unsettled) { delete(s.g.data.unsettled, u.record.Sequence) })
}

// Nack implements [engine.Settler].
func (s *settler) Nack(ctx context.Context, delay time.Duration) error {
	if err := engine.CheckDelay(delay); err != nil {
		return err
	}
	return s.settle(ctx, func(u *unsettled) {
		if u.attempt == s.attempt {
			u.due = time.Now().Add(delay)
		}
	})
}

func (s *settler) settle(ctx context.Context, change func(u *unsettled)) error {
	l := s.g.l
	op := Op{Node: l.e.node, Kind: "ack", Name: l.name}
	if err := l.e.read(ctx, op); err != nil {
		return err
	}
	l.e.store.mu.Lock()
	defer l.e.store.mu.Unlock()
	if u := s.g.data.unsettled[s.sequence]; u != nil {
		change(u)
	}
	l.e.store.wake()
	return nil
}
