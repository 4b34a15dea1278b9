package entity_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/entity"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
	"github.com/troupe-go/troupe/router"
	"github.com/troupe-go/troupe/wire"
)

func TestTimersSendToVirtualActors(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{})
	h, sys := host(t, clerks)
	_, err := actor.SendAfter(sys, time.Millisecond, clerks.Ref(h, "once"), command{N: 1})
	wantNoErr(t, err)
	tick, err := actor.Every(sys, time.Millisecond, clerks.Ref(h, "often"), command{N: 1})
	wantNoErr(t, err)
	until(t, ctx, func() bool { return len(b.got("once")) == 1 && len(b.got("often")) >= 3 })
	tick.Stop()
}

func TestRoutersTakeVirtualRefs(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{})
	h, sys := host(t, clerks)
	for _, s := range []router.Strategy{router.RoundRobin, router.SmallestMailbox} {
		r, err := router.New(sys, router.Config[command]{Strategy: s, Routees: []actor.Ref[command]{clerks.Ref(h, "0"), clerks.Ref(h, "1")}})
		wantNoErr(t, err)
		for range 10 {
			wantNoErr(t, r.Send(ctx, command{}))
			wantNoErr(t, clerks.Passivate(ctx, h, "0")) // It stays a routee.
		}
		wantNoErr(t, r.Stop(ctx))
	}
	for _, id := range []string{"0", "1"} {
		wantNoErr(t, clerks.Passivate(ctx, h, id))
	}
	if a, b := len(b.got("0")), len(b.got("1")); a+b != 20 || a < 5 {
		t.Errorf("%d and %d messages were handled, want 20 in all", a, b)
	}
}

func TestVirtualRefsAreKindAndIDInBytes(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{})
	h, sys := host(t, clerks)
	for _, id := range []string{"1", "\x00\xff", strings.Repeat("i", entity.MaxID)} {
		ref := clerks.Ref(h, id).On(actor.Control)
		data, err := ref.MarshalBinary()
		wantNoErr(t, err)
		var read actor.Ref[command]
		wantNoErr(t, read.UnmarshalBinary(data))
		wantErr(t, read.Send(ctx, command{}), actor.ErrUnbound)
		_, err = ask(ctx, read)
		wantErr(t, err, actor.ErrUnbound)
		wantErr(t, read.Stop(ctx), actor.ErrUnbound)
		again, err := read.MarshalBinary()
		wantNoErr(t, err)
		if string(again) != string(data) {
			t.Errorf("an unbound ref is written as %q, and was read as %q", again, data)
		}
		wantNoErr(t, wire.Bind(sys, &read))
		if read != ref {
			t.Errorf("%v was bound to %v", ref, read)
		}
		wantAnswer(t, ctx, read, 1)
		for n := range data {
			var bad actor.Ref[command]
			if n > 0 && bad.UnmarshalBinary(data[:n]) == nil {
				t.Errorf("%d of %d bytes were read", n, len(data))
			}
		}
		text, err := json.Marshal(ref)
		wantNoErr(t, err)
		var parsed actor.Ref[command]
		wantNoErr(t, json.Unmarshal(text, &parsed))
		wantNoErr(t, wire.Bind(sys, &parsed))
		if parsed != ref {
			t.Errorf("%v was bound to %v", ref, parsed)
		}
	}
	data, err := clerks.Ref(h, "1").MarshalBinary()
	wantNoErr(t, err)
	if _, err := wire.Import[int](sys, data); err == nil {
		t.Error("a ref was bound with messages of another type")
	}
	if _, err := wire.Import[command](newSystem(t, actor.Config{}), data); err == nil || !strings.Contains(err.Error(), "clerk") {
		t.Errorf("a ref was bound where its kind is not: %v", err)
	}
	if _, err := clerks.Ref(h, "").MarshalBinary(); err == nil {
		t.Error("a ref with an empty id was written")
	}
}

func TestWhatAVirtualRefCannotDo(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{})
	h, sys := host(t, clerks)
	ref := clerks.Ref(h, "1")
	_, err := ref.Info()
	wantErr(t, err, actor.ErrElsewhere)
	wantErr(t, sys.Suspend(ref.PID()), actor.ErrElsewhere)
	linked := make(chan error, 1)
	_, err = actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error { return nil }))
	wantNoErr(t, err)
	wantNoErr(t, clerks.Ref(h, "2").Send(ctx, command{Do: func(ctx *actor.Context[command]) error {
		linked <- ctx.Link(ref.PID())
		return nil
	}}))
	wantErr(t, <-linked, actor.ErrElsewhere)
}

// A stand-in that nobody holds is collected, and its activation stays what the next ref leads to.
func TestRefsThatAreDroppedAreCollected(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{})
	h, sys := host(t, clerks)
	old := clerks.Ref(h, "1").PID()
	wantAnswer(t, ctx, clerks.Ref(h, "1"), 1)
	until(t, ctx, func() bool {
		runtime.GC()
		_, err := actor.Resolve[command](sys, old)
		return errors.Is(err, actor.ErrStalePID)
	})
	wantAnswer(t, ctx, clerks.Ref(h, "1"), 2)
}

type added struct{ N int }

type ledger struct{ sum int }

func (l *ledger) Apply(e added) { l.sum += e.N }

func (l *ledger) Receive(ctx *journal.Context[command, added], m command) error {
	if m.N != 0 {
		if err := ctx.Persist(added{m.N}); err != nil {
			return err
		}
	}
	if m.Reply != (actor.Reply[int]{}) {
		return m.Reply.Send(ctx, l.sum)
	}
	return nil
}

func TestAJournaledActorHasItsStateWhenItComesBack(t *testing.T) {
	ctx := guarded(t)
	ledgers, err := journal.Actor(journal.Config[command, added]{
		Journal: journal.New(memory.New()), Events: journal.Events[added](journal.Event[added]("added")),
		New: func(*journal.Self) journal.Behaviour[command, added] { return &ledger{} },
	})
	wantNoErr(t, err)
	kind := entity.Register("ledger", entity.Config[command]{New: ledgers.For})
	h, _ := host(t, kind)
	for i := range 5 {
		for id := range 3 {
			ref := kind.Ref(h, fmt.Sprint(id))
			wantNoErr(t, ref.Send(ctx, command{N: id + 1}))
			wantNoErr(t, kind.Passivate(ctx, h, fmt.Sprint(id)))
			wantAnswer(t, ctx, ref, (i+1)*(id+1))
		}
	}
}

func BenchmarkSend(b *testing.B) {
	sink := entity.Register("sink", entity.Config[int]{New: func(string) func() actor.Actor[int] {
		return func() actor.Actor[int] { return actor.Func(func(*actor.Context[int], int) error { return nil }) }
	}})
	h, _ := host(b, sink)
	virtual := sink.Ref(h, "1")
	direct, err := sink.Activation(context.Background(), h, "1")
	wantNoErr(b, err)
	for _, c := range []struct {
		name string
		ref  actor.Ref[int]
	}{{"direct", direct}, {"virtual", virtual}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.ref.Send(context.Background(), 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAsk(b *testing.B) {
	echo := entity.Register("echo", entity.Config[command]{New: newBooks().quiet})
	h, _ := host(b, echo)
	virtual := echo.Ref(h, "1")
	direct, err := echo.Activation(context.Background(), h, "1")
	wantNoErr(b, err)
	for _, c := range []struct {
		name string
		ref  actor.Ref[command]
	}{{"direct", direct}, {"virtual", virtual}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ask(context.Background(), c.ref); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkActivation makes one actor after the other, and counts what an idle one takes.
func BenchmarkActivation(b *testing.B) {
	echo := entity.Register("echo", entity.Config[command]{New: newBooks().quiet})
	h, _ := host(b, echo)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := 0
	for b.Loop() {
		n++
		if err := echo.Ref(h, fmt.Sprint(n)).Send(context.Background(), command{}); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 10 { // All have been handled then.
		if _, err := ask(context.Background(), echo.Ref(h, fmt.Sprint(n-min(i, n-1)))); err != nil {
			b.Fatal(err)
		}
	}
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(n), "B/actor")
}

func (*books) quiet(string) func() actor.Actor[command] {
	return func() actor.Actor[command] {
		return actor.Func(func(ctx *actor.Context[command], m command) error {
			if m.Reply == (actor.Reply[int]{}) {
				return nil
			}
			return m.Reply.Send(ctx, 1)
		})
	}
}
