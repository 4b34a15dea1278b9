package netio_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/netio"
	"github.com/troupe-go/troupe/supervise"
)

// declare returns a listener for a supervisor. It echoes, unless the configuration says
// something else.
func declare(tb testing.TB, cfg config) *netio.Listener {
	tb.Helper()
	if cfg.Codec == nil {
		cfg.Codec = netio.Lines{}
	}
	if cfg.New == nil {
		cfg.New = echo
	}
	l, err := netio.NewListener(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

func start(tb testing.TB, sys *actor.System, cfg supervise.Config) *supervise.Supervisor {
	tb.Helper()
	sup, err := supervise.Start(sys, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return sup
}

// journal notes what happens, in order.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) note(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
}

func (j *journal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines)
}

// part is a child that notes its start and its end.
type part struct {
	name string
	j    *journal
}

type question struct{ answer actor.Reply[string] }

func (p part) Started(*actor.Context[question]) error {
	p.j.note(p.name + " starts")
	return nil
}

func (p part) Receive(ctx *actor.Context[question], q question) error {
	return q.answer.Send(ctx, "answer of "+p.name)
}

func (p part) Stopped(*actor.Context[question], error) { p.j.note(p.name + " stops") }

func (p part) spec() supervise.Spec {
	return supervise.Child[question]{Name: p.name, New: func() actor.Actor[question] { return p }}
}

// refuses reports whether nobody listens at an address.
func refuses(addr net.Addr) bool {
	c, err := net.Dial(addr.Network(), addr.String())
	if err == nil {
		_ = c.Close()
	}
	return err != nil
}

// TestChildStopsInOrder stops a supervisor while a connection's actor has something to
// do: nobody is accepted any more, and the actor may use what was started before the
// listener until its last answer.
func TestChildStopsInOrder(t *testing.T) {
	t.Parallel()
	ctx, j := guarded(t), &journal{}
	at, gate := make(chan struct{}, 1), make(chan struct{})
	store := make(chan actor.Ref[question], 1)
	l := declare(t, config{New: func(c conn) actor.Actor[string] {
		return actor.Func(func(ctx *actor.Context[string], _ string) error {
			at <- struct{}{}
			<-gate
			answer, err := actor.Ask(ctx, <-store, func(r actor.Reply[string]) question { return question{r} })
			if err != nil {
				return err
			}
			return c.Send(ctx, answer)
		})
	}, OnEnd: func(e netio.End) {
		if e.Traffic.MessagesIn > 0 { // Else it was only to see whether anybody listens.
			j.note("connection ends")
		}
	}})
	sys := newSystem(t)
	sup := start(t, sys, supervise.Config{Name: "app", Children: []supervise.Spec{
		part{"store", j}.spec(), l.Child(), part{"last", j}.spec(),
	}})
	ref, err := supervise.Ref[question](sup, "store")
	if err != nil {
		t.Fatal(err)
	}
	store <- ref
	p := dial(t, l)
	p.say("a\n")
	<-at
	stopped := make(chan error, 1)
	go func() { stopped <- sup.Stop(ctx) }()
	patience.Until(t, ctx, func() bool { return refuses(l.Addr()) })
	if got, want := j.all(), []string{"store starts", "last starts", "last stops"}; !slices.Equal(got, want) {
		t.Errorf("while the connection is busy there was %q, want %q", got, want)
	}
	close(gate)
	p.hear("answer of store")
	p.hearEnd()
	_ = p.Close()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if got, want := j.all()[3:], []string{"connection ends", "store stops"}; !slices.Equal(got, want) {
		t.Errorf("then there was %q, want %q", got, want)
	}
}

// TestChildIsRestarted has a listener fail in each way that there is. It listens again,
// at the same address.
func TestChildIsRestarted(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(sys *actor.System, l *netio.Listener) error{
		"accepting is cancelled": func(_ *actor.System, l *netio.Listener) error { netio.BreakAccepting(l); return nil },
		"the socket is closed":   func(_ *actor.System, l *netio.Listener) error { netio.CloseSocket(l); return nil },
		"its supervisor is killed": func(sys *actor.System, l *netio.Listener) error {
			return sys.Kill(l.Supervisor().PID())
		},
		"its supervisor is stopped": func(sys *actor.System, l *netio.Listener) error {
			return sys.RequestStop(l.Supervisor().PID())
		},
		"its actor is killed": func(sys *actor.System, l *netio.Listener) error {
			above, err := sys.Info(l.Supervisor().PID())
			if err != nil {
				return err
			}
			return sys.Kill(above.Parent)
		},
	} {
		for _, how := range []string{"Child", "Listen"} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				ctx, sys := guarded(t), newSystem(t)
				cfg := config{Codec: netio.Lines{}, New: echo, MaxConns: 2}
				var l *netio.Listener
				if how == "Child" {
					l = declare(t, cfg)
					start(t, sys, supervise.Config{Children: []supervise.Spec{l.Child()}})
				} else {
					var err error
					if l, err = netio.Listen(ctx, sys, cfg); err != nil {
						t.Fatal(err)
					}
				}
				addr := l.Addr().String()
				p := dial(t, l)
				p.say("a\n")
				p.hear("a")
				was := l.Supervisor()
				if err := fail(sys, l); err != nil {
					t.Fatal(err)
				}
				p.hearEnd() // It goes with its listener.
				_ = p.Close()
				patience.Until(t, ctx, func() bool { return l.Supervisor() != was })
				if got := l.Addr().String(); got != addr {
					t.Errorf("it listens at %s, and did at %s", got, addr)
				}
				again := dial(t, l)
				again.say("b\n")
				again.hear("b")
				patience.Until(t, ctx, func() bool {
					st := l.Stats()
					return st.Open == 1 && st.Accepted == 2 && st.Traffic.MessagesIn == 2
				})
				_ = again.Close()
				if err := l.Stop(ctx); err != nil {
					t.Error(err)
				}
				if !refuses(l.Addr()) {
					t.Error("it listens after its stop")
				}
			})
		}
	}
}

// TestRestartsAreLimited has a listener fail too often for its supervisor, which says why
// it gives up.
func TestRestartsAreLimited(t *testing.T) {
	t.Parallel()
	l := declare(t, config{})
	sup := start(t, newSystem(t), supervise.Config{Name: "app", Intensity: -1, Children: []supervise.Spec{l.Child()}})
	netio.BreakAccepting(l)
	<-sup.Done()
	wrong(t, sup.Err(), supervise.ErrIntensity)
	wrong(t, sup.Err(), netio.ErrBroken)
	if text := sup.Err().Error(); !strings.Contains(text, "/app/netio") || !strings.Contains(text, l.Addr().String()) {
		t.Errorf("the error names neither place nor address: %v", text)
	}
	if !refuses(l.Addr()) {
		t.Error("it still listens")
	}
}

// TestChildIsRestartedWithOthers has another child of a group fail.
func TestChildIsRestartedWithOthers(t *testing.T) {
	t.Parallel()
	ctx, l := guarded(t), declare(t, config{})
	sup := start(t, newSystem(t), supervise.Config{Strategy: supervise.OneForAll, Children: []supervise.Spec{
		supervise.Child[string]{Name: "other", New: func() actor.Actor[string] {
			return actor.Func(func(_ *actor.Context[string], m string) error { return errors.New(m) })
		}},
		l.Child(),
	}})
	other, err := supervise.Ref[string](sup, "other")
	if err != nil {
		t.Fatal(err)
	}
	addr, was := l.Addr().String(), l.Supervisor()
	p := dial(t, l)
	p.say("a\n")
	p.hear("a")
	if err := other.Send(ctx, "fail"); err != nil {
		t.Fatal(err)
	}
	p.hearEnd()
	_ = p.Close()
	patience.Until(t, ctx, func() bool { return l.Supervisor() != was })
	if got := l.Addr().String(); got != addr {
		t.Errorf("it listens at %s, and did at %s", got, addr)
	}
	again := dial(t, l)
	again.say("b\n")
	again.hear("b")
}

// TestAddressIsTaken starts listeners where another one listens.
func TestAddressIsTaken(t *testing.T) {
	t.Parallel()
	ctx, sys, j := guarded(t), newSystem(t), &journal{}
	first := start(t, sys, supervise.Config{})
	one := declare(t, config{})
	if _, err := supervise.Spawn(ctx, first, one.Child()); err != nil {
		t.Fatal(err)
	}
	addr := one.Addr().String()
	two := declare(t, config{Addr: addr, Name: "door"})
	_, err := supervise.Start(sys, supervise.Config{Name: "app", Children: []supervise.Spec{part{"store", j}.spec(), two.Child()}})
	wrong(t, err, supervise.ErrStart)
	wrong(t, err, syscall.EADDRINUSE)
	if text := err.Error(); !strings.Contains(text, "/app/door") || !strings.Contains(text, addr) {
		t.Errorf("the error names neither place nor address: %v", text)
	}
	if got, want := j.all(), []string{"store starts", "store stops"}; !slices.Equal(got, want) {
		t.Errorf("of the child before there was %q, want %q", got, want)
	}
	if two.Addr() != nil || two.Supervisor() != nil || two.Stats() != (netio.Stats{}) {
		t.Error("one that has not started has something to tell")
	}
	wrong(t, two.Stop(ctx), net.ErrClosed)
	_, err = netio.Listen(ctx, sys, config{Codec: netio.Lines{}, New: echo, Addr: addr})
	wrong(t, err, syscall.EADDRINUSE)
	if err := one.Stop(ctx); err != nil {
		t.Error(err)
	}
	if err := first.Stop(ctx); err != nil {
		t.Error(err)
	}
	if got := sys.Stats().Actors; got != 0 {
		t.Errorf("%d actors are left", got)
	}
}

// TestChildIsCutOff stops a supervisor while the actor of a connection handles a message
// for ever.
func TestChildIsCutOff(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]time.Duration{"limit": time.Millisecond, "no time": supervise.BrutalKill} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, gate := make(chan struct{}), make(chan struct{})
			defer close(gate)
			l := declare(t, config{Shutdown: limit, New: func(conn) actor.Actor[string] {
				return actor.Func(func(*actor.Context[string], string) error { close(at); <-gate; return nil })
			}})
			sup := start(t, newSystem(t), supervise.Config{Children: []supervise.Spec{l.Child()}})
			p := dial(t, l)
			p.say("a\n")
			<-at
			if err := sup.Stop(guarded(t)); err != nil {
				t.Error(err)
			}
			patience.Until(t, guarded(t), func() bool { return l.Stats().Open == 0 })
			if !refuses(l.Addr()) {
				t.Error("it still listens")
			}
		})
	}
}

// TestListenBelowAnActor has an actor listen, with which the listener ends.
func TestListenBelowAnActor(t *testing.T) {
	t.Parallel()
	ctx, listening := guarded(t), make(chan *netio.Listener, 1)
	owner, err := actor.Spawn(newSystem(t), actor.Func(func(ctx *actor.Context[string], _ string) error {
		l, err := netio.Listen(ctx, ctx, config{Codec: netio.Lines{}, New: echo, Name: "door"})
		listening <- l
		return err
	}), actor.WithName("owner"))
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Send(ctx, "listen"); err != nil {
		t.Fatal(err)
	}
	l := <-listening
	if got, want := l.Supervisor().Path(), "/owner/door/listener/connections"; got != want {
		t.Errorf("the supervisor is at %s, want %s", got, want)
	}
	p := dial(t, l)
	p.say("a\n")
	p.hear("a")
	stopped := make(chan error, 1)
	go func() { stopped <- owner.Stop(ctx) }()
	p.hearEnd()
	_ = p.Close()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if !refuses(l.Addr()) {
		t.Error("it still listens")
	}
}

// TestChildIsStopped stops the listener itself, which is not restarted then, but may be
// by somebody.
func TestChildIsStopped(t *testing.T) {
	t.Parallel()
	ctx, l := guarded(t), declare(t, config{Network: "unix", Addr: filepath.Join(t.TempDir(), "door")})
	sup := start(t, newSystem(t), supervise.Config{Children: []supervise.Spec{l.Child()}})
	if err := l.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(l.Addr().String()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of the file there is %v", err)
	}
	if sup.Restarts() != 0 {
		t.Error("it was restarted")
	}
	patience.Until(t, ctx, func() bool { return sup.Restart(ctx, "netio") == nil }) // When the supervisor knows of the stop.
	c, err := (&net.Dialer{}).DialContext(ctx, "unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
}

// TestChildOfTwo starts one listener twice.
func TestChildOfTwo(t *testing.T) {
	t.Parallel()
	sys, l := newSystem(t), declare(t, config{})
	start(t, sys, supervise.Config{Name: "one", Children: []supervise.Spec{l.Child()}})
	_, err := supervise.Start(sys, supervise.Config{Name: "two", Children: []supervise.Spec{l.Child()}})
	wrong(t, err, supervise.ErrStart)
	wrong(t, err, netio.ErrConfig)
	if !strings.Contains(err.Error(), "/one/netio") {
		t.Errorf("the error does not say where it was started: %v", err)
	}
	p := dial(t, l)
	p.say("a\n")
	p.hear("a")
}

// TestStopByTheActorOfAChild has the actor of a connection stop its own listener.
func TestStopByTheActorOfAChild(t *testing.T) {
	t.Parallel()
	var l *netio.Listener
	failed := make(chan error, 1)
	l = declare(t, config{New: func(conn) actor.Actor[string] {
		return actor.Func(func(ctx *actor.Context[string], _ string) error { failed <- l.Stop(ctx); return nil })
	}})
	sup := start(t, newSystem(t), supervise.Config{Children: []supervise.Spec{l.Child()}})
	p := dial(t, l)
	p.say("a\n")
	wrong(t, <-failed, actor.ErrWouldDeadlock)
	p.hearEnd()
	_ = p.Close()
	ctx := guarded(t)
	patience.Until(t, ctx, func() bool {
		_, err := supervise.Ref[string](sup, "netio")
		return errors.Is(err, supervise.ErrNoChild) // Its actor has ended.
	})
}
