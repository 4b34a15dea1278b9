package sched

// Runner is work in its lowest form. It is what actors, tasks and strands are
// built from; programs that just want something done use [Scheduler.Go].
type Runner interface {
	// Run does the work on the fiber f. Priority p is the one under which it
	// was submitted. A panic that leaves Run ends the process; a Goexit ends
	// the fiber, which is replaced. If the Runner has a String method, that names
	// it in Scheduler.Held, which calls it at any time, from any goroutine.
	Run(f *Fiber, p Priority)
}

// Node is the handle by which a Runner is queued. It lies inside the Runner,
// so that queueing needs no memory. A Node may be queued more than once at a
// time; each entry leads to one call of Run.
type Node struct{ runner Runner }

// Init ties the node to its runner. It must be called before the node is
// submitted, and once.
func (n *Node) Init(r Runner) { n.runner = r }

// stolen is called by a thief that has taken n, and arrived before it puts n
// into a queue of its own.
func (n *Node) stolen() {
	switch r := n.origin().runner.(type) {
	case *function:
		r.state.transitionToStolen()
	case *Fiber:
		if j := r.job.Load(); j != nil {
			j.state.transitionToStolen()
		}
	case Body:
		r.record().state.transitionToStolen()
	}
}

// job returns the job that n stands for, or nil if that is other work.
func (n *Node) job() *Job {
	switch r := n.origin().runner.(type) {
	case *function:
		return &r.Job
	case Body:
		return r.record()
	}
	return nil
}

func (n *Node) arrived() {
	if j := n.job(); j != nil {
		j.state.transitionToPending()
	}
}

// fifo is a first-in-first-out queue of nodes that grows as needed and lets
// go of its memory when it is empty again.
type fifo struct {
	ring []*Node // Its length is a power of two, or zero.
	head int
	n    int
	// popped counts what has left: the position of the next. It falls with
	// pushFront.
	popped int64
}

// keepRing is the longest ring that an empty queue keeps: 8 KB on 64 bits, so
// that bursts of usual size do not allocate each time.
const keepRing = 1024

func (q *fifo) push(x *Node) {
	q.makeRoom()
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = x
	q.n++
}

// pushFront makes x the next that pop returns.
func (q *fifo) pushFront(x *Node) {
	q.makeRoom()
	q.head = (q.head - 1) & (len(q.ring) - 1)
	q.popped--
	q.ring[q.head] = x
	q.n++
}

func (q *fifo) makeRoom() {
	if q.n < len(q.ring) {
		return
	}
	grown := make([]*Node, max(16, 2*len(q.ring)))
	for i := range q.n {
		grown[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
	}
	q.ring, q.head = grown, 0
}

func (q *fifo) pop() *Node {
	if q.n == 0 {
		return nil
	}
	slot := &q.ring[q.head]
	x := *slot
	*slot = nil
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.popped++
	if q.n--; q.n == 0 && len(q.ring) > keepRing {
		q.ring, q.head = nil, 0
	}
	return x
}
