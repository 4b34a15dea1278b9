package actor

import (
	"fmt"
	"iter"
	"runtime"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// State says what an actor is doing.
type State uint8

// The states of an actor.
const (
	Waiting   State = iota // For messages.
	Ready                  // Queued to run.
	Running                // Runs, or waits within its handler.
	Held                   // Has ended, and can be restarted: its parent decides.
	Stopping               // Waits for its children to stop, or runs its Stopped hook.
	Suspended              // Handles no messages until it is resumed; see System.Suspend.
	Exited                 // Has stopped for good.

	numStates = 7
)

// String returns the state's name in lower case.
func (s State) String() string {
	if s < numStates {
		return [numStates]string{"waiting", "ready", "running", "held", "stopping", "suspended", "exited"}[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// Info is a snapshot of an actor's control block. The figures are of one moment
// as far as they concern its mailbox; all others may be a step apart.
type Info struct {
	PID   PID
	Name  string // The name given by WithName, if any.
	Names []string
	// Kind is the type of the actor's value, without a star; of [Func] it is the
	// function, with its package. It stays when the actor becomes something else.
	Kind string
	// Message is the type of the actor's messages.
	Message string
	// Parent is the zero PID for an actor at the top.
	Parent   PID
	Children int

	// Place says on which worker the actor runs, see WithWorker and WithAffinity.
	Place sched.Place

	State State
	// Reason is why the actor has ended, if it has Exited.
	Reason error
	// Priority is Critical while the actor is queued for a Control or system message, and
	// otherwise what WithPriority has set.
	Priority sched.Priority
	// Handled counts the messages that its handlers were given.
	Handled uint64
	// Reductions is how much its handlers have done by their own account: what they have
	// spent by a [sched.Budget], and 1 for each checkpoint. A Budget passes it on at its next
	// checkpoint, some 20 us later. Handled counts messages instead. It is 0 once the actor has Exited.
	Reductions uint64
	// ReductionsLeft is how many of them the handler that runs, or waits, has left until it
	// yields to others of its priority. It is -1 if it never does, by sched.Config.Reductions,
	// and 0 if no handler runs.
	ReductionsLeft int
	// Mailbox has how many messages wait in each lane, by Lane. The one that is
	// being handled is not among them.
	Mailbox [numLanes]int
	// Bytes is how many bytes they take, of an actor with a limit for that; see
	// WithMailboxLimit.
	Bytes int
	// Buffer has what becomes of messages to a full lane, by Lane.
	Buffer [numLanes]Buffer
	// Capacity has how many messages each lane holds, by Lane; 0 if it is
	// Unbounded.
	Capacity [numLanes]int
	// Dropped has how many messages were dropped, since a lane was full or because
	// of a limit, by Lane.
	Dropped [numLanes]uint64
	// Senders has how many messages of senders and timers wait for room in each lane, by Lane.
	Senders [numLanes]int
	Stashed int // The messages put aside, and those that a Process keeps.
	Timers  int
	// Goroutine is under which number stack dumps list the body of a [Process]: its
	// stack says where it waits, see [sched.StackOf]. It is 0 for other actors.
	Goroutine uint64
	// Waits is what the actor's handlers wait for, of other actors.
	Waits []Wait
	// Suspended is how many handlers of a reentrant actor wait; 0 for others.
	Suspended int

	// Links and Monitors have 1,000 PIDs at most. Monitors are those that it
	// monitors, once for each monitor.
	Links, Monitors []PID
	LinkCount       int // Of all links.
	MonitorCount    int // Of all monitors.
	MonitoredBy     int // How many monitors there are of it.

	// Uptime is the time since the spawn; 0 if the actor has Exited.
	Uptime   time.Duration
	Restarts int
}

// Info returns a snapshot of the control block of the actor with the given
// PID, whatever the actor is doing. It returns [ErrStalePID] if that has
// stopped. It is meant for people and tools: it holds up the actor's senders
// for about a microsecond.
func (s *System) Info(id PID) (Info, error) {
	if s.missing() {
		return Info{}, ErrNoSystem
	}
	p := s.lookup(id)
	if p == nil {
		return Info{}, fmt.Errorf("info about %s: %w", id, ErrStalePID)
	}
	if p.isStandIn() {
		return Info{}, p.elsewhere("info about")
	}
	return p.info(), nil
}

// Infos returns snapshots of the system's actors, in the order of their places
// in the process table, which is the order of PIDs; it begins after the given PID,
// or with the zero PID at the beginning. So a long list can be had in parts. It
// stops nothing: each snapshot is of its own moment, and what is spawned or
// stops meanwhile may or may not be among them. It costs about 150 ns an actor,
// and gives way to other goroutines every 256 actors.
func (s *System) Infos(after PID) iter.Seq[Info] {
	return func(yield func(Info) bool) {
		if s.missing() {
			return
		}
		var i Info // One for all, since it is on the heap.
		s.table.From(after.next(), func(p *proc) bool {
			p.snapshot(&i)
			return yield(i)
		})
	}
}

// Children returns snapshots of at most n children of the actor with the given
// PID, and of 1,000 at most, the oldest first. After is the last of the part
// before, or the zero PID; the zero PID as parent means the top. Children returns
// [ErrStalePID] if the parent has stopped, or the child that it is to go on
// after.
func (s *System) Children(parent, after PID, n int) ([]Info, error) {
	if s.missing() {
		return nil, ErrNoSystem
	}
	p := s.root
	if parent != (PID{}) {
		if p = s.lookup(parent); p == nil {
			return nil, fmt.Errorf("children of %s: %w", parent, ErrStalePID)
		}
	}
	var procs []*proc
	err := p.eachChild(after, min(n, maxListed), func(c *proc) { procs = append(procs, c) })
	if err != nil {
		return nil, fmt.Errorf("children of %s after %s: %w", p, after, err)
	}
	infos := make([]Info, 0, len(procs))
	for _, c := range procs {
		infos = append(infos, c.info())
	}
	return infos, nil
}

// eachChild calls f, with the lock held, for n children after the given one, or
// fewer at the end.
func (p *proc) eachChild(after PID, n int, f func(*proc)) error {
	var last *proc
	if after != (PID{}) {
		last = p.sys.lookup(after)
		if last != nil && last.parent != p {
			return ErrNotChild
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.eldest
	if after != (PID{}) {
		// It leaves the table before its parent lets go of it.
		if last == nil || p.sys.lookup(after) != last {
			return ErrStalePID
		}
		next = last.younger
	}
	for i := 0; next != nil && i < n; i++ {
		f(next)
		next = next.younger
	}
	return nil
}

// Info is [System.Info] for the actor of the ref, also if it has stopped.
func (r Ref[M]) Info() (Info, error) {
	if r.cell == nil {
		return Info{}, ErrNoRef
	}
	if p := &r.cell.proc; p.isStandIn() {
		return Info{}, p.elsewhere("info about")
	}
	return r.cell.proc.info(), nil
}

// maxListed bounds what is listed while an actor's lock is held: 1,000 entries
// take 20 us.
const maxListed = 1000

func (p *proc) info() Info {
	var i Info
	p.snapshot(&i)
	return i
}

func (p *proc) snapshot(i *Info) {
	p.fill(i)
	i.Children = p.countChildren()
}

// countChildren counts the children, part by part, so that nobody waits long for
// the lock, or the processor, for an actor that has 100,000. Where children stop meanwhile, the count
// may be too low.
func (p *proc) countChildren() (sum int) {
	var last PID
	for {
		n, next, err := p.nextChildren(last)
		sum += n
		if err != nil || n < maxListed {
			return sum
		}
		last = next
		runtime.Gosched()
	}
}

func (p *proc) nextChildren(after PID) (n int, last PID, err error) {
	err = p.eachChild(after, maxListed, func(c *proc) { n, last = n+1, c.pid })
	return n, last, err
}

// fill fills in all, but for the children.
func (p *proc) fill(i *Info) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*i = Info{
		PID: p.pid, Name: p.opts.name, Parent: p.parent.pid, Capacity: p.opts.capacity,
		Restarts: int(p.restarts), Priority: p.opts.priority, Place: p.opts.place,
	}
	p.describeMailbox(i)
	for _, e := range p.edgesLocked(nil) {
		i.Waits = append(i.Waits, e.describe())
	}
	i.Suspended = p.suspendedLocked()
	p.describeState(i)
	i.describeReductions(p)
	if p.rare != nil {
		p.rare.describe(i)
	}
}

// describeState fills in what the actor is doing. The caller holds mu.
func (p *proc) describeState(i *Info) {
	if p.stopped.Load() {
		i.State, i.Reason = Exited, p.reason
		return
	}
	i.Uptime = p.sys.uptime() - p.born
	s := p.mu.Load()
	if s&queuedUrgent != 0 {
		i.Priority = workers.Critical
	}
	switch {
	case i.State == Held || i.State == Stopping:
	case s&running != 0 && (s&paused == 0 || s&inCode != 0): // Not if it reads system messages only.
		i.State = Running
	case s&paused != 0:
		i.State = Suspended
	case s&(queuedUrgent|queuedNormal) != 0:
		i.State = Ready
	}
}

// describe fills in what most actors don't have. The caller holds mu.
func (r *rare) describe(i *Info) {
	i.Names = append(i.Names, r.names...)
	i.LinkCount, i.MonitorCount = len(r.links), len(r.watching)
	for id := range r.links {
		if i.Links = append(i.Links, id); len(i.Links) == maxListed {
			break
		}
	}
	for _, w := range r.watching {
		if i.Monitors = append(i.Monitors, w.monitor.pid); len(i.Monitors) == maxListed {
			break
		}
	}
	i.MonitoredBy = len(r.watchers)
	if r.body != nil {
		i.Goroutine = r.body.frame.Goroutine()
	}
	i.Timers = r.timerCount
	i.Reductions = r.reductions
}

// describeMailbox fills in what the lanes and the incarnation tell. The caller
// holds mu.
func (p *proc) describeMailbox(i *Info) {
	x := p.ctx.Load()
	i.Kind = x.kind.Load().name
	i.Message = p.impl.messageType().String()
	handled := p.handled
	for which := range p.lanes {
		l := p.lanes[which].Load()
		if l == nil {
			continue
		}
		left := l.size - int(l.taken.Load())
		i.Mailbox[which] = l.pending() + left
		i.Senders[which] = int(l.waiting.Len())
		handled += l.swapped + l.slid - int64(left)
	}
	i.Mailbox[Data] += p.pocketed()
	if o := p.opts.overflow; o != nil {
		o.describe(i)
	}
	i.Stashed = x.typed.stashedLocked()
	handled -= int64(i.Stashed)
	i.Handled = uint64(max(0, handled))
	switch p.phase.Load() {
	case failing:
		i.State = Stopping
	case stopping:
		if p.closed { // Else it still accepts messages for a moment.
			i.State = Stopping
		}
	case waiting:
		i.State = Held
	}
}

// Spent counts reductions of the actor's handlers. The scheduler calls it at each
// checkpoint that one of them passes: the count belongs to the actor, whose handlers run on
// one fiber after another, and a dispatch has nothing to add up.
func (p *proc) Spent(n int) {
	p.mu.Lock()
	if !p.stopped.Load() { // Else a killed handler goes on, and nobody asks.
		p.rareLocked().reductions += uint64(n)
	}
	p.mu.Unlock()
}

// describeReductions fills in what the running handler of p has left of its slice. The
// caller holds the actor's mu.
func (i *Info) describeReductions(p *proc) {
	if i.State != Running {
		return
	}
	f, runs := p.frame.Fiber(), false
	if p.rare != nil && p.rare.body != nil {
		f, runs = p.rare.body.frame.Fiber(), true
	}
	if f != nil && (runs || f.Runs(&p.node)) {
		i.ReductionsLeft = f.ReductionsLeft()
	}
}
