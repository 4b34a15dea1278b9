package strand

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// job is embedded by Strand under a name that is not exported, so that its
// methods are the strand's and the field is nobody's.
type job = workers.Job

// Strand is a function with a stack of its own that waits without holding a
// thread. It is what its function is given, and the handle that [Go] returns.
//
// It is a [sched.Job]: ID, State, Info, Cancel and Wait may be called from
// anywhere. And it is a [context.Context], which ends when the strand is
// cancelled, when the context that Go was given ends, and when the strand has
// ended. Whatever is derived from it, as by context.WithTimeout, ends with the
// strand; strands that it starts don't, see Go.
//
// Yield, Sleep, Park, Checkpoint and Budget are for the strand itself, on its own
// goroutine. Elsewhere they say [ErrNotRunning], or do nothing.
type Strand struct {
	job
	fn    func(s *Strand) error // Dropped when it begins.
	above *nest                 // The strands that it starts have the same.
	// parking is idle, permitted or parked. See Park.
	parking atomic.Uint32
	turn    uint32 // Counts selects, for their fairness. The strand's own.
	// rare is what few strands have, or nil. Written by Go, or else by the strand.
	rare  atomic.Pointer[rare]
	group *WaitGroup // The group that counts it, or nil.
	// next and previous are the nest's, under its mutex.
	next, previous *Strand
}

// rare takes no room where a hundred thousand strands wait.
type rare struct {
	name   string
	locals []local // The strand's own.
}

var _ workers.Resumer = (*Strand)(nil)

// Info returns a snapshot of the strand, as [sched.Job.Info] has it.
func (s *Strand) Info() sched.JobInfo { return sched.JobInfo(s.job.Info()) }

// Go starts fn as a strand. Its context is derived from ctx. If ctx is itself a
// [*Strand], the new one is its equal rather than part of it: its context is
// derived from what the caller was started with, so it goes on when the caller
// has ended or was cancelled. For one that shall end with the caller, ctx is
// derived from the caller, as by context.WithCancel.
//
// The strand runs on the scheduler of the strand, job, task or actor whose context ctx is.
// Elsewhere the option [On] names it. It begins behind what is queued with its priority.
// Errors are [ErrNoScheduler], [sched.ErrStopped], and [sched.ErrFull] with a bound on
// queued jobs; if the scheduler has such a bound and ctx is not at home, Go may wait for
// room.
//
// A strand costs one allocation, and a stack from its first wait on. The first strand with
// a context other than context.Background costs a second allocation.
func Go(ctx context.Context, fn func(s *Strand) error, opts ...Option) (*Strand, error) {
	if fn == nil {
		return nil, errNilFunction
	}
	s := &Strand{fn: fn}
	if err := s.start(ctx, opts); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Strand) start(ctx context.Context, opts []Option) error {
	if ctx == nil {
		return errNilContext
	}
	o, err := apply(opts)
	if err != nil {
		return err
	}
	sc := o.s
	if sc == nil {
		if sc = home(ctx); sc == nil {
			return ErrNoScheduler
		}
	}
	if o.name != "" {
		s.rare.Store(&rare{name: o.name})
	}
	from := workers.Current(ctx)
	if from != nil && from.Scheduler() != sc {
		from = nil
	}
	if caller, ok := ctx.(*Strand); ok {
		s.above = caller.above
	} else {
		s.above = nestOf(ctx)
	}
	if from == nil {
		sc.AwaitTurn()
	}
	a := workers.Admission{Kind: o.kind, Priority: o.priority, From: from, Wait: from == nil}
	if err := sc.Adopt(s, a); err != nil {
		return err
	}
	s.above.add(s)
	sc.Enqueue(from, s)
	return nil
}

// home returns the scheduler on which ctx is at home, or nil. Unlike
// workers.Current it is found also by goroutines to which ctx was passed.
func home(ctx context.Context) *workers.Scheduler {
	if frame, ok := ctx.Value(workers.FrameKey{}).(*workers.Frame); ok {
		if f := frame.Fiber(); f != nil {
			return f.Scheduler()
		}
	}
	return nil
}

// Parent is what the strand's context is derived from. It is called by the
// scheduler.
func (s *Strand) Parent() context.Context { return s.above.context() }

// Do runs the strand's function. It is called by the scheduler.
func (s *Strand) Do(context.Context) error {
	f := workers.FiberOf(s)
	f.SetOwner(s) // Until Ended.
	// From here on, the end of the context resumes the fiber. A wait could ask for that,
	// but would make the stack grow.
	workers.ContextOf(s).ResumesFiber(f)
	fn := s.fn
	s.fn = nil
	return fn(s)
}

// Ended is called by the scheduler.
func (s *Strand) Ended(f *workers.Fiber) {
	if f != nil {
		f.SetOwner(nil)
	}
	s.above.remove(s)
	if s.group != nil {
		_ = s.group.add(f, -1) // It was counted when it was started.
	}
}

// Current returns the strand that the caller is, if ctx is the strand or derived
// from it, and nil for everybody else: also for a goroutine that a strand has
// started. It costs about 10 ns.
func Current(ctx context.Context) *Strand {
	f := workers.Current(ctx)
	if f == nil {
		return nil
	}
	s, _ := f.Owner().(*Strand)
	return s
}

// running returns the fiber if it is the strand itself that calls, else nil.
func (s *Strand) running() *workers.Fiber {
	if s == nil {
		return nil
	}
	f := workers.FiberOf(s)
	if f == nil || !f.Here() {
		return nil
	}
	if own, ok := f.Owner().(*Strand); !ok || own != s { // Another may run there since.
		return nil
	}
	return f
}

// Name returns the name that the strand was given, or "".
func (s *Strand) Name() string {
	if s == nil {
		return ""
	}
	if r := s.rare.Load(); r != nil {
		return r.name
	}
	return ""
}

// String returns the strand's name, or its number if it has none.
func (s *Strand) String() string {
	if s == nil {
		return "no strand"
	}
	if name := s.Name(); name != "" {
		return name
	}
	return fmt.Sprintf("strand %d", s.ID())
}

// Join waits until the strand has ended, and returns what its function returned:
// also a [*sched.PanicError] with the stack if it panicked, [sched.ErrGoexit] if
// it called runtime.Goexit, and an error that wraps the cause if it was cancelled
// before it began. If ctx ends first, Join returns its cause, and the strand goes
// on. Any number may join, as often as they like. A strand that joins itself gets
// [sched.ErrSelfWait].
func (s *Strand) Join(ctx context.Context) error {
	if s == nil {
		return workers.ErrNoJob
	}
	return s.Wait(ctx)
}

// Cancel ends the strand's context with a cause; nil means [context.Canceled]. A wait of
// the strand then fails with the cause. A strand that has not begun never does. Cancel
// reports whether the strand had not ended, and never waits.
func (s *Strand) Cancel(cause error) bool { return s != nil && s.job.Cancel(cause) }

// Deadline implements [context.Context].
func (s *Strand) Deadline() (time.Time, bool) { return workers.ContextOf(s).Deadline() }

// Done implements [context.Context]. The channel is made when it is first asked for. A
// strand that receives from it holds its worker; see [Strand.Park].
func (s *Strand) Done() <-chan struct{} {
	done := workers.ContextOf(s).Done()
	if n := s.above; n.ends {
		if n.Done(); n.Err() != nil && s.State() >= workers.JobRunning {
			s.job.Cancel(cause(n.above)) // It may have ended before the nest was told.
		}
	}
	return done
}

// Err implements [context.Context].
func (s *Strand) Err() error { return workers.ContextOf(s).Err() }

// Value implements [context.Context].
func (s *Strand) Value(key any) any {
	if _, ok := key.(workers.FrameKey); ok && workers.FiberOf(s) == nil {
		return nil
	}
	return workers.ContextOf(s).Value(key)
}

// ResumesFiber implements [workers.Resumer].
func (s *Strand) ResumesFiber(f *workers.Fiber) bool {
	return f == workers.FiberOf(s) && f.Owner() == any(s) // See Do.
}

// cause returns why ctx has ended.
func cause(ctx context.Context) error {
	if s, ok := ctx.(*Strand); ok {
		return workers.Cause(workers.ContextOf(s))
	}
	return workers.Cause(ctx)
}
