// Package task starts pieces of work that belong together, waits for them, and
// cancels them together.
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
// A [Task] is a function that runs as a job of a [sched.Scheduler], with a handle and a
// typed result. Tasks are started in a [Group]. Its [Joiner] says when there is a result
// and what it is: [AllCompleted], [FirstFailure], [FirstSuccess], [Quorum], or one of your
// own. [Run] opens a group, and returns when every task of the group has ended. A [Scope]
// is a part of a program that can be cancelled.
//
// # Main ideas
//
//   - The context of a job, a task or an actor's handler leads to the scheduler. Elsewhere
//     the option [On] names it.
//   - A wait inside a task, with its context, holds no worker.
//   - A cancelled task is asked to end by its context, and waited for. Each of its later
//     waits fails at once. Clean-up goes into a [Shield]. [Scope.Caught] and [Canceller]
//     say which scope was cancelled.
//   - A panic of a task is its result. It does not end the process.
//   - The tasks of an actor end with the actor's incarnation.
//   - [Detach] and [Task.Detach] let a task outlive its group. [List] lists all tasks.
//
// All rules, and the cost of a task, are in the [reference].
//
// [reference]: https://github.com/troupe-go/troupe/blob/main/docs/reference/tasks.md
package task
