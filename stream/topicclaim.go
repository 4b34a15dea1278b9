package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/membership"
)

// The claim of a partition is an entry of a table. It has the owner, which is the birth of a
// member, and the position. Both are written by one call that expects the revision before. So
// an owner that has lost the partition can't move the position any more.

// claim is the entry of a consumer's partition.
type claim struct {
	Owner uint64 // 0 if nobody has it.
	// Seeks counts calls of Seek.
	Seeks uint64
	// Floor says that all messages up to this sequence are settled.
	Floor uint64
	// Done has the ranges above Floor that are settled, first and last.
	Done [][2]uint64 `json:",omitempty"`
	// Tries has how often messages above Floor have failed.
	Tries map[uint64]int `json:",omitempty"`

	core     *topicCore
	key      string
	revision uint64
}

func claimKey(consumer string, partition int) string {
	return fmt.Sprintf("%s.%d", consumer, partition)
}

// claimOf reads a claim.
func (c *topicCore) claimOf(ctx context.Context, consumer string, partition int) (claim, error) {
	key := claimKey(consumer, partition)
	e, err := c.state.Get(ctx, key)
	if err != nil {
		return claim{}, err
	}
	return c.readClaim(e)
}

func (c *topicCore) readClaim(e engine.Entry) (claim, error) {
	l := claim{core: c, key: e.Key, revision: e.Revision}
	if err := json.Unmarshal(e.Value, &l); err != nil {
		return l, fmt.Errorf("stream: the position %q of topic %q can't be read: %w; Forget the consumer, and begin anew", e.Key, c.name, err)
	}
	return l, nil
}

// store writes the claim if nobody has written it since it was read.
func (l *claim) store(ctx context.Context) error {
	value, err := json.Marshal(l)
	if err != nil {
		return err
	}
	revision, err := l.core.state.Put(ctx, l.key, value, l.revision, 0)
	if err == nil {
		l.revision = revision
	}
	return err
}

// isDone tells whether a sequence is settled.
func (l *claim) isDone(sequence uint64) bool {
	if sequence <= l.Floor {
		return true
	}
	for _, r := range l.Done {
		if sequence >= r[0] && sequence <= r[1] {
			return true
		}
	}
	return false
}

// begin stores the claims of a new consumer.
func (c *topicCore) begin(ctx context.Context, consumer string, from From) error {
	if err := c.checkFrom(from); err != nil {
		return err
	}
	for p := range c.logs {
		err := persist(ctx, func(ctx context.Context) error {
			_, err := c.claimOf(ctx, consumer, p)
			if !errors.Is(err, engine.ErrNotFound) {
				return err
			}
			l := claim{core: c, key: claimKey(consumer, p), revision: engine.Absent}
			if l.Floor, err = c.floor(ctx, p, from); err != nil {
				return err
			}
			return l.store(ctx)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *topicCore) checkFrom(from From) error {
	for p := range from.at {
		if p < 0 || p >= len(c.logs) {
			return fmt.Errorf("%w: a position of partition %d; the topic has the partitions 0 to %d", ErrConfig, p, len(c.logs)-1)
		}
	}
	return nil
}

// floor returns the sequence before the place.
func (c *topicCore) floor(ctx context.Context, p int, from From) (uint64, error) {
	info, err := c.logs[p].Info(ctx)
	if err != nil {
		return 0, err
	}
	first := max(info.First, 1)
	switch from.kind {
	case fromEnd:
		return info.Last, nil
	case fromPositions:
		return max(from.at[p], first) - 1, nil
	case fromTime:
		for r, err := range c.logs[p].Read(ctx, first) {
			if err != nil {
				return 0, err
			}
			if !r.Time.Before(from.time) {
				return r.Sequence - 1, nil
			}
		}
		return info.Last, nil
	}
	return first - 1, nil
}

// seek moves all positions of a consumer. It returns the Seeks of each claim.
func (c *topicCore) seek(ctx context.Context, consumer string, to From) (seeks []uint64, err error) {
	if err := c.checkFrom(to); err != nil {
		return nil, err
	}
	for p := range c.logs {
		var floor uint64
		err := persist(ctx, func(ctx context.Context) (err error) {
			floor, err = c.floor(ctx, p, to)
			return err
		})
		if err != nil {
			return nil, err
		}
		err = persist(ctx, func(ctx context.Context) error {
			l, err := c.claimOf(ctx, consumer, p)
			if err != nil {
				return err
			}
			l.Seeks, l.Floor, l.Done, l.Tries = l.Seeks+1, floor, nil, nil
			if err := l.store(ctx); err != nil {
				return err
			}
			seeks = append(seeks, l.Seeks)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return seeks, nil
}

// lag returns how many messages a consumer has not settled.
func (c *topicCore) lag(ctx context.Context, consumer string) (lag uint64, err error) {
	for p, log := range c.logs {
		l, err := c.claimOf(ctx, consumer, p)
		if err != nil {
			return lag, err
		}
		info, err := log.Info(ctx)
		if err != nil {
			return lag, err
		}
		floor := max(l.Floor, max(info.First, 1)-1)
		if info.Last > floor {
			lag += info.Last - floor
		}
		for _, r := range l.Done {
			if r[0] > floor {
				lag -= min(lag, r[1]-r[0]+1)
			}
		}
	}
	return lag, nil
}

// claims returns all claims of the topic.
func (c *topicCore) claims(ctx context.Context) (all []claim, err error) {
	err = entries(ctx, c.state, func(e engine.Entry) error {
		l, err := c.readClaim(e)
		all = append(all, l)
		return err
	})
	return all, err
}

// entries calls f for all entries that a table has.
func entries(ctx context.Context, table engine.Table, f func(e engine.Entry) error) error {
	for change, err := range table.Watch(ctx, 0) {
		switch {
		case err != nil:
			return err
		case change.Current:
			return nil
		case !change.Deleted:
			if err := f(change.Entry); err != nil {
				return err
			}
		}
	}
	return context.Cause(ctx)
}

// trim removes from a partition what all consumers have settled. It reports whether there was
// something. A topic without consumers keeps all.
func (c *topicCore) trim(ctx context.Context, partition int) (bool, error) {
	all, err := c.claims(ctx)
	if err != nil {
		return false, err
	}
	floor, some := uint64(0), false
	suffix := fmt.Sprintf(".%d", partition)
	for _, l := range all {
		if strings.HasSuffix(l.key, suffix) && (!some || l.Floor < floor) {
			floor, some = l.Floor, true
		}
	}
	if !some {
		return false, nil
	}
	info, err := c.logs[partition].Info(ctx)
	if err != nil || info.First > floor {
		return false, err
	}
	return true, c.logs[partition].Trim(ctx, floor+1)
}

// Forget deletes the positions of a consumer, which must have no consumption at work on any
// node. Its dead letters stay. A consumer that is not known is [engine.ErrNotFound].
func (t *Topic[T]) Forget(ctx context.Context, consumer string) error {
	if err := engine.CheckName("consumer", consumer); err != nil {
		return err
	}
	for p := range t.core.logs {
		l, err := t.core.claimOf(ctx, consumer, p)
		if err != nil {
			return fmt.Errorf("stream: forget %q of topic %q: %w", consumer, t.core.name, err)
		}
		if l.Owner != 0 {
			return fmt.Errorf("%w (consumer %q, topic %q, partition %d)", ErrInUse, consumer, t.core.name, p)
		}
		if _, err := t.core.state.Delete(ctx, l.key, l.revision); err != nil {
			return fmt.Errorf("stream: forget %q of topic %q: %w", consumer, t.core.name, err)
		}
	}
	return nil
}

// prefixed is the part of a table whose keys have a prefix, for package membership.
type prefixed struct {
	engine.Table
	prefix string
}

func (t prefixed) Get(ctx context.Context, key string) (engine.Entry, error) {
	e, err := t.Table.Get(ctx, t.prefix+key)
	e.Key = key
	return e, err
}

func (t prefixed) Put(ctx context.Context, key string, value []byte, expected uint64, ttl time.Duration) (uint64, error) {
	return t.Table.Put(ctx, t.prefix+key, value, expected, ttl)
}

func (t prefixed) Delete(ctx context.Context, key string, expected uint64) (uint64, error) {
	return t.Table.Delete(ctx, t.prefix+key, expected)
}

func (t prefixed) Watch(ctx context.Context, after uint64) iter.Seq2[engine.Change, error] {
	return func(yield func(engine.Change, error) bool) {
		for c, err := range t.Table.Watch(ctx, after) {
			if err == nil && !c.Current {
				var ours bool
				if c.Key, ours = strings.CutPrefix(c.Key, t.prefix); !ours {
					continue
				}
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// seenMembers is what a consumption has seen of the others of its name.
type seenMembers struct {
	node    *membership.Node
	lease   time.Duration
	changed chan struct{}
	cancel  context.CancelFunc
	done    chan struct{}

	mu     sync.Mutex
	ended  map[uint64]bool      // Births that have ended.
	absent map[uint64]time.Time // Since when an owner is no member, as this node has seen.
}

func newSeen(node *membership.Node, lease time.Duration) *seenMembers {
	ctx, cancel := context.WithCancel(context.Background())
	s := &seenMembers{
		node: node, lease: lease, changed: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{}),
		ended: map[uint64]bool{}, absent: map[uint64]time.Time{},
	}
	go s.watch(ctx)
	return s
}

func (s *seenMembers) watch(ctx context.Context) {
	defer close(s.done)
	for e := range s.node.Events(ctx) {
		if e.Kind != membership.Joined {
			s.mu.Lock()
			s.ended[e.Member.Birth] = true
			s.mu.Unlock()
		}
		tell(s.changed)
	}
}

func (s *seenMembers) end() {
	s.cancel()
	<-s.done
}

// members returns the births that live, and whether this member is among them. Entries come
// in order, so then all that were born before are known.
func (s *seenMembers) members() (births []uint64, complete bool) {
	for _, m := range s.node.Members() {
		births = append(births, m.Birth)
		complete = complete || m.Birth == s.node.Birth()
	}
	slices.Sort(births)
	return births, complete
}

// share returns which partitions are this member's: each n-th one, by the order of birth.
func (s *seenMembers) share(partitions int) map[int]bool {
	births, complete := s.members()
	mine := map[int]bool{}
	if !complete {
		return mine
	}
	for p := range partitions {
		mine[p] = births[p%len(births)] == s.node.Birth()
	}
	return mine
}

// gone tells whether an owner has ended: it has said so, or its lease was ended by one that has
// seen it unchanged. An unknown owner has ended, too: after a lease if it was born before this
// member, and else after four. By then the engine forgets a member that is not renewed.
func (s *seenMembers) gone(owner uint64) bool {
	births, complete := s.members()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended[owner]:
		return true
	case !complete || slices.Contains(births, owner):
		delete(s.absent, owner)
		return false
	}
	since, known := s.absent[owner]
	if !known {
		s.absent[owner] = time.Now()
		return false
	}
	if owner < s.node.Birth() {
		return time.Since(since) > s.lease
	}
	return time.Since(since) > 4*s.lease
}
