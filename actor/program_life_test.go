package actor_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/simtest"
)

// A lifeProgram is a random program of spawns, links, monitors, messages and ends, with its model:
// which members live, which are tied to each other, and what each has to receive. Links are
// between actors at the top only. If an actor's link and its parent both end, it is chance
// which of them ends the actor.
type lifeProgram struct {
	t       tester
	draw    *rapid.T
	sim     *simtest.Sim // Or nil.
	ctx     context.Context
	sys     *actor.System
	members []*member
	names   [3]*member // The holder of each name.

	mu   sync.Mutex
	dead map[actor.PID]int // Dead letters, by receiver; but what a process was told.
}

// in has a member do something, and waits until it has.
func (s *lifeProgram) in(m *member, do func(c memberContext) error) {
	done := make(chan error, 1)
	m.sent++
	if err := m.ref.Send(s.ctx, memberAction{do: do, done: done}); err != nil {
		s.t.Fatalf("send to %v: %v", m.ref, err)
	}
	s.idle()
	select {
	case err := <-done:
		if err != nil {
			s.t.Fatalf("%v: %v", m.ref, err)
		}
	case <-s.ctx.Done():
		s.t.Fatalf("%v does not answer", m.ref)
	}
}

// idle has a simulation do what there is to be done.
func (s *lifeProgram) idle() {
	if s.sim != nil {
		s.sim.RunUntilIdle()
	}
}

// end is the model of an end: the children go before, without a reason, and those
// that are linked go along if there is one.
func (s *lifeProgram) end(m *member, kind actor.ExitKind) {
	if m.ended {
		return
	}
	for _, child := range s.members {
		if child.parent == m {
			s.end(child, actor.Normal)
		}
	}
	m.ended, m.kind = true, kind
	for other := range m.links {
		delete(other.links, m)
		switch {
		case other.ended:
		case other.trapper:
			other.wantExit++
		case kind != actor.Normal:
			defer s.end(other, actor.Linked)
		}
	}
	m.links = nil
	for n, holder := range s.names {
		if holder == m {
			s.names[n] = nil
		}
	}
	for _, watcher := range s.members {
		for _, w := range watcher.watches {
			if w.whom == m {
				watcher.wantDown++
			}
		}
	}
}

// settle waits until what the model says has ended has.
func (s *lifeProgram) settle() {
	s.idle()
	for _, m := range s.members {
		if !m.ended {
			continue
		}
		select {
		case <-m.ref.Done():
		case <-s.ctx.Done():
			s.t.Fatalf("%v has not ended", m.ref)
		}
	}
}

var errFeat = errors.New("a feat that fails")

// step does one thing with a, and maybe b, both of which live.
func (s *lifeProgram) step(what string, a, b *member) {
	switch what {
	case "link":
		if a.parent != nil || b.parent != nil || a == b {
			return
		}
		s.in(a, func(c memberContext) error { return c.Link(b.ref.PID()) })
		a.links[b], b.links[a] = true, true
	case "unlink":
		for _, m := range s.members { // An actor that it has a link with, if there is one.
			if a.links[m] {
				b = m
			}
		}
		s.in(a, func(c memberContext) error { return c.Unlink(b.ref.PID()) })
		delete(a.links, b)
		delete(b.links, a)
	case "monitor":
		if a == b {
			return
		}
		s.in(a, func(c memberContext) error {
			monitor, err := a.monitor(c, b.ref.PID())
			a.watches = append(a.watches, memberMonitor{b, monitor})
			return err
		})
		down, _ := s.sys.Monitor(b.ref.PID())
		b.watched = append(b.watched, down)
	case "register":
		s.register(a)
	case "demonitor":
		if n := len(a.watches) - 1; n >= 0 {
			w := a.watches[n]
			a.watches = a.watches[:n]
			if !w.whom.ended { // Else it was told, and that counts.
				s.in(a, func(c memberContext) error {
					if !c.Demonitor(w.monitor) {
						return errors.New("the monitor was not there")
					}
					return nil
				})
			}
		}
	case "send":
		for range 3 {
			a.sent++
			if err := a.ref.Send(s.ctx, memberAction{}); err != nil {
				s.t.Fatal(err)
			}
		}
	case "ask":
		a.sent++
		if _, err := actor.Ask(s.ctx, a.ref, func(r actor.Reply[int]) memberAction { return memberAction{reply: r} }); err != nil {
			s.t.Errorf("ask %v: %v", a.ref, err)
		}
	case "stop":
		if err := a.ref.Stop(s.ctx); err != nil {
			s.t.Errorf("%v", err)
		}
		s.end(a, actor.Normal)
	case "drain":
		if err := a.ref.Drain(s.ctx); err != nil {
			s.t.Errorf("%v", err)
		}
		s.end(a, actor.Normal)
	case "kill":
		if err := a.ref.Kill(); err != nil {
			s.t.Errorf("%v", err)
		}
		s.end(a, actor.Killed)
	case "stop within":
		if err := a.ref.StopWithin(s.ctx, time.Minute); err != nil {
			s.t.Errorf("%v", err)
		}
		s.end(a, actor.Normal)
	case "leave", "fail", "panic", "goexit":
		a.sent++
		end, kind := map[string]memberEnd{"leave": leaves, "fail": fails, "panic": panics, "goexit": exits}[what], actor.Failed
		if end == leaves {
			kind = actor.Normal
		}
		if err := a.ref.Send(s.ctx, memberAction{end: end}); err != nil {
			s.t.Errorf("%v", err)
		}
		s.end(a, kind)
	}
	s.settle()
}

// register has a take a name, or give it up, and looks who has the others.
func (s *lifeProgram) register(a *member) {
	n := rapid.IntRange(0, len(s.names)-1).Draw(s.draw, "name")
	if name := nameOf(n); s.names[n] == a {
		if err := s.sys.Unregister(name); err != nil {
			s.t.Errorf("%s should be %v: %v", name, a.ref, err)
		}
		s.names[n] = nil
	} else {
		s.in(a, func(c memberContext) error {
			switch err := c.Register(name); {
			case (s.names[n] != nil) != errors.Is(err, actor.ErrNameTaken):
				return fmt.Errorf("it takes the name %s, of %v: %w", name, s.names[n], err)
			case s.names[n] == nil:
				s.names[n] = a
			}
			return nil
		})
	}
	for n, holder := range s.names {
		switch ref, err := actor.Lookup[memberAction](s.sys, nameOf(n)); {
		case holder == nil && !errors.Is(err, actor.ErrNoName):
			s.t.Errorf("%s is %v, %v, and should be nobody", nameOf(n), ref, err)
		case holder != nil && (err != nil || ref.PID() != holder.ref.PID()):
			s.t.Errorf("%s is %v, %v, and should be %v", nameOf(n), ref, err, holder.ref)
		}
	}
}

func nameOf(n int) string { return fmt.Sprint("name ", n) }

// check asks everyone who lives, and compares what each was told with the model.
func (s *lifeProgram) check() {
	for _, m := range s.members {
		if !m.ended {
			s.step("ask", m, m)
		}
	}
	for i, m := range s.members {
		if kind := (actor.Exit{Reason: m.ref.Err()}).Kind(); m.ended && kind != m.kind {
			s.t.Errorf("member %d has ended as %v (%v), want %v", i, kind, m.ref.Err(), m.kind)
		}
		for _, down := range m.watched {
			if !m.ended {
				s.wantTold(i, "ends, by the system", down, 0)
			} else if e := <-down; e.Kind() != m.kind {
				s.t.Errorf("the system was told of the end of %d: %+v", i, e)
			}
		}
		s.idle()
		handled, dead := s.account(m)
		for handled+dead < m.sent && s.sim == nil && s.ctx.Err() == nil { // A handler that was killed may yet begin.
			runtime.Gosched()
			handled, dead = s.account(m)
		}
		if handled+dead != m.sent || !m.ended && dead > 0 {
			s.t.Errorf("of %d messages to member %d, %d were handled and %d are dead letters", m.sent, i, handled, dead)
		}
		if !m.ended {
			s.wantTold(i, "exits", m.exits, m.wantExit)
			s.wantTold(i, "downs", m.downs, m.wantDown)
		}
	}
}

// account returns what has become of the messages to m.
func (s *lifeProgram) account(m *member) (handled, dead int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(m.handled.Load()), s.dead[m.ref.PID()]
}

// wantTold wants n signals to have come, and no more.
func (s *lifeProgram) wantTold(i int, what string, signals <-chan actor.Exit, n int) {
	s.idle()
	for got := range n {
		if s.sim != nil && len(signals) == 0 {
			s.t.Fatalf("member %d was told of %d %s, want %d", i, got, what, n)
		}
		select {
		case <-signals:
		case <-s.ctx.Done():
			s.t.Fatalf("member %d was told of %d %s, want %d", i, got, what, n)
		}
	}
	if len(signals) > 0 {
		s.t.Errorf("member %d was told of more than %d %s: %+v", i, n, what, <-signals)
	}
}

func newLifeProgram(t tester, draw *rapid.T) *lifeProgram {
	s := &lifeProgram{t: t, draw: draw, dead: map[actor.PID]int{}}
	if s.sim, _ = t.(*simtest.Sim); s.sim != nil {
		s.ctx = s.sim.Context()
	} else {
		s.ctx = patience.Context(draw)
	}
	var err error
	s.sys, err = actor.NewSystem(actor.Config{
		MaxBlocking: rapid.IntRange(1, 3).Draw(s.draw, "blocking"),
		Workers:     rapid.IntRange(1, 3).Draw(draw, "workers"),
		OnDeadLetter: func(d actor.DeadLetter) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if f, ok := d.Message.(memberAction); !ok || f.exit == nil && f.down == nil {
				s.dead[d.To]++
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var deeds = []string{
	"spawn", "spawn", "spawn", "link", "link", "link", "link", "monitor", "monitor", "send", "ask", "unlink", "unlink", "demonitor", "register",
	"stop", "drain", "stop within", "kill", "leave", "fail", "fail", "panic", "goexit",
}

// run has the members do this and that.
func (s *lifeProgram) run() {
	s.spawn(nil, false)
	for n := range rapid.IntRange(1, 80).Draw(s.draw, "steps") {
		var living []*member
		for _, m := range s.members {
			if !m.ended {
				living = append(living, m)
			}
		}
		what := rapid.SampledFrom(deeds).Draw(s.draw, fmt.Sprint("feat ", n))
		if what == "spawn" || len(living) == 0 {
			var parent *member
			if len(living) > 0 && rapid.IntRange(0, 2).Draw(s.draw, "below") == 0 {
				parent = rapid.SampledFrom(living).Draw(s.draw, "parent")
			}
			s.spawn(parent, rapid.IntRange(0, 3).Draw(s.draw, "trapper") == 0)
			continue
		}
		s.step(what, rapid.SampledFrom(living).Draw(s.draw, "a"), rapid.SampledFrom(living).Draw(s.draw, "b"))
	}
	s.check()
	if err := s.sys.Stop(s.ctx); err != nil {
		s.t.Fatal(err)
	}
}

func TestRandomLinksAndEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { newLifeProgram(t, t).run() })
}

// The same programs under schedules that a seed chooses, which decides about the lifeProgram
// as well.
func TestRandomLinksAndEndsSimulated(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 100}, func(s *simtest.Sim) {
		drawn(s, func(draw *rapid.T) { newLifeProgram(s, draw).run() })
	})
}
