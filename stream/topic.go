package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/journal"
)

// A topic that is stored has one log of the engine for each partition, since only the
// sequences of a log of its own are without gaps: a consumer then keeps its position as one
// number, with the few that are done above it. Groups of the engine are not used. They deliver
// a record that was lost on its way after younger ones, and so can't keep the order of keys.

// Limits of a topic.
const (
	// MaxMessage is the size in bytes of the largest message, as its codec writes it: 496 KiB.
	MaxMessage = 496 << 10
	// MaxKey is the length in bytes of the longest key: 1 KiB.
	MaxKey = 1 << 10
	// MaxPartitions is the largest number of partitions: 256.
	MaxPartitions = 256
	// MaxHops is how often one message may be replayed: 16 times.
	MaxHops = 16
)

// FullTopic says what Publish does at Config.MaxRecords and Config.MaxBytes.
type FullTopic uint8

// What Publish may do.
const (
	// Refuse has Publish return [ErrFull]. Before, it removes what all consumers have settled.
	Refuse FullTopic = iota
	// WaitForConsumers has Publish wait until consumers have settled messages, or until ctx ends.
	WaitForConsumers
	// RemoveOldest removes the oldest messages, settled or not. Info counts those that a
	// consumer has missed.
	RemoveOldest
)

// String returns the name of the constant.
func (w FullTopic) String() string {
	return [...]string{"Refuse", "WaitForConsumers", "RemoveOldest", "an unknown FullTopic"}[min(w, 3)]
}

// Config describes a topic. All programs that open it must agree on all but the functions
// and Version.
type Config[T any] struct {
	// Type names the messages. Defaults to the name of T without its package. Set it to the
	// old name when T is renamed.
	Type string
	// Key returns what must stay in order: messages of one key are in one partition, and a
	// consumer handles them one after the other. The empty key means that the message is in
	// order with none. A nil Key gives all messages the empty one.
	Key func(T) string
	// Partitions is the number of partitions, over which nodes share the work. It can't be
	// changed later. Defaults to 1. It is at most [MaxPartitions].
	Partitions int
	// Keep is how long a message is kept, consumed or not, at least 1 s. Defaults to 0, which
	// means for ever.
	Keep time.Duration
	// MaxRecords is how many messages each partition keeps. Defaults to 0, which means no limit.
	MaxRecords int64
	// MaxBytes is the size of the messages that each partition keeps, as the engine counts it.
	// Defaults to 0, which means no limit.
	MaxBytes int64
	// WhenFull says what happens at MaxRecords and MaxBytes. Defaults to Refuse.
	WhenFull FullTopic
	// Codec writes messages. Defaults to [journal.JSON].
	Codec journal.Codec
	// Version is the version of T, which is stored with each message. Raise it when a
	// stored message can't be read as a T any more. Defaults to 1.
	Version int
	// Upcast reads a message of an earlier version: decode fills in a pointer to the type
	// that T was then. Without it, messages of earlier versions are read as a T.
	Upcast func(version int, decode func(v any) error) (T, error)
	// ID returns what tells two messages apart. A message with an ID that was published
	// less than two minutes ago is not stored again, so a publisher that does not know
	// whether a message was stored can publish it again. Messages with an ID are stored one
	// by one, which is slower. The empty ID means none.
	ID func(T) string
}

// descriptor is what is stored of a Config.
type descriptor struct {
	Format     int
	Type       string
	Keyed      bool
	Partitions int
	Keep       time.Duration
	MaxRecords int64
	MaxBytes   int64
	WhenFull   FullTopic
	Codec      string
}

// differs says in which settings two descriptors differ.
func (d descriptor) differs(other descriptor) string {
	var all []string
	is, want := reflect.ValueOf(d), reflect.ValueOf(other)
	for i := range is.NumField() {
		if !is.Field(i).Equal(want.Field(i)) {
			all = append(all, fmt.Sprintf("%s is %v, not %v", is.Type().Field(i).Name, is.Field(i), want.Field(i)))
		}
	}
	return strings.Join(all, ", ")
}

func (c Config[T]) checked(name string) (Config[T], error) {
	if err := engine.CheckName("topic", name); err != nil {
		return c, err
	}
	if c.Type == "" {
		c.Type = reflect.TypeFor[T]().Name()
	}
	if c.Partitions == 0 {
		c.Partitions = 1
	}
	if c.Codec == nil {
		c.Codec = journal.JSON
	}
	if c.Version == 0 {
		c.Version = 1
	}
	wrong := func(field string, value any, use string) error {
		return fmt.Errorf("%w: Config.%s of topic %q is %v; use %s", ErrConfig, field, name, value, use)
	}
	switch {
	case len(name) > maxTopicName:
		return c, fmt.Errorf("%w: the name %q of the topic has %d bytes; use at most %d", ErrConfig, name, len(name), maxTopicName)
	case c.Type == "":
		return c, fmt.Errorf("%w: the type %v of topic %q has no name; set Config.Type", ErrConfig, reflect.TypeFor[T](), name)
	case c.Partitions < 1 || c.Partitions > MaxPartitions:
		return c, wrong("Partitions", c.Partitions, fmt.Sprintf("1 to %d, or 0 for 1", MaxPartitions))
	case c.Keep < 0 || c.Keep > 0 && c.Keep < time.Second:
		return c, wrong("Keep", c.Keep, "at least 1s, or 0 for ever")
	case c.MaxRecords < 0:
		return c, wrong("MaxRecords", c.MaxRecords, "a positive number, or 0 for no limit")
	case c.MaxBytes < 0:
		return c, wrong("MaxBytes", c.MaxBytes, "a positive number, or 0 for no limit")
	case c.WhenFull > RemoveOldest:
		return c, wrong("WhenFull", uint8(c.WhenFull), "Refuse, WaitForConsumers or RemoveOldest")
	case c.Version < 1:
		return c, wrong("Version", c.Version, "a positive number, or 0 for 1")
	}
	if checker, ok := c.Codec.(journal.TypeChecker); ok {
		if err := checker.CheckType(reflect.TypeFor[T]()); err != nil {
			return c, fmt.Errorf("%w: topic %q can't store %v as %s: %w", ErrConfig, name, reflect.TypeFor[T](), c.Codec.Name(), err)
		}
	}
	return c, nil
}

// maxTopicName leaves room in the names of logs and tables of the engine for what is added.
const maxTopicName = 24

// topicCore is what a Topic has for all types of messages.
type topicCore struct {
	name   string
	eng    engine.Engine
	logs   []engine.Log
	queues []*topicQueue // By partition.
	state  engine.Table  // The owner and the position of each consumer's partition.
	nodes  engine.Table  // The consumptions at work.
	dead   engine.Table  // The dead letters.
	bells  *topicBells   // Rung when something is stored.
	next   atomic.Uint64 // The partition of the next message without a key.
	full   FullTopic
}

// A Topic is a typed name under which messages are published, stored and consumed. It has
// to be opened by each program that uses it, and is not closed.
//
// All methods may be called by several goroutines.
type Topic[T any] struct {
	core   *topicCore
	config Config[T]
}

// Open opens the topic, and makes it if there is none. A name has up to 24 letters, digits,
// '-' and '_'. Open returns [ErrOtherTopic] if the topic exists with another configuration or
// another type, and [ErrConfig] for settings that are not allowed.
func Open[T any](ctx context.Context, eng engine.Engine, name string, c Config[T]) (*Topic[T], error) {
	c, err := c.checked(name)
	if err != nil {
		return nil, err
	}
	if eng == nil {
		return nil, fmt.Errorf("%w: topic %q is opened on a nil engine; use engine/memory or engine/jet", ErrConfig, name)
	}
	d := descriptor{
		Format: 1, Type: c.Type, Keyed: c.Key != nil, Partitions: c.Partitions, Keep: c.Keep,
		MaxRecords: c.MaxRecords, MaxBytes: c.MaxBytes, WhenFull: c.WhenFull, Codec: c.Codec.Name(),
	}
	if err := describe(ctx, eng, name, d); err != nil {
		return nil, fmt.Errorf("stream: open topic %q: %w", name, err)
	}
	core, err := openTopic(ctx, eng, name, d)
	if err != nil {
		return nil, fmt.Errorf("stream: open topic %q: %w", name, err)
	}
	return &Topic[T]{core, c}, nil
}

// describe stores the descriptor, or compares it with the one that is stored.
func describe(ctx context.Context, eng engine.Engine, name string, d descriptor) error {
	table, err := eng.Table(ctx, "t-topics")
	if err != nil {
		return err
	}
	value, err := json.Marshal(d)
	if err != nil {
		return err
	}
	var there engine.Entry
	err = persist(ctx, func(ctx context.Context) error {
		_, err := table.Put(ctx, name, value, engine.Absent, 0)
		if err == nil {
			there.Value = value
			return nil
		}
		if !mayPass(err) {
			return err
		}
		there, err = table.Get(ctx, name)
		return err
	})
	if err != nil {
		return err
	}
	var is descriptor
	if err := json.Unmarshal(there.Value, &is); err != nil {
		return fmt.Errorf("%w: its descriptor can't be read: %w", ErrOtherTopic, err)
	}
	if is != d {
		return fmt.Errorf("%w: %s; open it as it is, or use another name", ErrOtherTopic, is.differs(d))
	}
	return nil
}

func openTopic(ctx context.Context, eng engine.Engine, name string, d descriptor) (*topicCore, error) {
	c := &topicCore{name: name, eng: eng, full: d.WhenFull, bells: &topicBells{eng: eng, subject: "topic." + name}}
	limited := d.MaxRecords > 0 || d.MaxBytes > 0
	config := engine.LogConfig{MaxAge: d.Keep, MaxRecords: d.MaxRecords, MaxBytes: d.MaxBytes, Refuse: limited && d.WhenFull != RemoveOldest}
	for i := range d.Partitions {
		var log engine.Log
		err := persist(ctx, func(ctx context.Context) (err error) {
			log, err = eng.Log(ctx, fmt.Sprintf("t-%s-%d", name, i), config)
			return err
		})
		if err != nil {
			return nil, err
		}
		c.logs = append(c.logs, log)
		c.queues = append(c.queues, &topicQueue{log: log, rung: func() { c.bells.ring(i) }})
	}
	for _, t := range []struct {
		table *engine.Table
		what  string
	}{{&c.state, ""}, {&c.nodes, "-nodes"}, {&c.dead, "-dead"}} {
		err := persist(ctx, func(ctx context.Context) (err error) {
			*t.table, err = eng.Table(ctx, "t-"+name+t.what)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Name returns the name of the topic.
func (t *Topic[T]) Name() string { return t.core.name }

// mayPass tells whether a call of the engine may succeed later.
func mayPass(err error) bool {
	var conflict *engine.ConflictError
	return errors.As(err, &conflict) || errors.Is(err, engine.ErrUnavailable) || errors.Is(err, engine.ErrUnknownOutcome) ||
		errors.Is(err, engine.ErrNotFound) || errors.Is(err, context.DeadlineExceeded)
}

// Pauses between attempts.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = time.Second
)

// persist calls f until it succeeds, fails for good, or ctx ends.
func persist(ctx context.Context, f func(ctx context.Context) error) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		call, cancel := context.WithTimeout(ctx, callPatience)
		err := f(call)
		cancel()
		if err == nil || !mayPass(err) {
			return err
		}
		if cause := sleep(ctx, pause); cause != nil {
			return fmt.Errorf("%w: %w", cause, err)
		}
	}
}

// callPatience is how long one call of the engine may take until it is made again. Elections
// of JetStream take up to 9 s.
const callPatience = 10 * time.Second

// sleep waits, and returns the cause of ctx if that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// topicBells tells consumers that something was stored. A bell that is not heard costs only
// time: consumers look from time to time.
type topicBells struct {
	eng     engine.Engine
	subject string

	mu  sync.Mutex
	own map[chan struct{}]int // The partition of each listener of this Topic.
}

// ring tells all who listen to the partition, here and on other nodes.
func (b *topicBells) ring(partition int) {
	b.mu.Lock()
	for c, p := range b.own {
		if p == partition {
			tell(c)
		}
	}
	b.mu.Unlock()
	if bus := b.eng.Bus(); bus != nil {
		ctx, cancel := context.WithTimeout(context.Background(), firstPause)
		defer cancel()
		_ = bus.Publish(ctx, engine.Urgent, fmt.Sprintf("%s.%d", b.subject, partition), nil) // See topicBells.
	}
}

// listen returns a channel that has an element after something was stored, and what ends it.
func (b *topicBells) listen(partition int) (bell chan struct{}, end func()) {
	bell = make(chan struct{}, 1)
	b.mu.Lock()
	if b.own == nil {
		b.own = map[chan struct{}]int{}
	}
	b.own[bell] = partition
	b.mu.Unlock()
	var far engine.Subscription
	if bus := b.eng.Bus(); bus != nil {
		far, _ = bus.Subscribe(engine.Urgent, fmt.Sprintf("%s.%d", b.subject, partition), func([]byte) { tell(bell) })
	}
	return bell, func() {
		if far != nil {
			_ = far.Close()
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.own, bell)
	}
}

// tell puts an element into a channel of one, unless there is one.
func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
