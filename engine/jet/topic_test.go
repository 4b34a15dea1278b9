package jet_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/engine/jet"
	"github.com/troupe-go/troupe/stream"
)

// parcel is the message of a topic, and posted the one of its consumer.
type parcel struct {
	To string
	N  int
}

type posted struct{ d stream.Delivery[parcel] }

// office keeps what came.
type office struct {
	mu   sync.Mutex
	got  map[string][]int
	more chan struct{}
}

func (o *office) Receive(ctx *actor.Context[posted], m posted) error {
	o.mu.Lock()
	o.got[m.d.Value.To] = append(o.got[m.d.Value.To], m.d.Value.N)
	o.mu.Unlock()
	if err := m.d.Ack(ctx); err != nil {
		return err
	}
	select {
	case o.more <- struct{}{}:
	default:
	}
	return nil
}

func (o *office) count() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, all := range o.got {
		n += len(all)
	}
	return n
}

// A topic on an engine that is closed in the middle of its work, and opened again, has lost
// nothing, and each key is in order.
func TestATopicSurvivesAnEngineThatIsClosedAmidItsWork(t *testing.T) {
	const keys, each = 5, 20
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sys.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	o := &office{got: map[string][]int{}, more: make(chan struct{}, 1)}
	ref, err := actor.Spawn(sys, actor.Actor[posted](o))
	if err != nil {
		t.Fatal(err)
	}
	config := jet.Config{Dir: t.TempDir()}
	topicConfig := stream.Config[parcel]{Key: func(p parcel) string { return p.To }, Partitions: 2, ID: func(p parcel) string { return fmt.Sprint(p) }}
	begin := func() (*jet.Engine, *stream.Topic[parcel], *stream.Consumption) {
		e, err := jet.Open(ctx, config)
		if err != nil {
			t.Fatal(err)
		}
		topic, err := stream.Open(ctx, e, "parcels", topicConfig)
		if err != nil {
			t.Fatal(err)
		}
		s, err := stream.Consume(ctx, topic, stream.Consumer[parcel, posted]{
			Name: "office", To: ref, Lease: time.Second, Wrap: func(d stream.Delivery[parcel]) posted { return posted{d} },
		})
		if err != nil {
			t.Fatal(err)
		}
		return e, topic, s
	}
	publish := func(topic *stream.Topic[parcel], from int) {
		for n := range each {
			for k := range keys {
				if _, err := topic.Publish(ctx, parcel{fmt.Sprint("key", k), from + n}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	wait := func(n int) {
		for o.count() < n {
			select {
			case <-o.more:
			case <-ctx.Done():
				t.Fatalf("%d of %d have come", o.count(), n)
			}
		}
	}
	e, topic, s := begin()
	publish(topic, 0)
	wait(keys) // And no more: it is closed while it consumes.
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	<-s.Done()
	if s.Err() == nil {
		t.Error("a consumption without an engine has no error")
	}
	e, topic, s = begin()
	publish(topic, each)
	for {
		i, err := s.Info(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if i.Lag == 0 {
			break
		}
		select {
		case <-o.more:
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("Info is %+v", i)
		}
	}
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	for key, got := range o.got {
		var first []int // Without the repeats after the close.
		for _, n := range got {
			if !slices.Contains(first, n) {
				first = append(first, n)
			}
		}
		if len(first) != 2*each || !slices.IsSorted(first) {
			t.Errorf("%s has %v", key, first)
		}
	}
	if len(o.got) != keys {
		t.Errorf("%d keys", len(o.got))
	}
}
