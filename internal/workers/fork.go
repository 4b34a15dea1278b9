package workers

import (
	"context"
	"errors"
	"runtime"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// Join calls fn(ctx, a) and fn(ctx, b) and returns both results. See sched.Join.
func Join[A, R any](ctx context.Context, fn func(context.Context, A) R, a, b A) (x, y R) {
	c := forking(ctx)
	if c == nil {
		return fn(ctx, a), fn(ctx, b)
	}
	f := c.frame.Fiber()
	br := newBranch[A, R](&f.w.branches)
	br.fn, br.ctx, br.arg = fn, c, b
	f.w.fork(&br.node)
	joined := false
	defer func() {
		if !joined {
			br.cancel(f)
		}
	}()
	x = fn(c, a)
	f.forkTick()
	joined = true
	if f.w.takeBack(&br.node) {
		br.release(&f.w.branches)
		return x, fn(c, b)
	}
	return x, br.wait(f)
}

// forkContext is the context of the branches that one fiber runs.
type forkContext struct {
	context.Context
	frame Frame
}

func (c *forkContext) Value(key any) any {
	if _, ok := key.(FrameKey); ok {
		return &c.frame
	}
	return c.Context.Value(key)
}

// forking returns a context whose branches the caller may fork, or nil if the
// caller is not on a fiber.
func forking(ctx context.Context) *forkContext {
	if c, ok := ctx.(*forkContext); ok {
		if c.frame.Fiber().Here() {
			return c
		}
		return nil
	}
	f := Current(ctx)
	if f == nil || f.hosted {
		return nil
	}
	c := &forkContext{Context: ctx}
	c.frame.Enter(f)
	return c
}

// forkTick is called at each join. It is a checkpoint every forksPerTick times.
func (f *Fiber) forkTick() {
	w := f.w
	if w.forkTicks++; w.forkTicks%forksPerTick == 0 {
		f.Checkpoint()
	}
}

// forksPerTick makes a fork/join program pass a checkpoint about every
// microsecond.
const forksPerTick = 32

// branch is a call that was forked.
//
// # Protocol
//
// The joiner has the branch to itself if it takes it back from its worker's
// forks. Otherwise somebody runs it, and state tells who was first, the end or
// the joiner: the joiner puts its fiber there and suspends, the end swaps in
// branchEnded and resumes what it finds. After that the branch is the joiner's.
type branch[A, R any] struct {
	node    Node
	state   xatomic.Pointer[Fiber]
	fn      func(context.Context, A) R
	ctx     *forkContext // The context of the fork; a thief makes its own from it.
	arg     A
	result  R
	failure error         // A *PanicError, or ErrGoexit.
	next    *branch[A, R] // In the free list.
	_       [branchPad]byte
}

// branchPad makes a branch of small values two cache lines long, since two
// workers that write to neighbours on one line take twice the time for each fork.
const branchPad = 48

// branchEnded is the state of a branch that has run.
var branchEnded = new(Fiber)

// Run runs the branch for its joiner. It is called by the scheduler.
func (b *branch[A, R]) Run(f *Fiber, _ Priority) {
	c := &forkContext{Context: b.ctx.Context}
	c.frame.Enter(f)
	returned := false
	defer func() {
		if !returned {
			b.failure = Caught(recover())
		}
		b.transitionToEnded(f)
	}()
	b.result = b.fn(c, b.arg)
	returned = true
}

// Caught makes an error of what a deferred recover returned after a call that
// did not return.
func Caught(v any) error {
	if v == nil {
		return ErrGoexit
	}
	if err, ok := v.(*PanicError); ok {
		return err // From a branch; it has the stack of the panic itself.
	}
	return NewPanicError(v)
}

// resumeNext resumes f as the next work of the worker below from.
func (f *Fiber) resumeNext(from *Fiber) {
	if f.state.TransitionFromSuspended() {
		from.w.pushNextOf(f, &f.node)
	}
}

// await waits until the branch has been run by somebody else.
func (b *branch[A, R]) await(f *Fiber) {
	if b.transitionToAwaited(f) {
		for b.state.Load() != branchEnded {
			f.Suspend()
		}
	}
}

// transitionToAwaited has the end of the branch resume f. It returns false if
// the branch has ended.
func (b *branch[A, R]) transitionToAwaited(f *Fiber) bool { return b.state.CompareAndSwap(nil, f) }

// transitionToEnded makes the result the joiner's, and resumes it on the worker
// below f if it waits.
func (b *branch[A, R]) transitionToEnded(f *Fiber) {
	if joiner := b.state.Swap(branchEnded); joiner != nil {
		joiner.resumeNext(f)
	}
}

// wait returns the result of a branch that somebody else runs.
func (b *branch[A, R]) wait(f *Fiber) R {
	b.await(f)
	result, failure := b.result, b.failure
	var p *PanicError
	switch {
	case failure == nil:
	case errors.As(failure, &p):
		panic(p)
	default:
		runtime.Goexit()
	}
	return result
}

// cancel takes the branch back, or waits for it, when the other call of its
// Join did not return.
func (b *branch[A, R]) cancel(f *Fiber) {
	if f.w.takeBack(&b.node) {
		b.release(&f.w.branches)
		return
	}
	b.await(f)
}

// continues tells the scheduler that a branch is part of something that has
// begun; a forced stop must not drop it.
func (b *branch[A, R]) continues() {}

// branchList keeps branches for use by forks of the same type.
type branchList[A, R any] struct {
	head *branch[A, R]
	n    int
	_    [2*cacheLine - 16]byte
}

const (
	// branchLists is how many types of branches a worker keeps a list for.
	branchLists = 4
	// branchesKept bounds each list. Recursion is rarely deeper.
	branchesKept = 256
)

// branchCache has the branches that a worker uses again: a *branchList for each of
// the types that it has forked last, the latest first.
type branchCache [branchLists]any

// newBranch returns a branch from the list for its type.
func newBranch[A, R any](c *branchCache) *branch[A, R] {
	list := branchesOf[A, R](c)
	b := list.head
	if b == nil {
		b = &branch[A, R]{}
		b.node.Init(b)
		return b
	}
	list.head, b.next = b.next, nil
	list.n--
	return b
}

// release puts the branch into its list, without what it held. One that was
// stolen is left to the collector: it may lie beside branches of another worker,
// and its state was used.
func (b *branch[A, R]) release(c *branchCache) {
	list := branchesOf[A, R](c)
	if list.n == branchesKept {
		return
	}
	var noArg A
	var noResult R
	b.fn, b.ctx, b.arg, b.result, b.failure = nil, nil, noArg, noResult, nil
	b.next, list.head = list.head, b
	list.n++
}

func branchesOf[A, R any](c *branchCache) *branchList[A, R] {
	if list, ok := c[0].(*branchList[A, R]); ok {
		return list
	}
	return findBranches[A, R](c)
}

// findBranches moves the list for the type to the front. It drops the one that
// was not used for the longest time if there are too many.
func findBranches[A, R any](c *branchCache) *branchList[A, R] {
	last := len(c) - 1
	at := last
	var found *branchList[A, R]
	for i := range c {
		if list, ok := c[i].(*branchList[A, R]); ok {
			at, found = i, list
			break
		}
	}
	if found == nil {
		found = &branchList[A, R]{}
	}
	copy(c[1:at+1], c[:at])
	c[0] = found
	return found
}
