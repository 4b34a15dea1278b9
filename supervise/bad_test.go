package supervise_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

type pair struct{ A, B actor.Ref[order] }

// A description that makes no sense is an error of Check and of Start. The error says where,
// what, and what to do.
func TestBadSpecs(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	child := supervise.Child[order]{Name: "a", New: newWorker}
	of := func(specs ...supervise.Spec) supervise.Config { return supervise.Config{Name: "s", Children: specs} }
	for name, c := range map[string]struct {
		cfg  supervise.Config
		want []string
	}{
		"nil child":       {of(child, nil), []string{"/s", "child 2 is nil", "Nested"}},
		"nil pointer":     {of((*supervise.Child[order])(nil)), []string{"/s", "child 1 is nil", "Nested"}},
		"nil supervisor":  {of((*supervise.Nested)(nil)), []string{"/s", "child 1 is nil"}},
		"nobody plays":    {supervise.Config{Troupe: supervise.NewTroupe(func(*supervise.Cast, *pair) {})}, []string{"/supervisor", "pair", "nobody plays A, B"}},
		"no declaration":  {supervise.Config{Troupe: supervise.NewTroupe[pair](nil)}, []string{"/supervisor", "NewTroupe"}},
		"nil troupe":      {supervise.Config{Troupe: (*supervise.Troupe[pair])(nil)}, []string{"/supervisor", "NewTroupe"}},
		"no struct":       {supervise.Config{Troupe: supervise.NewTroupe(func(*supervise.Cast, *int) {})}, []string{"int has no fields"}},
		"declared panic":  {supervise.Config{Troupe: supervise.NewTroupe(func(*supervise.Cast, *pair) { panic("as wanted") })}, []string{"/supervisor", "pair", "declaration", "as wanted"}},
		"nil member":      {supervise.Config{Troupe: supervise.NewTroupe(func(c *supervise.Cast, _ *pair) { supervise.Play(c, nil, child) })}, []string{"no member"}},
		"retry":           {of(supervise.Child[order]{Name: "x", New: newWorker, Retry: -2}), []string{"/s/x", "Retry is -2"}},
		"shutdown":        {of(supervise.Child[order]{Name: "x", New: newWorker, Shutdown: -7}), []string{"/s/x", "-7ns", "BrutalKill"}},
		"check":           {of(supervise.Child[order]{Name: "x", New: newWorker, Check: func() error { return errors.New("as wanted") }}), []string{"/s/x", "as wanted"}},
		"check panics":    {of(supervise.Child[order]{Name: "x", New: newWorker, Check: func() error { panic("as wanted") }}), []string{"/s/x", "Child.Check", "as wanted"}},
		"nameless nested": {of(supervise.Nested{}), []string{"/s", "Nested.Config.Name"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := supervise.Start(sys, c.cfg)
			for _, err := range []error{supervise.Check(c.cfg), err} {
				if err == nil {
					t.Fatal("no error")
				}
				for _, w := range c.want {
					if !strings.Contains(err.Error(), w) {
						t.Errorf("%q does not say %q", err, w)
					}
				}
			}
		})
	}
	if (*supervise.Troupe[pair])(nil).Members() != nil {
		t.Error("a nil troupe has members")
	}
	supervise.Play(nil, new(actor.Ref[order]), child)
	supervise.Play(&supervise.Cast{}, new(actor.Ref[order]), child)
}

// A supervisor can't be started at no place.
func TestNoSpawner(t *testing.T) {
	var none *actor.Context[int]
	for name, at := range map[string]actor.Spawner{
		"nil": nil, "nil system": (*actor.System)(nil), "zero system": &actor.System{}, "nil context": none, "zero context": &actor.Context[int]{},
	} {
		if _, err := supervise.Start(at, supervise.Config{}); err == nil || !strings.Contains(err.Error(), "NewSystem") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A child that terminates itself, or what is above it, with whatever context, is
// told that it would wait for itself. It stops after its handler, without a limit.
func TestTerminateFromWithin(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	for name, background := range map[string]bool{"with its context": false, "with another": true} {
		t.Run(name, func(t *testing.T) {
			answers := make(chan error, 2)
			var sup *supervise.Supervisor
			sup = start(t, sys, supervise.Config{Children: []supervise.Spec{supervise.Child[bool]{
				Name: "a", Shutdown: supervise.Infinity, New: func() actor.Actor[bool] {
					return actor.Func(func(own *actor.Context[bool], byName bool) error {
						ctx := context.Context(own)
						if background {
							ctx = context.Background()
						}
						if byName {
							answers <- sup.Terminate(ctx, "a")
						} else {
							answers <- sup.TerminatePID(ctx, own.PID())
						}
						return nil
					})
				},
			}}})
			for _, byName := range []bool{true, false} {
				ref, err := supervise.Ref[bool](sup, "a")
				wantNoErr(t, err)
				wantNoErr(t, ref.Send(guarded(t), byName))
				wantErr(t, <-answers, actor.ErrWouldDeadlock)
				<-ref.Done()
				wantNoErr(t, sup.Terminate(guarded(t), "a"))
				wantNoErr(t, sup.Restart(guarded(t), "a"))
			}
		})
	}
}

// OnRestart is told that it can't ask the supervisor that waits for it; others can,
// and get their answers after it.
func TestOnRestartThatAsks(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	answers := make(chan error, 8)
	var sup *supervise.Supervisor
	sup = start(t, sys, supervise.Config{OnRestart: func(supervise.Restart) {
		ctx := context.Background()
		other := make(chan error)
		go func() {
			other <- nil
			_, err := sup.Status(ctx)
			other <- err
		}()
		if err := <-other; err != nil {
			t.Error(err)
		}
		_, err := sup.Status(ctx)
		answers <- err
		_, err = supervise.Spawn(ctx, sup, supervise.Child[order]{New: newWorker})
		answers <- err
		answers <- sup.Terminate(ctx, "a")
		answers <- sup.Stop(ctx)
		go func() { answers <- <-other }()
	}})
	fail(t, spawn(t, sup, supervise.Child[order]{New: newWorker}), failing)
	for range 4 {
		wantErr(t, <-answers, actor.ErrWouldDeadlock)
	}
	<-sup.Done() // The stop has gone on.
	if err := <-answers; err != nil {
		wantErr(t, err, actor.ErrStopped)
	}
}
