package sched

import "slices"

// visit is somebody's way along the list of fibers. There may be several, and
// fibers come and go meanwhile: one that goes takes the visits that have come to
// it on to the next, and one that comes is put before all of them.
type visit struct{ next *Fiber } // Guarded by the list's mu.

// visitBatch is how many fibers are looked at while their list is locked: 20 us.
const visitBatch = 1024

// visit calls look with each fiber that is there all the time. Look is called with
// mu held.
func (l *fibers) visit(look func(f *Fiber)) {
	l.visiting.Lock()
	defer l.visiting.Unlock()
	v := l.beginVisit()
	defer l.endVisit(v)
	for l.visitSome(v, visitBatch, look) {
	}
}

func (l *fibers) beginVisit() *visit {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := &visit{l.first}
	l.visits = append(l.visits, v)
	return v
}

func (l *fibers) endVisit(v *visit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.visits = slices.DeleteFunc(l.visits, func(other *visit) bool { return other == v })
}

// visitSome goes on with a visit, for n fibers at most. It returns false at the
// end.
func (l *fibers) visitSome(v *visit, n int, look func(f *Fiber)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range n {
		f := v.next
		if f == nil {
			return false
		}
		look(f)
		v.next = f.next
	}
	return true
}

// pass takes the visits that have come to f, which leaves the list, on to the
// next. The caller holds mu.
func (l *fibers) pass(f *Fiber) {
	for _, v := range l.visits {
		if v.next == f {
			v.next = f.next
		}
	}
}
