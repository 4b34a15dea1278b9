package stream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/engine"
)

// Group commit, as in package journal: a publish waits in the queue of its partition. If
// nothing is being appended there, its publisher appends until the queue is empty. There is no
// timer: a lone message is stored at once, and the busier the engine, the larger the groups.

// Bounds of one append. The engine takes more bytes, and a larger append is not faster.
const (
	maxGroupRecords = engine.MaxBatch
	maxGroupBytes   = 1 << 20
)

// publish is a call of Publish in one partition.
type publish struct {
	records []engine.Record
	bytes   int
	last    uint64 // The sequence of its last record.
	err     error
	taken   bool          // Guarded by the mu of the queue.
	done    chan struct{} // Closed when last and err are set.
}

// topicQueue is where calls of Publish wait for the append before them.
type topicQueue struct {
	log  engine.Log
	rung func() // Is called when something was stored.

	mu      sync.Mutex
	waiting []*publish
	running bool
}

// store appends the records, together with other publishers' records. It returns the sequence of the last one.
func (q *topicQueue) store(ctx context.Context, records []engine.Record) (uint64, error) {
	if err := engine.Ended(ctx, "publish"); err != nil {
		return 0, err
	}
	p := &publish{records: records, done: make(chan struct{})}
	for _, r := range records {
		p.bytes += len(r.Data)
	}
	q.mu.Lock()
	q.waiting = append(q.waiting, p)
	begin := !q.running
	q.running = true
	q.mu.Unlock()
	if begin {
		go q.storeAll()
	}
	select {
	case <-p.done:
		return p.last, p.err
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if p.taken {
		return 0, fmt.Errorf("%w: %w", engine.ErrUnknownOutcome, context.Cause(ctx))
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(other *publish) bool { return other == p })
	return 0, context.Cause(ctx)
}

// storeAll appends until the queue is empty.
func (q *topicQueue) storeAll() {
	for group := q.take(); len(group) > 0; group = q.take() {
		err := q.append(group)
		if len(group) > 1 && errors.Is(err, engine.ErrFull) {
			for _, p := range group { // There may be room for some.
				p.err = q.append([]*publish{p})
			}
		} else {
			for _, p := range group {
				p.err = err
			}
		}
		for _, p := range group {
			close(p.done)
		}
		q.rung()
	}
}

func (q *topicQueue) take() (group []*publish) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, records, bytes := 0, 0, 0
	for _, p := range q.waiting {
		records, bytes = records+len(p.records), bytes+p.bytes
		if n > 0 && (records > maxGroupRecords || bytes > maxGroupBytes) {
			break
		}
		p.taken = true
		n++
	}
	group = slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	q.running = n > 0
	return group
}

// append stores a group at once, and says to each where it is.
func (q *topicQueue) append(group []*publish) error {
	records := group[0].records
	if len(group) > 1 {
		records = nil
		for _, p := range group {
			records = append(records, p.records...)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), callPatience)
	defer cancel()
	last, err := q.log.Append(ctx, engine.Any, records...)
	if err != nil {
		return err
	}
	for _, p := range slices.Backward(group) {
		p.last = last
		last -= uint64(len(p.records))
	}
	return nil
}

// Publish stores messages. When it returns a nil error they are stored, as durably as the
// engine stores; the Position is the one of the last message. The messages of one call that are
// of one partition are stored together or not at all, up to 1,000 of them and 8 MiB, and in
// their order. Calls of several goroutines are stored by one append of the engine.
//
// An error that is [engine.ErrUnknownOutcome] says that messages may be stored or not: publish
// them again if they have an ID, see [Config], or if a consumer can bear two. All other errors
// say that nothing is stored, but for a [*PartialError], which can only come where the call has
// messages of several partitions or with IDs. Errors are [ErrTooLong], [ErrFull], the errors of
// [engine.Log], and the cause of ctx.
func (t *Topic[T]) Publish(ctx context.Context, messages ...T) (Position, error) {
	if len(messages) == 0 {
		return Position{}, fmt.Errorf("%w: a Publish of no messages to topic %q; pass at least one", ErrConfig, t.core.name)
	}
	parts := map[int]*partPublish{}
	where := 0
	for i, v := range messages {
		r, id, err := t.encode(v)
		if err != nil {
			return Position{}, fmt.Errorf("topic %q, message %d of %d: %w", t.core.name, i+1, len(messages), err)
		}
		where = t.core.partition(r.key)
		p := parts[where]
		if p == nil {
			p = &partPublish{core: t.core, partition: where}
			parts[where] = p
		}
		p.add(r, id)
	}
	for _, p := range parts {
		if err := p.check(); err != nil {
			return Position{}, fmt.Errorf("stream: publish to topic %q: %w", t.core.name, err)
		}
	}
	if len(parts) == 1 {
		parts[where].store(ctx)
	} else {
		var all sync.WaitGroup
		for _, p := range parts {
			all.Go(func() { p.store(ctx) })
		}
		all.Wait()
	}
	stored, errs := 0, []error(nil)
	for _, p := range parts {
		stored += p.stored
		if p.err != nil {
			errs = append(errs, p.err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		err = fmt.Errorf("stream: publish to topic %q: %w", t.core.name, err)
		if stored > 0 {
			err = &PartialError{stored, len(messages), err}
		}
		return Position{}, err
	}
	return Position{t.core.name, where, parts[where].last}, nil
}

// partPublish is what a call of Publish has for one partition.
type partPublish struct {
	core      *topicCore
	partition int
	records   []engine.Record
	named     bool // A record has an ID.
	last      uint64
	stored    int
	err       error
}

func (p *partPublish) add(r topicRecord, id string) {
	record := engine.Record{Data: r.encode()}
	if id != "" {
		sum := sha256.Sum256([]byte(id)) // IDs of the engine are short and have no spaces.
		record.ID = hex.EncodeToString(sum[:])
		p.named = true
	}
	p.records = append(p.records, record)
}

// check finds what the engine would refuse, before any partition has stored something.
func (p *partPublish) check() error {
	if !p.named {
		return engine.CheckAppend(p.records)
	}
	return nil
}

// store appends the records: together, or one by one if they have IDs.
func (p *partPublish) store(ctx context.Context) {
	q := p.core.queues[p.partition]
	if !p.named {
		p.last, p.err = p.whenRoom(ctx, func() (uint64, error) { return q.store(ctx, p.records) })
		if p.err == nil {
			p.stored = len(p.records)
		}
		return
	}
	for _, r := range p.records {
		p.last, p.err = p.whenRoom(ctx, func() (uint64, error) { return q.log.Append(ctx, engine.Any, r) })
		if p.err != nil {
			return
		}
		p.stored++
		q.rung()
	}
}

// whenRoom calls f. If the partition is full, it removes what all consumers have settled and
// calls f again, and again if the topic waits.
func (p *partPublish) whenRoom(ctx context.Context, f func() (uint64, error)) (uint64, error) {
	last, err := f()
	for pause := firstPause; errors.Is(err, engine.ErrFull); pause = min(2*pause, lastPause) {
		var trimmed bool
		if trimmed, err = p.core.trim(ctx, p.partition); err != nil && !mayPass(err) {
			return 0, err
		}
		if last, err = f(); !errors.Is(err, engine.ErrFull) || trimmed {
			continue
		}
		if p.core.full != WaitForConsumers {
			return 0, fmt.Errorf("%w: partition %d: %w", ErrFull, p.partition, err)
		}
		if cause := sleep(ctx, pause); cause != nil {
			return 0, fmt.Errorf("%w: partition %d, and nothing is stored: %w", ErrFull, p.partition, cause)
		}
	}
	return last, err
}
