package jet

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/internal/guard"
)

const (
	// operation is the header of a deletion, as NATS's key-value store has it.
	operation = "KV-Operation"
	// watchAhead is how many changes a watch asks for at once.
	watchAhead = 64
	// watchIdle is how long the server keeps a watch whose node has gone.
	watchIdle = 30 * time.Second
)

// table implements [engine.Table]. It is a bucket of the key-value store, but it
// publishes by itself, since an update of nats.go drops the ttl.
type table struct {
	e      *Engine
	where  string
	prefix string
	stream jetstream.Stream
	guard  *guard.Guard
}

// Table implements [engine.Engine].
func (e *Engine) Table(ctx context.Context, name string) (engine.Table, error) {
	if err := engine.CheckName("table", name); err != nil {
		return nil, err
	}
	if err := e.usable(ctx, "opening table "+name); err != nil {
		return nil, err
	}
	bucket, where := "troupe-"+name, fmt.Sprintf("table %q", name)
	prefix := "$KV." + bucket + "."
	stream, err := e.open(ctx, e.tables, where, jetstream.StreamConfig{
		Name: "KV_" + bucket, Subjects: []string{prefix + ">"}, MaxMsgsPerSubject: 1, MaxMsgSize: engine.MaxValue + 4096,
		Discard: jetstream.DiscardNew, DenyDelete: true, AllowRollup: true, AllowMsgTTL: true, SubjectDeleteMarkerTTL: engine.DeletionsKept,
		Metadata: map[string]string{metaKey: "table"},
	})
	if err != nil {
		return nil, err
	}
	return &table{e, where, prefix, stream, e.guard(where)}, nil
}

// last returns the last message of a key, and whether it is a value. The revision is 0 if
// there is none.
func (t *table) last(ctx context.Context, key string) (entry engine.Entry, live bool, err error) {
	var m *jetstream.RawStreamMsg
	err = t.e.again(ctx, "get of "+t.where, answerWait, func(ctx context.Context) (err error) {
		m, err = t.stream.GetLastMsgForSubject(ctx, t.prefix+key)
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return entry, false, nil
	}
	if err != nil {
		return entry, false, err
	}
	t.guard.Saw(m.Sequence)
	return engine.Entry{Key: key, Value: m.Data, Revision: m.Sequence}, !deletion(m.Header), nil
}

// deletion tells whether a message says that its key has no value.
func deletion(h nats.Header) bool {
	return len(h[operation]) > 0 || len(h[jetstream.MarkerReasonHeader]) > 0
}

// Get implements [engine.Table].
func (t *table) Get(ctx context.Context, key string) (engine.Entry, error) {
	if err := engine.CheckSubject("key", key); err != nil {
		return engine.Entry{}, err
	}
	if err := t.e.usable(ctx, "get of "+t.where); err != nil {
		return engine.Entry{}, err
	}
	entry, live, err := t.last(ctx, key)
	if err == nil && !live {
		err = t.missing(key)
	}
	if err != nil {
		return engine.Entry{}, err
	}
	return entry, nil
}

func (t *table) missing(key string) error {
	return fmt.Errorf("jet: %s: key %q is %w", t.where, key, engine.ErrNotFound)
}

// Put implements [engine.Table].
func (t *table) Put(ctx context.Context, key string, value []byte, expected uint64, ttl time.Duration) (uint64, error) {
	if err := engine.CheckPut(key, value, ttl); err != nil {
		return 0, err
	}
	what := fmt.Sprintf("put of key %q of %s", key, t.where)
	if err := t.e.usable(ctx, what); err != nil {
		return 0, err
	}
	m := &nats.Msg{Subject: t.prefix + key, Header: nats.Header{}, Data: value}
	if ttl > 0 {
		header(m, jetstream.MsgTTLHeader, strconv.FormatInt(int64((ttl+time.Second-1)/time.Second), 10)+"s")
	}
	if expected != engine.Absent {
		return t.write(ctx, what, m, key, expected)
	}
	// A key that was deleted has the revision of its deletion until that is forgotten. While
	// another write of the key is on its way to the other nodes, the server reports a
	// conflict with something that can't be read yet.
	call, cancel := t.e.call(ctx)
	defer cancel()
	var marker uint64
	for {
		revision, err := t.publish(call, what, m, marker)
		var wrong errWrongSequence
		if !errors.As(err, &wrong) {
			return revision, err
		}
		entry, live, err := t.last(call, key)
		if err != nil {
			return 0, err
		}
		if live {
			return 0, &engine.ConflictError{Where: t.where, Key: key, Actual: entry.Revision}
		}
		if marker == entry.Revision && !t.e.wait(call, retryPause) {
			return 0, fmt.Errorf("jet: %s: %w: others write the key: %w", what, engine.ErrUnavailable, context.Cause(call))
		}
		marker = entry.Revision
	}
}

// write publishes a message that expects a revision of a live key, or any.
func (t *table) write(ctx context.Context, what string, m *nats.Msg, key string, expected uint64) (uint64, error) {
	if expected == engine.Any {
		return t.publish(ctx, what, m, expected)
	}
	conflict := &engine.ConflictError{Where: t.where, Key: key, Expected: expected}
	// A deletion has a revision, too, and no write may expect it.
	entry, live, err := t.last(ctx, key)
	if err != nil {
		return 0, err
	}
	if !live && entry.Revision == expected {
		return 0, conflict
	}
	revision, err := t.publish(ctx, what, m, expected)
	var wrong errWrongSequence
	if !errors.As(err, &wrong) {
		return revision, err
	}
	if entry, live, err := t.last(ctx, key); err == nil && live {
		conflict.Actual = entry.Revision
	}
	return 0, conflict
}

// publish stores a message if the key's last one has the expected sequence.
func (t *table) publish(ctx context.Context, what string, m *nats.Msg, expected uint64) (uint64, error) {
	if expected != engine.Any {
		header(m, jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(expected, 10))
	}
	before, err := t.guard.Begin()
	if err != nil {
		return 0, err
	}
	r, err := t.e.write(ctx, t.e.tables, what, m)
	if err != nil {
		return 0, err
	}
	return r.Sequence, t.guard.Acknowledged(before, r.Sequence)
}

// Delete implements [engine.Table].
func (t *table) Delete(ctx context.Context, key string, expected uint64) (uint64, error) {
	if err := engine.CheckSubject("key", key); err != nil {
		return 0, err
	}
	what := fmt.Sprintf("delete of key %q of %s", key, t.where)
	if err := t.e.usable(ctx, what); err != nil {
		return 0, err
	}
	entry, live, err := t.last(ctx, key)
	if err != nil {
		return 0, err
	}
	if !live {
		return 0, t.missing(key)
	}
	if expected != engine.Any && expected != entry.Revision {
		return 0, &engine.ConflictError{Where: t.where, Key: key, Expected: expected, Actual: entry.Revision}
	}
	m := &nats.Msg{Subject: t.prefix + key, Header: nats.Header{operation: {"DEL"}}}
	header(m, jetstream.MsgTTLHeader, strconv.Itoa(int(engine.DeletionsKept/time.Second))+"s")
	return t.write(ctx, what, m, key, expected)
}

// Watch implements [engine.Table]. The server keeps what a slow watcher has not asked for.
func (t *table) Watch(ctx context.Context, after uint64) iter.Seq2[engine.Change, error] {
	return func(yield func(engine.Change, error) bool) {
		if err := t.watch(ctx, after, func(c engine.Change) bool { return yield(c, nil) }); err != nil {
			yield(engine.Change{}, err)
		}
	}
}

// watch calls yield until it returns false; then it returns nil.
func (t *table) watch(ctx context.Context, after uint64, yield func(engine.Change) bool) error {
	what := "watch of " + t.where
	if err := t.e.usable(ctx, what); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(t.e.ctx, func() { cancel(engine.ErrClosed) })()
	// The last message stays until a later one takes its place, so one of both comes.
	last, _, err := t.last(ctx, ">")
	if err != nil {
		return err
	}
	end := last.Revision
	messages, err := t.e.follow(ctx, what, t.stream, after+1, watchAhead)
	if err != nil {
		return err
	}
	defer messages.Stop()
	current, fromStart := false, after == 0
	for {
		if !current && end <= after {
			if current = true; !yield(engine.Change{Current: true}) {
				return nil
			}
		}
		m, meta, err := t.e.step(ctx, what, messages)
		if err != nil {
			return err
		}
		after = meta.Sequence.Stream
		t.guard.Saw(after)
		gone := deletion(m.Headers())
		if !gone || current || !fromStart { // Earlier deletions are no state of the table.
			c := engine.Change{Entry: engine.Entry{Key: strings.TrimPrefix(m.Subject(), t.prefix), Value: m.Data(), Revision: after}, Deleted: gone}
			if gone {
				c.Value = nil
			}
			if !yield(c) {
				return nil
			}
		}
	}
}
