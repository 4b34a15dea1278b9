package workers

// Edge is a wait of the work on a fiber for something that can inherit its urgency: while
// critical work waits, what it waits for is as urgent, and so on along the waits.
//
// # Protocol
//
// The waiting side calls Begin, makes the Edge known to the other side, and calls Raise. The
// other side, such as a job, counts the edges that lift it, under a mutex of its own. When the
// first comes, or the last goes, it changes: a job that is queued gets a second entry, among
// critical work, and the fiber of work that has begun gets a mark, by which it is resumed and
// yields as critical work does. Then the fiber's own edge settles, which may change what is
// behind it.
//
// Settle goes by the marks that it finds, each time. The mark of a fiber is written before
// its edge is looked for, and the edge before the mark; between the latter two lies the mutex
// of what is awaited. So either side sees the other, and the last to settle leaves what is
// right. Settle holds one of the mutexes at a time, and a ring ends where nothing changes.
//
// A queue can't be searched. So a piece of work that has begun and is queued again, since it
// has yielded or was resumed before anybody critical waited for it, keeps its place there.
//
// Tried and rejected: to count the classes by which work is lifted, so that High work lifts
// Normal and Low work as well. Each wait of a usual job for a job in the background would
// queue that twice, and throughput is what those waits are about.
type Edge struct {
	of  Awaited
	f   *Fiber
	own bool // The work on f is critical itself.

	// The mutex of what is awaited guards these.
	over  bool // The wait has ended.
	lifts bool // It counts there.
}

// Awaited is what work waits for.
type Awaited interface {
	// Settle has the edge count, or not, as [Edge.Step] says. It must not be called while a
	// mutex is held that Settle locks.
	Settle(e *Edge)
}

// Begin prepares for a wait of the work on f, which calls it, for of. A fiber waits by one
// edge at a time.
func (e *Edge) Begin(f *Fiber, of Awaited) {
	e.f, e.of, e.own = f, of, f.priority == Critical
	f.rarely().edge.Store(e)
}

// Raise follows when what is awaited knows the edge.
func (e *Edge) Raise() {
	if e.own || e.f.state.IsLifted() {
		e.of.Settle(e)
	}
}

// End is called by the waiting work when its wait is over.
func (e *Edge) End() { e.f.rare.edge.Store(nil) }

// Step returns by how much the number of edges grows that lift the awaited work: 1, -1, or
// 0. The caller holds the mutex of the awaited work.
func (e *Edge) Step() int {
	wants := !e.over && (e.own || e.f.state.IsLifted())
	switch {
	case wants == e.lifts:
		return 0
	case wants:
		e.lifts = true
		return 1
	}
	e.lifts = false
	return -1
}

// Leave is Step for a wait that is over.
func (e *Edge) Leave() int {
	e.over = true
	return e.Step()
}

// Retire says that the wait is over. It returns true if the edge still counts: then Step
// follows, by the same caller. The mutex of what is awaited is held.
func (e *Edge) Retire() bool {
	e.over = true
	return e.lifts
}

// Urgency reports whether the work on the fiber is critical itself, and whether critical work
// waits for it. Both are false in a simulation, whose schedules do not follow priorities.
func (f *Fiber) Urgency() (own, inherited bool) {
	own, inherited = f.priority == Critical, f.state.IsLifted()
	if (own || inherited) && f.s.sim != nil {
		return false, false
	}
	return own, inherited
}

// SetLifted says that critical work waits for the work on the fiber, or does so no longer: it is
// resumed and yields by that. The caller keeps the work from ending meanwhile. SettleLift does the
// same for the job or group that the work waits for.
func (f *Fiber) SetLifted(is bool) { f.state.Lift(is) }

// IsLifted reports what SetLifted said last.
func (f *Fiber) IsLifted() bool { return f.state.IsLifted() }

// SettleLift has the job or group that the fiber's work waits for, if any, follow the
// fiber's mark. It must not be called while a mutex is held that [Awaited] locks.
func (f *Fiber) SettleLift() { f.settleEdge() }

// urgency returns the priority with which the fiber is queued by somebody who says p.
func (f *Fiber) urgency(p Priority) Priority {
	if f.state.IsLifted() {
		return Critical
	}
	return min(p, f.priority)
}

// settleEdge has what the fiber's work waits for, if anything, follow the fiber's mark. The
// caller has set the mark, or taken it off, while it kept the work on the fiber from ending,
// and has let go of its mutex since.
func (f *Fiber) settleEdge() {
	f.s.fibers.Lock() // It guards rare.
	rare := f.rare
	f.s.fibers.Unlock()
	if rare == nil {
		return
	}
	if e := rare.edge.Load(); e != nil {
		e.of.Settle(e)
	}
}

// awaitedJob is a job as those see it that wait for it.
type awaitedJob Job

func (a *awaitedJob) Settle(e *Edge) { (*Job)(a).shift(e.Step) }

// shift adds to the number of those that lift the job what step returns, which is called
// with the mutex held.
func (j *Job) shift(step func() int) {
	rare := j.rarely()
	for held := j.isHeld(); ; step = none {
		rare.mu.Lock()
		before := rare.urgent > 0
		rare.urgent += step()
		var entry *elder
		var f *Fiber
		if is := rare.urgent > 0; is != before || held {
			entry, f = j.inheritLocked(rare, held)
		}
		rare.mu.Unlock()
		entry.queue(j.kind.s)
		if f != nil {
			f.settleEdge()
		}
		if !held || j.isHeld() {
			return
		}
		held = false // Its owner may have let it begin without a look at the count.
		rare.mu.Lock()
		entry, _ = j.inheritLocked(rare, false)
		rare.mu.Unlock()
		entry.queue(j.kind.s)
	}
}

func none() int { return 0 }

// inheritLocked makes the job as urgent as those are that wait for it. It returns the entry
// that is to be queued, or the fiber on which the job has begun. The caller holds rare.mu.
func (j *Job) inheritLocked(rare *jobRare, held bool) (*elder, *Fiber) {
	urgent := rare.urgent > 0
	had := rare.twice.Load()
	if may := urgent && !held && j.id&idPlaced == 0 && j.kind.s.sim == nil; may && !had {
		rare.twice.Store(true)
	}
	switch st := j.state.State(); {
	case st <= JobStolen && rare.twice.Load() && !had:
		e := &elder{of: &j.node, submitted: j.state.Load().Priority(), second: true}
		e.node.Init(e)
		return e, nil
	case st <= JobStolen:
		return nil, nil
	}
	rare.twice.Store(had)
	if j.state.State().Ended() {
		return nil, nil
	}
	f := j.on()
	f.state.Lift(urgent)
	rare.lifted = urgent
	return nil, f
}

// dropsEntry takes an entry from a job that has two, and is called for the one that has
// come to nothing. It returns false if that was the last.
func (j *Job) dropsEntry() bool {
	rare := j.rare.Load()
	if rare == nil {
		return false
	}
	rare.mu.Lock()
	defer rare.mu.Unlock()
	return rare.twice.CompareAndSwap(true, false)
}

// queue queues the second entry of a job, if there is one to be queued.
func (e *elder) queue(s *Scheduler) {
	if e != nil {
		s.Share(&e.node, Critical)
	}
}

// inherit lifts the fiber on which the job has begun if the job has been lifted before.
func (j *Job) inherit(f *Fiber) {
	rare := j.rare.Load()
	rare.mu.Lock()
	if rare.urgent > 0 && !j.state.State().Ended() {
		f.state.Lift(true)
		rare.lifted = true
	}
	rare.mu.Unlock()
}

// claims reports whether the second entry of the job, which a worker has come to on f,
// counts. If the first is queued and nobody critical waits any more, that is the one.
func (j *Job) claims(f *Fiber) bool {
	rare := j.rare.Load()
	rare.mu.Lock()
	defer rare.mu.Unlock()
	if rare.urgent > 0 && j.state.TransitionToClaimed() {
		rare.second.Store(f)
		return true
	}
	return !rare.twice.CompareAndSwap(true, false)
}

// on returns the fiber on which the job has begun.
func (j *Job) on() *Fiber {
	if rare := j.rare.Load(); rare != nil {
		if f := rare.second.Load(); f != nil {
			return f
		}
	}
	return j.fiber
}

// settleEnd takes the mark off the fiber of a job that has ended or is overdue, and returns
// the fiber if something may follow from that. The caller holds mu.
func (r *jobRare) settleEnd(j *Job) *Fiber {
	if !r.lifted {
		return nil
	}
	r.lifted = false
	f := j.on()
	f.state.Lift(false)
	return f
}

// Holder is a [Body] whose owner may adopt it long before it is queued.
type Holder interface {
	// Held reports whether the job may not begin yet. It is called without locks, by any
	// goroutine.
	Held() bool
}

func (j *Job) isHeld() bool {
	h, ok := j.node.runner.(Holder)
	return ok && h.Held()
}

// Lift has the job in b count as awaited by so many more edges, or fewer, of its owner's. It
// must not be called while a mutex is held that Held locks.
func Lift(b Body, by int) { b.record().shift(func() int { return by }) }
