package actor_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
)

// The record of an actor has its PID, its name, the types of its messages, and its failure.
func TestRecordedActor(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	r, err := sys.Scheduler().Record(sched.RecorderConfig{})
	wantNoErr(t, err)
	defer r.Close()
	unmarked := spawn(t, sys, ignore)
	send(t, ctx, unmarked, 1)
	wantNoErr(t, unmarked.Stop(ctx))
	observe(t, sys, actor.Probe{Marks: true})
	failing := func(_ *actor.Context[any], m any) error {
		if m == "last" {
			return badError{}
		}
		return nil
	}
	ref, err := actor.Spawn(sys, actor.Func(failing), actor.WithName("recorded"))
	wantNoErr(t, err)
	send(t, ctx, ref, any(1), any("last"))
	receive(t, ctx, ref.Done())
	var messages []string
	var runs, failures int
	for _, e := range r.Snapshot().Events {
		switch {
		case e.Kind == sched.EventMessage:
			messages = append(messages, e.Label.Name)
		case e.Kind == sched.EventFailure:
			failures++
		case e.Kind == sched.EventRun && e.Label.ID == ref.PID().Number():
			if runs++; e.Label.Name != "recorded" || e.Label.Class != "actor" {
				t.Errorf("the actor is called %+v", e.Label)
			}
		}
	}
	if want := []string{"int", "string"}; !slices.Equal(messages, want) || runs == 0 || failures != 1 {
		t.Errorf("got the messages %q, %d runs and %d failures, want %q, some and 1", messages, runs, failures, want)
	}
}

// badError can't even be written.
type badError struct{}

func (badError) Error() string { panic(errors.New("in Error")) }
