package jet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/internal/guard"
)

const (
	// Headers of a batch that is stored whole or not at all.
	batchID       = "Nats-Batch-Id"
	batchSequence = "Nats-Batch-Sequence"
	batchCommit   = "Nats-Batch-Commit"
	// dedupWindow is how long the ID of a record is remembered.
	dedupWindow = 2 * time.Minute
	// readAhead is how many records a read asks for at once.
	readAhead = 256
)

// log implements [engine.Log].
type log struct {
	e      *Engine
	where  string
	prefix string // Of subjects. "n" follows for a record without key, else "k." and the key.
	stream jetstream.Stream
	guard  *guard.Guard
}

// Log implements [engine.Engine].
func (e *Engine) Log(ctx context.Context, name string, c engine.LogConfig) (engine.Log, error) {
	if err := errors.Join(engine.CheckName("log", name), c.Check()); err != nil {
		return nil, err
	}
	if err := e.usable(ctx, "opening log "+name); err != nil {
		return nil, err
	}
	meta, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	where, prefix := fmt.Sprintf("log %q", name), "troupe.log."+name+"."
	config := jetstream.StreamConfig{
		Name: "troupe-log-" + name, Subjects: []string{prefix + ">"}, MaxAge: c.MaxAge, MaxMsgs: c.MaxRecords, MaxBytes: c.MaxBytes,
		MaxMsgSize: engine.MaxValue + 4096, AllowAtomicPublish: true, Duplicates: dedupWindow, DenyDelete: true,
		Metadata: map[string]string{metaKey: string(meta)},
	}
	if c.Refuse {
		config.Discard = jetstream.DiscardNew
	}
	if c.MaxAge > 0 {
		config.Duplicates = min(dedupWindow, c.MaxAge)
	}
	stream, err := e.open(ctx, e.logs, where, config)
	if err != nil {
		return nil, err
	}
	return &log{e, where, prefix, stream, e.guard(where)}, nil
}

// message returns a record as a message.
func (l *log) message(r engine.Record) *nats.Msg {
	m := &nats.Msg{Subject: l.prefix + "n", Header: nats.Header{}, Data: r.Data}
	if r.Key != "" {
		m.Subject = l.prefix + "k." + r.Key
	}
	if r.ID != "" {
		header(m, jetstream.MsgIDHeader, r.ID)
	}
	return m
}

// record returns a message as a record.
func (l *log) record(subject string, h nats.Header, data []byte, meta *jetstream.MsgMetadata) engine.Record {
	key, _ := strings.CutPrefix(strings.TrimPrefix(subject, l.prefix), "k.")
	if subject == l.prefix+"n" {
		key = ""
	}
	r := engine.Record{Sequence: meta.Sequence.Stream, Time: meta.Timestamp, Key: key, Data: data}
	if id := h[jetstream.MsgIDHeader]; len(id) > 0 {
		r.ID = id[0]
	}
	return r
}

// Append implements [engine.Log].
func (l *log) Append(ctx context.Context, expected uint64, records ...engine.Record) (uint64, error) {
	if err := engine.CheckAppend(records); err != nil {
		return 0, err
	}
	what := "append to " + l.where
	if err := l.e.usable(ctx, what); err != nil {
		return 0, err
	}
	before, err := l.guard.Begin()
	if err != nil {
		return 0, err
	}
	first := l.message(records[0])
	if expected != engine.Any {
		header(first, jetstream.ExpectedLastSeqHeader, strconv.FormatUint(expected, 10))
	}
	last := first
	if len(records) > 1 {
		if last, err = l.batch(first, records, what); err != nil {
			return 0, err
		}
	}
	r, err := l.e.write(ctx, l.e.logs, what, last)
	var wrong errWrongSequence
	if errors.As(err, &wrong) {
		return 0, l.conflict(ctx, expected, wrong)
	}
	if err != nil || r.Duplicate {
		return r.Sequence, err
	}
	return r.Sequence, l.guard.Acknowledged(before, r.Sequence)
}

// batch sends all records but the last, which the caller sends to commit them.
func (l *log) batch(first *nats.Msg, records []engine.Record, what string) (last *nats.Msg, err error) {
	id := nuid.Next()
	for i, r := range records {
		m := first
		if i > 0 {
			m = l.message(r)
		}
		header(m, batchID, id)
		header(m, batchSequence, strconv.Itoa(i+1))
		if i == len(records)-1 {
			header(m, batchCommit, "1")
			return m, nil
		}
		if err := l.e.logs.conn.PublishMsg(m); err != nil {
			return nil, fmt.Errorf("jet: %s: record %d: %w: %w", what, i+1, engine.ErrUnavailable, err)
		}
	}
	return nil, nil
}

func (l *log) conflict(ctx context.Context, expected uint64, wrong errWrongSequence) error {
	c := &engine.ConflictError{Where: l.where, Expected: expected, Actual: wrong.actual}
	if !wrong.known {
		if info, err := l.Info(ctx); err == nil {
			c.Actual = info.Last
		}
	}
	return c
}

// Read implements [engine.Log].
func (l *log) Read(ctx context.Context, from uint64) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		if err := l.read(ctx, max(from, 1), func(r engine.Record) bool { return yield(r, nil) }); err != nil {
			yield(engine.Record{}, err)
		}
	}
}

// read calls yield until it returns false, or all is read.
func (l *log) read(ctx context.Context, from uint64, yield func(engine.Record) bool) error {
	what := "read of " + l.where
	if err := l.e.usable(ctx, what); err != nil {
		return err
	}
	info, err := l.Info(ctx)
	if err != nil || info.Records == 0 || from > info.Last {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.e.ctx, func() { cancel(engine.ErrClosed) })()
	messages, err := l.e.follow(ctx, what, l.stream, from, readAhead)
	if err != nil {
		return err
	}
	defer messages.Stop()
	last := info.Last
	for from <= last {
		step, done := context.WithTimeout(ctx, readPatience)
		m, meta, err := l.e.step(step, what, messages)
		done()
		if err != nil {
			if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
			// All records may be removed while they are read. Then no message comes.
			if info, err := l.Info(ctx); err != nil || info.First > last {
				return err
			}
			continue
		}
		from = meta.Sequence.Stream + 1
		if from > last+1 {
			return nil
		}
		l.guard.Saw(meta.Sequence.Stream)
		if !yield(l.record(m.Subject(), m.Headers(), m.Data(), meta)) {
			return nil
		}
	}
	return nil
}

// readPatience is how long a read waits for a record until it looks whether there still is
// one. It is longer than two heartbeats.
const readPatience = 5 * heartbeat

// Info implements [engine.Log].
func (l *log) Info(ctx context.Context) (engine.LogInfo, error) {
	what := "info of " + l.where
	if err := l.e.usable(ctx, what); err != nil {
		return engine.LogInfo{}, err
	}
	var info *jetstream.StreamInfo
	err := l.e.again(ctx, what, answerWait, func(ctx context.Context) (err error) {
		info, err = l.stream.Info(ctx)
		return err
	})
	if err != nil {
		return engine.LogInfo{}, err
	}
	s := info.State
	first := s.FirstSeq
	if s.Msgs == 0 {
		first = s.LastSeq + 1
	}
	return engine.LogInfo{First: first, Last: s.LastSeq, Records: s.Msgs, Bytes: s.Bytes}, nil
}

// Trim implements [engine.Log].
func (l *log) Trim(ctx context.Context, before uint64) error {
	what := "trim of " + l.where
	info, err := l.Info(ctx)
	if err != nil || before <= 1 || info.Records == 0 {
		return err
	}
	call, cancel := l.e.call(ctx)
	defer cancel()
	// A purge of all records, or none, would move the numbers on, or back.
	if err := l.stream.Purge(call, jetstream.WithPurgeSequence(min(before, info.Last+1))); err != nil {
		return l.e.failed(ctx, what, err)
	}
	return nil
}

// Forget implements [engine.Log].
func (l *log) Forget(ctx context.Context, name string) error {
	what := fmt.Sprintf("forget of group %q of %s", name, l.where)
	if err := engine.CheckName("group", name); err != nil {
		return err
	}
	if err := l.e.usable(ctx, what); err != nil {
		return err
	}
	call, cancel := l.e.call(ctx)
	defer cancel()
	err := l.stream.DeleteConsumer(call, name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return fmt.Errorf("jet: %s: %w", what, engine.ErrNotFound)
	}
	if err != nil {
		return l.e.failed(ctx, what, err)
	}
	return nil
}
