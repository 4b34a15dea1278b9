package stream_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/journal"
	journalmemory "github.com/troupe-go/troupe/journal/memory"
	"github.com/troupe-go/troupe/stream"
	"github.com/troupe-go/troupe/supervise"
)

// billed is the event of a ledger, which counts what it was sent.
type billed struct{ N int }

type ledger struct {
	kills chan struct{} // Has an element if the handler is to be killed between commit and Ack.
}

func (*ledger) Apply(billed) {}

func (l *ledger) Receive(ctx *journal.Context[mail, billed], m mail) error {
	if _, err := ctx.Once(m.d.Position.String(), billed{m.d.Value.N}); err != nil {
		return err
	}
	select {
	case <-l.kills:
		if err := ctx.System().Kill(ctx.Self().PID()); err != nil {
			return err
		}
		<-ctx.Done()
	default:
	}
	return m.d.Ack(ctx)
}

// A handler is killed between its commit and its Ack, again and again. Its events, stored by
// the position of the message, count once.
func TestEffectsCountOnceWithAJournalThoughHandlersAreKilledBeforeTheyAck(t *testing.T) {
	messages := lane.Rounds(100, 300, 1000)
	store := memory.NewStore()
	topic := openTopic(t, store.Engine("a", nil), stream.Config[order]{Key: byCustomer})
	sys := newSystem(t)
	sup, err := supervise.Start(sys, supervise.Config{Intensity: 100000, Period: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	kills := make(chan struct{}, messages)
	events := journalmemory.New()
	set := journal.Events[billed](journal.Event[billed]("billed"))
	kind, err := journal.Actor(journal.Config[mail, billed]{
		Journal: journal.New(events), Events: set, Stream: "ledger/",
		New: func(*journal.Self) journal.Behaviour[mail, billed] { return &ledger{kills: kills} },
	})
	if err != nil {
		t.Fatal(err)
	}
	ref, err := supervise.Spawn(t.Context(), sup, supervise.Child[mail]{New: kind.For("1")})
	if err != nil {
		t.Fatal(err)
	}
	for range messages {
		kills <- struct{}{}
	}
	s := consume(t, topic, stream.Consumer[order, mail]{To: ref, Retry: stream.Backoff{Min: time.Millisecond, Max: time.Millisecond, Times: -1}})
	for i := range messages {
		publish(t, topic, order{fmt.Sprint(i % 7), 1})
	}
	if i := settled(t, s); int(i.Redeliveries) < messages/2 {
		t.Errorf("only %d deliveries of %d have failed", i.Redeliveries, messages)
	}
	total, once := 0, map[string]bool{}
	for r, err := range events.Read(patience.Context(t), "ledger/1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		e, err := set.Decode(r)
		if err != nil {
			t.Fatal(err)
		}
		total += e.N
		once[r.Once] = true
	}
	if total != messages || len(once) != messages {
		t.Errorf("the journal has a total of %d of %d ids, want %d", total, len(once), messages)
	}
}
