package actor_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// inert handles nothing.
type inert struct{}

func (inert) Receive(*actor.Context[int], int) error { return nil }

type (
	startsWithoutError struct{ inert }
	startsWithoutOurs  struct{ inert }
	startsOthers       struct{ inert }
	stopsWithoutReason struct{ inert }
	leavesNothing      struct{ inert }
	parentOfPIDs       struct{ inert }
	greetsExits        struct{ inert }
	watchesExits       struct{ inert }
	exitsWithError     struct{ inert }
	healthyByBool      struct{ inert }
	wokenByTwo         struct{ inert }
	embedsANearMiss    struct{ startsWithoutError }
	startsAsPointer    struct{ inert }
)

func (startsWithoutError) Started(*actor.Context[int])                 {}
func (startsWithoutOurs) Started(context.Context) error                { return nil }
func (startsOthers) Started(*actor.Context[string]) error              { return nil }
func (stopsWithoutReason) Stopped(*actor.Context[int])                 {}
func (leavesNothing) Leave() error                                     { return nil }
func (parentOfPIDs) ChildExited(*actor.Context[int], actor.PID) error  { return nil }
func (greetsExits) ChildStarted(*actor.Context[int], actor.Exit) error { return nil }
func (watchesExits) Down(*actor.Context[int], actor.Exit) error        { return nil }
func (exitsWithError) Exited(*actor.Context[int], error) error         { return nil }
func (healthyByBool) Health(*actor.Context[int]) bool                  { return true }
func (wokenByTwo) Woken(*actor.Context[int]) (int, error)              { return 0, nil }
func (*startsAsPointer) Started(*actor.Context[int]) error             { return nil }

// Each of these compiled, was spawned, and its hook was never called.
func TestNearMissesOfHooks(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	for says, a := range map[string]actor.Actor[int]{
		"startsWithoutError has the method Started(*actor.Context[int]), which would not be called: as the hook of Starter, it must be Started(*actor.Context[int]) error;": startsWithoutError{},
		"startsWithoutOurs has the method Started(context.Context) error,":                                                                                                  startsWithoutOurs{},
		"*actor_test.startsOthers has the method Started(*actor.Context[string]":                                                                                            &startsOthers{},
		"must be Stopped(*actor.Context[int], error);":                                                                                                                      stopsWithoutReason{},
		"must be Leave(*actor.Context[int]) error;":                                                                                                                         leavesNothing{},
		"must be ChildExited(*actor.Context[int], actor.Exit) error;":                                                                                                       parentOfPIDs{},
		"must be ChildStarted(*actor.Context[int], actor.PID) error;":                                                                                                       greetsExits{},
		"must be Down(*actor.Context[int], actor.Monitor, actor.Exit) error;":                                                                                               watchesExits{},
		"must be Exited(*actor.Context[int], actor.Exit) error;":                                                                                                            exitsWithError{},
		"must be Health(*actor.Context[int]) actor.Health;":                                                                                                                 healthyByBool{},
		"the method Woken(*actor.Context[int]) (int, error),":                                                                                                               wokenByTwo{},
		"embedsANearMiss has the method Started(*actor.Context[int]),":                                                                                                      embedsANearMiss{},
		"startsAsPointer, whose method Started has a pointer receiver":                                                                                                      startsAsPointer{},
		"must be Stopped(*actor.Context[int], error); change":                                                                                                               actor.ReceiveTimeout(stopsWithoutReason{}, time.Second, 0),
		"Starter, it must be Started(*actor.Context[int]) error; change it, or give it another name, as number 2 of FirstOf":                                                actor.FirstOf[int](inert{}, startsWithoutError{}),
	} {
		for range 2 { // The second time the type is known.
			_, err := actor.Spawn(sys, a)
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%T was spawned, or not, with %v; want %q", a, err, says)
			}
		}
		if _, err := actor.SpawnNew(sys, func() actor.Actor[int] { return a }); err == nil {
			t.Errorf("SpawnNew took a %T", a)
		}
	}
	for _, a := range []actor.Actor[int]{inert{}, &inert{}, &startsAsPointer{}, actor.FirstOf[int](inert{}, &startsAsPointer{})} {
		_, err := actor.Spawn(sys, a)
		wantNoErr(t, err)
	}
}

// A value that is only made for a later incarnation is refused then.
func TestNearMissOfALaterIncarnation(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	made := 0
	exits := make(chan actor.Exit, 1)
	parent := spawnActor[int](t, sys, &restarts{exits: exits, child: func() actor.Actor[int] {
		if made++; made == 1 {
			return actor.Func(func(*actor.Context[int], int) error { return errOdd })
		}
		return startsWithoutError{}
	}})
	send(t, ctx, parent, 1)
	wantErr(t, receive(t, ctx, exits).Reason, errOdd)
	if e := receive(t, ctx, exits); e.Reason == nil || !strings.Contains(e.Reason.Error(), "startsWithoutError has the method Started") {
		t.Errorf("the incarnation has ended with %v", e.Reason)
	}
}

// restarts has a child that fails, and restarts it.
type restarts struct {
	child func() actor.Actor[int]
	exits chan<- actor.Exit
}

func (r *restarts) Receive(c *actor.Context[int], n int) error {
	ref, err := actor.SpawnNew(c, r.child)
	if err != nil {
		return err
	}
	return ref.Send(c, n)
}

func (r *restarts) ChildExited(c *actor.Context[int], e actor.Exit) error {
	r.exits <- e
	if e.Reason == errOdd { //nolint:errorlint // It is given on as it is.
		return c.Restart(e.PID)
	}
	return nil
}
