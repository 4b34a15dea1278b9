package cluster_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/membership"
	"github.com/troupe-go/troupe/wire"
)

func TestRefsAsksAndMonitorsReachOtherNodes(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b := s.limit(), s.join("a"), s.join("b")
		ref := spawn(s, a, adder)
		data, err := wire.Export(ref)
		s.noErr(err)
		far, err := wire.Import[question](b.sys, data)
		s.noErr(err)
		if got, err := ask(ctx, far, 41); got != 42 || err != nil {
			t.Errorf("the answer is %d, %v", got, err)
		}
		if at, far := cluster.Address(ref), cluster.Address(far); at != far || !strings.HasPrefix(at, "a/") {
			t.Errorf("one actor has the addresses %q and %q", at, far)
		}
		down, cancel := b.sys.Monitor(far.PID())
		defer cancel()
		s.noErr(far.Stop(ctx))
		if e := await(s, down); e.Reason != nil && !errors.Is(e.Reason, actor.ErrStalePID) { // The order may overtake the watch.
			t.Errorf("the monitor got %v", e)
		}
	})
}

func TestALeaveDeliversWhatIsUnderWayAndTheSystemGoesOn(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b := s.limit(), s.join("a"), s.join("b")
		const n = 100
		got := make(chan int, n)
		sink := spawn(s, a, func(_ *actor.Context[question], q question) error { got <- q.N; return nil })
		s.noErr(cluster.Register(ctx, a.Node, "sink", sink))
		far, err := cluster.Lookup[question](ctx, b.Node, "sink")
		s.noErr(err)
		local := spawn(s, b, adder)
		s.noErr(cluster.Register(ctx, b.Node, "local", local))
		back, err := cluster.Lookup[question](ctx, a.Node, "local")
		s.noErr(err)
		ends, cancel := a.sys.Monitor(back.PID())
		defer cancel()
		down, cancel := b.sys.Monitor(far.PID())
		defer cancel()
		events := s.events(a)
		s.until(events, cluster.Joined, "b")
		for i := range n {
			s.noErr(far.Send(ctx, question{N: i}))
		}
		s.noErr(b.Leave(ctx))
		for i := range n {
			if q := await(s, got); q != i {
				t.Fatalf("message %d is %d", i, q)
			}
		}
		s.wantErr(b.Valid(), cluster.ErrLeft)
		await(s, b.Done())
		s.wantErr(far.Send(ctx, question{}), cluster.ErrLeft, actor.ErrStopped)
		_, err = ask(ctx, far, 1)
		s.wantErr(err, cluster.ErrLeft)
		s.wantErr(await(s, down).Reason, cluster.ErrLeft)
		s.wantErr(await(s, ends).Reason, cluster.ErrNodeLost)
		s.until(events, cluster.Left, "b")
		s.wantErr(back.Send(ctx, question{}), cluster.ErrNodeLost)
		_, err = cluster.Lookup[question](ctx, a.Node, "local")
		s.wantErr(err, cluster.ErrNoName)
		_, err = cluster.Lookup[question](ctx, b.Node, "sink")
		s.wantErr(err, cluster.ErrLeft)
		s.wantErr(cluster.Register(ctx, b.Node, "local", local), cluster.ErrLeft)
		s.wantErr(cluster.Notify(ctx, b.Node, local, func(cluster.Event) question { return question{} }), cluster.ErrLeft)
		if v, err := ask(ctx, local, 1); v != 2 || err != nil {
			t.Errorf("an actor of a system that has left answers %d, %v", v, err)
		}
		if err := b.Leave(ctx); err != nil {
			t.Errorf("a second Leave returns %v", err)
		}
	})
}

func TestAMessageThatNobodyAcknowledgesIsADeadLetterOfALeave(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b := s.limit(), s.join("a"), s.join("b")
		far := s.moved(spawn(s, a, adder), b)
		if v, err := ask(ctx, far, 1); v != 2 || err != nil {
			t.Fatal(v, err)
		}
		s.network.CutOneWay("b", "a")
		s.noErr(far.Send(ctx, question{N: 7}))
		soon, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		s.wantErr(b.Leave(soon), context.DeadlineExceeded)
		if d := await(s, b.letters); d.Message.(question).N != 7 {
			t.Errorf("the dead letter is %+v", d)
		} else {
			s.wantErr(d.Reason, wire.ErrUnconfirmed, cluster.ErrLeft)
		}
	})
}

// moved returns a ref as another node has it.
func (s *site) moved(ref actor.Ref[question], to member) actor.Ref[question] {
	s.t.Helper()
	data, err := wire.Export(ref)
	s.noErr(err)
	far, err := wire.Import[question](to.sys, data)
	s.noErr(err)
	return far
}

// TestALostNodeIsTold has a node without its engine, until the others end its birth: asks and monitors of others get ErrNodeLost, and when it reaches the
// engine again, so does it.
func TestALostNodeIsToldAndMayJoinAgain(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b, c := s.limit(), s.join("a"), s.join("b"), s.join("c")
		stuck := spawn(s, a, func(ctx *actor.Context[question], _ question) error { <-ctx.Done(); return nil })
		far := s.moved(stuck, b)
		home := spawn(s, b, adder)
		back := s.moved(home, a)
		if v, err := ask(ctx, back, 1); v != 2 || err != nil {
			t.Fatal(v, err)
		}
		events, down := s.events(b), make(chan actor.Exit, 1)
		monitor, cancel := b.sys.Monitor(far.PID())
		defer cancel()
		go func() { down <- <-monitor }()
		result := make(chan error, 1)
		go func() {
			_, err := ask(ctx, far, 1)
			result <- err
		}()
		watched := s.moved(spawn(s, b, adder), a)
		ends, cancel := a.sys.Monitor(watched.PID())
		defer cancel()
		s.setAlone("a", true)
		s.until(events, cluster.Lost, "a")
		s.wantErr(await(s, result), cluster.ErrNodeLost, actor.ErrNoReply)
		s.wantErr(await(s, down).Reason, cluster.ErrNodeLost)
		s.wantErr(far.Send(ctx, question{}), cluster.ErrNodeLost)
		s.wantErr(a.Valid(), cluster.ErrNoQuorum) // It can't know more.
		if v, err := ask(ctx, s.moved(spawn(s, c, adder), b), 5); v != 6 || err != nil {
			t.Errorf("two that are left: %d, %v", v, err)
		}
		s.setAlone("a", false)
		await(s, a.Done())
		s.wantErr(a.Valid(), cluster.ErrNodeLost)
		await(s, ends) // The other nodes have ended the session, or the birth has.
		s.wantErr(back.Send(ctx, question{}), cluster.ErrNodeLost)
		s.noErr(a.Leave(ctx))

		again, err := cluster.Join(ctx, a.sys, a.engine, s.config("a"))
		s.noErr(err)
		s.leaveAtEnd(again)
		if again.Birth() <= a.Birth() {
			t.Errorf("birth %d comes after %d", again.Birth(), a.Birth())
		}
		s.until(events, cluster.Joined, "a")
		fresh := member{Node: again, sys: a.sys}
		if v, err := ask(ctx, s.moved(home, fresh), 8); v != 9 || err != nil {
			t.Errorf("the new birth asks: %d, %v", v, err)
		}
		if v, err := ask(ctx, s.moved(spawn(s, fresh, adder), b), 2); v != 3 || err != nil {
			t.Errorf("the new birth answers: %d, %v", v, err)
		}
		s.wantErr(far.Send(ctx, question{}), cluster.ErrNodeLost)
		s.wantErr(back.Send(ctx, question{}), cluster.ErrNodeLost)
	})
}

func TestASystemMayLeaveAndJoinManyTimes(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b := s.limit(), s.join("a"), s.join("b")
		home, events := spawn(s, a, adder), s.events(a)
		birth := b.Birth()
		s.until(events, cluster.Joined, "b")
		for i := range 5 {
			fresh := b
			if v, err := ask(ctx, s.moved(home, fresh), i); v != i+1 || err != nil {
				t.Fatalf("round %d: %d, %v", i, v, err)
			}
			s.noErr(b.Leave(ctx))
			s.until(events, cluster.Left, "b")
			node, err := cluster.Join(ctx, b.sys, b.engine, s.config("b"))
			s.noErr(err)
			s.leaveAtEnd(node)
			s.until(events, cluster.Joined, "b")
			if node.Birth() <= birth {
				t.Fatalf("birth %d comes after %d", node.Birth(), birth)
			}
			b.Node, birth = node, node.Birth()
		}
	})
}

func TestACutBetweenTwoNodesIsNoLoss(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b := s.limit(), s.join("a"), s.join("b")
		far := s.moved(spawn(s, a, adder), b)
		if v, err := ask(ctx, far, 1); v != 2 || err != nil {
			t.Fatal(v, err)
		}
		down, cancel := b.sys.Monitor(far.PID())
		defer cancel()
		s.network.Cut("a", "b")
		_, err := ask(ctx, far, 1)
		s.wantErr(err, wire.ErrUnreachable)
		if errors.Is(err, cluster.ErrNodeLost) {
			t.Errorf("a node that lives is lost: %v", err)
		}
		s.wantErr(await(s, down).Reason, wire.ErrUnreachable)
		if len(b.Members()) != 2 || a.Valid() != nil || b.Valid() != nil {
			t.Errorf("the members are %v; %v, %v", b.Members(), a.Valid(), b.Valid())
		}
		s.network.Heal("a", "b")
		other := s.moved(spawn(s, a, adder), b)
		if v, err := ask(ctx, other, 1); v != 2 || err != nil {
			t.Errorf("after the cut: %d, %v", v, err)
		}
	})
}

func TestWithoutALeaderNodesWaitAndComeBack(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b := s.limit(), s.join("a"), s.join("b")
		far := s.moved(spawn(s, a, adder), b)
		s.store.Lead(false)
		<-time.After(40 * time.Second) // Below the time that entries have.
		s.wantErr(a.Valid(), cluster.ErrNoQuorum)
		if v, err := ask(ctx, far, 1); v != 2 || err != nil {
			t.Errorf("plain actors go on: %d, %v", v, err)
		}
		soon, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		s.wantErr(cluster.Register(soon, a.Node, "name", spawn(s, a, adder)), cluster.ErrNoQuorum, context.DeadlineExceeded)
		_, err := cluster.Lookup[question](ctx, a.Node, "name")
		s.wantErr(err, cluster.ErrNoQuorum)
		soon, cancel = context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err = cluster.Join(soon, s.system(nil), s.store.Engine("c", s.network.Bus("c")), s.config("c"))
		s.wantErr(err, cluster.ErrNoQuorum)
		s.store.Lead(true)
		<-time.After(10 * time.Second)
		s.noErr(a.Valid())
		s.noErr(b.Valid())
	})
}

func TestASystemThatStopsLeaves(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b := s.limit(), s.join("a"), s.join("b")
		events := s.events(a)
		s.until(events, cluster.Joined, "b")
		s.noErr(b.sys.Stop(ctx))
		await(s, b.Done())
		s.wantErr(b.Valid(), cluster.ErrLeft)
		s.until(events, cluster.Left, "b")
		s.noErr(b.Leave(ctx))
		_, err := cluster.Join(ctx, b.sys, b.engine, s.config("b"))
		s.wantErr(err, actor.ErrSystemStopped)
	})
}

func TestAnEngineThatIsClosedUnderANode(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b := s.limit(), s.join("a"), s.join("b")
		events := s.events(a)
		s.noErr(b.engine.Close())
		s.until(events, cluster.Lost, "b")
		s.wantErr(b.Valid(), cluster.ErrNoQuorum)
		s.wantErr(cluster.Register(ctx, b.Node, "name", spawn(s, b, adder)), engine.ErrClosed)
		s.wantErr(b.Leave(ctx), engine.ErrClosed)
		await(s, b.Done())
	})
}

func TestArgumentsOfJoin(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a := s.limit(), s.join("a")
		eng, sys := s.store.Engine("b", s.network.Bus("b")), s.system(nil)
		closed := s.store.Engine("c", s.network.Bus("c"))
		s.noErr(closed.Close())
		stopped := s.system(nil)
		s.noErr(stopped.Stop(ctx))
		bad := &wire.Registry{}
		wire.Register[chan int]("chan", wire.In(bad))
		for _, c := range []struct {
			name string
			sys  *actor.System
			eng  engine.Engine
			cfg  cluster.Config
			want error // Nil where the text says it.
			says string
		}{
			{"no system", nil, eng, cluster.Config{Name: "b"}, actor.ErrNoSystem, ""},
			{"a stopped system", stopped, eng, cluster.Config{Name: "b"}, actor.ErrSystemStopped, ""},
			{"no engine", sys, nil, cluster.Config{Name: "b"}, nil, "engine is nil"},
			{"no bus", sys, s.store.Engine("b", nil), cluster.Config{Name: "b"}, nil, "no bus"},
			{"a closed engine", sys, closed, cluster.Config{Name: "b"}, engine.ErrClosed, ""},
			{"no name", sys, eng, cluster.Config{}, engine.ErrInvalid, `""`},
			{"a long name", sys, eng, cluster.Config{Name: strings.Repeat("n", 33)}, engine.ErrInvalid, "nnn"},
			{"a name with a dot", sys, eng, cluster.Config{Name: "a.b"}, engine.ErrInvalid, "a.b"},
			{"a taken name", sys, eng, s.config("a"), cluster.ErrNameTaken, `"a"`},
			{"a node already", a.sys, eng, s.config("b"), nil, "is node a/"},
			{"labels", sys, eng, cluster.Config{Name: "b", Labels: map[string]string{"k": strings.Repeat("v", 1<<15)}}, nil, "Labels has 32769 bytes"},
			{"an empty label", sys, eng, cluster.Config{Name: "b", Labels: map[string]string{"": "v"}}, nil, "empty key"},
			{"a capacity", sys, eng, cluster.Config{Name: "b", Capacity: -1}, membership.ErrInvalid, "-1"},
			{"a lease", sys, eng, cluster.Config{Name: "b", Lease: time.Millisecond, Unreachable: time.Minute}, membership.ErrInvalid, "1ms"},
			{"unreachable", sys, eng, cluster.Config{Name: "b", Unreachable: -1}, nil, "Unreachable is -1ns"},
			{"types", sys, eng, cluster.Config{Name: "b", Registry: bad}, nil, "chan"},
		} {
			n, err := cluster.Join(ctx, c.sys, c.eng, c.cfg)
			if n != nil || err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if _, err := cluster.Join(nil, sys, eng, s.config("b")); err == nil { //nolint:staticcheck // The nil context is meant.
			t.Error("a nil context is taken")
		}
		n, err := cluster.Join(ctx, sys, eng, s.config("b")) // No failure has left anything behind.
		s.noErr(err)
		s.leaveAtEnd(n)
		if n.System() != sys || n.Engine() != eng || n.Name() != "b" || n.Registry() != s.types {
			t.Errorf("the node is %v, %v, %q", n.System(), n.Engine(), n.Name())
		}
	})
}

func TestMembersAndEvents(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a := s.limit(), s.join("a")
		told := make(chan cluster.Event, 16)
		seen := spawn(s, a, func(_ *actor.Context[cluster.Event], e cluster.Event) error { told <- e; return nil })
		s.noErr(cluster.Notify(ctx, a.Node, seen, func(e cluster.Event) cluster.Event { return e }))
		s.until(told, cluster.Joined, "a")
		b := s.join("b", func(c *cluster.Config) { c.Labels, c.Capacity = map[string]string{"zone": "east"}, 3 })
		e := s.until(told, cluster.Joined, "b")
		if m := e.Member; m.Birth != b.Birth() || m.Labels["zone"] != "east" || m.Capacity != 3 || e.Reason != "" {
			t.Errorf("the event is %+v", e)
		}
		e.Member.Labels["zone"] = "changed"
		all := a.Members()
		if len(all) != 2 || all[0].Name != "a" || all[0].Capacity != 1 || all[1].Labels["zone"] != "east" {
			t.Errorf("the members are %+v", all)
		}
		s.noErr(b.Leave(ctx))
		if e := s.until(told, cluster.Left, "b"); e.Reason == "" || !strings.Contains(e.String(), "left") {
			t.Errorf("the event is %v", e)
		}
		s.noErr(seen.Stop(ctx))
		c := s.join("c") // The sending ends with the actor.
		s.noErr(c.Leave(ctx))
	})
}
