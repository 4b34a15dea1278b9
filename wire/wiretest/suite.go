package wiretest

import (
	"context"
	"errors"
	"fmt"
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

// awaitWatch returns when the watch of the other node has arrived at an actor. Before that, it is told of the actor's end
// as one is who comes too late.
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
		return nil
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
		return nil
	})
	note := []byte("what was sent")
	b.ok(there.Send(b.ctx, call{Note: note}))
	copy(note, "poison poison")
	if s := string(receive(b, got)); s != "what was sent" {
		b.Fatalf("the actor got %q", s)
	}
}

func asked(b *bench) {
	_, there := b.spawn(double)
	got, err := actor.Ask(b.ctx, there, ask(21))
	b.ok(err)
	if got.N != 42 {
		b.Fatalf("the answer is %d, want 42", got.N)
	}
	got, err = actor.Ask(context.Background(), there.On(actor.Control), ask(4)) // An ask that carries nothing.
	b.ok(err)
	if got.N != 8 {
		b.Fatalf("the answer is %d, want 8", got.N)
	}
	done := make(chan error, 1)
	asker := b.spawnAt(1, func(ctx *actor.Context[call], m call) error {
		got, err := actor.Ask(ctx, m.Other, ask(m.N))
		if err == nil && got.N != 2*m.N {
			err = fmt.Errorf("the answer is %d", got.N)
		}
		done <- err
		return nil
	})
	for i := range 50 {
		b.ok(asker.Send(b.ctx, call{N: i, Other: there}))
		b.ok(receive(b, done))
	}
}

func refused(b *bench) {
	_, there := b.spawn(func(ctx *actor.Context[call], m call) error {
		return m.Reply.Fail(ctx, fmt.Errorf("number %d: %w", m.N, errRefused))
	})
	_, err := actor.Ask(b.ctx, there, ask(3))
	b.wantErr(err, errRefused, "number 3")
}

func answeredTwice(b *bench) {
	second, late := make(chan error, 1), make(chan error, 1)
	kept := make(chan actor.Reply[answer], 1)
	_, there := b.spawn(func(ctx *actor.Context[call], m call) error {
		if m.N == 0 {
			kept <- m.Reply
			return nil
		}
		b.ok(m.Reply.Send(ctx, answer{N: 1}))
		second <- m.Reply.Send(ctx, answer{N: 2})
		return nil
	})
	got, err := actor.Ask(b.ctx, there, ask(1))
	b.ok(err)
	if got.N != 1 {
		b.Fatalf("the answer is %d, want the first", got.N)
	}
	b.wantErr(receive(b, second), actor.ErrReplied)
	ctx, cancel := context.WithCancel(b.ctx)
	over := make(chan error, 1)
	go func() {
		_, err := actor.Ask(ctx, there, ask(0))
		over <- err
	}()
	reply := receive(b, kept)
	cancel()
	b.wantErr(receive(b, over), context.Canceled)
	go func() { // Until the other node has heard that the asker has left, it may take an answer.
		for b.ctx.Err() == nil {
			if err := reply.Send(context.Background(), answer{}); err != nil {
				late <- err
				return
			}
		}
	}()
	if err := receive(b, late); !errors.Is(err, actor.ErrLateReply) && !errors.Is(err, actor.ErrReplied) {
		b.Fatalf("the late answer got %v", err)
	}
}

func strangeAnswer(b *bench) {
	failed := make(chan error, 1)
	_, there := b.spawn(func(ctx *actor.Context[call], m call) error {
		var r actor.Reply[stranger] // As a program would have it whose answer has no name.
		data, err := m.Reply.MarshalBinary()
		if err == nil {
			err = r.UnmarshalBinary(data)
		}
		if err == nil {
			err = r.Send(ctx, stranger{})
		}
		failed <- err
		return m.Reply.Send(ctx, answer{N: 1})
	})
	got, err := actor.Ask(b.ctx, there, ask(0))
	b.ok(err)
	if got.N != 1 {
		b.Fatalf("the answer is %d", got.N)
	}
	b.wantErr(receive(b, failed), actor.ErrUnbound)
}

func left(b *bench) {
	began, cause := make(chan bool, 1), make(chan error, 1)
	_, there := b.spawn(func(ctx *actor.Context[call], _ call) error {
		began <- true
		select {
		case <-ctx.Done():
			cause <- context.Cause(ctx)
		case <-b.ctx.Done():
		}
		return nil
	})
	ctx, cancel := context.WithCancelCause(b.ctx)
	over := make(chan error, 1)
	go func() {
		_, err := actor.Ask(ctx, there, ask(1))
		over <- err
	}()
	receive(b, began)
	cancel(errRefused)
	b.wantErr(receive(b, over), errRefused)
	b.wantErr(receive(b, cause), errRefused)
}

func carried(b *bench) {
	type seen struct {
		at    time.Time
		has   bool
		name  string
		other any
	}
	got := make(chan seen, 1)
	_, there := b.spawn(func(ctx *actor.Context[call], m call) error {
		var s seen
		s.at, s.has = ctx.Deadline()
		v, _ := ctx.Value(tenantKey{}).(tenant)
		s.name, s.other = v.Name, ctx.Value("other")
		got <- s
		return m.Reply.Send(ctx, answer{})
	})
	ctx := context.WithValue(context.Background(), tenantKey{}, tenant{"acme"})
	ctx = context.WithValue(ctx, "other", 1) //nolint:revive,staticcheck // It must not cross.
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	_, err := actor.Ask(ctx, there, ask(1))
	b.ok(err)
	s := receive(b, got)
	if rest := time.Until(s.at); !s.has || rest <= 0 || rest > 2*time.Hour || s.name != "acme" || s.other != nil {
		b.Fatalf("the handler has a deadline: %v, in %v; the value %q, and %v", s.has, rest, s.name, s.other)
	}
}

func cameHome(b *bench) {
	home := b.spawnAt(1, double)
	_, there := b.spawn(func(ctx *actor.Context[call], m call) error { // Hands the message on.
		return m.Other.Send(ctx, call{N: m.N + 1, Reply: m.Reply})
	})
	got, err := actor.Ask(b.ctx, there, func(r actor.Reply[answer]) call { return call{N: 1, Reply: r, Other: home} })
	b.ok(err)
	if got.N != 4 {
		b.Fatalf("the answer is %d, want 4", got.N)
	}
}

func gathered(b *bench) {
	var refs []actor.Ref[call]
	for range 5 {
		_, there := b.spawn(double)
		refs = append(refs, there)
	}
	refs = append(refs, b.spawnAt(1, double))
	for i, a := range actor.AskAll(b.ctx, refs, ask(5)) {
		if b.ok(a.Err); a.Value.N != 10 {
			b.Fatalf("answer %d is %d, want 10", i, a.Value.N)
		}
	}
	silent := make(chan error, 1)
	_, quiet := b.spawn(func(ctx *actor.Context[call], _ call) error {
		select {
		case <-ctx.Done():
			silent <- context.Cause(ctx)
		case <-b.ctx.Done():
		}
		return nil
	})
	_, err := actor.AskQuorum(b.ctx, []actor.Ref[call]{quiet, refs[0]}, 1, ask(1))
	b.ok(err)
	receive(b, silent) // It has heard that it is not needed.
}

func ring(b *bench) {
	result := make(chan error, 1)
	_, there := b.spawn(func(ctx *actor.Context[call], m call) error {
		_, err := actor.Ask(ctx, m.Other, ask(2))
		if err != nil {
			return m.Reply.Fail(ctx, err)
		}
		return m.Reply.Send(ctx, answer{})
	})
	first := b.spawnAt(1, func(ctx *actor.Context[call], m call) error {
		_, err := actor.Ask(ctx, m.Other, func(r actor.Reply[answer]) call { return call{N: 1, Reply: r, Other: ctx.Self()} })
		result <- err
		return nil
	})
	b.ok(first.Send(b.ctx, call{Other: there}))
	b.wantErr(receive(b, result), actor.ErrCycle, first.PID().String())
}

func failed(b *bench) {
	_, there := b.spawn(func(_ *actor.Context[call], _ call) error { return errRefused })
	_, err := actor.Ask(b.ctx, there, ask(1))
	b.wantErr(err, actor.ErrNoReply)
	b.wantErr(err, errRefused)
	receive(b, there.Done())
	b.wantErr(there.Send(b.ctx, call{}), actor.ErrStopped)
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
		return nil
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
		return nil
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
	receive(b, there.Done())
	b.wantErr(there.Err(), errRefused)
	if err := sink.Drain(b.ctx); err != nil { // What came before the end is there.
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
		return nil
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
		return nil
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
		return nil
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
		return nil
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
		return nil
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
	receive(b, gone) // The handler has heard, too.
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
