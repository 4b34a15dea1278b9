package router_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
)

func newPool[J, R any](tb testing.TB, at actor.Spawner, cfg router.PoolConfig[J, R]) *router.Pool[J, R] {
	tb.Helper()
	p, err := router.NewPool(at, cfg)
	wantNoErr(tb, err)
	return p
}

// gate is what tasks wait at, and where a test sees how many do.
type gate struct {
	in   atomic.Int64
	most atomic.Int64
	out  chan struct{}
}

func newGate() *gate { return &gate{out: make(chan struct{})} }

func (g *gate) pass(ctx context.Context) error {
	n := g.in.Add(1)
	for m := g.most.Load(); n > m && !g.most.CompareAndSwap(m, n); m = g.most.Load() {
	}
	defer g.in.Add(-1)
	select {
	case <-g.out:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// As many tasks are at work at once as there are workers, and no more; each asker
// gets its own result.
func TestPool(t *testing.T) {
	sys := newSystem(t, actor.Config{Workers: 2})
	ctx := guarded(t)
	g := newGate()
	p := newPool(t, sys, router.PoolConfig[int, int]{Workers: 3, Do: func(ctx context.Context, n int) (int, error) {
		return n * n, g.pass(ctx)
	}})
	var all sync.WaitGroup
	for n := range 10 {
		all.Go(func() {
			if sq, err := p.Ask(ctx, n); sq != n*n || err != nil {
				t.Errorf("the square of %d is %d, %v", n, sq, err)
			}
		})
	}
	until(t, ctx, func() bool { s := p.Stats(); return g.in.Load() == 3 && s.Waiting[actor.Data] == 7 })
	close(g.out)
	all.Wait()
	wantEqual(t, "at once", g.most.Load(), 3)
	s := p.Stats()
	wantEqual(t, "done", []any{s.Done, s.Failed, s.Running, s.Waiting}, []any{10, 0, 0, [3]int{}})
}

// A task of a pool without a timeout has no deadline.
func TestPoolWithoutATimeout(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	for _, timeout := range []time.Duration{0, -1} {
		p := newPool(t, sys, router.PoolConfig[int, bool]{Timeout: timeout, Do: func(ctx context.Context, _ int) (bool, error) {
			_, limited := ctx.Deadline()
			return limited, ctx.Err()
		}})
		limited, err := p.Ask(context.WithoutCancel(guarded(t)), 1) // The deadline of an ask would be the task's, too.
		wantNoErr(t, err)
		wantEqual(t, "has a deadline", limited, false)
	}
}

// The failure of a task is reported to its asker, or to OnError, and to nobody else.
func TestPoolFailures(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ctx := guarded(t)
	type failed struct {
		task string
		err  error
	}
	told := make(chan failed, 8)
	p := newPool(t, sys, router.PoolConfig[string, string]{
		Workers: 1, OnError: func(task string, err error) { told <- failed{task, err}; panic("contained") },
		Do: func(_ context.Context, task string) (string, error) {
			switch task {
			case "error":
				return "with a value", errWanted
			case "panic":
				panic(errWanted)
			case "goexit":
				runtime.Goexit()
			}
			return task, nil
		}})
	var panicked *actor.PanicError
	for task, want := range map[string]error{"error": errWanted, "panic": errWanted, "goexit": actor.ErrGoexit} {
		_, err := p.Ask(ctx, task)
		wantErr(t, err, want)
		if task == "panic" && (!errors.As(err, &panicked) || !strings.Contains(string(panicked.Stack()), "TestPoolFailures")) {
			t.Errorf("the panic became %v", err)
		}
		wantNoErr(t, p.Send(ctx, task))
		f := <-told
		wantEqual(t, "task", f.task, task)
		wantErr(t, f.err, want)
	}
	v, err := p.Ask(ctx, "well")
	wantEqual(t, "the pool goes on", []any{v, err}, []any{"well", nil})
	s := p.Stats()
	wantEqual(t, "failed", []any{s.Failed, s.Panicked, s.Done}, []any{6, 2, 1})
}

// A full lane makes senders wait, in order, and TrySend fail.
func TestPoolBackPressure(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ctx := guarded(t)
	g := newGate()
	var mu sync.Mutex
	var order []int
	p := newPool(t, sys, router.PoolConfig[int, int]{Workers: 1, Capacity: 2, Do: func(ctx context.Context, n int) (int, error) {
		mu.Lock()
		order = append(order, n)
		mu.Unlock()
		return 0, g.pass(ctx)
	}})
	for n := range 3 {
		wantNoErr(t, p.Send(ctx, n))
	}
	wantErr(t, p.TrySend(ctx, 99), actor.ErrFull)
	wantErr(t, p.Send(ended(), 99), context.Canceled)
	_, err := p.Ask(ended(), 99)
	wantErr(t, err, context.Canceled)
	var all sync.WaitGroup
	for n := 3; n < 6; n++ {
		all.Go(func() {
			if err := p.Send(ctx, n); err != nil {
				t.Error(err)
			}
		})
		until(t, ctx, func() bool { return p.Stats().Senders[actor.Data] == n-2 })
	}
	wantNoErr(t, p.On(actor.Control).TrySend(ctx, 100)) // Has a lane of its own.
	close(g.out)
	all.Wait()
	wantNoErr(t, p.Drain(ctx))
	wantEqual(t, "order", order, []int{0, 100, 1, 2, 3, 4, 5})
}

// Of a large lane, senders get room for some at a time; but where tasks have keys,
// as soon as there is any.
func TestPoolSendersComeInBatches(t *testing.T) {
	const capacity, batch = 128, 2
	for name, keyed := range map[string]bool{"keyed": true, "not keyed": false} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			step := make(chan struct{})
			cfg := router.PoolConfig[int, int]{Workers: 1, Capacity: capacity, Do: func(context.Context, int) (int, error) {
				<-step
				return 0, nil
			}}
			if keyed {
				cfg.Key = router.By(func(n int) (int, bool) { return n, true })
			}
			p := newPool(t, newSystem(t, actor.Config{}), cfg)
			for n := range 1 + capacity {
				wantNoErr(t, p.Send(ctx, n))
			}
			sent := make(chan error, 1)
			go func() { sent <- p.Send(ctx, -1) }()
			until(t, ctx, func() bool { return p.Stats().Senders[actor.Data] == 1 })
			for done := 1; done <= batch; done++ {
				step <- struct{}{}
				until(t, ctx, func() bool { s := p.Stats(); return s.Done == uint64(done) && s.Running == 1 })
				wantsRoom := 0
				if !keyed && done < batch {
					wantsRoom = 1
				}
				wantEqual(t, "senders", p.Stats().Senders[actor.Data], wantsRoom)
			}
			wantNoErr(t, <-sent)
			close(step)
			wantNoErr(t, p.Drain(ctx))
		})
	}
}

// The ref leads to the same tasks, lane by lane.
func TestPoolRef(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ctx := guarded(t)
	g := newGate()
	var mu sync.Mutex
	var order []string
	p := newPool(t, sys, router.PoolConfig[string, int]{Workers: 1, Do: func(ctx context.Context, s string) (int, error) {
		mu.Lock()
		order = append(order, s)
		mu.Unlock()
		return 0, g.pass(ctx)
	}})
	wantNoErr(t, p.Send(ctx, "first"))
	for i, l := range []actor.Lane{actor.Data, actor.Management, actor.Control} {
		wantNoErr(t, p.On(l).Ref().Send(ctx, l.String()))
		until(t, ctx, func() bool { w := p.Stats().Waiting; return w[0]+w[1]+w[2] == i+1 })
	}
	close(g.out)
	wantNoErr(t, p.Drain(ctx))
	wantEqual(t, "order", order, []string{"first", "control", "management", "data"})
	wantErr(t, p.Ref().Send(ctx, "late"), actor.ErrStopped)
}

// Tasks of the Control lane are urgent also for the scheduler, and no others.
func TestPoolControlIsUrgent(t *testing.T) {
	var p *router.Pool[int, sched.Priority]
	p = newPool(t, newSystem(t, actor.Config{}), router.PoolConfig[int, sched.Priority]{
		Do: func(ctx context.Context, _ int) (sched.Priority, error) { return router.PriorityOf(ctx, p), nil },
	})
	for lane, want := range map[actor.Lane]sched.Priority{
		actor.Data: sched.Normal, actor.Management: sched.Normal, actor.Control: sched.Critical,
	} {
		got, err := p.On(lane).Ask(guarded(t), 1)
		wantNoErr(t, err)
		wantEqual(t, lane.String(), got, want)
	}
}

// Tasks of one key run one at a time and in order. Tasks of other keys run at the
// same time.
func TestPoolKeys(t *testing.T) {
	const keys, each = 5, 100
	sys := newSystem(t, actor.Config{Workers: 4})
	ctx := guarded(t)
	var busy [keys]atomic.Int32
	var next [keys]int
	var all, most atomic.Int32
	meet := make(chan struct{}, 1)
	p := newPool(t, sys, router.PoolConfig[int, int]{
		Workers: 4, Key: router.By(func(n int) (int, bool) { return n % keys, n >= 0 }),
		Do: func(_ context.Context, n int) (int, error) {
			key := n % keys
			if busy[key].Add(1) != 1 {
				t.Errorf("key %d is busy twice", key)
			}
			if next[key] != n/keys {
				t.Errorf("key %d comes to %d and not to %d", key, n/keys, next[key])
			}
			next[key]++
			if m := all.Add(1); m > most.Load() {
				most.Store(m)
			}
			select { // Sometimes two tasks meet, which only ones of two keys can.
			case meet <- struct{}{}:
				runtime.Gosched()
				<-meet
			default:
			}
			all.Add(-1)
			busy[key].Add(-1)
			return n, nil
		}})
	wantErr(t, p.Send(ctx, -1), router.ErrNoKey)
	_, err := p.Ask(ctx, -1)
	wantErr(t, err, router.ErrNoKey)
	for n := range keys * each {
		lane := actor.Lane(n / keys % 3) // Whatever the lanes.
		wantNoErr(t, p.On(lane).Send(ctx, n))
	}
	wantNoErr(t, p.Drain(ctx))
	wantEqual(t, "done", p.Stats().Done, keys*each)
}

// An asker who goes takes back a task that waits, which leaves its room to
// others, and ends the context of one that runs.
func TestPoolCancellation(t *testing.T) {
	for _, keyed := range []bool{false, true} {
		sys := newSystem(t, actor.Config{})
		ctx := guarded(t)
		g := newGate()
		did := make(chan int, 10)
		causes := make(chan error, 1)
		cfg := router.PoolConfig[int, int]{Workers: 1, Capacity: 1, Do: func(ctx context.Context, n int) (int, error) {
			did <- n
			if n == 0 {
				err := g.pass(ctx)
				causes <- err
				return 0, err
			}
			return n, nil
		}}
		if keyed {
			cfg.Key = router.By(func(int) (int, bool) { return 1, true })
		}
		p := newPool(t, sys, cfg)
		asked := make(chan error, 2)
		run, endRun := context.WithCancelCause(ctx)
		go func() { _, err := p.Ask(run, 0); asked <- err }()
		<-did
		wait, endWait := context.WithCancelCause(ctx)
		go func() { _, err := p.Ask(wait, 1); asked <- err }()
		until(t, ctx, func() bool { return p.Stats().Waiting[actor.Data] == 1 })
		endWait(errWanted)
		wantErr(t, <-asked, errWanted)
		wantNoErr(t, p.TrySend(ctx, 2))
		endRun(errWanted)
		wantErr(t, <-asked, errWanted)
		wantErr(t, <-causes, errWanted)
		wantNoErr(t, p.Drain(ctx))
		wantEqual(t, "the next", <-did, 2)
		wantEqual(t, "done and cancelled", []uint64{p.Stats().Done, p.Stats().Cancelled}, []uint64{1, 2})
	}
}

// A task that asks its own pool does not hold up what it asks for, and is told
// when it waits for itself.
func TestPoolAsksItself(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ctx := guarded(t)
	var p *router.Pool[int, int]
	fib := func(ctx context.Context, n int) (int, error) {
		if n < 2 {
			return n, nil
		}
		a, err := p.Ask(ctx, n-1)
		if err != nil {
			return 0, err
		}
		b, err := p.Ask(ctx, n-2)
		return a + b, err
	}
	p = newPool(t, sys, router.PoolConfig[int, int]{Workers: 1, Capacity: 1, Do: fib})
	n, err := p.Ask(ctx, 10)
	wantEqual(t, "fib 10", []any{n, err}, []any{55, nil})
	p = newPool(t, sys, router.PoolConfig[int, int]{Workers: 2, Do: fib, Key: router.By(func(n int) (int, bool) { return n % 3, true })})
	_, err = p.Ask(ctx, 5)
	wantErr(t, err, actor.ErrAskCycle)
	p = newPool(t, sys, router.PoolConfig[int, int]{Workers: 1, Do: func(ctx context.Context, n int) (int, error) {
		return 0, p.Drain(ctx)
	}})
	_, err = p.Ask(ctx, 1)
	wantErr(t, err, actor.ErrWouldDeadlock)
	wantNoErr(t, p.Drain(ctx))
}

// A stop drops what waits, with an error, and ends what does not end by itself
// when its context does.
func TestPoolStop(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ctx := guarded(t)
	g := newGate()
	var failed atomic.Int32
	p := newPool(t, sys, router.PoolConfig[int, int]{
		Workers: 1, Capacity: 2, OnError: func(int, error) { failed.Add(1) },
		Do: func(ctx context.Context, n int) (int, error) { return n, g.pass(ctx) },
	})
	asked := make(chan error, 5)
	ask := func(n int) { _, err := p.Ask(ctx, n); asked <- err }
	go ask(0)
	until(t, ctx, func() bool { return g.in.Load() == 1 })
	go ask(1)
	until(t, ctx, func() bool { return p.Stats().Waiting[actor.Data] == 1 })
	wantNoErr(t, p.Send(ctx, 2))
	go ask(3) // Waits for room.
	until(t, ctx, func() bool { return p.Stats().Senders[actor.Data] == 1 })
	wantErr(t, p.Stop(ended()), context.Canceled)
	for range 3 {
		if err := <-asked; !errors.Is(err, actor.ErrStopped) && !errors.Is(err, actor.ErrForced) {
			t.Errorf("an asker got %v", err)
		}
	}
	wantNoErr(t, p.Stop(ctx))
	wantNoErr(t, p.Drain(ctx))
	wantErr(t, p.Send(ctx, 4), actor.ErrStopped)
	wantErr(t, p.TrySend(ctx, 4), actor.ErrStopped)
	wantEqual(t, "reported", failed.Load(), 1)
	s := p.Stats()
	wantEqual(t, "dropped and cancelled", []uint64{s.Dropped, s.Cancelled, s.Done}, []uint64{2, 1, 0})
}

// With the system or its parent a pool stops too.
func TestPoolStopsWithItsParent(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ctx := guarded(t)
	pools := make(chan *router.Pool[int, int], 1)
	parent := spawn(t, sys, func(x *actor.Context[int], _ int) error {
		p, err := router.NewPool(x, router.PoolConfig[int, int]{Do: func(context.Context, int) (int, error) { return 7, nil }})
		pools <- p
		return err
	})
	wantNoErr(t, parent.Send(ctx, 1))
	p := <-pools
	n, err := p.Ask(ctx, 1)
	wantEqual(t, "answer", []any{n, err}, []any{7, nil})
	wantNoErr(t, parent.Stop(ctx))
	_, err = p.Ask(ctx, 1)
	wantErr(t, err, actor.ErrStopped)
}

// A task whose time is up is told by its context.
func TestPoolTimeout(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 10}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		p := newPool(s, sys, router.PoolConfig[int, int]{Timeout: time.Second, Do: func(ctx context.Context, n int) (int, error) {
			if n == 0 {
				return 1, nil
			}
			<-ctx.Done()
			return 0, ctx.Err()
		}})
		n, err := p.Ask(s.Context(), 0)
		wantEqual(s, "in time", []any{n, err}, []any{1, nil})
		_ = n
	})
	sys := newSystem(t, actor.Config{})
	p := newPool(t, sys, router.PoolConfig[int, int]{Timeout: time.Millisecond, Do: func(ctx context.Context, _ int) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	}})
	_, err := p.Ask(guarded(t), 1)
	wantErr(t, err, router.ErrTaskTimeout, context.DeadlineExceeded)
}

// A configuration that makes no sense is an error.
func TestBadPoolConfig(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	do := func(context.Context, int) (int, error) { return 0, nil }
	for want, cfg := range map[string]router.PoolConfig[int, int]{
		"Do is nil":       {},
		"Workers is -1":   {Do: do, Workers: -1},
		"Capacity is -2":  {Do: do, Capacity: -2},
		"Timeout is -3ns": {Do: do, Timeout: -3},
		"Workers is 20":   {Do: do, Workers: 2_000_000_000},
	} {
		if _, err := router.NewPool(sys, cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want one that says %q", err, want)
		}
	}
	if _, err := router.NewPool(nil, router.PoolConfig[int, int]{Do: do}); err == nil {
		t.Error("a nil Spawner is no error")
	}
}

// Under any schedule, while askers go and the pool stops: each task is done at
// most once, and what its asker heard is true.
func TestPoolInSimulation(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		did := map[int]int{}
		heard := map[int]error{}
		running := map[int]int{} // By key.
		var mu sync.Mutex        // Guards did and running: after the sleep tasks run beside others.
		p := newPool(s, sys, router.PoolConfig[int, int]{
			Workers: 2, Capacity: 2, Key: router.By(func(n int) (int, bool) { return n % 3, true }),
			Do: func(ctx context.Context, n int) (int, error) {
				mu.Lock()
				defer mu.Unlock()
				if running[n%3]++; running[n%3] > 1 {
					s.Errorf("two tasks of key %d at once", n%3)
				}
				defer func() { running[n%3]-- }()
				if n%4 == 3 {
					panic(fmt.Sprint("in ", n))
				}
				mu.Unlock()
				time.Sleep(time.Millisecond) //nolint:forbidigo // In a bubble, where it costs nothing.
				mu.Lock()
				did[n]++
				return n, nil
			}})
		for n := range 9 {
			asker := spawn(s, sys, func(ctx *actor.Context[int], n int) error {
				v, err := p.Ask(ctx, n)
				if err == nil && v != n {
					s.Errorf("%d got the result of %d", n, v)
				}
				heard[n] = err
				return nil
			}, actor.WithName(fmt.Sprint("asker ", n)))
			wantNoErr(s, asker.Send(s.Context(), n))
		}
		stopper := spawn(s, sys, func(ctx *actor.Context[int], n int) error {
			return p.Drain(ctx)
		}, actor.WithName("stopper"))
		s.Advance(time.Millisecond)
		wantNoErr(s, stopper.Send(s.Context(), 1))
		s.Advance(time.Second)
		var panicked *actor.PanicError
		for n := range 9 {
			err, ok := heard[n]
			switch {
			case !ok:
				s.Errorf("the asker of %d heard nothing", n)
			case err == nil && did[n] != 1, err != nil && did[n] != 0:
				s.Errorf("task %d was done %d times, and its asker heard %v", n, did[n], err)
			case err != nil && !errors.Is(err, actor.ErrStopped) && !errors.As(err, &panicked):
				s.Errorf("the asker of %d heard %v", n, err)
			}
		}
		wantEqual(s, "left", p.Stats().Running, 0)
	})
}
