package actor_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

// stopped returns why the actor has ended.
func stopped[M any](tb testing.TB, ctx context.Context, ref actor.Ref[M]) error {
	tb.Helper()
	select {
	case <-ref.Done():
		return ref.Err()
	case <-ctx.Done():
		tb.Fatal("the actor has not stopped")
		return nil
	}
}

func TestShedByItems(t *testing.T) {
	for then, want := range map[actor.LimitAction][]int{
		actor.ShedNewest: {101, 51, 1, 2},
		actor.ShedOldest: {101, 51, 9, 10},
	} {
		t.Run(then.String(), func(t *testing.T) {
			ctx := guarded(t)
			var dead deadLetterList
			sys := newSystem(t, actor.Config{OnDeadLetter: dead.add})
			g := newGate()
			ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithMailboxLimit(actor.MailboxLimit{Items: 4, Then: then}))
			g.hold(t, ctx, ref)
			send(t, ctx, ref, count(1, 8)...)
			send(t, ctx, ref.On(actor.Management), 51)
			send(t, ctx, ref.On(actor.Control), 101)
			send(t, ctx, ref, 9, 10)
			i, err := ref.Info()
			wantNoErr(t, err)
			wantSame(t, "waiting", i.Mailbox, [3]int{2, 1, 1})
			wantSame(t, "dropped", i.Dropped, [3]uint64{8, 0, 0})
			wantSame(t, "stats", sys.Stats().Dropped, 8)
			wantSame(t, "handled", g.drained(t, ctx, ref), want)
			for _, d := range dead.all {
				wantErr(t, d.Reason, actor.ErrMailboxLimit)
			}
			wantSame(t, "dead letters", len(dead.all), 8)
		})
	}
}

// A limit of -1 is none, so the other one alone counts.
func TestLimitOfItemsOrBytesAlone(t *testing.T) {
	ctx := guarded(t)
	for _, limit := range []actor.MailboxLimit{{Items: 2, Bytes: -1}, {Items: -1, Bytes: 2 * 8}} {
		sys := newSystem(t, actor.Config{})
		g := newGate()
		ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithMailboxLimit(limit))
		g.hold(t, ctx, ref)
		send(t, ctx, ref, 1, 2, 3)
		i, err := ref.Info()
		wantNoErr(t, err)
		wantSame(t, "waiting", i.Mailbox, [3]int{2})
		wantSame(t, "dropped", i.Dropped, [3]uint64{1})
		wantSame(t, "handled", g.drained(t, ctx, ref), []int{1, 2})
	}
}

// Urgent messages give way to none but their like.
func TestLimitSparesUrgentLanes(t *testing.T) {
	for _, then := range []actor.LimitAction{actor.ShedNewest, actor.ShedOldest} {
		ctx := guarded(t)
		sys := newSystem(t, actor.Config{})
		g := newGate()
		ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithMailboxLimit(actor.MailboxLimit{Items: 2, Then: then}))
		g.hold(t, ctx, ref)
		send(t, ctx, ref.On(actor.Control), 1, 2)
		send(t, ctx, ref, 3)
		send(t, ctx, ref.On(actor.Management), 4)
		send(t, ctx, ref.On(actor.Control), 5)
		want := []int{1, 2}
		if then == actor.ShedOldest {
			want = []int{2, 5}
		}
		wantSame(t, then.String(), g.drained(t, ctx, ref), want)
	}
}

type sizedMessage struct {
	n    int
	name string
	body []byte
	any  any
}

func TestShedByBytes(t *testing.T) {
	const word = strconv.IntSize / 8
	const own = word * (1 + 2 + 3 + 2)
	sized := func(n, size int) sizedMessage {
		return sizedMessage{n: n, name: "abcd", body: make([]byte, size-own-4)}
	}
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	entered, open, handled := make(chan struct{}), make(chan struct{}), []int{}
	ref := spawn(t, sys, func(_ *actor.Context[sizedMessage], p sizedMessage) error {
		if p.n == 0 {
			entered <- struct{}{}
			<-open
		}
		handled = append(handled, p.n)
		return nil
	}, actor.WithMailboxLimit(actor.MailboxLimit{Bytes: 1000, Then: actor.ShedOldest}))
	send(t, ctx, ref, sizedMessage{})
	receive(t, ctx, entered)
	bytes := func(want int) {
		t.Helper()
		i, err := ref.Info()
		wantNoErr(t, err)
		wantSame(t, "bytes", i.Bytes, want)
	}
	send(t, ctx, ref, sized(1, 300), sized(2, 500), sized(3, 200))
	bytes(1000)
	send(t, ctx, ref, sized(4, 1001)) // Too large even if it were alone.
	bytes(1000)
	send(t, ctx, ref, sized(5, 500))
	bytes(700) // Without 1 and 2.
	send(t, ctx, ref, sizedMessage{n: 6, any: "0123456789"})
	bytes(700 + own + 2*word + 10)
	send(t, ctx, ref, sizedMessage{n: 7, any: sizedMessage{name: "x"}})
	bytes(700 + own + 2*word + 10 + own + own + 1)
	close(open)
	wantNoErr(t, ref.Drain(ctx))
	wantSame(t, "handled", handled, []int{0, 3, 5, 6, 7})
	wantSame(t, "dropped", sys.Stats().Dropped, 3)
	bytes(0)
}

func TestLimitBySizeFunction(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g),
		actor.WithMailboxLimit(actor.MailboxLimit{Bytes: 10}),
		actor.WithSizeOf(func(m int) int {
			if m == 13 {
				panic(errHook)
			}
			return m
		}))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 5, 6, 4, 2, 1) // 6 and 2 find no room.
	wantErr(t, ref.Send(ctx, 13), errHook)
	if err := ref.Send(ctx, -1); err == nil || !strings.Contains(err.Error(), "returned -1") {
		t.Errorf("a message of -1 bytes: %v", err)
	}
	wantSame(t, "handled", g.drained(t, ctx, ref), []int{5, 4, 1})
	wantSame(t, "dropped", sys.Stats().Dropped, 2)
}

// An actor that nobody restarts stops, whatever its handler does, and what waits
// goes to the dead letters.
func TestLimitEndsAnActor(t *testing.T) {
	ctx := guarded(t)
	var dead deadLetterList
	sys := newSystem(t, actor.Config{OnDeadLetter: dead.add})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithMailboxLimit(actor.MailboxLimit{Items: 3, Then: actor.LimitRestart}))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2, 3, 4)
	err := stopped(t, ctx, ref)
	wantErr(t, err, actor.ErrMailboxLimit)
	wantSame(t, "dead letters", dead.messages(), []int{1, 2, 3, 4})
	wantSame(t, "dropped", sys.Stats().Dropped, 4)
	wantErr(t, ref.Send(ctx, 5), actor.ErrStopped)
	close(g.open)
	t.Log(err)
}

// A parent restarts it, and it goes on with an empty mailbox.
func TestLimitRestartsAnActor(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	exits := make(chan actor.Exit, 10)
	children := make(chan actor.Ref[int], 1)
	first, second := newGate(), newGate()
	gates := []*gate{first, second}
	spawnActor(t, sys, actor.Actor[int](&keeping[int]{hooks[int]{
		started: func(c *actor.Context[int]) error {
			child, err := actor.SpawnNew(c, func() actor.Actor[int] {
				g := gates[0]
				gates = gates[1:]
				return g
			}, actor.WithMailboxLimit(actor.MailboxLimit{Items: 3, Then: actor.LimitRestart}), actor.WithCapacity(actor.Data, 3))
			children <- child
			return err
		},
		exited: func(c *actor.Context[int], e actor.Exit) error {
			exits <- e
			return restart(c, e)
		},
	}}))
	child := receive(t, ctx, children)
	first.hold(t, ctx, child)
	send(t, ctx, child, 1, 2, 3)
	waited := make(chan error, 1)
	go func() { waited <- child.Send(ctx, 4) }()
	until(t, ctx, func() bool { return actor.SendersWaiting(child) == 1 })
	send(t, ctx, child.On(actor.Control), 5) // Exceeds it.
	e := receive(t, ctx, exits)
	wantErr(t, e.Reason, actor.ErrMailboxLimit)
	wantNoErr(t, receive(t, ctx, waited))
	wantSame(t, "handled by the next", receive(t, ctx, second.seen), 4)
	send(t, ctx, child, 6)
	wantSame(t, "handled by the next", receive(t, ctx, second.seen), 6)
	wantSame(t, "dropped", sys.Stats().Dropped, 4)
	close(first.open)
}

// Senders end incarnations and let others in while the actor works: nothing that was
// sent gets lost, and the race detector has nothing to say.
func TestLimitRestartsBesideItsWork(t *testing.T) {
	ctx := guarded(t)
	var handled, dead atomic.Int64
	sys := newSystem(t, actor.Config{OnDeadLetter: func(actor.DeadLetter) { dead.Add(1) }})
	_, child := restarting(t, sys, func() actor.Actor[int] {
		return actor.Func(func(c *actor.Context[int], _ int) error {
			handled.Add(1)
			for range 50 {
				if err := c.Checkpoint(); err != nil {
					return err
				}
			}
			return nil
		})
	}, restart, actor.WithMailboxLimit(actor.MailboxLimit{Bytes: 30, Then: actor.LimitRestart}),
		actor.WithSizeOf(func(m int) int { return m }), actor.WithCapacity(actor.Data, 4), actor.WithCapacity(actor.Control, 4))
	const senders, each = 5, 500
	var sending sync.WaitGroup
	for i := range senders {
		sending.Go(func() {
			to := child
			if i == 0 {
				to = child.On(actor.Control)
			}
			for n := range each {
				if err := to.Send(ctx, n%12); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	sending.Wait()
	until(t, ctx, func() bool { return handled.Load()+dead.Load() >= senders*each })
}

// Senders that wait for room in a full lane are bound by the limit too.
func TestLimitOfWaitingSenders(t *testing.T) {
	ctx := guarded(t)
	var dead deadLetterList
	sys := newSystem(t, actor.Config{OnDeadLetter: dead.add})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithCapacity(actor.Data, 2),
		actor.WithMailboxLimit(actor.MailboxLimit{Bytes: 10}), actor.WithSizeOf(func(m int) int { return m }))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 6)
	waited := make(chan error, 2)
	for i, m := range []int{5, 4} {
		go func() { waited <- ref.Send(ctx, m) }()
		until(t, ctx, func() bool { return actor.SendersWaiting(ref) == i+1 })
	}
	g.open <- struct{}{}
	wantNoErr(t, receive(t, ctx, waited))
	wantNoErr(t, receive(t, ctx, waited))
	wantSame(t, "handled", g.drained(t, ctx, ref), []int{1, 6, 4})
	wantSame(t, "dead letters", dead.messages(), []int{5})
}

func TestBadLimits(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	some := actor.MailboxLimit{Bytes: 10}
	for want, opts := range map[string][]actor.Option{
		"MailboxLimit.Items is -2": {actor.WithMailboxLimit(actor.MailboxLimit{Items: -2})},
		"MailboxLimit.Bytes is -2": {actor.WithMailboxLimit(actor.MailboxLimit{Bytes: -2})},
		"neither messages nor":     {actor.WithMailboxLimit(actor.MailboxLimit{Then: actor.ShedOldest})},
		"unknown limit action 7":   {actor.WithMailboxLimit(actor.MailboxLimit{Items: 1, Then: 7})},
		"nil function":             {actor.WithMailboxLimit(some), actor.WithSizeOf[int](nil)},
		"func(string) int":         {actor.WithMailboxLimit(some), actor.WithSizeOf(func(string) int { return 1 })},
		"without a limit in bytes": {actor.WithSizeOf(func(int) int { return 1 })},
	} {
		_, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error { return nil }), opts...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one about %q", err, want)
		}
	}
	wantSame(t, "name", actor.LimitAction(9), "LimitAction(9)")
}

// A kill, a restart and a return from the stash leave the figures of the limit right.
func TestLimitOverIncarnations(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	fail := errors.New("failed")
	children := make(chan actor.Ref[int], 1)
	entered, handled := make(chan struct{}, 10), make(chan int, 100)
	spawnActor(t, sys, actor.Actor[int](&keeping[int]{hooks[int]{
		started: func(c *actor.Context[int]) error {
			child, err := actor.SpawnNew(c, func() actor.Actor[int] {
				return actor.Func(func(c *actor.Context[int], m int) error {
					switch {
					case m == -1:
						return fail
					case m == -2:
						entered <- struct{}{}
						<-c.Done()
						return nil
					case m < 100:
						return c.Stash(m + 100)
					}
					handled <- m
					return nil
				})
			}, actor.WithMailboxLimit(actor.MailboxLimit{Items: 5, Bytes: 1000}))
			children <- child
			return err
		},
		exited: restart,
	}}))
	child := receive(t, ctx, children)
	for range 20 {
		send(t, ctx, child, -2)
		receive(t, ctx, entered)
		send(t, ctx, child, 1, 2, -1, 3, 4)
		wantNoErr(t, child.Kill())
		for _, want := range []int{101, 102} {
			wantSame(t, "from the stash", receive(t, ctx, handled), want)
		}
		send(t, ctx, child, -1)
		for _, want := range []int{103, 104} {
			wantSame(t, "from the stash", receive(t, ctx, handled), want)
		}
		until(t, ctx, func() bool { return actor.Idle(child) })
		i, err := child.Info()
		wantNoErr(t, err)
		wantSame(t, "bytes", i.Bytes, 0)
		wantSame(t, "waiting", i.Mailbox, [3]int{})
	}
	wantSame(t, "dropped", sys.Stats().Dropped, 0)
}

// A message for which another one makes way is not the end of those that wait for
// room behind it.
func TestShedBeforeAWaitingSender(t *testing.T) { simulated.Too(t, testShedBeforeAWaitingSender) }

func testShedBeforeAWaitingSender(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	replies, begun := make(chan actor.Reply[int], 1), make(chan struct{})
	keeper := spawn(t, sys, func(_ *actor.Context[question], q question) error {
		replies <- q.reply
		close(begun)
		return nil
	})
	handled := make(chan int, 3)
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		handled <- m
		if m != 1 {
			return nil
		}
		_, err := actor.Ask(c, keeper, asking(0))
		return err
	}, actor.WithCapacity(actor.Data, 1), actor.WithMailboxLimit(actor.MailboxLimit{Items: 1, Then: actor.ShedOldest}))
	send(t, ctx, ref, 1)
	receive(t, ctx, begun)
	send(t, ctx, ref, 2)
	sent := make(chan error, 1)
	go func() { sent <- ref.Send(ctx, 3) }()
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == 1 })
	send(t, ctx, ref.On(actor.Control), 100) // 2 makes way for it.
	wantNoErr(t, receive(t, ctx, replies).Send(ctx, 0))
	for _, want := range []int{1, 100, 3} {
		if m := receive(t, ctx, handled); m != want {
			t.Errorf("handled was %d, want %d", m, want)
		}
	}
	wantNoErr(t, receive(t, ctx, sent))
}
