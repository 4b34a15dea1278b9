// Package task starts pieces of work that belong together, waits for them, and
// cancels them together.
//
// A [Task] is a function that runs as a job of a [sched.Scheduler], with a handle
// and a typed result. A [Group] is what tasks are started in; its [Joiner] says
// when there is a result and what it is. A [Scope] is a part of a program that
// can be cancelled. [Run] opens a group and returns when all that was started in
// it has ended:
//
//	values, err := task.Run(ctx, task.FirstFailure[page](), func(_ context.Context, g *task.Group[page]) error {
//		for _, url := range urls {
//			if _, err := g.Go(func(ctx context.Context) (page, error) { return fetch(ctx, url) }); err != nil {
//				return err
//			}
//		}
//		return nil
//	})
//
// The scheduler is the one of the job, the task or the actor's handler whose context ctx
// is. Elsewhere, the option [On] names it.
//
// # Joiners
//
//   - [AllCompleted] waits for all and cancels none.
//   - [FirstFailure] cancels the others at the first failure, as errgroup does. It
//     is the default.
//   - [FirstSuccess] cancels the others at the first success.
//   - [Quorum] waits for n successes, or until they are out of reach.
//   - A [Joiner] of your own decides whatever it likes.
//
// With the option [Staggered] the tasks begin one after the other, each a while after the one
// before, or when that has failed: with [FirstSuccess], Happy Eyeballs.
//
// A task that is cancelled is asked to end, by its context, and waited for. Panics and
// Goexits of a task are its result, a [*sched.PanicError] with the stack or
// [sched.ErrGoexit], and failures like any other.
//
// # Waiting
//
// [Group.Join] waits for the result, [Group.Next] and [Group.All] for tasks as
// they end, [Task.Join] for one, [Group.Wait] for all, without a context. Inside
// a task, a job or a handler, with its context, none of them holds a worker; nor
// does [Sleep]. A task may block by any other means, like every job. If the
// context of a Join ends, it returns an [*UnfinishedError] that names what has
// not ended: a task that ignores its cancellation, say. Run has no such way out.
//
// # Cancellation
//
// Cancellation is a level: once the context of a task has ended, each wait below
// it fails at once, every time. Work that computes asks by [Checkpoint]. Clean-up
// that must be done all the same, and may take a while, goes into a [Shield].
//
// An error that says that some context has ended need not be owed to this one:
// it may come from the timeout of a request. So a task counts as cancelled only
// if its own context has ended, [Scope.Caught] tells whether a scope itself was
// cancelled, and [Canceller] which one was.
//
// The contexts of tasks have the values and the deadline of the group's, and are
// plain contexts. They have no timeout of the scheduler's, since a job that has
// timed out would be left behind.
//
// Tasks of a group made with the context of an actor, or below it, end with that
// incarnation of the actor: when it ends, it asks them to, as it does its children, and
// goes on, to its Stopped hook or to a restart, when they have ended. One that is killed
// does not wait for them. A Stopped hook joins the groups that it opens itself.
//
// # Letting go
//
// [Detach] starts a task that nobody waits for, and [Task.Detach] makes one of a
// group's. Both are spelled so that a reviewer finds them. Detached tasks are
// listed by [Detached], all tasks by [List], and all are cancelled, with the cause
// [sched.ErrStopped], when the context of the scheduler's Stop ends.
//
// # Cost
//
// A task takes 120 bytes and its value, and its group makes room for up to 30 of
// them at once, so a task costs no allocation but what its function captures.
// Starting and joining many costs 0.7 to 1.2 of goroutines with a WaitGroup; a
// group of its own for each task costs 2 us. To cancel a task that waits costs
// about 1 us and no memory. To compare with goroutines and errgroup run
// troupe bench tasks, for other figures the package's benchmarks, go test -bench . ./task.
package task
