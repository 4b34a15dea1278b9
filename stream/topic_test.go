package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/stream"
)

// order is the message of most topics here.
type order struct {
	Customer string
	N        int
}

func byCustomer(o order) string { return o.Customer }

// mail is what the actors get.
type mail struct{ d stream.Delivery[order] }

func wrap(d stream.Delivery[order]) mail { return mail{d} }

func openTopic(t testing.TB, eng engine.Engine, c stream.Config[order]) *stream.Topic[order] {
	t.Helper()
	topic, err := stream.Open(patience.Context(t), eng, "orders", c)
	if err != nil {
		t.Fatal(err)
	}
	return topic
}

func newEngine() *memory.Engine { return memory.NewStore().Engine("a", nil) }

func newSystem(t testing.TB) *actor.System {
	t.Helper()
	sys, err := actor.NewSystem(actor.Config{Workers: 2, MaxSpares: -1})
	if err != nil {
		t.Fatal(err)
	}
	patience.StopAtEnd(t, sys)
	return sys
}

// receive spawns an actor that handles each delivery by f.
func receive(t testing.TB, sys *actor.System, f func(ctx *actor.Context[mail], m mail) error) actor.Ref[mail] {
	t.Helper()
	ref, err := actor.Spawn(sys, actor.Func(f))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// consume begins a consumption that is stopped with the test.
func consume(t testing.TB, topic *stream.Topic[order], c stream.Consumer[order, mail]) *stream.Consumption {
	t.Helper()
	if c.Name == "" {
		c.Name = "billing"
	}
	c.Wrap = wrap
	s, err := stream.Consume(patience.Context(t), topic, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(patience.Ended()) })
	return s
}

func stop(t testing.TB, s *stream.Consumption) {
	t.Helper()
	if err := s.Stop(patience.Context(t)); err != nil {
		t.Fatal(err)
	}
}

func publish(t testing.TB, topic *stream.Topic[order], orders ...order) stream.Position {
	t.Helper()
	p, err := topic.Publish(patience.Context(t), orders...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func numbered(customer string, n int) (all []order) {
	for i := range n {
		all = append(all, order{customer, i + 1})
	}
	return all
}

// book has what actors have handled.
type book struct {
	mu   sync.Mutex
	all  []stream.Delivery[order]
	more chan struct{}
}

func newBook() *book { return &book{more: make(chan struct{}, 1)} }

func (b *book) add(d stream.Delivery[order]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, d)
	select {
	case b.more <- struct{}{}:
	default:
	}
}

// ack notes a delivery and acknowledges it.
func (b *book) ack(ctx *actor.Context[mail], m mail) error {
	b.add(m.d)
	return m.d.Ack(ctx)
}

func (b *book) deliveries() []stream.Delivery[order] {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.all)
}

// numbers returns the N of all deliveries, or of a customer's.
func (b *book) numbers(customer string) (all []int) {
	for _, d := range b.deliveries() {
		if customer == "" || d.Value.Customer == customer {
			all = append(all, d.Value.N)
		}
	}
	return all
}

// wait waits until there are so many deliveries.
func (b *book) wait(t testing.TB, n int) []stream.Delivery[order] {
	t.Helper()
	ctx := patience.Context(t)
	for {
		if all := b.deliveries(); len(all) >= n {
			return all
		}
		select {
		case <-b.more:
		case <-ctx.Done():
			t.Fatalf("%d of %d deliveries have come: %v", len(b.deliveries()), n, b.numbers(""))
		}
	}
}

// settled waits until the consumer has no lag.
func settled(t testing.TB, s *stream.Consumption) stream.Info {
	t.Helper()
	return informed(t, s, "no lag", func(i stream.Info) bool { return i.Lag == 0 })
}

func informed(t testing.TB, s *stream.Consumption, what string, ok func(i stream.Info) bool) (i stream.Info) {
	t.Helper()
	ctx := patience.Context(t)
	patience.Until(t, ctx, func() bool {
		var err error
		i, err = s.Info(ctx)
		if err != nil {
			t.Fatalf("waiting for %s: %v", what, err)
		}
		return ok(i)
	})
	return i
}

var fast = stream.Backoff{Min: time.Millisecond, Max: 4 * time.Millisecond}

func TestWhatIsPublishedIsConsumedInOrderOfKeys(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer, Partitions: 4})
	sys, b := newSystem(t), newBook()
	s := consume(t, topic, stream.Consumer[order, mail]{To: receive(t, sys, b.ack)})
	for i := range 20 {
		for c := range 10 {
			publish(t, topic, order{fmt.Sprint("customer", c), i})
		}
	}
	b.wait(t, 200)
	settled(t, s)
	for c := range 10 {
		if got := b.numbers(fmt.Sprint("customer", c)); !slices.IsSorted(got) || len(got) != 20 {
			t.Errorf("customer %d has %v", c, got)
		}
	}
	for _, d := range b.deliveries() {
		if d.Position.Topic != "orders" || d.Key != d.Value.Customer || d.Attempt != 1 || d.Time.IsZero() {
			t.Errorf("the delivery is %+v", d)
		}
		if p, err := stream.ParsePosition(d.Position.String()); p != d.Position || err != nil {
			t.Errorf("position %v is read as %v, %v", d.Position, p, err)
		}
	}
}

func TestABatchIsStoredInItsOrderWithThePositionOfItsLast(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
	if p := publish(t, topic, numbered("a", 1000)...); p.Sequence != 1000 || p.String() != "orders/0/1000" {
		t.Errorf("the batch is at %v", p)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 20 {
				publish(t, topic, order{"b", i}, order{"b", i})
			}
		})
	}
	all.Wait()
	b := newBook()
	s := consume(t, topic, stream.Consumer[order, mail]{To: receive(t, newSystem(t), b.ack), From: stream.At(stream.Position{Sequence: 1000})})
	settled(t, s)
	if got := b.numbers("b"); len(got) != 320 {
		t.Errorf("%d of 320 messages of several publishers", len(got))
	}
	if got := b.numbers("a"); !slices.Equal(got, []int{1000}) {
		t.Errorf("from position 1000 on: %v", got)
	}
}

func TestAnotherConfigurationOrTypeOfATopicIsRefused(t *testing.T) {
	eng, ctx := newEngine(), t.Context()
	openTopic(t, eng, stream.Config[order]{Key: byCustomer, Partitions: 2})
	openTopic(t, eng, stream.Config[order]{Key: byCustomer, Partitions: 2, Version: 3})
	for want, c := range map[string]stream.Config[order]{
		"Partitions is 2, not 3":                   {Key: byCustomer, Partitions: 3},
		"Keyed is true, not false":                 {Partitions: 2},
		"Keep is 0s, not 1m0s":                     {Key: byCustomer, Partitions: 2, Keep: time.Minute},
		"WhenFull is Refuse, not WaitForConsumers": {Key: byCustomer, Partitions: 2, WhenFull: stream.WaitForConsumers},
		"Type is order, not invoice":               {Key: byCustomer, Partitions: 2, Type: "invoice"},
	} {
		if _, err := stream.Open(ctx, eng, "orders", c); !errors.Is(err, stream.ErrOtherTopic) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	type letter struct{ Text string }
	if _, err := stream.Open(ctx, eng, "orders", stream.Config[letter]{Key: func(letter) string { return "" }, Partitions: 2}); !errors.Is(err, stream.ErrOtherTopic) {
		t.Errorf("a topic of another type: %v", err)
	}
	if _, err := stream.Open(ctx, eng, "x", stream.Config[struct{ F func() }]{Type: "x"}); !errors.Is(err, stream.ErrConfig) {
		t.Errorf("a type that can't be stored: %v", err)
	}
	if _, err := stream.Open(ctx, nil, "x", stream.Config[order]{}); !errors.Is(err, stream.ErrConfig) {
		t.Errorf("no engine: %v", err)
	}
}

func TestSettingsOfTopicsAndConsumersThatCannotWorkAreRefused(t *testing.T) {
	eng, ctx := newEngine(), t.Context()
	for _, c := range []stream.Config[order]{
		{Partitions: -1}, {Partitions: stream.MaxPartitions + 1}, {Keep: -1}, {Keep: time.Millisecond}, {MaxRecords: -1}, {MaxBytes: -1}, {Version: -1}, {WhenFull: 9},
	} {
		if _, err := stream.Open(ctx, eng, "orders", c); !errors.Is(err, stream.ErrConfig) {
			t.Errorf("Open with %+v: %v", c, err)
		}
	}
	for _, name := range []string{"", "a.b", strings.Repeat("n", 25)} {
		if _, err := stream.Open(ctx, eng, name, stream.Config[order]{}); !errors.Is(err, stream.ErrConfig) && !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("the name %q: %v", name, err)
		}
	}
	topic := openTopic(t, eng, stream.Config[order]{})
	to := receive(t, newSystem(t), newBook().ack)
	for _, c := range []stream.Consumer[order, mail]{
		{Name: "b", Wrap: wrap}, {Name: "b", To: to}, {Name: "b", To: to, Wrap: wrap, InFlight: -1}, {Name: "b", To: to, Wrap: wrap, InFlight: 1 << 20},
		{Name: "b", To: to, Wrap: wrap, Retry: stream.Backoff{Min: -1}}, {Name: "b", To: to, Wrap: wrap, Retry: stream.Backoff{Min: 2, Max: 1}},
		{Name: "b", To: to, Wrap: wrap, Retry: stream.Backoff{Times: -2}}, {Name: "b", To: to, Wrap: wrap, Timeout: -2}, {Name: "b", To: to, Wrap: wrap, Lease: time.Millisecond},
		{Name: "b", To: to, Wrap: wrap, Poll: -1}, {Name: "b", To: to, Wrap: wrap, From: stream.At(stream.Position{Partition: 1})},
	} {
		if _, err := stream.Consume(ctx, topic, c); !errors.Is(err, stream.ErrConfig) {
			t.Errorf("Consume with %+v: %v", c, err)
		}
	}
	if _, err := topic.Publish(ctx); !errors.Is(err, stream.ErrConfig) {
		t.Errorf("Publish of nothing: %v", err)
	}
	if _, err := topic.Publish(patience.Ended(), order{}); err == nil || errors.Is(err, engine.ErrUnknownOutcome) {
		t.Errorf("Publish with a context that has ended: %v", err)
	}
}

func TestMessagesAndKeysOverTheirLimitsAreRefused(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{Key: byCustomer})
	small, err := stream.Open(t.Context(), newEngine(), "texts", stream.Config[string]{Type: "text"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := topic.Publish(t.Context(), order{"a", 1}, order{strings.Repeat("k", stream.MaxKey+1), 1}); !errors.Is(err, stream.ErrTooLong) || !strings.Contains(err.Error(), "message 2 of 2") {
		t.Errorf("a long key: %v", err)
	}
	if _, err := small.Publish(t.Context(), strings.Repeat("x", stream.MaxMessage)); !errors.Is(err, stream.ErrTooLong) { // And its quotes.
		t.Errorf("a long message: %v", err)
	}
	if _, err := small.Publish(t.Context(), strings.Repeat("x", stream.MaxMessage-2)); err != nil {
		t.Errorf("a message at the limit: %v", err)
	}
	if _, err := topic.Publish(t.Context(), make([]order, engine.MaxBatch+1)...); !errors.Is(err, engine.ErrTooLong) {
		t.Errorf("a batch over the limit: %v", err)
	}
	if p := publish(t, topic, order{"a", 1}); p.Sequence != 1 {
		t.Errorf("a refused batch has stored something: the next message is %v", p)
	}
}

func TestAFullTopicRefusesUntilAllConsumersHaveSettled(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{MaxRecords: 3})
	publish(t, topic, numbered("a", 3)...)
	if _, err := topic.Publish(t.Context(), order{"a", 4}); !errors.Is(err, stream.ErrFull) || !errors.Is(err, engine.ErrFull) {
		t.Fatalf("a full topic without consumers: %v", err)
	}
	b := newBook()
	s := consume(t, topic, stream.Consumer[order, mail]{To: receive(t, newSystem(t), b.ack)})
	b.wait(t, 3)
	settled(t, s)
	stop(t, s)
	publish(t, topic, numbered("b", 3)...)
	if _, err := topic.Publish(t.Context(), order{"b", 4}); !errors.Is(err, stream.ErrFull) {
		t.Errorf("a topic that is full again: %v", err)
	}
}

func TestAFullTopicThatWaitsGoesAsFastAsItsSlowestConsumer(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{MaxRecords: 2, WhenFull: stream.WaitForConsumers})
	publish(t, topic, numbered("a", 2)...)
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := topic.Publish(short, order{"a", 3}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a full topic that waits: %v", err)
	}
	b := newBook()
	consume(t, topic, stream.Consumer[order, mail]{To: receive(t, newSystem(t), b.ack)})
	for i := range 20 {
		publish(t, topic, order{"b", i})
	}
	b.wait(t, 22)
}

func TestATopicThatDropsTellsWhatAConsumerHasMissed(t *testing.T) {
	topic := openTopic(t, newEngine(), stream.Config[order]{MaxRecords: 3, WhenFull: stream.RemoveOldest})
	b := newBook()
	to := receive(t, newSystem(t), b.ack)
	stop(t, consume(t, topic, stream.Consumer[order, mail]{To: to}))
	publish(t, topic, numbered("a", 10)...)
	s := consume(t, topic, stream.Consumer[order, mail]{To: to})
	b.wait(t, 3)
	got := b.numbers("")
	slices.Sort(got) // Without keys there is no order.
	if i := settled(t, s); i.Missed != 7 || !slices.Equal(got, []int{8, 9, 10}) {
		t.Errorf("%d missed, and %v consumed", i.Missed, got)
	}
}

func TestARepeatedIDIsStoredOnceAlsoWhenTheAnswerWasLost(t *testing.T) {
	store := memory.NewStore()
	topic := openTopic(t, store.Engine("a", nil), stream.Config[order]{ID: func(o order) string { return fmt.Sprint("order ", o.N) }})
	store.Inject(func(op memory.Op) memory.Fault {
		if op.Kind == "append" {
			return memory.Fault{Kind: memory.LoseAnswer}
		}
		return memory.Fault{}
	})
	if _, err := topic.Publish(t.Context(), order{"a", 1}); !errors.Is(err, engine.ErrUnknownOutcome) {
		t.Fatalf("a lost answer: %v", err)
	}
	store.Inject(nil)
	if p := publish(t, topic, order{"a", 1}); p.Sequence != 1 {
		t.Errorf("the repeat is at %v", p)
	}
	if p := publish(t, topic, order{"a", 2}, order{"a", 1}, order{"a", 3}); p.Sequence != 3 {
		t.Errorf("a batch with a repeat ends at %v", p)
	}
}

func TestAPublishIntoSeveralPartitionsTellsWhatIsStored(t *testing.T) {
	store := memory.NewStore()
	topic := openTopic(t, store.Engine("a", nil), stream.Config[order]{Key: byCustomer, Partitions: 4})
	orders := []order{}
	for i := range 40 {
		orders = append(orders, order{fmt.Sprint(i), i})
	}
	store.Inject(func(op memory.Op) memory.Fault {
		if op.Kind == "append" && op.Name == "t-orders-2" {
			return memory.Fault{Kind: memory.Refuse}
		}
		return memory.Fault{}
	})
	_, err := topic.Publish(t.Context(), orders...)
	var partial *stream.PartialError
	if !errors.As(err, &partial) || partial.Stored == 0 || partial.Stored >= 40 || !errors.Is(err, engine.ErrUnavailable) {
		t.Fatalf("a partition that is not there: %v", err)
	}
	store.Inject(nil)
	b := newBook()
	s := consume(t, topic, stream.Consumer[order, mail]{To: receive(t, newSystem(t), b.ack)})
	settled(t, s)
	if got := len(b.deliveries()); got != partial.Stored {
		t.Errorf("%d messages are stored, and the error says %d", got, partial.Stored)
	}
}
