package simtest_test

import (
	"errors"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// The faults of this file are about the lives of actors.

// manager keeps one worker running.
type manager struct {
	s       *simtest.Sim
	sys     *actor.System
	worker  actor.Ref[get]
	running int
	mended  bool
}

// start begins a worker that fails when it is asked.
func (m *manager) start(ctx *actor.Context[string]) error {
	m.worker = spawn(m.s, m.sys, "worker", func(*actor.Context[get], get) error { return errors.New("told to fail") })
	m.running++
	_, err := ctx.Monitor(m.worker.PID())
	return err
}

func (m *manager) Receive(ctx *actor.Context[string], what string) error {
	if what == "start" {
		return m.start(ctx)
	}
	if _, err := actor.Ask(ctx, m.worker, count); err != nil && !m.mended {
		m.running--
		return m.start(ctx)
	}
	return nil
}

func (m *manager) Down(ctx *actor.Context[string], _ actor.Monitor, _ actor.Exit) error {
	m.running--
	return m.start(ctx)
}

// doubleRestart: a manager restarts a worker because an ask failed, and once more because it
// receives the end.
func doubleRestart(s *simtest.Sim, mended bool) {
	sys := s.System(actor.Config{})
	m := &manager{s: s, sys: sys, mended: mended}
	ref, err := actor.Spawn(sys, actor.Actor[string](m), actor.WithName("manager"))
	if err != nil {
		s.Fatal(err)
	}
	_, _ = ref.Send(bg, "start"), ref.Send(bg, "use")
	s.RunUntilIdle()
	if live := sys.Stats().Actors - 1; live != 1 {
		s.Errorf("%d workers are running", live)
	}
}

// staleRef: a client keeps the ref that it found by a name, while the name goes
// to another actor.
func staleRef(s *simtest.Sim, mended bool) {
	sys := s.System(actor.Config{})
	delivered := 0
	serve := func(*actor.Context[int], int) error { delivered++; return nil }
	start := func() actor.Ref[int] {
		ref, err := actor.Spawn(sys, actor.Func(serve), actor.WithName("service"), actor.WithRegistration("service"))
		if err != nil {
			s.Fatal(err)
		}
		return ref
	}
	old := start()
	oracle := counter(s, sys)
	client := spawn(s, sys, "client", func(ctx *actor.Context[int], n int) error {
		ref, err := actor.Lookup[int](sys, "service")
		if err != nil {
			return nil // Between the two; the client would try again.
		}
		if _, err := actor.Ask(ctx, oracle, count); err != nil {
			return err
		}
		if err := ref.Send(ctx, n); err != nil && mended {
			return ctx.Self().Send(ctx, n)
		}
		return nil
	})
	replacer := spawn(s, sys, "replacer", func(ctx *actor.Context[int], _ int) error {
		if err := old.Stop(ctx); err != nil {
			return err
		}
		start()
		return nil
	})
	_ = client.Send(bg, 1)
	s.RunUntilIdle()
	_, _ = client.Send(bg, 2), replacer.Send(bg, 1)
	s.RunUntilIdle()
	_ = client.Send(bg, 3)
	s.RunUntilIdle()
	// The second may have come between the two services; then it was not sent.
	if delivered < 2 || sys.Stats().DeadLetters > 0 && delivered < 3 && !mended {
		s.Errorf("%d messages were delivered, %d lost", delivered, sys.Stats().DeadLetters)
	}
}

// timerAfterStop: a session sets a timer that outlives it, and ends the lease of
// the next session.
func timerAfterStop(s *simtest.Sim, mended bool) {
	sys := s.System(actor.Config{})
	holder := ""
	lease := spawn(s, sys, "lease", func(_ *actor.Context[string], m string) error { holder = m; return nil })
	session := func(name string) actor.Ref[int] {
		return spawn(s, sys, name, func(ctx *actor.Context[int], m int) error {
			if m == 0 {
				ctx.Stop()
				return lease.Send(ctx, "")
			}
			if mended {
				if _, err := actor.SendAfter(ctx, time.Minute, lease, ""); err != nil {
					return err
				}
			} else {
				time.AfterFunc(time.Minute, func() { _ = lease.Send(bg, "") })
			}
			return lease.Send(ctx, name)
		})
	}
	first := session("first")
	_ = first.Send(bg, 1)
	s.Advance(30 * time.Second)
	_ = first.Send(bg, 0)
	s.Advance(10 * time.Second)
	_ = session("second").Send(bg, 1)
	s.Advance(50 * time.Second)
	if holder != "second" {
		s.Errorf("the lease is held by %q", holder)
	}
}

// hub keeps a list of members by name.
type hub struct {
	members  map[string]actor.PID
	monitors map[string]actor.Monitor
	mended   bool
}

type membership struct {
	leave bool
	name  string
	id    actor.PID
}

func (h *hub) Receive(ctx *actor.Context[membership], m membership) error {
	if m.leave {
		if h.mended {
			ctx.Demonitor(h.monitors[m.name])
		}
		delete(h.members, m.name)
		return nil
	}
	h.members[m.name] = m.id
	mon, err := ctx.Monitor(m.id)
	h.monitors[m.name] = mon
	return err
}

func (h *hub) Down(_ *actor.Context[membership], _ actor.Monitor, e actor.Exit) error {
	delete(h.members, e.Name)
	return nil
}

// leakedMonitor: a hub still monitors a member that has left, and mistakes its end for the end
// of the member that has the name now.
func leakedMonitor(s *simtest.Sim, mended bool) {
	sys := s.System(actor.Config{})
	h := &hub{members: map[string]actor.PID{}, monitors: map[string]actor.Monitor{}, mended: mended}
	ref, err := actor.Spawn(sys, actor.Actor[membership](h), actor.WithName("hub"))
	if err != nil {
		s.Fatal(err)
	}
	nothing := func(*actor.Context[int], int) error { return nil }
	old, young := spawn(s, sys, "ann", nothing), spawn(s, sys, "ann", nothing)
	_ = ref.Send(bg, membership{name: "ann", id: old.PID()})
	_ = ref.Send(bg, membership{leave: true, name: "ann"})
	_ = ref.Send(bg, membership{name: "ann", id: young.PID()})
	if err := old.Stop(bg); err != nil {
		s.Error(err)
	}
	s.RunUntilIdle()
	if h.members["ann"] != young.PID() {
		s.Errorf("the hub has lost ann: %v", h.members)
	}
}

// starvation: an actor polls by Control messages to itself until a Data message
// tells it to end, which is never its turn.
func starvation(s *simtest.Sim, mended bool) {
	sys := s.System(actor.Config{})
	done := false
	poller := spawn(s, sys, "poller", func(ctx *actor.Context[string], m string) error {
		if m == "end" {
			done = true
		}
		if done || mended {
			return nil // It is told, so it need not poll.
		}
		return ctx.Self().On(actor.Control).Send(ctx, "poll")
	})
	_, _ = poller.On(actor.Control).Send(bg, "poll"), poller.Send(bg, "end")
	s.RunUntilIdle()
}

// wrongOrder: a parent starts the service before the database that it needs.
func wrongOrder(s *simtest.Sim, mended bool) {
	sys := s.System(actor.Config{})
	settings := counter(s, sys)
	failed := false
	database := func() {
		_, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error { return nil }), actor.WithRegistration("database"))
		if err != nil {
			s.Error(err)
		}
	}
	service := func() {
		_, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error {
			if _, err := actor.Lookup[int](sys, "database"); err != nil {
				failed = true
			}
			return nil
		}), actor.WithRegistration("service"))
		if err != nil {
			s.Error(err)
		}
	}
	parent := spawn(s, sys, "parent", func(ctx *actor.Context[int], _ int) error {
		first, second := service, database
		if mended {
			first, second = second, first
		}
		first()
		_, err := actor.Ask(ctx, settings, count)
		second()
		return err
	})
	client := spawn(s, sys, "client", func(ctx *actor.Context[int], _ int) error {
		ref, err := actor.Lookup[int](sys, "service")
		if err != nil {
			return nil // Not yet.
		}
		return ref.Send(ctx, 1)
	})
	_, _ = parent.Send(bg, 1), client.Send(bg, 1)
	s.RunUntilIdle()
	if failed {
		s.Error("the service was used before there was a database")
	}
}
