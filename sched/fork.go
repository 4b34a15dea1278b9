package sched

import (
	"context"

	"github.com/troupe-go/troupe/internal/workers"
)

// Join calls fn(ctx, a) and fn(ctx, b) and returns both results. It is the
// building block of divide and conquer: the call for b is put on offer to idle
// workers while the caller goes on with a, and if nobody has taken it by then,
// the caller makes it too.
//
//	func fib(ctx context.Context, n int) int {
//		if n < 2 {
//			return n
//		}
//		x, y := sched.Join(ctx, fib, n-1, n-2)
//		return x + y
//	}
//
// Join must be given the context of a job, of an actor's handler, or of a
// calling Join; with any other, and on a goroutine that the job has started,
// the calls are made one after the other. Hence they must not wait for each
// other. The context that fn receives is good for a Join of its own. After the
// Join the caller sees all that the branches have written.
//
// If fn panics, Join waits for a branch that has begun elsewhere, drops one
// that has not, and panics in turn: with the same value, or, where the branch
// ran elsewhere, with a [*PanicError] that has the stack. A Goexit of fn
// becomes one of the caller.
//
// A Join whose branch was not stolen costs about 20 ns and allocates nothing.
// Now and then it passes a checkpoint, so critical work need not wait for the
// end of the recursion.
func Join[A, R any](ctx context.Context, fn func(context.Context, A) R, a, b A) (x, y R) {
	return workers.Join(ctx, fn, a, b)
}
