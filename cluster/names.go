package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/kernel/standin"
	"github.com/troupe-go/troupe/wire"
)

// A name is an entry of a table of the engine, written by the node of its actor. An entry of a birth that lives is replaced and
// deleted by that birth alone. An entry of a birth that is over may be replaced or deleted by every node. All these writes expect the revision that was read, so of
// two one succeeds. Whether a birth is over is decided by membership, which never says so while the birth itself believes that it
// owns something; so no name has two owners that both believe it.
//
// A write whose answer was lost may still be made after its caller has given up. So each node follows the table,
// and deletes the entries of its own birth that none of its actors claims.

// record is the value of an entry.
type record struct {
	Node   string `json:"node"`
	Birth  uint64 `json:"birth"`
	Number uint64 `json:"number"` // Of the actor's PID.
	Type   string `json:"type"`   // Of its messages, see typeName.
	Ref    []byte `json:"ref"`
	// Token is made at random by each Register. Deletes of an entry that an earlier call has written may be under way still, so a call
	// takes no entry for its own but one with its token.
	Token string `json:"token"`
}

// is reports whether both are of one actor.
func (r record) is(other record) bool {
	return r.Node == other.Node && r.Birth == other.Birth && r.Number == other.Number
}

func (r record) String() string {
	return fmt.Sprintf("actor %v of node %s/%d", actor.PIDFromNumber(r.Number), r.Node, r.Birth)
}

// claim is a name that an actor of this node has, or is about to have.
type claim struct {
	number   uint64
	revision uint64        // Of the entry; 0 while there is none. Used by the call that has busy.
	busy     chan struct{} // Closed when the call that works on it has returned; nil if there is none.
	ended    bool          // The actor has ended.
	cancel   func()        // Ends the watch of the actor.
}

// seen is an entry as the table has shown it.
type seen struct {
	record
	revision uint64
}

// names are the names of the cluster, as a node has them.
type names struct {
	node  *Node
	table engine.Table
	host  standin.Host
	kick  chan struct{} // Has room for one.

	mu      sync.Mutex // Guards all below. Nobody is called with it held.
	own     map[string]*claim
	entries map[string]seen
	check   map[string]bool // Entries that clean has to look at.
	all     bool            // Clean has to look at all of them.
}

func newNames(n *Node, table engine.Table) *names {
	host, _ := standin.HostOf(n.sys) // The carrier has joined it.
	return &names{node: n, table: table, host: host, kick: make(chan struct{}, 1), own: map[string]*claim{}, entries: map[string]seen{}, check: map[string]bool{}}
}

// Register gives an actor of this node a name in the cluster, of up to 200 letters, digits, '-' and '_', in words joined by dots. It returns when the
// engine has stored it. Registering an actor again under its name changes nothing. The actor loses the name by [Unregister], by its end, and by
// the end of its node's birth; an actor may have several. Of several nodes that register one name at the same time, one succeeds.
//
// Errors are [ErrNameTaken], [ErrElsewhere] for an actor of another node, wire.ErrNotRegistered for a type of messages that can't cross, [actor.ErrStopped], and
// [ErrNoQuorum] with the cause if ctx ends before the engine has answered. The actor does not have the name after an error: if it was written, it is taken back.
func Register[M any](ctx context.Context, n *Node, name string, ref actor.Ref[M]) error {
	err := checkName(ctx, n, name)
	if err != nil {
		return fmt.Errorf("cluster: register %q: %w", name, err)
	}
	r := record{Node: n.Name(), Birth: n.Birth()}
	if r.Type, err = typeName[M](n.cfg.Registry); err == nil {
		r.Number, r.Ref, err = n.ownActor(&ref, func() ([]byte, error) { return wire.Export(ref) })
	}
	if err == nil {
		err = n.names.register(ctx, name, r)
	}
	if err != nil {
		return fmt.Errorf("cluster: register %q: %w", name, err)
	}
	return nil
}

// Lookup returns the actor that has a name in the cluster. It asks the engine, whose answer may be some seconds old after a failure of a
// node: keep the ref, and look the name up again when the actor has ended.
//
// Errors are [ErrNoName], [ErrOtherType], and [ErrNoQuorum] with the cause if the engine does not answer. A node that is no member any more gets its reason.
func Lookup[M any](ctx context.Context, n *Node, name string) (actor.Ref[M], error) {
	ref, err := lookup[M](ctx, n, name)
	if err != nil {
		return actor.Ref[M]{}, fmt.Errorf("cluster: look up %q: %w", name, err)
	}
	return ref, nil
}

func lookup[M any](ctx context.Context, n *Node, name string) (none actor.Ref[M], err error) {
	if err := checkName(ctx, n, name); err != nil {
		return none, err
	}
	want, err := typeName[M](n.cfg.Registry)
	if err != nil {
		return none, err
	}
	r, err := n.names.find(ctx, name)
	if err != nil {
		return none, err
	}
	if r.Type != want {
		return none, fmt.Errorf("%w: %v takes %s, and not %s", ErrOtherType, r, r.Type, want)
	}
	return wire.Import[M](n.sys, r.Ref)
}

// Unregister takes a name from an actor of this node. It returns [ErrNoName] if none has it, and [ErrNoQuorum] with the cause if ctx ends before the engine has
// answered; call it again then.
func Unregister(ctx context.Context, n *Node, name string) error {
	err := checkName(ctx, n, name)
	if err == nil {
		err = n.names.unregister(ctx, name)
	}
	if err != nil {
		return fmt.Errorf("cluster: unregister %q: %w", name, err)
	}
	return nil
}

func checkName(ctx context.Context, n *Node, name string) error {
	switch {
	case ctx == nil:
		return errors.New("the context is nil; use context.Background()")
	case n == nil:
		return errors.New("the node is nil; Join returns one")
	}
	if err := engine.CheckSubject("name", name); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := n.Valid(); err != nil && !errors.Is(err, ErrNoQuorum) {
		return err
	}
	return nil
}

// typeName returns what the entries of actors with messages of type M have as their type: its name in the registry. Interfaces have none
// there; their name is Go's.
func typeName[M any](r *wire.Registry) (string, error) {
	t := reflect.TypeFor[M]()
	if name, ok := r.NameOf(t); ok {
		return name, nil
	}
	if t.Kind() == reflect.Interface {
		return t.String(), nil
	}
	return "", fmt.Errorf("%w: %v; register it by wire.Register before Join", wire.ErrNotRegistered, t)
}

// ownActor returns the number and the bytes of a ref to an actor of this node.
func (n *Node) ownActor(ref any, export func() ([]byte, error)) (number uint64, data []byte, err error) {
	at, err := standin.Of(ref)
	if err != nil {
		return 0, nil, err
	}
	if at.Name != n.Name() || at.Birth != n.Birth() {
		return 0, nil, fmt.Errorf("%w: it is of node %v", ErrElsewhere, at.Node)
	}
	data, err = export()
	return at.Number, data, err
}

// take returns the claim on a name, busy with this call, or nil if there is none and number is 0. It waits for other calls.
func (s *names) take(ctx context.Context, name string, number uint64) (*claim, error) {
	for {
		s.mu.Lock()
		c := s.own[name]
		if c == nil || c.busy == nil {
			if c == nil && number != 0 {
				c = &claim{number: number}
				s.own[name] = c
			}
			if c != nil {
				c.busy = make(chan struct{})
			}
			s.mu.Unlock()
			return c, nil
		}
		busy := c.busy
		s.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, s.noAnswer(ctx)
		case <-s.node.ctx.Done():
			return nil, s.node.Valid()
		}
	}
}

// settle ends the work of a call on a claim, and drops the claim if keep is false.
func (s *names) settle(name string, c *claim, keep bool) {
	s.mu.Lock()
	close(c.busy)
	c.busy = nil
	keep = keep && !c.ended
	cancel := c.cancel
	if !keep {
		delete(s.own, name)
		s.check[name] = true // The entry may be there.
	}
	s.mu.Unlock()
	if !keep {
		if cancel != nil {
			cancel()
		}
		s.wake()
	}
}

func (s *names) register(ctx context.Context, name string, r record) error {
	c, err := s.take(ctx, name, r.Number)
	if err != nil {
		return err
	}
	if c.number != r.Number {
		s.settle(name, c, true)
		return fmt.Errorf("%w by %v", ErrNameTaken, record{Node: r.Node, Birth: r.Birth, Number: c.number})
	}
	if c.revision != 0 {
		s.settle(name, c, true)
		return nil
	}
	cancel := s.host.Watch(r.Number, func(string, error) { s.actorEnded(name, c) })
	s.mu.Lock()
	c.cancel = cancel
	ended := c.ended
	s.mu.Unlock()
	if ended {
		s.settle(name, c, false)
		return actor.ErrStopped
	}
	r.Token = rand.Text()
	c.revision, err = s.write(ctx, name, r)
	s.settle(name, c, err == nil)
	return err
}

// actorEnded drops the claim of an actor that has ended.
func (s *names) actorEnded(name string, c *claim) {
	s.mu.Lock()
	c.ended = true
	if s.own[name] == c && c.busy == nil {
		delete(s.own, name)
		s.check[name] = true
	}
	s.mu.Unlock()
	s.wake()
}

// write writes the entry of a claim, and returns its revision.
func (s *names) write(ctx context.Context, name string, r record) (uint64, error) {
	value, err := json.Marshal(r)
	if err != nil {
		return 0, err
	}
	expected := engine.Absent
	for {
		if err := s.node.Valid(); err != nil && !errors.Is(err, ErrNoQuorum) {
			return 0, err
		}
		tried := expected
		revision, err := s.table.Put(ctx, name, value, expected, 0)
		if err == nil {
			return revision, nil
		}
		if !passing(err) {
			return 0, err
		}
		there, old, err := s.get(ctx, name)
		switch {
		case errors.Is(err, engine.ErrNotFound):
			expected, err = engine.Absent, nil
		case err == nil && old.Token == r.Token: // The answer to our write was lost.
			return there.Revision, nil
		case err == nil:
			if err = s.free(ctx, old); err == nil {
				expected = there.Revision
			}
		}
		if err != nil && !passing(err) {
			return 0, err
		}
		if expected != tried {
			continue
		}
		if s.pause(ctx) != nil {
			return 0, s.noAnswer(ctx)
		}
	}
}

// free returns nil if the entry is of an actor that has lost its name, and else why it keeps it.
func (s *names) free(ctx context.Context, old record) error {
	if old.Node == s.node.Name() && old.Birth == s.node.Birth() {
		return nil // The claim on the name is the caller's.
	}
	over, _, err := s.node.member.Over(ctx, old.Node, old.Birth)
	if err == nil && !over {
		err = fmt.Errorf("%w by %v", ErrNameTaken, old)
	}
	return err
}

// get reads an entry.
func (s *names) get(ctx context.Context, name string) (engine.Entry, record, error) {
	var r record
	there, err := s.table.Get(ctx, name)
	if err == nil {
		r, err = readRecord(there)
	}
	return there, r, err
}

func readRecord(e engine.Entry) (r record, err error) {
	if err := json.Unmarshal(e.Value, &r); err != nil {
		return r, fmt.Errorf("the entry %q at revision %d of table \"names\" is no name of an actor: %w; use the table for nothing else", e.Key, e.Revision, err)
	}
	return r, nil
}

// find returns the entry of a name whose actor's birth is not over.
func (s *names) find(ctx context.Context, name string) (record, error) {
	_, r, err := s.get(ctx, name)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		return r, ErrNoName
	case passing(err) || ctx.Err() != nil:
		return r, fmt.Errorf("%w: %w", ErrNoQuorum, err)
	case err != nil:
		return r, err
	case r.Node == s.node.Name() && r.Birth == s.node.Birth():
		s.mu.Lock()
		c := s.own[name]
		known := c != nil && c.number == r.Number
		s.mu.Unlock()
		if !known {
			return r, fmt.Errorf("%w: %v had it, and has ended", ErrNoName, r)
		}
		return r, nil
	}
	over, why, err := s.node.member.Over(ctx, r.Node, r.Birth)
	if over {
		return r, fmt.Errorf("%w: %v had it, whose node has ended: %s", ErrNoName, r, why)
	}
	if err != nil && !passing(err) {
		return r, err
	}
	return r, nil // As far as is known it lives.
}

func (s *names) unregister(ctx context.Context, name string) error {
	c, err := s.take(ctx, name, 0)
	if err != nil {
		return err
	}
	if c == nil {
		return fmt.Errorf("%w on node %s", ErrNoName, s.node.Name())
	}
	err = s.erase(ctx, name, c.number)
	c.revision = 0 // The entry may be gone, also after an error.
	s.settle(name, c, err != nil)
	return err
}

// erase deletes the entry of an actor of this birth, if there is one.
func (s *names) erase(ctx context.Context, name string, number uint64) error {
	mine := record{Node: s.node.Name(), Birth: s.node.Birth(), Number: number}
	for {
		there, r, err := s.get(ctx, name)
		if errors.Is(err, engine.ErrNotFound) || err == nil && !r.is(mine) {
			return nil
		}
		if err == nil {
			_, err = s.table.Delete(ctx, name, there.Revision)
		}
		if err == nil || errors.Is(err, engine.ErrNotFound) {
			return nil
		}
		if !passing(err) {
			return err
		}
		if s.pause(ctx) != nil {
			return s.noAnswer(ctx)
		}
	}
}

// giveUp deletes the entries of this node, which leaves.
func (s *names) giveUp(ctx context.Context) error {
	s.mu.Lock()
	left := map[string]uint64{}
	for name, c := range s.own {
		left[name] = c.number
	}
	s.mu.Unlock()
	for name, number := range left { // In any order: each is by itself.
		if err := s.erase(ctx, name, number); err != nil {
			return fmt.Errorf("the name %q stays until others clean it up: %w", name, err)
		}
	}
	return nil
}

// close ends the watches of actors.
func (s *names) close() {
	var cancels []func()
	s.mu.Lock()
	for _, c := range s.own {
		if c.cancel != nil {
			cancels = append(cancels, c.cancel)
		}
	}
	s.mu.Unlock()
	for _, cancel := range cancels {
		cancel()
	}
}

// passing tells whether a call may succeed later.
func passing(err error) bool {
	var conflict *engine.ConflictError
	return errors.As(err, &conflict) || errors.Is(err, engine.ErrUnavailable) || errors.Is(err, engine.ErrUnknownOutcome) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// retryPause is how long a call waits before it asks the engine again. Picked out of thin air.
const retryPause = 100 * time.Millisecond

// pause waits a little. It returns an error if ctx or the birth has ended.
func (s *names) pause(ctx context.Context) error {
	t := time.NewTimer(retryPause)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.node.ctx.Done():
		return s.node.Valid()
	}
}

// noAnswer returns the error of a call that has not got an answer from the engine.
func (s *names) noAnswer(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%w: %w", ErrNoQuorum, cause)
	}
	return s.node.Valid()
}
