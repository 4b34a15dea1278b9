package actor_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/simtest"
)

// doing is an actor that does what its messages say.
type doing = func(*actor.Context[task]) error

type task struct {
	do   doing
	done chan error
}

func doTask(c *actor.Context[task], m task) error {
	err := m.do(c)
	if m.done == nil {
		return err
	}
	m.done <- err
	return nil
}

// do lets the actor do something and returns what came of it.
func do(tb testing.TB, ref actor.Ref[task], f doing) error {
	tb.Helper()
	done := make(chan error, 1)
	send(tb, guarded(tb), ref, task{f, done})
	return receive(tb, guarded(tb), done)
}

// end makes the actor's handler end in one of the ways of endings.
func end(tb testing.TB, ref actor.Ref[task], f doing) {
	tb.Helper()
	send(tb, guarded(tb), ref, task{do: f})
}

var endings = map[string]struct {
	do     doing
	reason error
	kind   actor.ExitKind
}{
	"stop":   {func(c *actor.Context[task]) error { c.Stop(); return nil }, nil, actor.Normal},
	"error":  {func(*actor.Context[task]) error { return errHook }, errHook, actor.Failed},
	"panic":  {func(*actor.Context[task]) error { panic(errHook) }, errHook, actor.Failed},
	"goexit": {func(*actor.Context[task]) error { return failures["goexit"].fail() }, actor.ErrGoexit, actor.Failed},
	"kill":   {func(c *actor.Context[task]) error { return c.Self().Kill() }, actor.ErrKilled, actor.Killed},
}

// trapper receives the ends of the actors that it is linked to, and monitors others.
type trapper struct {
	exits chan actor.Exit
	downs chan actor.Exit
	which chan actor.Monitor
	fail  error
}

func newTrapper() *trapper {
	return &trapper{make(chan actor.Exit, 16), make(chan actor.Exit, 16), make(chan actor.Monitor, 16), nil}
}

func (t *trapper) Receive(c *actor.Context[task], m task) error { return doTask(c, m) }

func (t *trapper) Exited(_ *actor.Context[task], e actor.Exit) error {
	t.exits <- e
	return t.fail
}

func (t *trapper) Down(_ *actor.Context[task], m actor.Monitor, e actor.Exit) error {
	t.downs <- e
	t.which <- m
	return t.fail
}

func linkTo(id actor.PID) doing {
	return func(c *actor.Context[task]) error { return c.Link(id) }
}

func TestLinks(t *testing.T) {
	for name, ending := range endings {
		for _, who := range []string{"the one that has linked", "the other one"} {
			t.Run(name+" of "+who, func(t *testing.T) {
				ctx := guarded(t)
				sys := newSystem(t, actor.Config{})
				a, b := spawn(t, sys, doTask, actor.WithName("a")), spawn(t, sys, doTask, actor.WithName("b"))
				wantNoErr(t, do(t, a, linkTo(b.PID())))
				wantNoErr(t, do(t, b, linkTo(a.PID()))) // Once is enough, and twice does no harm.
				if who == "the other one" {
					a, b = b, a
				}
				end(t, a, ending.do)
				receive(t, ctx, a.Done())
				if ending.reason == nil {
					wantNoErr(t, do(t, b, func(*actor.Context[task]) error { return nil }))
					wantNoErr(t, b.Stop(ctx))
					return
				}
				receive(t, ctx, b.Done())
				wantErr(t, b.Err(), ending.reason)
				l := (*actor.LinkedError)(nil)
				if !errors.As(b.Err(), &l) || l.PID != a.PID() || l.Name != a.String()[:1] {
					t.Errorf("the other one has ended with %v", b.Err())
				}
			})
		}
	}
}

func TestTrappedExit(t *testing.T) {
	for name, ending := range endings {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			tr := newTrapper()
			a, b := spawn(t, sys, doTask, actor.WithName("a")), spawnActor(t, sys, actor.Actor[task](tr))
			wantNoErr(t, do(t, a, linkTo(b.PID())))
			end(t, a, ending.do)
			e := receive(t, ctx, tr.exits)
			wantErr(t, e.Reason, ending.reason)
			if e.PID != a.PID() || e.Name != "a" || e.Kind() != ending.kind || e.Held {
				t.Errorf("the trapper was told %+v", e)
			}
			wantNoErr(t, do(t, b, func(*actor.Context[task]) error { return nil }))
		})
	}
}

// An exit travels along a chain of links, and ends where it is trapped.
func TestChainOfLinks(t *testing.T) { simulated.Too(t, testChainOfLinks) }

func testChainOfLinks(t testing.TB) {
	const length = 200
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	tr := newTrapper()
	last := spawnActor(t, sys, actor.Actor[task](tr))
	for range length {
		next := spawn(t, sys, doTask)
		wantNoErr(t, do(t, next, linkTo(last.PID())))
		last = next
	}
	end(t, last, endings["error"].do)
	e := receive(t, ctx, tr.exits)
	wantErr(t, e.Reason, errHook)
	if n := sys.Stats().Actors; e.Kind() != actor.Linked || n != 1 {
		t.Errorf("the exit is %v, and %d actors are left", e.Kind(), n)
	}
}

func TestLinkToAnAbsentActor(t *testing.T) { simulated.Too(t, testLinkToAnAbsentActor) }

func testLinkToAnAbsentActor(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	gone := spawn(t, sys, doTask)
	wantNoErr(t, gone.Stop(ctx))
	tr := newTrapper()
	trapping, plain := spawnActor(t, sys, actor.Actor[task](tr)), spawn(t, sys, doTask)
	wantNoErr(t, do(t, trapping, linkTo(gone.PID())))
	e := receive(t, ctx, tr.exits)
	wantErr(t, e.Reason, actor.ErrStalePID)
	if e.PID != gone.PID() {
		t.Errorf("the trapper was told %+v", e)
	}
	if err := do(t, plain, linkTo(actor.PID{})); err == nil {
		t.Error("an actor was linked to the zero PID")
	}
	wantNoErr(t, do(t, plain, linkTo(plain.PID())))
	wantNoErr(t, do(t, plain, linkTo(gone.PID())))
	receive(t, ctx, plain.Done())
	wantErr(t, plain.Err(), actor.ErrStalePID)
}

// After Unlink has returned no signal comes, even if it was on its way.
func TestUnlink(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	for range 200 {
		a, b := spawn(t, sys, doTask), spawn(t, sys, doTask)
		wantNoErr(t, do(t, a, linkTo(b.PID())))
		wantNoErr(t, do(t, b, func(c *actor.Context[task]) error {
			if err := a.Kill(); err != nil {
				return err
			}
			<-a.Done() // So the signal is there, and waits for this handler to return.
			return c.Unlink(a.PID())
		}))
		receive(t, ctx, a.Done())
		wantNoErr(t, do(t, b, func(*actor.Context[task]) error { return nil }))
		wantNoErr(t, b.Stop(ctx))
	}
}

// An incarnation that is linked ends with the other one and begins again,
// without the link.
func TestLinkAndRestart(t *testing.T) { simulated.Too(t, testLinkAndRestart) }

func testLinkAndRestart(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	_, child := keptChild(t, sys, func() actor.Actor[task] { return actor.Func(doTask) }, true)
	tr := newTrapper()
	other := spawnActor(t, sys, actor.Actor[task](tr))
	wantNoErr(t, do(t, other, linkTo(child.PID())))
	end(t, child, endings["error"].do)
	wantErr(t, receive(t, ctx, tr.exits).Reason, errHook)
	end(t, child, endings["error"].do)
	wantNoErr(t, do(t, child, linkTo(other.PID())))
	wantNoErr(t, other.Kill())
	receive(t, ctx, other.Done())
	wantNoErr(t, do(t, child, func(*actor.Context[task]) error { return nil }))
	if n := len(tr.exits); n != 0 {
		t.Errorf("%d exits came over a link that had ended", n)
	}
}

func TestFailureInExited(t *testing.T) { simulated.Too(t, testFailureInExited) }

func testFailureInExited(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	tr := newTrapper()
	tr.fail = errHook
	a, b := spawn(t, sys, doTask), spawnActor(t, sys, actor.Actor[task](tr))
	wantNoErr(t, do(t, a, linkTo(b.PID())))
	wantNoErr(t, a.Kill())
	receive(t, ctx, b.Done())
	wantErr(t, b.Err(), errHook)
}

// Actors link, unlink and end in all directions at the same time. In the end,
// nobody who is linked to a victim is left.
func TestLinksUnderLoad(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 3})
	for range 50 {
		const n = 12
		var refs []actor.Ref[task]
		for range n {
			refs = append(refs, spawn(t, sys, doTask))
		}
		var all sync.WaitGroup
		for i, ref := range refs {
			all.Go(func() {
				for j := range n {
					_ = ref.Send(ctx, task{do: linkTo(refs[(i+j)%n].PID())})
					if j%3 == 0 {
						_ = ref.Send(ctx, task{do: func(c *actor.Context[task]) error { return c.Unlink(refs[(i+j+1)%n].PID()) }})
					}
				}
				_ = ref.Send(ctx, task{do: linkTo(refs[(i+1)%n].PID())}) // So that they are a ring.
			})
		}
		all.Go(func() {
			if err := refs[n/2].Kill(); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		for _, ref := range refs {
			receive(t, ctx, ref.Done())
		}
	}
}

// pack is a message of a dying actor.
type lastMessage struct{ from, n int }

// observer monitors or is linked to senders that end, and notes what is missing
// of their messages when it is told.
type observer struct {
	got   map[int]int
	from  map[actor.PID]int
	want  int
	ended chan string
}

func (o *observer) Receive(_ *actor.Context[lastMessage], p lastMessage) error {
	o.got[p.from]++
	return nil
}

func (o *observer) Exited(_ *actor.Context[lastMessage], e actor.Exit) error {
	return o.note("exit", e)
}

func (o *observer) Down(_ *actor.Context[lastMessage], _ actor.Monitor, e actor.Exit) error {
	return o.note("down", e)
}

func (o *observer) note(how string, e actor.Exit) error {
	who := o.from[e.PID]
	if o.got[who] != o.want {
		o.ended <- fmt.Sprintf("the %s of %d came after %d of its %d messages", how, who, o.got[who], o.want)
		return nil
	}
	o.ended <- ""
	return nil
}

// Everything that an actor has sent before its end, on whichever lane, is
// handled before its exit and its Down.
func TestSignalsComeAfterTheMessages(t *testing.T) {
	lane.Check(t)
	simulated.Too(t, testSignalsComeAfterTheMessages)
}

func testSignalsComeAfterTheMessages(t testing.TB) {
	const senders, each = 300, 30
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 4})
	o := &observer{got: map[int]int{}, from: map[actor.PID]int{}, want: each, ended: make(chan string, 2*senders)}
	started := make(chan struct{})
	var refs []actor.Ref[int]
	var to actor.Ref[lastMessage]
	for i := range senders {
		refs = append(refs, spawn(t, sys, func(c *actor.Context[int], _ int) error {
			for n := range each {
				if err := to.On(lanes[(i+n)%len(lanes)]).Send(c, lastMessage{i, n}); err != nil {
					return err
				}
			}
			return errHook
		}))
		o.from[refs[i].PID()] = i
	}
	to = spawnActor(t, sys, actor.Actor[lastMessage](&starting{o, func(c *actor.Context[lastMessage]) error {
		defer close(started)
		for i, ref := range refs {
			if _, err := c.Monitor(ref.PID()); err != nil {
				return err
			}
			if i%2 == 0 {
				if err := c.Link(ref.PID()); err != nil {
					return err
				}
			}
		}
		return nil
	}}), actor.WithCapacity(actor.Data, 40), actor.WithThroughput(7))
	receive(t, ctx, started)
	for _, ref := range refs {
		send(t, ctx, ref, 1)
	}
	for range senders + senders/2 {
		if s := receive(t, ctx, o.ended); s != "" {
			t.Error(s)
		}
	}
}

// starting adds a Started hook to an observer.
type starting struct {
	*observer
	start func(*actor.Context[lastMessage]) error
}

func (s *starting) Started(c *actor.Context[lastMessage]) error { return s.start(c) }

// The actors that are linked to one actor receive its end in the same order each time. So
// their simulation is a function of the seed.
func TestLinksAreToldInOneOrder(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 1}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		hub := spawn(s, sys, doTask)
		for range 8 {
			spoke := spawn(s, sys, doTask)
			send(s, s.Context(), hub, task{do: func(c *actor.Context[task]) error { return c.Link(spoke.PID()) }})
		}
		send(s, s.Context(), hub, task{do: func(*actor.Context[task]) error { return errHook }})
		s.RunUntilIdle()
		if n := sys.Stats().Actors; n != 0 {
			s.Errorf("%d actors are left", n)
		}
	})
}
