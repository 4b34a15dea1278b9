package actor_test

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
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/simtest"
)

// access is a message to an actor with readers.
type access struct {
	write bool
	do    func(ctx *actor.Context[access]) error
	reply actor.Reply[error]
}

func (m access) reads() bool { return !m.write }

// carryOut does what m says, and answers with the error.
func carryOut(ctx *actor.Context[access], m access) error {
	var err error
	if m.do != nil {
		err = m.do(ctx)
	}
	return m.reply.Send(ctx, err)
}

func spawnShared(tb testing.TB, at actor.Spawner, readers int, opts ...actor.Option) actor.Ref[access] {
	tb.Helper()
	return spawn(tb, at, carryOut, append(opts, actor.WithReadOnly(access.reads), actor.WithMaxReaders(readers))...)
}

// visit asks the actor to read or to write, and returns what became of it.
func visit(ctx context.Context, to actor.Ref[access], write bool, do func(*actor.Context[access]) error) error {
	err, failed := actor.Ask(ctx, to, func(r actor.Reply[error]) access { return access{write, do, r} })
	return errors.Join(err, failed)
}

// TestReadersOverlap has two readers meet.
func TestReadersOverlap(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	meet := make(chan int)
	ref := spawnShared(t, sys, 2)
	for range 50 {
		done := make(chan error, 2)
		for i := range 2 {
			go func() {
				done <- visit(ctx, ref, false, func(*actor.Context[access]) error {
					if i == 0 {
						meet <- i
					} else {
						<-meet
					}
					return nil
				})
			}()
		}
		wantNoErr(t, receive(t, ctx, done))
		wantNoErr(t, receive(t, ctx, done))
	}
}

// TestReadersAndWriters has a plain field be read and written; the race detector
// looks on, and each sender sees its own writes.
func TestReadersAndWriters(t *testing.T) {
	const clients, rounds = 6, 100
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawnShared(t, sys, 4)
	var state [clients]int
	sum := 0
	done := make(chan error, clients)
	for i := range clients {
		go func() {
			var err error
			for n := range rounds {
				err = errors.Join(err, ref.Send(ctx, access{write: true, do: func(*actor.Context[access]) error {
					state[i]++
					sum++
					return nil
				}}))
				for range 3 {
					err = errors.Join(err, visit(ctx, ref, false, func(*actor.Context[access]) error {
						if state[i] != n+1 {
							return fmt.Errorf("client %d reads %d after %d writes", i, state[i], n+1)
						}
						return nil
					}))
				}
			}
			done <- err
		}()
	}
	for range clients {
		wantNoErr(t, receive(t, ctx, done))
	}
	wantNoErr(t, ref.Drain(ctx))
	if sum != clients*rounds {
		t.Errorf("%d writes, want %d", sum, clients*rounds)
	}
}

// TestAWriteWaitsForReads holds two readers, behind which a write and a read wait.
func TestAWriteWaitsForReads(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	ref := spawnShared(t, sys, 4)
	var d eventLog
	var asked []question
	for i := range 2 {
		wantNoErr(t, ref.Send(ctx, access{do: func(c *actor.Context[access]) error {
			_, err := o.ask(c, i)
			d.note("read")
			return err
		}}))
		asked = append(asked, o.next(t, ctx))
	}
	note := func(what string) func(*actor.Context[access]) error {
		return func(*actor.Context[access]) error { d.note("%s", what); return nil }
	}
	wantNoErr(t, ref.Send(ctx, access{write: true, do: note("write")}))
	until(t, ctx, func() bool { return actor.Quiet(ref) })
	for range 2 {
		wantNoErr(t, ref.Send(ctx, access{do: note("later read")}))
	}
	wantNoErr(t, ref.On(actor.Control).Send(ctx, access{do: note("urgent read")}))
	until(t, ctx, func() bool { return actor.Quiet(ref) })
	if i, err := ref.Info(); err != nil || i.Suspended != 2 {
		t.Errorf("%d readers, want 2 (%v)", i.Suspended, err)
	}
	wantNoErr(t, asked[1].reply.Send(ctx, 0))
	suspendedIn(t, ctx, ref, 1)
	wantNoErr(t, asked[0].reply.Send(ctx, 0))
	wantNoErr(t, ref.Drain(ctx))
	got := strings.Split(d.String(), ", ")
	slices.Sort(got[3:])
	slices.Sort(got[:2])
	if got := strings.Join(got, ", "); got != "read, read, urgent read, later read, later read, write" &&
		got != "read, read, write, later read, later read, urgent read" {
		t.Errorf("it was %s", d.String())
	}
	if i := slices.Index(strings.Split(d.String(), ", "), "write"); i < 2 || i > 3 {
		t.Errorf("it was %s", d.String())
	}
}

func TestReadersAreLimited(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	ref := spawnShared(t, sys, 3)
	for i := range 5 {
		wantNoErr(t, ref.Send(ctx, access{do: func(c *actor.Context[access]) error { _, err := o.ask(c, i); return err }}))
	}
	var asked []question
	for range 3 {
		asked = append(asked, o.next(t, ctx))
	}
	until(t, ctx, func() bool { return actor.Quiet(ref) })
	if n := len(o.asked); n != 0 {
		t.Errorf("%d readers more than allowed", n)
	}
	for _, q := range asked {
		wantNoErr(t, q.reply.Send(ctx, 0))
	}
	for range 2 {
		wantNoErr(t, o.next(t, ctx).reply.Send(ctx, 0))
	}
	wantNoErr(t, ref.Drain(ctx))
}

func TestOperationsForbiddenToReaders(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawnShared(t, sys, 2)
	wantNoErr(t, visit(ctx, ref, false, func(c *actor.Context[access]) error {
		_, unstash := c.Unstash()
		for name, err := range map[string]error{
			"Become":   c.Become(carryOut),
			"Unbecome": c.Unbecome(),
			"Stash":    c.Stash(access{}),
			"Unstash":  unstash,
		} {
			if !errors.Is(err, actor.ErrReadOnly) {
				t.Errorf("%s returned %v", name, err)
			}
		}
		if c.Self() != ref || c.PID() != ref.PID() || c.Lane() != actor.Data || c.Err() != nil || c.Done() == nil {
			t.Errorf("the context is that of %v", c.Self())
		}
		child, err := actor.Spawn(c, actor.Actor[int](&hooks[int]{}))
		if err != nil {
			return err
		}
		return child.Stop(c)
	}))
	wantNoErr(t, visit(ctx, ref, true, func(c *actor.Context[access]) error { return c.Become(carryOut) }))
}

func TestFailureOfAReader(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			o := newAnswerer(t, sys)
			var d eventLog
			handled := make(chan struct{})
			_, child := restarting(t, sys, func() actor.Actor[int] {
				a := noted(&d)
				a.stopped = func(*actor.Context[int], error) { d.note("stopped") }
				a.receive = func(c *actor.Context[int], m int) error {
					switch m {
					case 1:
						_, err := o.ask(c, m)
						d.note("1")
						return err
					case 2:
						return f.fail()
					}
					close(handled)
					return nil
				}
				return a
			}, restart, actor.WithReadOnly(func(int) bool { return true }), actor.WithMaxReaders(2))
			send(t, ctx, child, 1)
			o.next(t, ctx)
			send(t, ctx, child, 2, 3)
			receive(t, ctx, handled)
			d.want(t, "started", "1", "stopped", "started")
		})
	}
}

func TestKillOfReaders(t *testing.T) {
	const n = 5
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		_, err := o.ask(c, q.n)
		if sent := o.ref.Send(c, question{}); !errors.Is(sent, actor.ErrFenced) {
			t.Errorf("a ghost sent: %v", sent)
		}
		return err
	}, actor.WithReadOnly(func(question) bool { return true }), actor.WithMaxReaders(n))
	fates := make(chan error, n)
	for i := range n {
		go func() {
			_, err := actor.Ask(ctx, ref, asking(i))
			fates <- err
		}()
		o.next(t, ctx)
	}
	wantNoErr(t, ref.Kill())
	for range n {
		wantErr(t, receive(t, ctx, fates), actor.ErrNoReply, actor.ErrKilled)
	}
	wantKilled(t, ctx, ref)
	until(t, ctx, func() bool { return sys.Stats().Ghosts == 0 })
}

func TestStopWaitsForReaders(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	fate := make(chan error, 1)
	ref := spawnShared(t, sys, 2)
	wantNoErr(t, ref.Send(ctx, access{do: func(c *actor.Context[access]) error {
		_, err := o.ask(c, 1)
		fate <- err
		return err
	}}))
	q := o.next(t, ctx)
	stopped := make(chan error, 1)
	go func() { stopped <- ref.Stop(ctx) }()
	until(t, ctx, func() bool { return errors.Is(ref.TrySend(ctx, access{write: true}), actor.ErrStopped) })
	wantNoErr(t, q.reply.Send(ctx, 0))
	wantNoErr(t, receive(t, ctx, stopped))
	wantNoErr(t, receive(t, ctx, fate))
	wantNoErr(t, ref.Err())
}

// TestRingThroughReaders has a reader ask an actor that asks back.
func TestRingThroughReaders(t *testing.T) {
	for _, write := range []bool{false, true} {
		t.Run(fmt.Sprint("write ", write), func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			ref := spawnShared(t, sys, 2, actor.WithName("shared"))
			b := spawn(t, sys, run, actor.WithName("b"))
			for range 50 {
				err := visit(ctx, ref, false, func(c *actor.Context[access]) error {
					return let(c, b, func(c *actor.Context[instruction]) error { return visit(c, ref, write, nil) })
				})
				if write {
					wantErr(t, err, actor.ErrCycle)
				} else {
					wantNoErr(t, err)
				}
			}
			wantErr(t, visit(ctx, ref, true, func(c *actor.Context[access]) error { return visit(c, ref, false, nil) }), actor.ErrCycle)
		})
	}
}

// TestSharedActorsUnderSimulation has readers and writers wait, and be killed, under
// many schedules.
func TestSharedActorsUnderSimulation(t *testing.T) {
	lane.Short(t)
	for _, end := range []string{"drain", "stop", "kill"} {
		t.Run(end, func(t *testing.T) {
			simtest.Run(t, simtest.Config{Schedules: 300}, func(s *simtest.Sim) { sharedProgram(s, end) })
		})
	}
}

func sharedProgram(s *simtest.Sim, end string) {
	const n = 4
	sys := s.System(actor.Config{})
	echo := spawn(s, sys, answer, actor.WithName("echo"))
	ref := spawnShared(s, sys, 2, actor.WithName("shared"))
	readers, writers := 0, 0
	done := make(chan error, n)
	for i := range n {
		client := spawn(s, sys, func(c *actor.Context[int], _ int) error {
			done <- visit(c, ref, i%2 == 0, func(c *actor.Context[access]) error {
				count := &readers
				if i%2 == 0 {
					count = &writers
				}
				*count++
				_, err := actor.Ask(c, echo, asking(i))
				if end != "kill" && (writers > 1 || writers > 0 && readers > 0) {
					s.Errorf("%d readers and %d writers", readers, writers)
				}
				*count--
				return err
			})
			return nil
		}, actor.WithName(fmt.Sprint("client ", i)))
		if err := client.Send(s.Context(), 1); err != nil {
			s.Fatal(err)
		}
	}
	if end != "drain" {
		ending := spawn(s, sys, func(c *actor.Context[int], _ int) error {
			if end == "kill" {
				return ref.Kill()
			}
			return ref.Stop(c)
		}, actor.WithName("end"))
		if err := ending.Send(s.Context(), 1); err != nil {
			s.Fatal(err)
		}
	}
	for _, err := range results(s, n, done) {
		if err != nil && end == "drain" {
			s.Error(err)
		}
	}
}

func TestPanicOfReadOnly(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, carryOut, actor.WithReadOnly(func(m access) bool { panic("no idea") }))
	err := visit(ctx, ref, true, nil)
	wantErr(t, err, actor.ErrNoReply)
	if failed := (*actor.PanicError)(nil); !errors.As(err, &failed) {
		t.Errorf("the asker got %v", err)
	}
	receive(t, ctx, ref.Done())
}

func TestGoexitOfReadOnly(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, carryOut, actor.WithReadOnly(func(m access) bool { runtime.Goexit(); return false }))
	err := visit(ctx, ref, true, nil)
	wantErr(t, err, actor.ErrNoReply)
	wantErr(t, err, actor.ErrGoexit)
	receive(t, ctx, ref.Done())
	wantErr(t, ref.Err(), actor.ErrGoexit)
}

func TestTimeoutOfAReader(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		forgetful := spawn(s, sys, func(*actor.Context[question], question) error { return nil })
		ref := spawnShared(s, sys, 2, actor.WithHandlerTimeout(time.Second, actor.TimeoutStop))
		err := visit(s.Context(), ref, false, func(c *actor.Context[access]) error {
			_, err := actor.Ask(c, forgetful, asking(1))
			return err
		})
		if !errors.Is(err, actor.ErrHandlerTimeout) {
			s.Errorf("the asker got %v", err)
		}
	})
}

func TestWrongReaders(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	all := func(int) bool { return true }
	for want, opts := range map[string][]actor.Option{
		"nil function":             {actor.WithReadOnly[int](nil)},
		"messages of type int":     {actor.WithReadOnly(func(string) bool { return true })},
		"at most 0 readers":        {actor.WithMaxReaders(0)},
		"add WithReadOnly":         {actor.WithMaxReaders(2)},
		"together with reentrancy": {actor.WithReadOnly(all), actor.WithReentrancy(actor.FullReentrancy)},
		"leave out its backend":    {actor.WithReadOnly(all), actor.WithBackend(actor.OnBlocking)},
	} {
		if _, err := actor.Spawn(sys, actor.Actor[int](&hooks[int]{}), opts...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
}

// If a reader panics or does not handle the message, its asker gets an error. A message that
// is not handled is a dead letter.
func TestAskOfAReaderThatFails(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	reading := func(receive func(*actor.Context[question], question) error) actor.Ref[question] {
		return spawn(t, sys, receive, actor.WithReadOnly(func(question) bool { return true }), actor.WithMaxReaders(2))
	}
	_, err := actor.Ask(ctx, reading(func(*actor.Context[question], question) error { panic("as wanted") }), asking(1))
	wantErr(t, err, actor.ErrNoReply)
	if n := sys.Stats().DeadLetters; n != 0 {
		t.Errorf("%d dead letters", n)
	}
	deaf := reading(func(*actor.Context[question], question) error { return actor.ErrUnhandled })
	_, err = actor.Ask(ctx, deaf, asking(1))
	wantErr(t, err, actor.ErrNoReply, actor.ErrUnhandled)
	wantNoErr(t, deaf.Stop(ctx))
	if n := sys.Stats().DeadLetters; n != 1 { // It is counted behind the answer.
		t.Errorf("%d dead letters, want 1", n)
	}
}

// downReader reads, writes by a negative number, and notes the ends of others.
type downReader struct {
	gate chan struct{}
	down chan struct{}
	of   actor.PID
}

func (r *downReader) Receive(c *actor.Context[int], m int) error {
	if m == -1 {
		if _, err := c.Monitor(r.of); err != nil {
			return err
		}
	}
	<-r.gate
	return nil
}

func (r *downReader) Down(*actor.Context[int], actor.Monitor, actor.Exit) error {
	close(r.down)
	return nil
}

// A signal whose place is behind a message that begins to read comes after that, if
// nothing else does.
func TestDownBehindAReader(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	other := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
	r := &downReader{gate: make(chan struct{}), down: make(chan struct{}), of: other.PID()}
	ref := spawnActor(t, sys, actor.Actor[int](r), actor.WithReadOnly(func(m int) bool { return m >= 0 }))
	send(t, ctx, ref, -1)
	until(t, ctx, func() bool { i, err := ref.Info(); return err == nil && i.Mailbox[actor.Data] == 0 && i.Handled == 1 })
	send(t, ctx, ref, 1)
	wantNoErr(t, other.Stop(ctx))
	r.gate <- struct{}{} // The write returns.
	r.gate <- struct{}{} // And the reader.
	receive(t, ctx, r.down)
}
