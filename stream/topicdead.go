package stream

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// Dead letters are entries of a table, and not of a log: a message that dies is stored once,
// however often the answer is lost, and one may go while older ones stay.

// DeadLetter is a message that a consumer could not handle.
type DeadLetter[T any] struct {
	Consumer string
	// Position is where the message was published first.
	Position Position
	Key      string
	// Reason is what the last attempt has ended with, of up to 1,000 bytes.
	Reason string
	// Attempts is how often the message was delivered. It is 0 for one that can't be read.
	Attempts int
	// Hops is how often the message was replayed before.
	Hops int
	// Time is when it became a dead letter, by the clock of the node.
	Time time.Time
	// Value is the message, if it can be read, and Err says why it can't.
	Value T
	Err   error

	revision uint64
	at       uint64 // The sequence in the partition, also of one that was replayed.
	record   topicRecord
}

// letter is what is stored of a dead letter, before the message itself.
type letter struct {
	Consumer string
	Position Position
	At       uint64
	Key      string
	Reason   string
	Attempts int
	Hops     int
	Version  int
	Time     time.Time
	data     []byte
}

const maxReason = 1000

// letter makes a dead letter of an item.
func (c *topicCore) letter(consumer string, i *item) letter {
	reason := strings.ToValidUTF8(i.reason.Error(), "?")
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "..."
	}
	return letter{
		Consumer: consumer, Position: i.position, At: i.sequence, Key: i.record.key, Reason: reason, Attempts: i.tries,
		Hops: i.record.hops, Version: i.record.version, Time: time.Now(), data: i.record.data,
	}
}

func letterKey(consumer string, partition int, at uint64) string {
	return fmt.Sprintf("%s.%d.%d", consumer, partition, at)
}

// bury stores a dead letter once.
func (c *topicCore) bury(ctx context.Context, l letter) error {
	value, err := json.Marshal(l)
	if err != nil {
		return err
	}
	value = append(append(value, '\n'), l.data...)
	key := letterKey(l.Consumer, l.Position.Partition, l.At)
	return persist(ctx, func(ctx context.Context) error {
		_, err := c.dead.Put(ctx, key, value, engine.Absent, 0)
		var conflict *engine.ConflictError
		if errors.As(err, &conflict) {
			return nil // It is there already.
		}
		return err
	})
}

// Dead returns the dead letters of a consumer, or of all if the name is empty. The oldest
// positions come first.
func (t *Topic[T]) Dead(ctx context.Context, consumer string) (all []DeadLetter[T], err error) {
	err = entries(ctx, t.core.dead, func(e engine.Entry) error {
		d, err := t.readLetter(e)
		if err == nil && (consumer == "" || consumer == d.Consumer) {
			all = append(all, d)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("stream: list the dead letters of topic %q: %w", t.core.name, err)
	}
	slices.SortFunc(all, func(a, b DeadLetter[T]) int {
		return cmp.Or(cmp.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Position.Partition, b.Position.Partition), cmp.Compare(a.at, b.at))
	})
	return all, nil
}

func (t *Topic[T]) readLetter(e engine.Entry) (d DeadLetter[T], err error) {
	var l letter
	head, data, found := bytes.Cut(e.Value, []byte{'\n'})
	if err := json.Unmarshal(head, &l); err != nil || !found {
		return d, fmt.Errorf("dead letter %q can't be read: %w", e.Key, err)
	}
	d = DeadLetter[T]{
		Consumer: l.Consumer, Position: l.Position, Key: l.Key, Reason: l.Reason, Attempts: l.Attempts, Hops: l.Hops, Time: l.Time,
		revision: e.Revision, at: l.At, record: topicRecord{version: l.Version, key: l.Key, data: data},
	}
	if l.Version == 0 {
		d.Err = errRecord
		return d, nil
	}
	defer func() {
		if p := recover(); p != nil {
			d.Err = fmt.Errorf("the codec or Upcast has panicked: %v", p)
		}
	}()
	d.Value, d.Err = t.decode(d.record)
	return d, nil
}

// Replay publishes dead letters again, for their consumer alone, and then removes them. They
// keep their Position and their key, come after what is in their partition now, and have all
// attempts again. A message can be replayed [MaxHops] times: then Replay returns [ErrHops]. It
// returns [ErrNoDead] for one that is not there. It stops at the first error; what was replayed
// before is not replayed again by another call.
func (t *Topic[T]) Replay(ctx context.Context, letters ...DeadLetter[T]) error {
	for _, d := range letters {
		if err := t.replay(ctx, d); err != nil {
			return fmt.Errorf("stream: replay %v for %q: %w", d.Position, d.Consumer, err)
		}
	}
	return nil
}

func (t *Topic[T]) replay(ctx context.Context, d DeadLetter[T]) error {
	key, err := t.checkLetter(d)
	switch {
	case err != nil:
		return err
	case d.Hops >= MaxHops:
		return ErrHops
	case d.record.version == 0:
		return fmt.Errorf("%w; Drop it", errRecord)
	}
	e, err := t.core.dead.Get(ctx, key)
	if errors.Is(err, engine.ErrNotFound) || err == nil && e.Revision != d.revision {
		return ErrNoDead
	}
	if err != nil {
		return err
	}
	r := d.record
	r.hops, r.only, r.origin = d.Hops+1, d.Consumer, d.Position.Sequence
	p := &partPublish{core: t.core, partition: d.Position.Partition}
	p.add(r, fmt.Sprintf("replay of %s at revision %d", key, d.revision)) // A repeat stores it once.
	if p.store(ctx); p.err != nil {
		return p.err
	}
	return t.remove(ctx, key, d)
}

// Drop removes dead letters. It returns [ErrNoDead] for one that is not there, and stops at
// the first error.
func (t *Topic[T]) Drop(ctx context.Context, letters ...DeadLetter[T]) error {
	for _, d := range letters {
		key, err := t.checkLetter(d)
		if err == nil {
			err = t.remove(ctx, key, d)
		}
		if err != nil {
			return fmt.Errorf("stream: drop %v of %q: %w", d.Position, d.Consumer, err)
		}
	}
	return nil
}

func (t *Topic[T]) checkLetter(d DeadLetter[T]) (key string, err error) {
	if d.revision == 0 || d.Position.Topic != t.core.name || d.Position.Partition >= len(t.core.logs) {
		return "", fmt.Errorf("%w: it is not one of topic %q; use what Dead returns", ErrNoDead, t.core.name)
	}
	return letterKey(d.Consumer, d.Position.Partition, d.at), nil
}

func (t *Topic[T]) remove(ctx context.Context, key string, d DeadLetter[T]) error {
	_, err := t.core.dead.Delete(ctx, key, d.revision)
	var conflict *engine.ConflictError
	if errors.Is(err, engine.ErrNotFound) || errors.As(err, &conflict) {
		return ErrNoDead
	}
	return err
}
