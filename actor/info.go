package actor

import (
	"fmt"
	"reflect"
	"time"

	"github.com/troupe-go/troupe/sched"
)

// State says what an actor is doing.
type State uint8

// The states of an actor.
const (
	Waiting  State = iota // For messages.
	Ready                 // Queued to run.
	Running               // Runs, or waits within its handler.
	Held                  // Has ended, and can be restarted: its parent decides.
	Stopping              // Waits for its children to stop, or runs its Stopped hook.
	Exited                // Has stopped for good.

	numStates = 6
)

// String returns the state's name in lower case.
func (s State) String() string {
	if s < numStates {
		return [numStates]string{"waiting", "ready", "running", "held", "stopping", "exited"}[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// Info is a snapshot of an actor's control block. The figures are of one moment
// as far as they concern its mailbox; all others may be a step apart.
type Info struct {
	PID   PID
	Name  string // That of WithName, or "".
	Names []string
	// Message is the type of the actor's messages.
	Message string
	// Parent is the zero PID for an actor at the top.
	Parent   PID
	Children int

	State State
	// Reason is why the actor has ended, if it has Exited.
	Reason error
	// Priority is the most urgent one under which the actor is queued, or Normal.
	Priority sched.Priority
	// Handled counts the messages that its handlers were given. Of a batch that is
	// being handled, up to 15 may be counted too early.
	Handled uint64
	// Mailbox has how many messages wait in each lane, by Lane.
	Mailbox [numLanes]int
	// Senders has how many senders wait for room in each lane, by Lane.
	Senders [numLanes]int
	Stashed int
	Timers  int

	Links       []PID
	Monitors    []PID // Of those that it monitors, once for each monitor.
	MonitoredBy int   // How many monitors there are of it.

	// Uptime is the time since the spawn; 0 if the actor has Exited.
	Uptime   time.Duration
	Restarts int
}

// Info returns a snapshot of the control block of the actor with the given
// PID, whatever the actor is doing. It returns [ErrStalePID] if that has
// stopped. It is meant for people and tools: it holds up the actor's senders
// for about a microsecond.
func (s *System) Info(id PID) (Info, error) {
	p := s.table.lookup(id)
	if p == nil {
		return Info{}, fmt.Errorf("info about %s: %w", id, ErrStalePID)
	}
	return p.info(), nil
}

// Info is [System.Info] for the actor of the ref, also if it has stopped.
func (r Ref[M]) Info() (Info, error) {
	if r.cell == nil {
		return Info{}, ErrNoRef
	}
	return r.cell.info(), nil
}

func (p *proc) info() Info {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := Info{PID: p.pid, Name: p.opts.name, Parent: p.parent.pid, Restarts: int(p.restarts), Priority: sched.Normal}
	for c := p.eldest; c != nil; c = c.younger {
		i.Children++
	}
	p.impl.describe(&i)
	p.describeState(&i)
	if p.rare != nil {
		p.rare.describe(&i)
	}
	return i
}

// describeState fills in what the actor is doing. The caller holds mu.
func (p *proc) describeState(i *Info) {
	if p.stopped.Load() {
		i.State, i.Reason = Exited, p.reason
		return
	}
	i.Uptime = p.sys.clock.Now().Sub(p.sys.born) - p.born
	s := p.state.Load()
	if s&queuedUrgent != 0 {
		i.Priority = sched.Critical
	}
	switch {
	case i.State == Held || i.State == Stopping:
	case s&running != 0:
		i.State = Running
	case s&(queuedUrgent|queuedNormal) != 0:
		i.State = Ready
	}
}

// describe fills in what most actors don't have. The caller holds mu.
func (r *rare) describe(i *Info) {
	i.Names = append(i.Names, r.names...)
	for id := range r.links {
		i.Links = append(i.Links, id)
	}
	for _, w := range r.watching {
		i.Monitors = append(i.Monitors, w.monitor.pid)
	}
	i.MonitoredBy = len(r.watchers)
	for t := r.timers; t != nil; t = t.next {
		i.Timers++
	}
}

// describe fills in what depends on the type of the messages. The caller holds
// mu.
func (c *cell[M]) describe(i *Info) {
	i.Message = c.messageType()
	handled := c.handled
	for which := range c.lanes {
		l := c.lanes[which].Load()
		if l == nil {
			continue
		}
		unclaimed := int(max(0, l.unclaimed.Load()))
		i.Mailbox[which] = len(l.in) + unclaimed
		i.Senders[which] = len(l.waiting)
		handled += l.swapped - int64(unclaimed)
	}
	if e := c.ctx.Load().extra; e != nil {
		i.Stashed = len(e.stash) + len(e.returning)
		handled -= int64(i.Stashed)
	}
	i.Handled = uint64(max(0, handled))
	switch c.phase.Load() {
	case failing, stopping:
		i.State = Stopping
	case waiting:
		i.State = Held
	}
}

func (c *cell[M]) messageType() string { return reflect.TypeFor[M]().String() }
