package actor_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
)

// feat is what a member does next. One without do is only counted.
type memberAction struct {
	do    func(c memberContext) error
	done  chan error
	reply actor.Reply[int]
	exit  *actor.Exit // The signal that a process receives instead.
	down  *actor.Exit
	end   memberEnd // How a process comes to its end.
}

// acting is what a handler and the body of a process have.
type memberContext interface {
	context.Context
	actor.Spawner
	Link(id actor.PID) error
	Unlink(id actor.PID) error
	Demonitor(m actor.Monitor) bool
	Register(name string) error
	Stop()
}

// departure is a way to come to an end.
type memberEnd int

const (
	goesOn memberEnd = iota
	leaves
	fails
	panics
	exits // By Goexit.
)

// member is an actor of the lifeProgram, and its model.
type member struct {
	ref     actor.Ref[memberAction]
	handled atomic.Int64
	exits   chan actor.Exit
	downs   chan actor.Exit

	parent   *member
	trapper  bool
	body     receiveMode // How it receives, if it is a process.
	sent     int
	links    map[*member]bool
	watches  []memberMonitor
	watched  []<-chan actor.Exit
	ended    bool
	kind     actor.ExitKind
	wantExit int
	wantDown int
}

// guarding is a monitor of a member.
type memberMonitor struct {
	whom    *member
	monitor actor.Monitor
}

// receiving is a way in which a process takes its messages.
type receiveMode int

const (
	noProcess receiveMode = iota
	inOrder
	byContext
	withPatience
	selective // The urgent messages go before those that are only counted.
	numReceiving
)

func (m *member) GoString() string { return m.ref.String() }

func (m *member) Receive(c *actor.Context[memberAction], d memberAction) error {
	goOn, err := m.perform(c, d)
	if err == nil && !goOn {
		c.Stop()
	}
	return err
}

// perform does a feat, and returns false if that was the last one.
func (m *member) perform(c memberContext, d memberAction) (goOn bool, err error) {
	m.handled.Add(1)
	switch d.end {
	case leaves:
		return false, nil
	case fails:
		return false, errFeat
	case panics:
		panic(errFeat)
	case exits:
		return false, failures["goexit"].fail()
	}
	if d.do == nil {
		return true, d.reply.Send(c, int(m.handled.Load()))
	}
	d.done <- d.do(c)
	return true, nil
}

func (m *member) Down(_ *actor.Context[memberAction], _ actor.Monitor, e actor.Exit) error {
	m.downs <- e
	return nil
}

// live is the body of a member that is a process.
func (m *member) live(x *actor.Process[memberAction]) error {
	if m.trapper {
		if err := x.TrapExits(func(e actor.Exit) memberAction { return memberAction{exit: &e} }); err != nil {
			return err
		}
	}
	for {
		d, err := m.next(x)
		switch {
		case errors.Is(err, actor.ErrNoMessage), errors.Is(err, errWait):
			continue
		case err != nil:
			return err
		case d.exit != nil:
			m.exits <- *d.exit
			continue
		case d.down != nil:
			m.downs <- *d.down
			continue
		}
		if goOn, err := m.perform(x, d); !goOn || err != nil {
			return err
		}
	}
}

var errWait = errors.New("it has taken too long")

// next returns the next message of a process.
func (m *member) next(x *actor.Process[memberAction]) (memberAction, error) {
	switch m.body {
	case byContext:
		ctx, cancel := context.WithTimeoutCause(x, time.Millisecond, errWait)
		defer cancel()
		return x.Receive(ctx)
	case withPatience:
		return x.ReceiveWithin(time.Millisecond, nil)
	case selective:
		d, err := x.ReceiveWithin(0, func(d memberAction) bool { return d.do != nil || d.end != goesOn })
		if !errors.Is(err, actor.ErrNoMessage) {
			return d, err
		}
	}
	return x.Receive(x)
}

// monitor has a member monitor an actor.
func (m *member) monitor(c memberContext, id actor.PID) (actor.Monitor, error) {
	if x, ok := c.(*actor.Process[memberAction]); ok {
		return x.Monitor(id, func(e actor.Exit) memberAction { return memberAction{down: &e} })
	}
	return c.(*actor.Context[memberAction]).Monitor(id)
}

// trap is a member that receives the ends of the actors that it is linked to.
type trappingMember struct{ *member }

func (m trappingMember) Exited(_ *actor.Context[memberAction], e actor.Exit) error {
	m.exits <- e
	return nil
}

// memberOptions are what a member may be spawned with. None of them makes a difference to the
// model.
var memberOptions = [][]actor.Option{
	nil,
	{actor.WithBackend(actor.OnBlocking)},
	{actor.WithBackend(actor.OnOwnThread)},
	{actor.WithReentrancy(actor.CallChainReentrancy)},
	{actor.WithReentrancy(actor.FullReentrancy)},
	{actor.WithReadOnly(func(d memberAction) bool { return d.do == nil })},
	{actor.WithThroughput(1), actor.WithBurst(actor.Data, 1)},
}

func (s *lifeProgram) spawn(parent *member, trapper bool) {
	m := &member{parent: parent, trapper: trapper, links: map[*member]bool{}, exits: make(chan actor.Exit, 100), downs: make(chan actor.Exit, 100)}
	opts := rapid.SampledFrom(memberOptions).Draw(s.draw, "options")
	var a actor.Actor[memberAction] = m
	switch {
	case rapid.Bool().Draw(s.draw, "process"):
		m.body, opts = receiveMode(rapid.IntRange(1, int(numReceiving)-1).Draw(s.draw, "body")), nil
		a = actor.NewProcess(m.live)
	case trapper:
		a = trappingMember{m}
	}
	name := rapid.IntRange(-8, len(s.names)-1).Draw(s.draw, "name")
	if name >= 0 {
		opts = append(slices.Clone(opts), actor.WithRegistration(nameOf(name)))
	}
	var err error
	if parent == nil {
		m.ref, err = actor.Spawn(s.sys, a, opts...)
	} else {
		s.in(parent, func(c memberContext) error {
			m.ref, err = actor.Spawn(c, a, opts...)
			return nil
		})
	}
	switch {
	case name >= 0 && s.names[name] != nil && errors.Is(err, actor.ErrNameTaken):
		return
	case err != nil:
		s.t.Fatal(err)
	case name >= 0 && s.names[name] != nil:
		s.t.Errorf("%v was spawned with the name of %v", m.ref, s.names[name].ref)
	case name >= 0:
		s.names[name] = m
	}
	s.members = append(s.members, m)
	if m.body != noProcess && trapper { // Which it is once it has said so.
		s.in(m, func(memberContext) error { return nil })
	}
}
