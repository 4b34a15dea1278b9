package groups

import (
	"context"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/workers"
)

// batchSize is how many functions of a group are taken at once: enough that the
// lock, the bell and the context of a batch cost little each.
const batchSize = 64

// batch is a part of a group's functions. See [Group].
type batch struct {
	node  workers.Node
	group *Group
	next  *batch // Guarded by the group's mutex.
	n     int    // Filled under the group's mutex; it stays once the batch is taken.
	// claimed is how many functions were claimed, or more. Written by all who run
	// the batch.
	claimed atomic.Int32
	// users counts the workers that run the batch, and its entry in a queue. The last
	// user gives the batch back.
	users atomic.Int32
	fns   [batchSize]func(ctx context.Context) error
}

// batchContext is the context of the functions of a batch that run on one fiber.
type batchContext struct {
	context.Context
	group *Group
	frame workers.Frame
}

type batchKey struct{}

// LocalKey implements the interface of this name.
func (batchKey) LocalKey() {}

func (c *batchContext) Value(key any) any {
	switch key.(type) {
	case workers.FrameKey:
		return &c.frame
	case batchKey:
		return c
	}
	return c.Context.Value(key)
}

// isPartOf reports whether the caller, whose context is ctx, is a function of g.
func isPartOf(ctx context.Context, g *Group) bool {
	c, ok := ctx.Value(batchKey{}).(*batchContext)
	return ok && c.group == g && c.frame.Fiber() == workers.Current(ctx)
}

// Run calls the functions that nobody has claimed, while the batch is queued for
// others. It is called by the scheduler.
func (b *batch) Run(f *workers.Fiber, _ workers.Priority) {
	left := b.n - int(b.claimed.Load())
	if left <= 0 {
		b.release()
		return
	}
	if left > 1 {
		b.users.Add(1)
		f.Submit(&b.node, workers.Normal)
	}
	f.Counters().Accepted++ // A function may wait while nothing is queued.
	r := batchRun{batch: b, f: f}
	defer r.end()
	c := &batchContext{Context: b.group.ctx, group: b.group}
	c.frame.Enter(f)
	for fn := b.claim(); fn != nil; fn = b.claim() {
		r.call(c, fn)
		f.Counters().Jobs++
		f.Tick()
		if f.Urgent() {
			f.Checkpoint()
		}
	}
}

// claim takes a function for the caller alone, or returns nil.
func (b *batch) claim() (fn func(ctx context.Context) error) {
	i := int(b.claimed.Add(1)) - 1
	if i < b.n {
		fn, b.fns[i] = b.fns[i], nil
	}
	return fn
}

// release gives the batch back to the group if nobody else has it.
func (b *batch) release() {
	if b.users.Add(-1) != 0 {
		return
	}
	g := b.group
	b.n = 0
	b.claimed.Store(0)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.freeN < keepBatches {
		g.freeN++
		b.next, g.free = g.free, b
	}
}

// Abandon gives up what nobody has claimed.
func (b *batch) Abandon() {
	n := 0
	for b.claim() != nil {
		n++
	}
	if n > 0 {
		b.group.ended(nil, n, workers.ErrStopped)
	}
	b.release()
}

// batchRun is one worker's part of a batch.
type batchRun struct {
	*batch
	f    *workers.Fiber
	done int
	err  error // The first.
}

// call calls fn. A Goexit goes on after it.
func (r *batchRun) call(ctx context.Context, fn func(ctx context.Context) error) {
	returned := false
	var err error
	r.done++
	defer func() {
		if !returned {
			err = workers.Caught(recover())
		}
		if r.err == nil {
			r.err = err
		}
	}()
	err = fn(ctx)
	returned = true
}

// end tells the group. After a Goexit the rest of the batch is in a queue.
func (r *batchRun) end() {
	r.group.ended(r.f, r.done, r.err)
	r.f.Counters().Ended++
	r.release()
}
