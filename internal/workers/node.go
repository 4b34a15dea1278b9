package workers

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

// stealable is a Runner that wants to know that a thief has taken it: a job, or a fiber
// for the job on it.
type stealable interface{ wasStolen() }

func (j *Job) wasStolen() { j.state.TransitionToStolen() }

func (f *Fiber) wasStolen() {
	if j := f.job.Load(); j != nil {
		j.wasStolen()
	}
}

// stolen is called by a thief that has taken n, and arrived before it puts n
// into a queue of its own.
func (n *Node) stolen() {
	if r, ok := n.origin().runner.(stealable); ok {
		r.wasStolen()
	}
}

// job returns the job that n stands for, or nil if that is other work.
func (n *Node) job() *Job {
	if r, ok := n.origin().runner.(inRecord); ok {
		return r.record()
	}
	return nil
}

func (n *Node) arrived() {
	if j := n.job(); j != nil {
		j.state.TransitionToPending()
	}
}
