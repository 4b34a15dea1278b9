package workers

import (
	"context"
	"math"
	"time"

	"github.com/troupe-go/troupe/internal/workers/queues"
)

// checkpointEvery is how much time a Budget lets pass between two checkpoints: little for
// critical work that waits, and much beside the 40 ns that a checkpoint costs.
const checkpointEvery = 20 * time.Microsecond

// Checkpoint lets critical work run before the caller goes on, if there is any, and the
// caller is a job that was given ctx, or other work of a scheduler. See sched.Checkpoint.
func Checkpoint(ctx context.Context) {
	if f := Current(ctx); f != nil {
		f.Checkpoint()
	}
}

// Yield lets the work that is queued with the caller's priority, or a more urgent one, run
// before the caller goes on, if the caller is a job that was given ctx, or other work of a
// scheduler. See sched.Yield.
func Yield(ctx context.Context) {
	if f := Current(ctx); f != nil {
		f.YieldToEquals()
	}
}

// Budget keeps a long loop from starving others. See sched.Budget.
type Budget struct {
	f *Fiber
	// left is what may still be spent of chunk before the spending that leads to
	// the next checkpoint.
	left, chunk int
	at          time.Duration // Of the last checkpoint; 0 when that tells nothing.
	// limited says that the budget has a limit, and rest is what was left of that when
	// the chunk began.
	limited bool
	rest    int
}

// NewBudget returns a budget for the caller, whose context is ctx.
func NewBudget(ctx context.Context) Budget {
	return Budget{f: Current(ctx), chunk: 1}
}

// NewLimitedBudget returns a budget that is spent after n reductions. See
// sched.NewLimitedBudget.
func NewLimitedBudget(ctx context.Context, n int) Budget {
	b := NewBudget(ctx)
	b.limited, b.rest = true, n
	return b
}

// Spent reports whether the budget has a limit and that is used up. See sched.Budget.
func (b *Budget) Spent() bool { return b.limited && b.sinceSettled() >= b.rest }

// sinceSettled returns what was spent since the chunk began.
func (b *Budget) sinceSettled() int { return b.chunk - 1 - b.left }

// Spend says that the work has made n reductions. It costs about 1 ns, and now
// and then a look at the clock. It must be called by the work itself.
func (b *Budget) Spend(n int) {
	if b.left -= n; b.left < 0 {
		b.settle()
	}
}

// settle passes a checkpoint and decides how much may be spent until the next
// one: what takes checkpointEvery at the present pace.
func (b *Budget) settle() {
	spent := b.sinceSettled()
	if b.limited {
		b.rest = max(0, b.rest-spent)
	}
	f := b.f
	if f == nil || !f.Here() {
		b.f, b.left, b.chunk = nil, math.MaxInt-1, math.MaxInt
		return
	}
	now := f.s.now()
	if b.at != 0 {
		b.chunk = nextChunk(spent, now-b.at)
	}
	b.at = now
	if f.checkpoint(spent) {
		b.at = 0
	}
	b.chunk = max(1, min(b.chunk, f.s.cfg.Reductions-f.tally.reductions()))
	b.left = b.chunk - 1
}

// nextChunk grows by no more than a factor of two at a time, since what the next
// rounds cost is anybody's guess.
func nextChunk(spent int, took time.Duration) int {
	if took <= checkpointEvery/2 {
		return min(2*spent, math.MaxInt/4)
	}
	return max(1, int(float64(spent)*float64(checkpointEvery)/float64(took)))
}

// checkpoint is passed by work that has made n reductions. It returns true if
// other work ran in between.
func (f *Fiber) checkpoint(n int) (left bool) {
	f.w.spend(maxStride / 2)
	if s, ok := f.owner.(spender); ok {
		s.Spent(n)
	}
	if f.Urgent() && f.w.queues.Interrupted() < f.s.cfg.PreemptionDepth {
		f.w.op = opGiveWay
		f.leave()
		left = true
	}
	if done := f.tally.reductions(); n < f.s.cfg.Reductions-done {
		if done+n > maxReductions { // Where it never yields.
			f.addSlice(done + n)
			done = -n
		}
		f.tally.setReductions(done + n)
	} else {
		f.addSlice(done + n)
		f.tally.setReductions(0)
		left = f.YieldToEquals() || left
	}
	f.Interleave()
	return left
}

// YieldToEquals is [Yield] for work that knows its fiber: it sends the work behind
// what is queued with its priority, and lets that, and what is more urgent, run
// first. It returns false, and does no switch, if there is nothing. It must be
// called from the fiber's goroutine.
func (f *Fiber) YieldToEquals() bool {
	if !f.prepareToYield() {
		return false
	}
	f.hasReturned(opYield, f.co.Yield()) // See leave.
	return true
}

// YieldBody is YieldToEquals for the job in b. It does nothing, and returns false,
// if somebody else calls.
func YieldBody(b Body) bool {
	j := b.record()
	if !j.isLive() {
		return false
	}
	f := j.on()
	if f.job.Load() != j || !f.Here() || !f.prepareToYield() {
		return false
	}
	f.hasReturned(opYield, f.co.Yield())
	return true
}

// prepareToYield says to the worker how the fiber yields. It returns false if nothing
// waits that a yield would let run.
func (f *Fiber) prepareToYield() bool {
	if f.hosted {
		return false
	}
	w, p := f.w, f.urgency(Own)
	switch {
	case f.home().bond == queues.Free && w.rotates(p):
		w.op = opRotate
	case w.hasWorkFor(p):
		w.op = opYield
	default:
		return false
	}
	w.priority = p
	f.prepareToLeave()
	return true
}

// rotates takes the fiber that is the next piece of work of priority p, to be the target
// of a yield, if next would return it and find nothing else to do. That is mostly so,
// and saves a tenth of a switch. While a fiber runs, the worker is not searching.
func (w *Worker) rotates(p Priority) bool {
	s := w.s
	if w.meter.budget <= 0 || p == Critical || w.spare || s.sim != nil || s.shared.Mask() != 0 || w.queues.Inbox.Mask() != 0 ||
		len(w.forks.private) != 0 || w.queues.First.Len() != 0 || w.queues.Branches.Len() != 0 {
		return false
	}
	if w.queues.HasMoreUrgent(queues.Priority(p)) {
		return false
	}
	n, at := w.queues.Local[p].First()
	if n == nil {
		return false
	}
	f, ok := n.runner.(*Fiber)
	if !ok || !w.queues.Local[p].TakeFirst(at) {
		return false
	}
	w.meter.budget--
	w.target = f
	return true
}

// hasWorkFor reports whether the worker would find anything to do before work of
// priority p that is queued now. It does not look at other workers' queues.
func (w *Worker) hasWorkFor(p Priority) bool {
	if p != Critical && w.queues.Local[p].Len() > 0 { // There is no queue of critical work.
		return true
	}
	if w.s.sim != nil {
		return w.s.sim.engine.Queued()
	}
	if w.s.shared.Mask()&(queues.Priority(p).UpTo()) != 0 || w.queues.Inbox.HasFor(queues.Priority(p)) {
		return true
	}
	if p == Critical {
		return false
	}
	return w.queues.HasMoreUrgent(queues.Priority(p)) || w.queues.First.Len() > 0
}

// spender is an owner of work that keeps count of its reductions itself, since it comes to
// one fiber after another; see Fiber.SetOwner. Spent is called at each checkpoint that the
// work passes, on the work's own goroutine.
type spender interface{ Spent(n int) }

// addSlice takes note of a slice that the job on the fiber has used up.
func (f *Fiber) addSlice(n int) {
	j := f.job.Load()
	if j == nil {
		return
	}
	used := &j.rarely().used
	used.Store(used.Load() + uint64(n))
}

// reductionsOf returns the reductions of a job that is on the fiber. While a slice
// ends, the sum may have it twice.
func (f *Fiber) reductionsOf(j *Job) uint64 {
	sum := uint64(f.tally.reductions())
	if rare := j.rare.Load(); rare != nil {
		sum += rare.used.Load()
	}
	return sum
}

// ReductionsLeft returns what the work on the fiber may still do until it yields, or -1 if
// it yields never. Any goroutine may ask.
func (f *Fiber) ReductionsLeft() int {
	if f.s.cfg.Reductions == math.MaxInt {
		return -1
	}
	return max(0, f.s.cfg.Reductions-f.tally.reductions())
}

// Runs reports whether n is the work that runs, or waits, on the fiber. Any goroutine may
// ask.
func (f *Fiber) Runs(n *Node) bool { return f.running.Load() == n }
