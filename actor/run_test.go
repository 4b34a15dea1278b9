package actor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// The end of main ends everything that main has left behind.
func TestRunEndsWithMain(t *testing.T) {
	broken := errors.New("broken")
	for _, reason := range []error{nil, broken} {
		var left, deep actor.Ref[int]
		err := actor.Run(guarded(t), actor.Config{}, func(p *actor.Process[int]) error {
			sit := func(*actor.Context[int], int) error { return nil }
			left = spawn(t, p.System(), sit)
			deep = spawn(t, p, sit)
			return reason
		})
		if !errors.Is(err, reason) || (err == nil) != (reason == nil) {
			t.Errorf("Run returned %v, want %v", err, reason)
		}
		receive(t, guarded(t), left.Done())
		receive(t, guarded(t), deep.Done())
	}
}

func TestRunStopsMainWhenItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(guarded(t))
	var seen error
	err := actor.Run(ctx, actor.Config{}, func(p *actor.Process[int]) error {
		cancel()
		_, seen = p.Receive(p)
		return seen
	})
	if err != nil || !errors.Is(seen, actor.ErrStopped) {
		t.Errorf("Run returned %v, and Receive %v", err, seen)
	}
}

func TestRunRefuses(t *testing.T) {
	if err := actor.Run[int](guarded(t), actor.Config{}, nil); err == nil {
		t.Error("a nil main is accepted")
	}
	main := func(*actor.Process[int]) error { return nil }
	if err := actor.Run(guarded(t), actor.Config{Workers: -7}, main); err == nil {
		t.Error("a wrong configuration is accepted")
	}
	if err := actor.Run(guarded(t), actor.Config{}, main, actor.WithThroughput(-1)); err == nil {
		t.Error("a wrong option is accepted")
	}
	if err := actor.Run(guarded(t), actor.Config{}, main, actor.WithBackend(actor.OnBlocking)); err == nil {
		t.Error("a process runs elsewhere than on the scheduler")
	}
}
