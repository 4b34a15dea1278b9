package sched

import (
	"context"

	"github.com/troupe-go/troupe/internal/workers"
)

// Checkpoint lets critical work run before the caller goes on, if there is any,
// and the caller is a job that was given ctx, or other work of a scheduler. It is
// meant for work that takes long, every 10 to 100 us.
// Elsewhere, as on a goroutine that a job has started, it does nothing. It costs
// about 10 ns, and in a handler of an actor, which counts its reductions, about 40.
func Checkpoint(ctx context.Context) { workers.Checkpoint(ctx) }

// Yield lets the work that is queued with the caller's priority, or a more
// urgent one, run before the caller goes on, if the caller is a job that was
// given ctx, or other work of a scheduler. Elsewhere it does nothing. With
// nothing queued it costs about 10 ns, else a few switches of 57 ns each.
func Yield(ctx context.Context) { workers.Yield(ctx) }

// Budget keeps a long loop from starving others. The loop calls Spend in each
// round and says how much it has done, in a unit of its own choice, the
// reduction: one for a round of a tight loop. When Config.Reductions of them are
// spent, the work yields to what is queued with its priority or a more urgent
// one. In between it passes a checkpoint about every 20 us, so that critical work
// does not have to wait.
//
//	budget := sched.NewBudget(ctx)
//	for _, row := range rows {
//		sum += row.n
//		budget.Spend(1)
//	}
//
// A budget of [NewLimitedBudget] has a limit besides, and Spent says when that is used up, so that
// a loop can stop and leave the rest for later:
//
//	budget := sched.NewLimitedBudget(ctx, 10_000)
//	for len(rows) > 0 && !budget.Spent() {
//		sum += rows[0].n
//		rows = rows[1:]
//		budget.Spend(1)
//	}
//
// A Budget is a small value, good for the call that has made it: it needs no
// memory besides, is not safe for concurrent use, and does nothing on any other
// goroutine. The zero Budget does nothing at all.
type Budget workers.Budget

// NewBudget returns a budget for the caller, whose context is ctx.
func NewBudget(ctx context.Context) Budget { return Budget(workers.NewBudget(ctx)) }

// NewLimitedBudget returns a budget for the caller, whose context is ctx, that is spent
// after n reductions. If n is not positive, it is spent at once. The limit also counts on a
// goroutine that is no work of a scheduler, where a budget does nothing else.
func NewLimitedBudget(ctx context.Context, n int) Budget {
	return Budget(workers.NewLimitedBudget(ctx, n))
}

// Spent reports whether the limit of the budget is used up. It is false for a budget
// without a limit. It compares two numbers.
func (b *Budget) Spent() bool { return (*workers.Budget)(b).Spent() }

// Spend says that the work has made n reductions. It costs about 1 ns, and now
// and then a look at the clock. It must be called by the work itself.
func (b *Budget) Spend(n int) { (*workers.Budget)(b).Spend(n) }
