package wiretest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
)

// Nodes are two systems that a carrier joins.
type Nodes struct {
	Systems [2]*actor.System
	// Bind binds what was decoded for the system with the same number: a pointer to a Ref.
	Bind [2]func(ref any) error
	// Lose ends the link as if each node had lost the other.
	Lose func()
}

// Run tests a carrier. Start makes two systems with the given Config.OnDeadLetter, joins them by it, and ends all that with
// its test. The carrier's registry must have what [Register] registers.
func Run(t *testing.T, start func(t *testing.T, onDeadLetter func(actor.DeadLetter)) Nodes) {
	for _, c := range []struct {
		name string
		test func(b *bench)
	}{
		{"messages of a lane arrive in order", inOrder},
		{"the sender's memory is its own after a send", poisoned},
		{"an ask is answered", asked},
		{"an ask fails with the error of the answer", refused},
		{"second and late answers are refused", answeredTwice},
		{"an answer of a type without a name is an error on both sides", strangeAnswer},
		{"a handler hears that its asker has left", left},
		{"values and deadline of an ask cross", carried},
		{"an ask comes home", cameHome},
		{"several actors are asked at once", gathered},
		{"asks in a ring over both nodes end", ring},
		{"a handler that fails ends the ask", failed},
		{"equal actors have equal refs", equalRefs},
		{"a message of a type without a name is an error at its sender", strangeMessage},
		{"a full lane makes senders wait", full},
		{"the backlog is what was sent and is not accepted yet", backlog},
		{"an end is told after all messages", ended},
		{"Stop, Drain, Kill and StopWithin reach the actor", orders},
		{"what only the actor's node can do is refused", elsewhere},
		{"timers send to other nodes", timers},
		{"names lead to other nodes", names},
		{"a lost node ends its actors and what waits for them", lost},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &bench{T: t, ctx: patience.Context(t), letters: make(chan actor.DeadLetter, 1024)}
			note := func(d actor.DeadLetter) {
				select {
				case b.letters <- d:
				default: // Nobody looks at so many.
				}
			}
			b.Nodes = start(t, note)
			c.test(b)
		})
	}
}

// bench is what a test of the suite has: actors are on system 0, and used from system 1.
type bench struct {
	*testing.T
	Nodes
	ctx     context.Context
	letters chan actor.DeadLetter // Of both systems.
}

type handler = func(ctx *actor.Context[call], m call) error

// spawn returns an actor of system 0 as both systems see it.
func (b *bench) spawn(h handler, opts ...actor.Option) (here, there actor.Ref[call]) {
	b.Helper()
	here = b.spawnAt(0, h, opts...)
	return here, Move(b, b.Nodes, 1, here)
}

func (b *bench) spawnAt(system int, h handler, opts ...actor.Option) actor.Ref[call] {
	b.Helper()
	ref, err := actor.Spawn(b.Systems[system], actor.Func(h), opts...)
	b.ok(err)
	return ref
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) wantErr(err error, want error, says ...string) {
	b.Helper()
	if !errors.Is(err, want) {
		b.Fatalf("the error is %v, want %v", err, want)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			b.Fatalf("the error is %v; it should say %q", err, s)
		}
	}
}

// receive returns what comes from the channel.
func receive[T any](b *bench, from <-chan T) (v T) {
	b.Helper()
	select {
	case v = <-from:
	case <-b.ctx.Done():
		b.Fatal("nothing has come")
	}
	return v
}

// awaitWatch returns when the watch of the other node has arrived at an actor. Before that, it learns the actor's end as a
// latecomer does.
func (b *bench) awaitWatch(here actor.Ref[call]) {
	b.Helper()
	for {
		i, err := here.Info()
		b.ok(err)
		switch {
		case i.MonitoredBy > 0:
			return
		case b.ctx.Err() != nil:
			b.Fatal("the watch has not arrived")
		}
		runtime.Gosched()
	}
}

func ask(n int) func(actor.Reply[answer]) call {
	return func(r actor.Reply[answer]) call { return call{N: n, Reply: r} }
}

// double answers with twice the number.
func double(ctx *actor.Context[call], m call) error { return m.Reply.Send(ctx, answer{N: 2 * m.N}) }

func inOrder(b *bench) {
	const n = 600
	got := make(chan [2]int, 3*n)
	_, there := b.spawn(func(ctx *actor.Context[call], m call) error {
		got <- [2]int{int(ctx.Lane()), m.N}
		return nil //troupe:ignore reply: the message was sent without an ask, or the test leaves the ask open
	})
	sent := make(chan error, 3)
	for lane := actor.Data; lane <= actor.Control; lane++ {
		go func() {
			var err error
			for i := 0; i < n && err == nil; i++ {
				err = there.On(lane).Send(b.ctx, call{N: i})
			}
			sent <- err
		}()
	}
	for range 3 {
		b.ok(receive(b, sent))
	}
	var next [3]int
	for range 3 * n {
		m := receive(b, got)
		if m[1] != next[m[0]] {
			b.Fatalf("lane %d: message %d has come, want %d", m[0], m[1], next[m[0]])
		}
		next[m[0]]++
	}
}

func poisoned(b *bench) {
	got := make(chan []byte, 1)
	_, there := b.spawn(func(_ *actor.Context[call], m call) error {
		got <- m.Note
		return nil //troupe:ignore reply: the message was sent without an ask, or the test leaves the ask open
	})
	note := []byte("what was sent")
	b.ok(there.Send(b.ctx, call{Note: note}))
	copy(note, "poison poison")
	if s := string(receive(b, got)); s != "what was sent" {
		b.Fatalf("the actor got %q", s)
	}
}

func equalRefs(b *bench) {
	here, there := b.spawn(func(ctx *actor.Context[call], m call) error {
		return m.Reply.Send(ctx, answer{Ref: m.Other})
	})
	if again := Move(b, b.Nodes, 1, here); again != there || again.PID() != there.PID() {
		b.Fatalf("the same actor is %v and %v", there, again)
	}
	if there.On(actor.Control) != Move(b, b.Nodes, 1, here.On(actor.Control)) {
		b.Fatal("the lane of a ref does not cross")
	}
	mine := b.spawnAt(1, double)
	for _, ref := range []actor.Ref[call]{mine, there, {}} {
		got, err := actor.Ask(b.ctx, there, func(r actor.Reply[answer]) call { return call{Reply: r, Other: ref} })
		b.ok(err)
		if got.Ref != ref {
			b.Fatalf("the ref %v came back as %v", ref, got.Ref)
		}
	}
	found, err := actor.Resolve[call](b.Systems[1], there.PID())
	b.ok(err)
	if found != there {
		b.Fatalf("the PID %v leads to %v", there.PID(), found)
	}
}

func strangeMessage(b *bench) {
	ref, err := actor.Spawn(b.Systems[0], actor.Func(func(*actor.Context[stranger], stranger) error { return nil }))
	b.ok(err)
	there := Move(b, b.Nodes, 1, ref)
	err = there.Send(b.ctx, stranger{})
	if err == nil || !strings.Contains(err.Error(), "stranger") || !strings.Contains(err.Error(), "send to") {
		b.Fatalf("a message that is not registered got %v", err)
	}
}

func backlog(b *bench) {
	open := make(chan bool)
	_, there := b.spawn(func(*actor.Context[call], call) error {
		select {
		case <-open:
		case <-b.ctx.Done():
		}
		return nil //troupe:ignore reply: the message was sent without an ask, or the test leaves the ask open
	}, actor.WithCapacity(actor.Data, 2))
	if n := there.Backlog(); n != 0 {
		b.Fatalf("the backlog of an actor without messages is %d", n)
	}
	for i := range 10 {
		b.ok(there.Send(b.ctx, call{N: i}))
	}
	b.awaitBacklog(there, 7) // One is being handled, and two are in the lane.
	close(open)
	b.awaitBacklog(there, 0)
}

func (b *bench) awaitBacklog(of actor.Ref[call], want int) {
	b.Helper()
	for of.Backlog() != want {
		if b.ctx.Err() != nil {
			b.Fatalf("the backlog is %d, want %d", of.Backlog(), want)
		}
		runtime.Gosched()
	}
}

func full(b *bench) {
	const n = 5000
	open := make(chan bool)
	got := make(chan int, n)
	_, there := b.spawn(func(_ *actor.Context[call], m call) error {
		select {
		case <-open:
		case <-b.ctx.Done():
		}
		got <- m.N
		return nil //troupe:ignore reply: the message was sent without an ask, or the test leaves the ask open
	}, actor.WithCapacity(actor.Data, 2))
	sent := 0
	for ; sent < n; sent++ {
		err := there.TrySend(b.ctx, call{N: sent})
		if errors.Is(err, actor.ErrFull) {
			break
		}
		b.ok(err)
	}
	if sent == n {
		b.Fatalf("%d messages were accepted for an actor that handles none", n)
	}
	_, other := b.spawn(double)
	_, err := actor.Ask(b.ctx, other, ask(1)) // Others are not held up.
	b.ok(err)
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	for ; ; sent++ { // Some may find room yet, while those before them arrive.
		if err := there.Send(ctx, call{N: sent}); err != nil {
			b.wantErr(err, context.Canceled)
			break
		} else if sent == n {
			b.Fatalf("%d messages were accepted for an actor that handles none", n)
		}
	}
	result := make(chan error, 1)
	go func() { result <- there.Send(b.ctx, call{N: sent}) }()
	close(open)
	b.ok(receive(b, result))
	for i := range sent + 1 {
		if m := receive(b, got); m != i {
			b.Fatalf("message %d has come, want %d", m, i)
		}
	}
}

func ended(b *bench) {
	watcher := b.spawnAt(1, double)
	inbox := make(chan int, 1024)
	sink, err := actor.Spawn(b.Systems[1], actor.Func(func(_ *actor.Context[call], m call) error {
		inbox <- m.N
		return nil //troupe:ignore reply: the message was sent without an ask, or the test leaves the ask open
	}))
	b.ok(err)
	here, there := b.spawn(func(ctx *actor.Context[call], m call) error {
		for i := range 200 {
			if err := m.Other.Send(ctx, call{N: i}); err != nil {
				return err
			}
		}
		return errRefused
	})
	down, cancel := b.Systems[1].Monitor(there.PID())
	defer cancel()
	b.awaitWatch(here)
	b.ok(there.Send(b.ctx, call{Other: sink}))
	e := receive(b, down)
	if !errors.Is(e.Reason, errRefused) || e.PID != there.PID() {
		b.Fatalf("the watcher got %+v", e)
	}
	b.wantErr(here.Err(), errRefused)
	dead := Move(b, b.Nodes, 0, here) // It leads to nobody.
	b.wantErr(dead.Send(b.ctx, call{}), actor.ErrStopped)
	receive(b, dead.Done())
	if i, err := dead.Info(); err != nil || i.State != actor.Exited || dead.PID() != here.PID() {
		b.Fatalf("a ref that came home to an actor that has ended leads to %+v, %v", i, err)
	}
	receive(b, there.Done())
	b.wantErr(there.Err(), errRefused)
	if err := sink.Drain(b.ctx); err != nil { // All messages from before the end are there.
		b.Fatal(err)
	}
	if len(inbox) != 200 {
		b.Fatalf("the end came after %d of 200 messages", len(inbox))
	}
	late, cancel2 := b.Systems[1].Monitor(there.PID())
	defer cancel2()
	b.wantErr(receive(b, late).Reason, actor.ErrStalePID)
	quit, cancel3 := b.Systems[1].Monitor(Move(b, b.Nodes, 1, here).PID())
	defer cancel3()
	receive(b, quit) // Also if the actor had ended before anybody knew of it here.
	b.ok(watcher.Stop(b.ctx))
}

func orders(b *bench) {
	handled := make(chan int, 64)
	count := func(_ *actor.Context[call], m call) error {
		handled <- m.N
		return nil //troupe:ignore reply: the message was sent without an ask, or the test leaves the ask open
	}
	here, there := b.spawn(count)
	done := there.Done()
	b.awaitWatch(here)
	b.ok(there.Stop(b.ctx))
	receive(b, here.Done())
	receive(b, done)
	b.ok(there.Err())
	b.ok(there.Stop(b.ctx))
	here, there = b.spawn(count)
	for i := range 20 {
		b.ok(there.Send(b.ctx, call{N: i}))
	}
	b.ok(there.Drain(b.ctx))
	receive(b, here.Done())
	here, there = b.spawn(count)
	done = there.Done()
	b.awaitWatch(here)
	b.ok(there.Kill())
	receive(b, here.Done())
	b.wantErr(here.Err(), actor.ErrKilled)
	receive(b, done)
	b.wantErr(there.Err(), actor.ErrKilled)
	busy, free := make(chan bool, 1), make(chan bool)
	here, there = b.spawn(func(*actor.Context[call], call) error {
		busy <- true
		select {
		case <-free:
		case <-b.ctx.Done():
		}
		return nil //troupe:ignore reply: the message was sent without an ask, or the test leaves the ask open
	})
	b.ok(there.Send(b.ctx, call{}))
	receive(b, busy)
	b.wantErr(there.StopWithin(b.ctx, 0), actor.ErrForced)
	receive(b, here.Done())
	close(free)
}

func elsewhere(b *bench) {
	_, there := b.spawn(double)
	sys, id := b.Systems[1], there.PID()
	b.wantErr(sys.Suspend(id), actor.ErrElsewhere)
	b.wantErr(sys.Resume(id), actor.ErrElsewhere)
	_, err := sys.Info(id)
	b.wantErr(err, actor.ErrElsewhere)
	_, err = there.Info()
	b.wantErr(err, actor.ErrElsewhere)
	b.wantErr(sys.AfterBacklog(id, func() {}), actor.ErrElsewhere)
	linked := make(chan error, 1)
	linker := b.spawnAt(1, func(ctx *actor.Context[call], m call) error {
		linked <- ctx.Link(m.Other.PID())
		return nil //troupe:ignore reply: the message was sent without an ask, or the test leaves the ask open
	})
	b.ok(linker.Send(b.ctx, call{Other: there}))
	b.wantErr(receive(b, linked), actor.ErrElsewhere)
	if n := there.Backlog(); n != 0 {
		b.Fatalf("an idle actor elsewhere has a backlog of %d", n)
	}
	for range sys.Infos(actor.PID{}) {
		continue
	}
	_ = sys.Checkup(b.ctx)
	if !strings.Contains(there.Path(), id.String()) {
		b.Fatalf("its path is %q", there.Path())
	}
}

func timers(b *bench) {
	got := make(chan int, 64)
	_, there := b.spawn(func(_ *actor.Context[call], m call) error {
		got <- m.N
		return nil //troupe:ignore reply: the message was sent without an ask, or the test leaves the ask open
	})
	_, err := actor.SendAfter(b.Systems[1], 0, there, call{N: 7})
	b.ok(err)
	if n := receive(b, got); n != 7 {
		b.Fatalf("the timer sent %d", n)
	}
	every, err := actor.Every(b.Systems[1], time.Millisecond, there, call{N: 8})
	b.ok(err)
	for range 3 {
		if n := receive(b, got); n != 8 {
			b.Fatalf("the timer sent %d", n)
		}
	}
	if !every.Stop() {
		b.Fatal("the timer was over")
	}
}

func names(b *bench) {
	_, there := b.spawn(double)
	b.ok(b.Systems[1].Register("far", there.PID()))
	found, err := actor.Lookup[call](b.Systems[1], "far")
	b.ok(err)
	if found != there {
		b.Fatalf("the name leads to %v", found)
	}
	b.wantErr(b.Systems[1].Register("far", b.spawnAt(1, double).PID()), actor.ErrNameTaken)
	b.ok(there.Stop(b.ctx))
	receive(b, there.Done())
	if _, err := actor.Lookup[call](b.Systems[1], "far"); !errors.Is(err, actor.ErrNoName) {
		b.Fatalf("the name of an actor that has ended got %v", err)
	}
}

func lost(b *bench) {
	began := make(chan bool, 1)
	gone := make(chan error, 1)
	_, there := b.spawn(func(ctx *actor.Context[call], m call) error {
		began <- true
		select {
		case <-ctx.Done():
			gone <- context.Cause(ctx)
		case <-b.ctx.Done():
		}
		return nil //troupe:ignore reply: the message was sent without an ask, or the test leaves the ask open
	})
	down, cancel := b.Systems[1].Monitor(there.PID())
	defer cancel()
	result := make(chan error, 1)
	go func() {
		_, err := actor.Ask(b.ctx, there, ask(1))
		result <- err
	}()
	receive(b, began)
	b.Lose()
	b.wantErr(receive(b, result), actor.ErrNoReply)
	if e := receive(b, down); e.Reason == nil {
		b.Fatal("a lost actor has ended without a reason")
	}
	_ = receive(b, gone) // The handler has heard, too.
	b.wantErr(there.Send(b.ctx, call{N: 9}), actor.ErrStopped)
	seen := slices.ContainsFunc(drained(b.letters), func(d actor.DeadLetter) bool {
		m, ok := d.Message.(call)
		return ok && m.N == 9 && d.To == there.PID()
	})
	if !seen {
		b.Fatal("a message for a lost actor is no dead letter")
	}
}

// drained returns what the channel has.
func drained(from chan actor.DeadLetter) (all []actor.DeadLetter) {
	for len(from) > 0 {
		all = append(all, <-from)
	}
	return all
}
