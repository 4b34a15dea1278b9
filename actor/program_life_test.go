package actor_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
)

// A society is a random program of spawns, links, monitors, messages and ends,
// and its model: who lives, who is tied to whom, and what each has to be told.
// Links are between actors at the top only: whether one ends by a link or by the
// end of its parent, if both happen, is chance.
type society struct {
	t       *rapid.T
	ctx     context.Context
	sys     *actor.System
	members []*member

	mu   sync.Mutex
	dead map[actor.PID]int // Dead letters, by receiver.
}

// feat is what a member does next. One without do is only counted.
type feat struct {
	do    func(c *actor.Context[feat]) error
	done  chan error
	reply actor.Reply[int]
}

// member is an actor of the society, and its model.
type member struct {
	ref     actor.Ref[feat]
	handled atomic.Int64
	exits   chan actor.Exit
	downs   chan actor.Exit

	parent   *member
	trapper  bool
	sent     int
	links    map[*member]bool
	watches  []*member // Whom it monitors, once for each monitor.
	watched  []<-chan actor.Exit
	ended    bool
	kind     actor.ExitKind
	wantExit int
	wantDown int
}

func (m *member) Receive(c *actor.Context[feat], d feat) error {
	m.handled.Add(1)
	if d.do == nil {
		return d.reply.Send(c, int(m.handled.Load()))
	}
	err := d.do(c)
	if d.done != nil {
		d.done <- err
		return nil
	}
	return err
}

func (m *member) Down(_ *actor.Context[feat], _ actor.Monitor, e actor.Exit) error {
	m.downs <- e
	return nil
}

// trap is a member that is told of the ends of those that it is linked to.
type trap struct{ *member }

func (m trap) Exited(_ *actor.Context[feat], e actor.Exit) error {
	m.exits <- e
	return nil
}

// in has a member do something, and waits until it has.
func (s *society) in(m *member, do func(c *actor.Context[feat]) error) {
	done := make(chan error, 1)
	m.sent++
	if err := m.ref.Send(s.ctx, feat{do: do, done: done}); err != nil {
		s.t.Fatalf("send to %v: %v", m.ref, err)
	}
	select {
	case err := <-done:
		if err != nil {
			s.t.Fatalf("%v: %v", m.ref, err)
		}
	case <-s.ctx.Done():
		s.t.Fatalf("%v does not answer", m.ref)
	}
}

// memberOptions are what a member may be spawned with. None of them makes a difference to the
// model.
var memberOptions = [][]actor.Option{
	nil,
	{actor.WithBackend(actor.OnBlocking)},
	{actor.WithBackend(actor.OnOwnThread)},
	{actor.WithReentrancy(actor.CallChainReentrancy)},
	{actor.WithReentrancy(actor.FullReentrancy)},
	{actor.WithReadOnly(func(d feat) bool { return d.do == nil })},
	{actor.WithThroughput(1), actor.WithBurst(actor.Data, 1)},
}

func (s *society) spawn(parent *member, trapper bool) {
	m := &member{parent: parent, trapper: trapper, links: map[*member]bool{}, exits: make(chan actor.Exit, 100), downs: make(chan actor.Exit, 100)}
	var a actor.Actor[feat] = m
	if trapper {
		a = trap{m}
	}
	opts := rapid.SampledFrom(memberOptions).Draw(s.t, "options")
	var err error
	if parent == nil {
		m.ref, err = actor.Spawn(s.sys, a, opts...)
	} else {
		s.in(parent, func(c *actor.Context[feat]) (err error) {
			m.ref, err = actor.Spawn(c, a, opts...)
			return err
		})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.members = append(s.members, m)
}

// end is the model of an end: the children go before, without a reason, and those
// that are linked go along if there is one.
func (s *society) end(m *member, kind actor.ExitKind) {
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
	for _, watcher := range s.members {
		for _, target := range watcher.watches {
			if target == m {
				watcher.wantDown++
			}
		}
	}
}

// settle waits until what the model says has ended has.
func (s *society) settle() {
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
func (s *society) step(what string, a, b *member) {
	switch what {
	case "link":
		if a.parent != nil || b.parent != nil || a == b {
			return
		}
		s.in(a, func(c *actor.Context[feat]) error { return c.Link(b.ref.PID()) })
		a.links[b], b.links[a] = true, true
	case "unlink":
		for _, m := range s.members { // One that it has a link with, if there is.
			if a.links[m] {
				b = m
			}
		}
		s.in(a, func(c *actor.Context[feat]) error { return c.Unlink(b.ref.PID()) })
		delete(a.links, b)
		delete(b.links, a)
	case "monitor":
		if a == b {
			return
		}
		s.in(a, func(c *actor.Context[feat]) error {
			_, err := c.Monitor(b.ref.PID())
			return err
		})
		a.watches = append(a.watches, b)
		down, _ := s.sys.Monitor(b.ref.PID())
		b.watched = append(b.watched, down)
	case "send":
		for range 3 {
			a.sent++
			if err := a.ref.Send(s.ctx, feat{}); err != nil {
				s.t.Fatal(err)
			}
		}
	case "ask":
		a.sent++
		if _, err := actor.Ask(s.ctx, a.ref, func(r actor.Reply[int]) feat { return feat{reply: r} }); err != nil {
			s.t.Errorf("ask %v: %v", a.ref, err)
		}
	case "stop":
		if err := a.ref.Stop(s.ctx); err != nil {
			s.t.Error(err)
		}
		s.end(a, actor.Normal)
	case "drain":
		if err := a.ref.Drain(s.ctx); err != nil {
			s.t.Error(err)
		}
		s.end(a, actor.Normal)
	case "kill":
		if err := a.ref.Kill(); err != nil {
			s.t.Error(err)
		}
		s.end(a, actor.Killed)
	case "leave", "fail":
		a.sent++
		do, kind := func(c *actor.Context[feat]) error { c.Stop(); return nil }, actor.Normal
		if what == "fail" {
			do, kind = func(*actor.Context[feat]) error { return errFeat }, actor.Failed
		}
		if err := a.ref.Send(s.ctx, feat{do: do}); err != nil {
			s.t.Error(err)
		}
		s.end(a, kind)
	}
	s.settle()
}

// check asks everyone who lives, and compares what each was told with the model.
func (s *society) check() {
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
		handled, dead := s.account(m)
		for handled+dead < m.sent && s.ctx.Err() == nil { // A handler that was killed may yet begin.
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
func (s *society) account(m *member) (handled, dead int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(m.handled.Load()), s.dead[m.ref.PID()]
}

// wantTold wants n signals to have come, and no more.
func (s *society) wantTold(i int, what string, signals <-chan actor.Exit, n int) {
	for got := range n {
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

func TestRandomSocieties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &society{t: t, ctx: patience.Context(t), dead: map[actor.PID]int{}}
		var err error
		s.sys, err = actor.NewSystem(actor.Config{
			Workers: rapid.IntRange(1, 3).Draw(t, "workers"),
			OnDeadLetter: func(d actor.DeadLetter) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.dead[d.To]++
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.spawn(nil, false)
		deeds := []string{"spawn", "spawn", "spawn", "link", "link", "link", "link", "monitor", "monitor", "send", "ask", "unlink", "unlink", "stop", "drain", "kill", "leave", "fail", "fail"}
		for n := range rapid.IntRange(1, 80).Draw(t, "steps") {
			var living []*member
			for _, m := range s.members {
				if !m.ended {
					living = append(living, m)
				}
			}
			what := rapid.SampledFrom(deeds).Draw(t, fmt.Sprint("feat ", n))
			if what == "spawn" || len(living) == 0 {
				var parent *member
				if len(living) > 0 && rapid.IntRange(0, 2).Draw(t, "below") == 0 {
					parent = rapid.SampledFrom(living).Draw(t, "parent")
				}
				s.spawn(parent, rapid.IntRange(0, 3).Draw(t, "trapper") == 0)
				continue
			}
			s.step(what, rapid.SampledFrom(living).Draw(t, "a"), rapid.SampledFrom(living).Draw(t, "b"))
		}
		s.check()
		if err := s.sys.Stop(s.ctx); err != nil {
			t.Fatal(err)
		}
	})
}
