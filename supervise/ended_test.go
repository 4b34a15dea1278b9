package supervise_test

import (
	"context"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// A send to a child of a supervisor that has given up says so, also where the child
// itself had no reason to end.
func TestSendToAChildOfASupervisorThatGaveUp(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	sup, err := supervise.Start(sys, supervise.Config{Name: "boss", Intensity: -1})
	wantNoErr(t, err)
	child := func(name string) actor.Ref[int] {
		ref, err := supervise.Spawn(ctx, sup, supervise.Child[int]{
			Name: name, New: func() actor.Actor[int] { return actor.Func(func(*actor.Context[int], int) error { panic("no luck") }) },
		})
		wantNoErr(t, err)
		return ref
	}
	fails, idle := child("fails"), child("idle")
	wantNoErr(t, fails.Send(ctx, 1))
	<-sup.Done()
	for _, ref := range []actor.Ref[int]{fails, idle} {
		err := ref.Send(context.Background(), 1)
		wantErr(t, err, actor.ErrStopped)
		for _, want := range []string{"boss", "above it, ended: ", "restart intensity exceeded", "no luck"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not say %q", err, want)
			}
		}
	}
}
