//go:build modelcheck

package queues

// over is set in the mask when no more work comes. It lies there so that the explorer sees which threads it concerns.
const over = 1 << Priorities

// Await waits until some work is there, or End was called, and returns the mask of the work.
func (q *Shared[T]) Await() uint32 {
	return q.mask.Await(func(mask uint32) bool { return mask != 0 }) &^ over
}

// End tells Await that nothing more comes.
func (q *Shared[T]) End() { q.mask.Or(over) }
