package actor_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/simulated"
)

// sharedWork is what a worker works on: it keeps the Replies of all that wait for it, and
// guards them by its lock.
type sharedWork struct {
	mu      sync.Mutex
	waiters []actor.Reply[int]
	first   actor.Reply[int]
}

func (j *sharedWork) keep(r actor.Reply[int]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.first = r
	j.waiters = append(j.waiters, r)
}

func (j *sharedWork) finish(ctx context.Context) (err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.waiters {
		err = errors.Join(err, r.Send(ctx, len(j.waiters)))
	}
	j.waiters, j.first = nil, actor.Reply[int]{}
	return err
}

// progress mentions a sharedWork, and is nobody's ask.
type progress struct{ of *sharedWork }

// assignment is a question for a worker: the last one closes the sharedWork.
type assignment struct {
	last  bool
	reply actor.Reply[int]
}

func assigning(last bool) func(actor.Reply[int]) assignment {
	return func(r actor.Reply[int]) assignment { return assignment{last, r} }
}

// spawnWorker spawns an actor that keeps the Replies in its sharedWork, and tells to of it. It says
// when it has kept one.
func spawnWorker(t testing.TB, sys *actor.System, j *sharedWork, to actor.Ref[progress]) (worker actor.Ref[assignment], kept <-chan struct{}) {
	t.Helper()
	has := make(chan struct{}, 100)
	return spawn(t, sys, func(c *actor.Context[assignment], m assignment) error {
		j.keep(m.reply)
		_ = to.Send(c, progress{j}) // It may be gone.
		select {
		case has <- struct{}{}:
		default: // Nobody counts so many.
		}
		if m.last {
			return j.finish(c)
		}
		return nil
	}), has
}

// A message that mentions a sharedWork leaves the asks alone whose Replies are kept there, whatever
// becomes of the message.
func TestKeptRepliesAreNotOfOtherMessages(t *testing.T) {
	simulated.Too(t, testKeptRepliesAreNotOfOtherMessages)
}

func testKeptRepliesAreNotOfOtherMessages(t testing.TB) {
	fates := map[string]struct {
		receive func(*actor.Context[progress], progress) error
		opts    []actor.Option
	}{
		"panics": {func(*actor.Context[progress], progress) error { panic(errOdd) }, nil},
		"fails":  {func(*actor.Context[progress], progress) error { return errOdd }, nil},
		"reads": {func(*actor.Context[progress], progress) error { return errOdd },
			[]actor.Option{actor.WithReadOnly(func(progress) bool { return true })}},
		"is unknown": {func(c *actor.Context[progress], _ progress) error { c.Stop(); return actor.ErrUnhandled }, nil},
		"is stashed": {func(c *actor.Context[progress], p progress) error { c.Stop(); return c.Stash(p) }, nil},
	}
	for name, fate := range fates {
		sys := newSystem(t, actor.Config{})
		to := spawn(t, sys, fate.receive, fate.opts...)
		wantKept(t, name, sys, to, to.Done())
	}
	sys := newSystem(t, actor.Config{})
	restarts := 0
	_, again := restarting(t, sys, func() actor.Actor[progress] {
		return actor.Func(func(*actor.Context[progress], progress) error { return errOdd })
	}, func(c *actor.Context[int], e actor.Exit) error {
		if restarts++; restarts > 1 && e.Held {
			return c.Release(e.PID)
		}
		return restart(c, e)
	}, actor.WithRetry(1))
	wantKept(t, "comes again", sys, again, again.Done())
	sys = newSystem(t, actor.Config{})
	stopped := spawn(t, sys, func(*actor.Context[progress], progress) error { return nil })
	wantNoErr(t, stopped.Stop(guarded(t)))
	wantKept(t, "comes too late", sys, stopped, stopped.Done())
	full := spawn(t, sys, func(*actor.Context[progress], progress) error { return nil },
		actor.WithBuffer(actor.Data, actor.Sliding), actor.WithCapacity(actor.Data, 1))
	wantNoErr(t, sys.Suspend(full.PID()))
	wantKept(t, "slides", sys, full, stopped.Done())
}

// wantKept asks a worker whose progress goes to to, waits until that is over, and has the
// worker finish then.
func wantKept(t testing.TB, name string, sys *actor.System, to actor.Ref[progress], over <-chan struct{}) {
	t.Helper()
	ctx := guarded(t)
	worker, kept := spawnWorker(t, sys, &sharedWork{}, to)
	first := make(chan error, 1)
	asker := spawn(t, sys, func(c *actor.Context[int], _ int) error {
		v, err := actor.Ask(c, worker, assigning(false))
		if err == nil && v != 2 {
			t.Errorf("a message %s, and the answer is %d, want 2", name, v)
		}
		first <- err
		return nil
	})
	send(t, ctx, asker, 1)
	receive(t, ctx, kept)
	receive(t, ctx, over)
	if v, err := actor.Ask(ctx, worker, assigning(true)); v != 2 || err != nil {
		t.Errorf("a message %s, and the last ask gets %d, %v, want 2", name, v, err)
	}
	if err := receive(t, ctx, first); err != nil {
		t.Errorf("a message %s, and the first ask gets %v", name, err)
	}
}

// Where a message that mentions a sharedWork is handled, the handler has no stranger's deadline,
// nor is its own ask of that stranger a ring.
func TestKeptRepliesAreNotInTheContextOfOtherMessages(t *testing.T) {
	simulated.Too(t, testKeptRepliesAreNotInTheContextOfOtherMessages)
}

func testKeptRepliesAreNotInTheContextOfOtherMessages(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var asker actor.Ref[question]
	told := make(chan error, 2)
	watcher := spawn(t, sys, func(c *actor.Context[progress], _ progress) error {
		if d, ok := c.Deadline(); ok {
			t.Errorf("the deadline is %v, want none", d)
		}
		if chain := actor.CallChain(c); len(chain) != 1 {
			t.Errorf("the call chain is %v, want the watcher alone", chain)
		}
		_, err := actor.Ask(c, asker, asking(1))
		told <- err
		return nil
	})
	worker, kept := spawnWorker(t, sys, &sharedWork{}, watcher)
	asker = spawn(t, sys, func(c *actor.Context[question], q question) error {
		if q.n == 1 {
			return q.reply.Send(c, 1)
		}
		short, cancel := context.WithTimeout(c, time.Hour)
		defer cancel()
		v, err := actor.Ask(short, worker, assigning(false))
		if err != nil {
			return q.reply.Fail(c, err)
		}
		return q.reply.Send(c, v)
	})
	last := make(chan error, 1)
	starter := spawn(t, sys, func(c *actor.Context[int], _ int) error {
		_, err := actor.Ask(c, worker, assigning(true))
		last <- err
		return nil
	})
	results := make(chan error, 1)
	first := spawn(t, sys, func(c *actor.Context[int], _ int) error {
		_, err := actor.Ask(c, asker, asking(0))
		results <- err
		return nil
	})
	send(t, ctx, first, 1)
	receive(t, ctx, kept)
	send(t, ctx, starter, 1)
	wantNoErr(t, receive(t, ctx, results))
	wantNoErr(t, receive(t, ctx, last))
	wantNoErr(t, receive(t, ctx, told))
	wantNoErr(t, receive(t, ctx, told))
}

// The user owns and locks what lies behind a pointer: a drop of the message reads nothing of
// it. The race detector checks that.
func TestDroppedMessagesLeaveWhatTheyPointToAlone(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	gone := spawn(t, sys, func(*actor.Context[progress], progress) error { return nil })
	wantNoErr(t, gone.Stop(ctx))
	j := &sharedWork{}
	worker, _ := spawnWorker(t, sys, j, gone)
	var all sync.WaitGroup
	all.Go(func() {
		for range 100 {
			wantErr(t, gone.Send(ctx, progress{j}), actor.ErrStopped)
		}
	})
	for n := range 20 {
		all.Go(func() {
			if _, err := actor.Ask(ctx, worker, assigning(n%5 == 4)); err != nil {
				t.Error(err)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	for over := false; !over; {
		_, err := actor.Ask(ctx, worker, assigning(true))
		wantNoErr(t, err)
		select {
		case <-done:
			over = true
		default:
		}
	}
}

// crate is a message that is sent by its pointer, and so is its Reply.
type pointerMessage struct {
	n     int
	asked bool
	reply actor.Reply[int]
}

// crateKey is the key under which the context of an ask has the crate's number.
type pointerMessageKey struct{}

// pointerActor handles the messages as their numbers say: it answers, keeps, stashes, fails.
type pointerActor struct {
	t      testing.TB
	echo   actor.Ref[question]
	told   actor.Ref[progress]
	record *sharedWork

	mu   sync.Mutex
	seen map[*pointerMessage]bool // The messages that it stashed, or failed in.
}

const crateKinds = 7

func (w *pointerActor) first(p *pointerMessage) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := !w.seen[p]
	w.seen[p] = true
	return first
}

// check looks whether the handler has the context of the crate's own ask.
func (w *pointerActor) check(c context.Context, p *pointerMessage) {
	var want any
	if p.asked {
		want = p.n
	}
	if got := c.Value(pointerMessageKey{}); got != want {
		w.t.Errorf("crate %d, asked: %v, is handled in the context of %v", p.n, p.asked, got)
	}
}

func (w *pointerActor) Receive(c *actor.Context[*pointerMessage], p *pointerMessage) error {
	w.check(c, p)
	switch p.n % crateKinds {
	case 1, 2:
		w.record.keep(p.reply)
		return w.told.Send(c, progress{w.record})
	case 3:
		if w.first(p) {
			return c.Stash(p)
		}
	case 4:
		if w.first(p) {
			return errOdd
		}
	case 5:
		if _, err := actor.Ask(c, w.echo, asking(p.n)); err != nil {
			return err
		}
		w.check(c, p)
	case 6:
		if _, err := c.Unstash(); err != nil {
			return err
		}
		if err := w.record.finish(c); err != nil && !errors.Is(err, actor.ErrLateReply) {
			return err
		}
	}
	return p.reply.Send(c, p.n)
}

// pointerActorOptions lead the messages of an actor through its lanes on every way.
var pointerActorOptions = map[string][]actor.Option{
	"plain":     nil,
	"narrow":    {actor.WithCapacity(actor.Data, 1)},
	"sliding":   {actor.WithBuffer(actor.Data, actor.Sliding), actor.WithCapacity(actor.Data, 2)},
	"dropping":  {actor.WithBuffer(actor.Data, actor.Dropping), actor.WithCapacity(actor.Data, 2)},
	"limited":   {actor.WithMailboxLimit(actor.MailboxLimit{Items: 3, Then: actor.ShedOldest})},
	"shedding":  {actor.WithMailboxLimit(actor.MailboxLimit{Items: 3})},
	"wide":      {actor.WithMailboxLimit(actor.MailboxLimit{Items: 100})},
	"in a lane": {withLane},
	"chained":   {actor.WithReentrancy(actor.CallChainReentrancy)},
	"reentrant": {actor.WithReentrancy(actor.FullReentrancy)},
	"reading":   {actor.WithReadOnly(func(p *pointerMessage) bool { return p.n%crateKinds == 0 })},
	"mixed":     {withLane, actor.WithReentrancy(actor.FullReentrancy), actor.WithCapacity(actor.Data, 2)},
}

// Each message that is an ask's has that ask's context, wherever its Reply is, and when it is
// dropped its ask ends; no other message has, nor ends it.
func TestAsksOfPointersThroughTheLanes(t *testing.T) {
	lane.Check(t)
	for name, opts := range pointerActorOptions {
		t.Run(name, func(t *testing.T) {
			simulated.Too(t, func(t testing.TB) { testAsksOfPointersThroughTheLanes(t, opts) })
		})
	}
}

func testAsksOfPointersThroughTheLanes(t testing.TB, opts []actor.Option) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	told := spawn(t, sys, func(*actor.Context[progress], progress) error { return nil },
		actor.WithBuffer(actor.Data, actor.Sliding), actor.WithCapacity(actor.Data, 1))
	w := &pointerActor{t: t, echo: spawn(t, sys, answer), told: told, record: &sharedWork{}, seen: map[*pointerMessage]bool{}}
	children := make(chan actor.Ref[*pointerMessage], 1)
	spawnActor(t, sys, actor.Actor[int](&keeping[int]{hooks[int]{
		started: func(c *actor.Context[int]) error {
			ref, err := actor.SpawnNew(c, func() actor.Actor[*pointerMessage] { return w }, opts...)
			children <- ref
			return err
		},
		exited: restart,
	}}))
	to := receive(t, ctx, children)
	const senders, each = 3, 25
	done := make(chan struct{}, senders)
	for s := range senders {
		asker := spawn(t, sys, func(c *actor.Context[int], _ int) error {
			for i := range each {
				n := (s*each + i) * (s + 2)
				if n%3 == s {
					wantNoErr(t, to.Send(c, &pointerMessage{n: n}))
					continue
				}
				_, err := actor.Ask(context.WithValue(c, pointerMessageKey{}, n), to, func(r actor.Reply[int]) *pointerMessage { return &pointerMessage{n, true, r} })
				if err != nil && !errors.Is(err, actor.ErrNoReply) {
					t.Errorf("the ask of crate %d: %v", n, err)
				}
				if kind := n % crateKinds; (kind == 1 || kind == 2) && err != nil && !isDropped(err) {
					t.Errorf("the ask of crate %d, which was kept: %v", n, err)
				}
			}
			done <- struct{}{}
			return nil
		})
		send(t, ctx, asker, 1)
	}
	for left := senders; left > 0; {
		select {
		case <-done:
			left--
			continue
		default:
		}
		if _, err := actor.Ask(context.WithValue(ctx, pointerMessageKey{}, 6), to, func(r actor.Reply[int]) *pointerMessage { return &pointerMessage{6, true, r} }); err != nil && !errors.Is(err, actor.ErrNoReply) {
			t.Fatal(err)
		}
	}
}

// isDropped reports whether an ask ended since there was no room for its message.
func isDropped(err error) bool {
	return errors.Is(err, actor.ErrOverflow) || errors.Is(err, actor.ErrMailboxLimit)
}
