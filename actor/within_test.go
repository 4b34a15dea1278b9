package actor_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// A child that ignores the stop is killed at the limit; its parent is told, and
// ends after it.
func TestStopWithinForcesChildren(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	defer close(g.open)
	children := make(chan actor.Ref[int], 1)
	parent := spawnActor(t, sys, actor.Actor[int](&hooks[int]{started: func(ctx *actor.Context[int]) error {
		child, err := actor.Spawn(ctx, actor.Actor[int](g), actor.WithName("deaf"))
		children <- child
		return err
	}}), actor.WithName("parent"))
	child := receive(t, ctx, children)
	g.hold(t, ctx, child)
	until(t, ctx, func() bool { return actor.Idle(parent) }) // Else its handler may be left behind, too.
	err := parent.StopWithin(ctx, soon)
	wantErr(t, err, actor.ErrForced)
	if !strings.Contains(err.Error(), "deaf") || strings.Contains(err.Error(), "handlers took longer than 20ms (parent") {
		t.Errorf("the error is %v", err)
	}
	receive(t, ctx, parent.Done())
	receive(t, ctx, child.Done())
	wantErr(t, child.Err(), actor.ErrKilled)
}

func TestStopWithinInTime(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, answer)
	wantNoErr(t, ref.StopWithin(ctx, time.Hour))
	wantNoErr(t, ref.StopWithin(ctx, time.Hour))
	wantErr(t, actor.Ref[int]{}.StopWithin(ctx, 1), actor.ErrNoRef)
	if err := ref.StopWithin(ctx, -1); err == nil {
		t.Error("a negative time was accepted")
	}
	if err := sys.StopWithin(ctx, -1); err == nil {
		t.Error("a negative time was accepted")
	}
	g := newGate()
	defer close(g.open)
	busy := spawnActor(t, sys, actor.Actor[int](g))
	g.hold(t, ctx, busy)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	wantErr(t, busy.StopWithin(gone, time.Hour), context.Canceled)
	wantErr(t, busy.StopWithin(ctx, 0), actor.ErrForced)
}

// The system ends although a handler never returns.
func TestSystemStopWithin(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	deaf := spawnActor(t, sys, actor.Actor[int](g), actor.WithName("deaf"))
	heeding := spawn(t, sys, func(ctx *actor.Context[int], _ int) error { <-ctx.Done(); return nil })
	send(t, ctx, heeding, 1)
	g.hold(t, ctx, deaf)
	err := sys.StopWithin(ctx, soon)
	wantErr(t, err, actor.ErrForced)
	if !strings.Contains(err.Error(), "deaf") {
		t.Errorf("the error is %v", err)
	}
	receive(t, ctx, deaf.Done())
	receive(t, ctx, heeding.Done())
	close(g.open)
	wantNoErr(t, sys.StopWithin(ctx, time.Hour))
}
