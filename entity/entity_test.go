package entity_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/entity"
	"github.com/troupe-go/troupe/internal/patience"
)

func TestTheFirstMessageMakesTheActor(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{})
	h, _ := host(t, clerks)
	ref := clerks.Ref(h, "1")
	if begun, _ := b.count("1"); begun != 0 {
		t.Fatal("a ref makes an actor")
	}
	if again := clerks.Ref(h, "1"); again != ref {
		t.Fatal("two refs of one id differ")
	}
	wantNoErr(t, ref.Send(ctx, command{}))
	wantNoErr(t, ref.TrySend(ctx, command{}))
	wantAnswer(t, ctx, ref, 3)
	wantAnswer(t, ctx, clerks.Ref(h, "2"), 1)
	if n := entity.Active(h, clerks); n != 2 {
		t.Fatalf("%d activations, want 2", n)
	}
}

func TestAClusterNodeHostsVirtualActors(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	network, err := memory.NewNetwork()
	wantNoErr(t, err)
	t.Cleanup(func() { _ = network.Close() })
	sys, err := actor.NewSystem(actor.Config{})
	wantNoErr(t, err)
	patience.StopAtEnd(t, sys)
	node, err := cluster.Join(ctx, sys, memory.NewStore().Engine("a", network.Bus("a")), cluster.Config{Name: "a"})
	wantNoErr(t, err)
	clerks := b.kind(entity.Config[command]{})
	h, err := entity.Start(ctx, node, entity.Kinds(clerks))
	wantNoErr(t, err)
	wantAnswer(t, ctx, clerks.Ref(h, "1"), 1)
	wantNoErr(t, h.Stop(ctx))
	if begun, ended := b.count("1"); begun != 1 || ended != 1 {
		t.Fatalf("%d begun and %d ended, want 1 and 1", begun, ended)
	}
	wantNoErr(t, node.Leave(ctx))
	if _, err := entity.Start(ctx, node, entity.Kinds(clerks)); err == nil {
		t.Fatal("a node that has left starts a host")
	}
}

func TestAThousandSendersMakeOneActivation(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{})
	h, _ := host(t, clerks)
	const senders = 1000
	var group sync.WaitGroup
	begin := make(chan struct{})
	sent := map[int]int{}
	for i := range senders {
		sent[i] = 2
		group.Go(func() {
			<-begin
			ref := clerks.Ref(h, "1")
			for n := range 2 {
				if err := ref.Send(ctx, command{From: i, N: n + 1}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	close(begin)
	group.Wait()
	wantNoErr(t, clerks.Passivate(ctx, h, "1"))
	b.check(t, "1", sent)
	if begun, _ := b.count("1"); begun != 1 {
		t.Fatalf("%d activations, want 1", begun)
	}
}

func TestAnIdleActorGoesAndComesBack(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{Idle: soon})
	h, _ := host(t, clerks)
	ref := clerks.Ref(h, "1")
	wantAnswer(t, ctx, ref, 1)
	until(t, ctx, func() bool { _, ended := b.count("1"); return ended == 1 && entity.Active(h, clerks) == 0 })
	wantAnswer(t, ctx, ref, 1)
}

func TestAMessageKeepsAnActorFromBeingIdle(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{Idle: soon})
	h, _ := host(t, clerks)
	busy, release := make(chan struct{}), make(chan struct{})
	wantNoErr(t, clerks.Ref(h, "busy").Send(ctx, command{Do: func(*actor.Context[command]) error {
		close(busy)
		<-release
		return nil
	}}))
	<-busy
	wantAnswer(t, ctx, clerks.Ref(h, "idle"), 1)
	until(t, ctx, func() bool { _, ended := b.count("idle"); return ended == 1 })
	if entity.Leaving(h, clerks, "busy") || entity.Active(h, clerks) == 0 {
		t.Error("an actor at work was passivated as idle")
	}
	close(release)
	until(t, ctx, func() bool { _, ended := b.count("busy"); return ended == 1 })
}

func TestPassivateHandlesWhatWaitsAndKeepsTheOrder(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{})
	h, _ := host(t, clerks)
	const senders, each = 4, 300
	var group sync.WaitGroup
	sent := map[int]int{}
	for i := range senders {
		sent[i] = each
		group.Go(func() {
			ref := clerks.Ref(h, "1")
			for n := range each {
				if err := ref.Send(ctx, command{From: i, N: n + 1}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	over := make(chan struct{})
	go func() { group.Wait(); close(over) }()
	for passivations := 0; ; passivations++ {
		wantNoErr(t, clerks.Passivate(ctx, h, "1"))
		select {
		case <-over:
			wantNoErr(t, clerks.Passivate(ctx, h, "1"))
			b.check(t, "1", sent)
			return
		default:
		}
	}
}

func TestAnAskGoesToTheNextActivation(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{})
	h, _ := host(t, clerks)
	ref := clerks.Ref(h, "1")
	busy, release := make(chan struct{}), make(chan struct{})
	until(t, ctx, func() bool { return ref.Send(ctx, command{}) == nil && entity.Started(h, clerks, "1") })
	wantNoErr(t, ref.Send(ctx, command{Do: func(*actor.Context[command]) error {
		close(busy)
		<-release
		return nil
	}}))
	<-busy
	var group sync.WaitGroup
	group.Go(func() {
		if err := clerks.Passivate(ctx, h, "1"); err != nil {
			t.Error(err)
		}
	})
	until(t, ctx, func() bool { return entity.Leaving(h, clerks, "1") }) // Else the next line would fill the lane.
	until(t, ctx, func() bool { return errors.Is(ref.TrySend(ctx, command{}), actor.ErrFull) })
	for range 3 {
		group.Go(func() {
			if _, err := ask(ctx, ref); err != nil {
				t.Error(err)
			}
		})
	}
	group.Go(func() {
		for _, a := range actor.AskAll(ctx, []actor.Ref[command]{ref, ref}, func(r actor.Reply[int]) command { return command{Reply: r} }) {
			if a.Err != nil {
				t.Error(a.Err)
			}
		}
	})
	close(release)
	group.Wait()
	if begun, _ := b.count("1"); begun != 2 {
		t.Errorf("%d activations, want 2", begun)
	}
}

func TestWhatStopDrainAndKillOfAVirtualRefMean(t *testing.T) {
	for _, c := range []struct {
		name  string
		order func(context.Context, actor.Ref[command]) error
	}{
		{"stop", func(ctx context.Context, r actor.Ref[command]) error { return r.Stop(ctx) }},
		{"drain", func(ctx context.Context, r actor.Ref[command]) error { return r.Drain(ctx) }},
		{"kill", func(_ context.Context, r actor.Ref[command]) error { return r.Kill() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, b := guarded(t), newBooks()
			clerks := b.kind(entity.Config[command]{Backoff: time.Millisecond})
			h, _ := host(t, clerks)
			ref := clerks.Ref(h, "1")
			wantNoErr(t, c.order(ctx, ref)) // There is nobody.
			wantAnswer(t, ctx, ref, 1)
			raw, err := clerks.Activation(ctx, h, "1")
			wantNoErr(t, err)
			wantNoErr(t, c.order(ctx, ref))
			select {
			case <-raw.Done():
			case <-ctx.Done():
				t.Fatal("the activation has not ended")
			}
			wantErr(t, raw.Send(ctx, command{}), actor.ErrStopped)
			wantAnswer(t, ctx, ref, 1)
			select {
			case <-ref.Done():
				t.Error("a virtual actor has ended")
			default:
			}
		})
	}
}

func TestAHandlerCannotWaitForItsOwnPassivation(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{})
	h, _ := host(t, clerks)
	ref := clerks.Ref(h, "1")
	result := make(chan error, 3)
	wantAnswer(t, ctx, ref, 1)
	until(t, ctx, func() bool { return entity.Started(h, clerks, "1") })
	wantNoErr(t, ref.Send(ctx, command{Do: func(ctx *actor.Context[command]) error {
		_, err := ask(ctx, ref)
		result <- err
		result <- clerks.Passivate(ctx, h, "1")
		result <- ref.Send(ctx, command{})
		return nil
	}}))
	var cycle *actor.CycleError
	if err := <-result; !errors.As(err, &cycle) {
		t.Errorf("an ask of itself returns %v", err)
	}
	wantErr(t, <-result, actor.ErrWouldDeadlock)
	wantErr(t, <-result, actor.ErrWouldDeadlock)
	wantAnswer(t, ctx, ref, 1)
}

func TestMaxActivePassivatesTheOldest(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{MaxActive: 10})
	h, _ := host(t, clerks)
	for i := range 50 {
		wantAnswer(t, ctx, clerks.Ref(h, fmt.Sprint(i)), 1)
	}
	until(t, ctx, func() bool { return entity.Active(h, clerks) <= 10 })
	if _, ended := b.count("0"); ended != 1 {
		t.Error("the oldest is there still")
	}
	if _, ended := b.count("49"); ended != 0 {
		t.Error("the youngest is gone")
	}
}

func TestAFailedActivationIsBegunAgainForWhatWaits(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	var told atomic.Int32
	clerks := b.kind(entity.Config[command]{Backoff: time.Millisecond, OnFailure: func(id string, err error) {
		if id == "1" && err != nil {
			told.Add(1)
		}
	}})
	h, _ := host(t, clerks)
	ref := clerks.Ref(h, "1")
	busy, release := make(chan struct{}), make(chan struct{})
	wantNoErr(t, ref.Send(ctx, command{N: 1, Do: func(*actor.Context[command]) error {
		close(busy)
		<-release
		return errors.New("a failure")
	}}))
	<-busy
	wantNoErr(t, ref.Send(ctx, command{N: 2}))
	close(release)
	wantAnswer(t, ctx, ref, 2)
	if told.Load() != 1 {
		t.Errorf("%d failures were told, want 1", told.Load())
	}
}

// A New that fails, panics or never returns holds up no other id, and its senders get an error.
func TestABadNewIsAnErrorOfItsSendersAlone(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	release := make(chan struct{})
	defer close(release)
	clerks := entity.Register("clerk", entity.Config[command]{
		StartLimit: -1, Restarts: 1, Backoff: time.Millisecond,
		New: func(id string) func() actor.Actor[command] {
			switch id {
			case "panics":
				panic("no")
			case "nothing":
				return nil
			case "nil":
				return func() actor.Actor[command] { return nil }
			case "never":
				return func() actor.Actor[command] { <-release; return b.make(id)() }
			case "fails":
				return func() actor.Actor[command] { return failing{} }
			}
			return b.make(id)
		},
	})
	hangs := entity.Register("hangs", entity.Config[command]{ // Of its own, since a good one may start late on a slow machine.
		StartLimit: soon, Restarts: 1, Backoff: time.Millisecond,
		New: func(string) func() actor.Actor[command] {
			return func() actor.Actor[command] { <-release; return failing{} }
		},
	})
	h, _ := host(t, clerks, hangs)
	wantNoErr(t, clerks.Ref(h, "never").Send(ctx, command{}))
	for _, id := range []string{"panics", "nothing", "nil", "never", "fails"} {
		ref := clerks.Ref(h, id)
		if id == "never" {
			ref = hangs.Ref(h, id)
		}
		if n, err := ask(ctx, ref); err == nil {
			t.Errorf("%s: the answer %d", id, n)
		}
		wantAnswer(t, ctx, clerks.Ref(h, "good "+id), 1)
		var failed *entity.ActivationError
		until(t, ctx, func() bool { return errors.As(ref.Send(ctx, command{}), &failed) })
		if failed.ID != id || failed.Failures < 2 || failed.Cause == nil {
			t.Errorf("%s: %+v", id, failed)
		}
	}
}

type failing struct{}

func (failing) Started(*actor.Context[command]) error          { return errors.New("it can't start") }
func (failing) Receive(*actor.Context[command], command) error { return nil }

func TestBadIDsAndKindsAreRefused(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{})
	other := entity.Register("other", entity.Config[command]{New: b.make})
	h, sys := host(t, clerks)
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for _, id := range []string{"x", string(every), strings.Repeat("i", entity.MaxID), "\x00", "é"} {
		wantAnswer(t, ctx, clerks.Ref(h, id), 1)
	}
	for _, id := range []string{"", strings.Repeat("i", entity.MaxID+1)} {
		ref := clerks.Ref(h, id)
		wantErr(t, ref.Send(ctx, command{}), entity.ErrID)
		_, err := ask(ctx, ref)
		wantErr(t, err, entity.ErrID)
		wantErr(t, ref.Stop(ctx), entity.ErrID)
		_, err = clerks.Activation(ctx, h, id)
		wantErr(t, err, entity.ErrID)
	}
	wantErr(t, other.Ref(h, "1").Send(ctx, command{}), entity.ErrNoKind)
	wantErr(t, other.Passivate(ctx, h, "1"), nil)
	wantErr(t, other.Ref(nil, "1").Send(ctx, command{}), actor.ErrNoRef)
	if _, err := clerks.Activation(ctx, nil, "1"); err == nil {
		t.Error("a nil host")
	}
	start := func(valid func() error, kinds ...entity.Registered) error {
		_, err := entity.StartOn(ctx, sys, valid, entity.Kinds(kinds...))
		return err
	}
	over := errors.New("the lease is over")
	wantErr(t, start(func() error { return over }), over)
	for name, err := range map[string]error{
		"one name twice": start(valid, other, entity.Register("other", entity.Config[command]{New: b.make})),
		"two hosts":      start(valid, clerks),
		"nil":            start(valid, nil),
		"a nil kind":     start(valid, (*entity.Kind[command])(nil)),
		"no name":        start(valid, entity.Register("", entity.Config[command]{New: b.make})),
		"a long name":    start(valid, entity.Register(strings.Repeat("n", 256), entity.Config[command]{New: b.make})),
		"no New":         start(valid, entity.Register("x", entity.Config[command]{})),
		"idle":           start(valid, entity.Register("x", entity.Config[command]{New: b.make, Idle: -2})),
		"active":         start(valid, entity.Register("x", entity.Config[command]{New: b.make, MaxActive: -2})),
		"limit":          start(valid, entity.Register("x", entity.Config[command]{New: b.make, StartLimit: -2})),
		"restarts":       start(valid, entity.Register("x", entity.Config[command]{New: b.make, Restarts: -2})),
		"backoff":        start(valid, entity.Register("x", entity.Config[command]{New: b.make, Backoff: time.Hour})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := entity.Start(ctx, nil); err == nil {
		t.Error("a nil node")
	}
	if _, err := entity.StartOn(ctx, sys, valid, nil); err == nil {
		t.Error("a nil option")
	}
}

func TestStopOfTheHostPassivatesAll(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{})
	h, sys := host(t, clerks)
	ref := clerks.Ref(h, "0")
	down, cancel := sys.Monitor(ref.PID())
	defer cancel()
	for i := range 20 {
		wantNoErr(t, clerks.Ref(h, fmt.Sprint(i)).Send(ctx, command{From: 1, N: 1}))
	}
	wantNoErr(t, h.Stop(ctx))
	for i := range 20 {
		b.check(t, fmt.Sprint(i), map[int]int{1: 1})
	}
	wantErr(t, (<-down).Reason, entity.ErrHostStopped)
	wantErr(t, ref.Err(), entity.ErrHostStopped)
	wantErr(t, ref.Send(ctx, command{}), actor.ErrStopped)
	wantErr(t, clerks.Ref(h, "new").Send(ctx, command{}), actor.ErrStopped)
	_, err := clerks.Activation(ctx, h, "0")
	wantErr(t, err, entity.ErrHostStopped)
	wantNoErr(t, h.Stop(ctx))
	again, err := entity.StartOn(ctx, sys, valid, entity.Kinds(clerks))
	wantNoErr(t, err)
	wantAnswer(t, ctx, clerks.Ref(again, "0"), 1)
}

func TestStopOfTheHostKillsWhatDoesNotEnd(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{})
	h, _ := host(t, clerks)
	busy, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	wantNoErr(t, clerks.Ref(h, "1").Send(ctx, command{Do: func(*actor.Context[command]) error {
		close(busy)
		<-release
		return nil
	}}))
	<-busy
	if err := h.Stop(ended()); !errors.Is(err, context.Canceled) {
		t.Errorf("Stop with a context that has ended returns %v", err)
	}
	wantErr(t, clerks.Ref(h, "1").Send(ctx, command{}), actor.ErrStopped)
}

func TestASingletonIsThereBeforeItIsAsked(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	one := entity.Singleton("billing", entity.Config[command]{New: b.make, Backoff: time.Millisecond})
	h, _ := host(t, one)
	until(t, ctx, func() bool { begun, _ := b.count("billing"); return begun == 1 })
	ref := one.Ref(h)
	wantNoErr(t, ref.Send(ctx, command{Do: func(*actor.Context[command]) error { return errors.New("a failure") }}))
	until(t, ctx, func() bool { begun, _ := b.count("billing"); return begun == 2 }) // Though nobody asks.
	raw, err := one.Activation(ctx, h)
	wantNoErr(t, err)
	wantNoErr(t, one.Passivate(ctx, h))
	<-raw.Done()
	wantAnswer(t, ctx, ref, 1)
}

func TestAnActorThatNeverIsIdleStays(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	stay := entity.Register("stays", entity.Config[command]{New: b.make, Idle: -1})
	leave := entity.Register("leaves", entity.Config[command]{New: b.make, Idle: soon, StartLimit: -1})
	h, _ := host(t, stay, leave)
	wantAnswer(t, ctx, stay.Ref(h, "stays"), 1)
	until(t, ctx, func() bool { return entity.Started(h, stay, "stays") })
	for i := range 3 {
		id := fmt.Sprint(i)
		wantAnswer(t, ctx, leave.Ref(h, id), 1)
		until(t, ctx, func() bool { _, ended := b.count(id); return ended == 1 })
	}
	for range 2 {
		wantNoErr(t, entity.Look(ctx, h, stay))
	}
	if _, ended := b.count("stays"); ended != 0 || entity.Leaving(h, stay, "stays") {
		t.Error("it was passivated")
	}
}

func TestNoLimitOfActivations(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{MaxActive: -1})
	h, _ := host(t, clerks)
	for i := range 100 {
		wantAnswer(t, ctx, clerks.Ref(h, fmt.Sprint(i)), 1)
	}
	if n := entity.Active(h, clerks); n != 100 {
		t.Errorf("%d activations, want 100", n)
	}
}

func TestAStartWithoutALimit(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	release := make(chan struct{})
	slow := entity.Register("slow", entity.Config[command]{Idle: soon, StartLimit: -1, New: func(id string) func() actor.Actor[command] {
		return func() actor.Actor[command] {
			if id == "slow" {
				<-release
			}
			return b.make(id)()
		}
	}})
	h, _ := host(t, slow)
	wantNoErr(t, slow.Ref(h, "slow").Send(ctx, command{From: 1, N: 1}))
	wantAnswer(t, ctx, slow.Ref(h, "quick"), 1)
	until(t, ctx, func() bool { _, ended := b.count("quick"); return ended == 1 }) // So the keeper has looked.
	close(release)
	until(t, ctx, func() bool { return len(b.got("slow")) == 1 })
}

func TestAFailureWithoutARestart(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{Restarts: -1, Backoff: 30 * time.Second}) // Longer than the test, which would see the next activation.
	h, _ := host(t, clerks)
	ref := clerks.Ref(h, "1")
	busy, release := make(chan struct{}), make(chan struct{})
	wantNoErr(t, ref.Send(ctx, command{Do: func(*actor.Context[command]) error {
		close(busy)
		<-release
		return errors.New("a failure")
	}}))
	<-busy
	wantNoErr(t, ref.Send(ctx, command{N: 2}))
	close(release)
	until(t, ctx, func() bool { return errors.Is(ref.Send(ctx, command{}), entity.ErrActivation) })
	if begun, _ := b.count("1"); begun != 1 {
		t.Errorf("%d incarnations, want 1", begun)
	}
}

func TestOfTwoSendersOneInstallsItsActivation(t *testing.T) {
	b := newBooks()
	clerks := b.kind(entity.Config[command]{})
	h, _ := host(t, clerks)
	shared, err := entity.InstallTwo(h, clerks, "1")
	wantNoErr(t, err)
	if !shared {
		t.Error("two activations were installed")
	}
}

// An activation that is asked to go before it has started goes when it has, also if it has to be begun again for that.
func TestPassivateBeforeTheStartLosesNothing(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	var begun atomic.Int32
	release := make(chan struct{})
	clerks := entity.Register("clerk", entity.Config[command]{Backoff: time.Millisecond, New: func(id string) func() actor.Actor[command] {
		return func() actor.Actor[command] {
			if begun.Add(1) == 1 {
				<-release
				return failing{}
			}
			return b.make(id)()
		}
	}})
	h, _ := host(t, clerks)
	ref := clerks.Ref(h, "1")
	wantNoErr(t, ref.Send(ctx, command{From: 1, N: 1}))
	over := make(chan error, 1)
	go func() { over <- clerks.Passivate(ctx, h, "1") }()
	until(t, ctx, func() bool { return entity.Asked(h, clerks, "1") })
	wantNoErr(t, ref.Send(ctx, command{From: 1, N: 2}))
	close(release)
	wantNoErr(t, <-over)
	b.check(t, "1", map[int]int{1: 2})
}

func TestAPassivationGoesOnWithoutItsCaller(t *testing.T) {
	ctx, b := guarded(t), newBooks()
	clerks := b.kind(entity.Config[command]{})
	h, _ := host(t, clerks)
	ref := clerks.Ref(h, "1")
	until(t, ctx, func() bool { return ref.Send(ctx, command{From: 2}) == nil && entity.Started(h, clerks, "1") })
	busy, release := make(chan struct{}), make(chan struct{})
	let := sync.OnceFunc(func() { close(release) })
	defer let()
	wantNoErr(t, ref.Send(ctx, command{From: 1, N: 1, Do: func(*actor.Context[command]) error {
		close(busy)
		<-release
		return nil
	}}))
	<-busy
	wantNoErr(t, ref.Send(ctx, command{From: 1, N: 2}))
	wantErr(t, clerks.Passivate(ended(), h, "1"), context.Canceled)
	wantErr(t, ref.TrySend(ctx, command{}), actor.ErrFull)
	let()
	wantNoErr(t, clerks.Passivate(ctx, h, "1"))
	n := 0
	for _, m := range b.got("1") {
		if m.From == 1 {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d of 2 messages were handled", n)
	}
}
