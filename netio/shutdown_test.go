package netio_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/netio"
	"github.com/troupe-go/troupe/supervise"
)

// After Shutdown nobody is accepted, those that are there are served on, and Shutdown
// returns with the end of the last.
func TestShutdownServesOn(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func() (l *netio.Listener, ended func() bool){
		"of Listen": func() (*netio.Listener, func() bool) {
			l := serve(t, config{})
			return l, func() bool { return true }
		},
		"of a supervisor": func() (*netio.Listener, func() bool) {
			l := declare(t, config{})
			sup := start(t, newSystem(t), supervise.Config{Children: []supervise.Spec{l.Child()}})
			return l, func() bool {
				_, err := supervise.Ref[string](sup, "netio")
				return errors.Is(err, supervise.ErrNoChild) && sup.Restarts() == 0
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			l, hasEnded := begin()
			one, two := dial(t, l), dial(t, l)
			for _, p := range []*peer{one, two} {
				p.say("before\n")
				p.hear("before")
			}
			done := make(chan error, 1)
			go func() { done <- l.Shutdown(ctx) }()
			patience.Until(t, ctx, func() bool { return refuses(l.Addr()) })
			for range 3 {
				one.say("one\n")
				two.say("two\n")
				one.hear("one")
				two.hear("two")
			}
			_ = one.CloseWrite()
			one.hearEnd()
			two.say("still\n")
			two.hear("still")
			select {
			case err := <-done:
				t.Fatalf("it returned %v, and a connection is open", err)
			default:
			}
			_ = two.CloseWrite()
			two.hearEnd()
			_, _ = one.Close(), two.Close()
			if err := <-done; err != nil {
				t.Error(err)
			}
			if st := l.Stats(); st.Open != 0 || st.Accepted < 2 || st.Failed != 0 {
				t.Errorf("the figures are %+v", st)
			}
			patience.Until(t, ctx, hasEnded)
			if err := l.Shutdown(ctx); err != nil {
				t.Errorf("a second one returned %v", err)
			}
		})
	}
}

// When the time is over, Shutdown says how many are left; they are served on, until a Stop
// ends them.
func TestShutdownWithoutTime(t *testing.T) {
	t.Parallel()
	ctx, l := guarded(t), serve(t, config{})
	p := dial(t, l)
	p.say("a\n")
	p.hear("a")
	late := errors.New("late")
	over, cancel := context.WithCancelCause(ctx)
	done := make(chan error, 1)
	go func() { done <- l.Shutdown(over) }()
	patience.Until(t, ctx, func() bool { return refuses(l.Addr()) })
	if err := netio.AwaitAccepting(ctx, l); err != nil {
		t.Fatal(err)
	}
	patience.Until(t, ctx, func() bool { return l.Stats().Open == 1 }) // One may have come just before.
	cancel(late)
	// The second one is called when its time is over.
	for _, err := range []error{<-done, l.Shutdown(over)} {
		wrong(t, err, late)
		if !strings.Contains(err.Error(), "1 connections are still open") {
			t.Errorf("it returned %v", err)
		}
	}
	p.say("b\n")
	p.hear("b")
	stopped := make(chan error, 1)
	go func() { stopped <- l.Stop(ctx) }()
	p.hearEnd()
	_ = p.Close()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// The actor of a connection does not wait for itself; the listener stops with the last
// connection all the same.
func TestShutdownByTheActorOfAConnection(t *testing.T) {
	t.Parallel()
	var l *netio.Listener
	failed := make(chan error, 1)
	l = declare(t, config{New: func(c conn) actor.Actor[string] {
		return actor.Func(func(ctx *actor.Context[string], line string) error {
			if line == "shut" {
				failed <- l.Shutdown(ctx)
			}
			return c.Send(ctx, line)
		})
	}})
	sup := start(t, newSystem(t), supervise.Config{Children: []supervise.Spec{l.Child()}})
	ctx, p := guarded(t), dial(t, l)
	p.say("shut\n")
	wrong(t, <-failed, actor.ErrWouldDeadlock)
	p.hear("shut")
	p.say("more\n")
	p.hear("more")
	if !refuses(l.Addr()) {
		t.Error("it still listens")
	}
	_ = p.CloseWrite()
	p.hearEnd()
	_ = p.Close()
	patience.Until(t, ctx, func() bool {
		_, err := supervise.Ref[string](sup, "netio")
		return errors.Is(err, supervise.ErrNoChild)
	})
}

func TestShutdownOfNothing(t *testing.T) {
	var none *netio.Listener
	var noContext context.Context
	wrong(t, none.Shutdown(context.Background()), net.ErrClosed)
	wrong(t, declare(t, config{}).Shutdown(context.Background()), net.ErrClosed)
	wrong(t, serve(t, config{}).Shutdown(noContext), netio.ErrConfig)
}
