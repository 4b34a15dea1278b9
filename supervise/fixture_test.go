package supervise_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/supervise"
)

var (
	guarded = patience.Context
	until   = patience.Until
)

// newSystem returns a system that is stopped at the end of the test.
func newSystem(tb testing.TB, cfg actor.Config) *actor.System {
	tb.Helper()
	sys, err := actor.NewSystem(cfg)
	wantNoErr(tb, err)
	patience.StopAtEnd(tb, sys)
	return sys
}

func start(tb testing.TB, at actor.Spawner, cfg supervise.Config) *supervise.Supervisor {
	tb.Helper()
	sup, err := supervise.Start(at, cfg)
	wantNoErr(tb, err)
	return sup
}

func spawn[M any](tb testing.TB, s *supervise.Supervisor, c supervise.Child[M]) actor.Ref[M] {
	tb.Helper()
	ref, err := supervise.Spawn(guarded(tb), s, c)
	wantNoErr(tb, err)
	return ref
}

func wantErr(tb testing.TB, got error, want ...error) {
	tb.Helper()
	for _, w := range want {
		if !errors.Is(got, w) {
			tb.Fatalf("got error %v, want one that wraps %v", got, w)
		}
	}
}

func wantNoErr(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// wait waits for the end of a supervisor.
func wait(tb testing.TB, s *supervise.Supervisor) {
	tb.Helper()
	select {
	case <-s.Done():
	case <-guarded(tb).Done():
		tb.Fatal("the supervisor does not stop")
	}
}

var errWanted = errors.New("as wanted")

// order tells a worker what to do, and where to say how many orders its
// incarnation had, with this one.
type order struct {
	do    func(*actor.Context[order]) error
	reply actor.Reply[int]
}

// worker does what it is told.
type worker struct{ orders int }

func newWorker() actor.Actor[order] { return &worker{} }

func (w *worker) Receive(ctx *actor.Context[order], o order) error {
	w.orders++
	if o.do != nil {
		if err := o.do(ctx); err != nil {
			return err
		}
	}
	return o.reply.Send(ctx, w.orders)
}

// count returns how many orders the worker's incarnation had.
func count(tb testing.TB, ref actor.Ref[order]) int {
	tb.Helper()
	n, err := actor.Ask(guarded(tb), ref, func(r actor.Reply[int]) order { return order{nil, r} })
	wantNoErr(tb, err)
	return n
}

// fail makes the worker do what ends its incarnation.
func fail(tb testing.TB, ref actor.Ref[order], do func(*actor.Context[order]) error) {
	tb.Helper()
	wantNoErr(tb, ref.Send(guarded(tb), order{do: do}))
}

func failing(*actor.Context[order]) error { return errWanted }

// ends are the ways in which an incarnation can end.
var ends = map[string]struct {
	do     func(*actor.Context[order]) error
	reason error // Nil if it is no failure.
}{
	"error":  {failing, errWanted},
	"panic":  {func(*actor.Context[order]) error { panic(errWanted) }, errWanted},
	"goexit": {func(*actor.Context[order]) error { runtime.Goexit(); return nil }, actor.ErrGoexit},
	"stop":   {func(c *actor.Context[order]) error { c.Stop(); return nil }, nil},
}
