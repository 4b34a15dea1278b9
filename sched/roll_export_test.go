package sched

// Roll is a table of goroutines by itself, with fibers of which there is nothing else.
type Roll struct{ r roll }

// Enter puts goroutine id below a new fiber. It returns that, and the one before.
func (r *Roll) Enter(id uintptr) (f, outer *Fiber) {
	f = &Fiber{}
	f.id.Store(id)
	return f, r.r.enter(id, f)
}

// Leave takes goroutine id from below f, which was within outer.
func (r *Roll) Leave(id uintptr, f, outer *Fiber) {
	r.r.leave(id, outer)
	f.id.Store(0)
}

// Of returns the fiber of goroutine id.
func (r *Roll) Of(id uintptr) *Fiber { return r.r.of(id) }

// Counts returns how many have entered and not left, how many places are in use, as
// counted and in fact, and how many there are.
func (r *Roll) Counts() (live, used, found, places int) {
	t := r.r.table.Load()
	if t == nil {
		return 0, 0, 0, 0
	}
	for i := range t.all {
		for tags := t.all[i].tags.Load() & (ones * 0xff); tags != 0; tags >>= 8 {
			if tags&0xff != 0 {
				found++
			}
		}
	}
	return r.r.live, r.r.used, found, groupSize * len(t.all)
}
