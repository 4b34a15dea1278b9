package router

// queue is a list of tasks from which any can be taken out at once: an asker
// that has gone leaves no entry behind, which would hold a place.
type queue[J, R any] struct {
	first, last *work[J, R]
	n           int
}

func (q *queue[J, R]) push(w *work[J, R]) {
	w.in, w.before, w.after = q, q.last, nil
	if q.last == nil {
		q.first = w
	} else {
		q.last.after = w
	}
	q.last = w
	q.n++
}

// pop returns the oldest, or nil.
func (q *queue[J, R]) pop() *work[J, R] {
	w := q.first
	if w != nil {
		w.leave()
	}
	return w
}

// leave takes the task out of the queue that it is in, if any.
func (w *work[J, R]) leave() {
	q := w.in
	if q == nil {
		return
	}
	if w.before == nil {
		q.first = w.after
	} else {
		w.before.after = w.after
	}
	if w.after == nil {
		q.last = w.before
	} else {
		w.after.before = w.before
	}
	q.n--
	w.in, w.before, w.after = nil, nil, nil
}
