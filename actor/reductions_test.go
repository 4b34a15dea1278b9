package actor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/sched"
)

// An actor's info has what its handlers have spent, over all messages and incarnations, and
// what the running one has left.
func TestInfoReductions(t *testing.T) {
	s, err := sched.New(sched.Config{Workers: 1, Reductions: 100})
	wantNoErr(t, err)
	patience.StopAtEnd(t, s)
	sys := newSystem(t, actor.Config{Scheduler: s})
	tr := newTrapper()
	_, child := keptChild(t, sys, func() actor.Actor[task] { return tr }, true)
	if i := info(t, sys, child.PID()); i.Reductions != 0 || i.ReductionsLeft != 0 {
		t.Errorf("at first it has %d reductions, %d left", i.Reductions, i.ReductionsLeft)
	}
	ctx := guarded(t)
	for n := range 3 {
		until(t, ctx, func() bool { return actor.Idle(child) }) // Else the slice of the message before goes on.
		wantNoErr(t, do(t, child, func(c *actor.Context[task]) error {
			for range 250 {
				sched.Checkpoint(c)
			}
			budget := sched.NewBudget(c)
			budget.Spend(30)
			if i, err := child.Info(); err != nil || i.Reductions != uint64(280*(n+1)) || i.ReductionsLeft != 20 {
				t.Errorf("in message %d it has %d reductions, %d left: %v", n, i.Reductions, i.ReductionsLeft, err)
			}
			return nil
		}))
		if n == 1 {
			end(t, child, endings["error"].do) // And restarted.
		}
	}
	until(t, ctx, func() bool { return actor.Idle(child) })
	if i := info(t, sys, child.PID()); i.Reductions != 840 || i.ReductionsLeft != 0 || i.Restarts != 1 {
		t.Errorf("at last it has %d reductions, %d left, %d restarts", i.Reductions, i.ReductionsLeft, i.Restarts)
	}
	wantNoErr(t, child.Stop(ctx))
	if i, err := child.Info(); err != nil || i.Reductions != 0 {
		t.Errorf("stopped, it has %d reductions: %v", i.Reductions, err)
	}
}

// A process has the reductions that its body has made.
func TestInfoReductionsOfAProcess(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	told := make(chan actor.Info, 1)
	ref, err := actor.SpawnProcess(sys, func(p *actor.Process[int]) error {
		for range 7 {
			sched.Checkpoint(p)
		}
		i, err := p.Self().Info()
		told <- i
		return errors.Join(err, context.Cause(p))
	})
	wantNoErr(t, err)
	if i := receive(t, guarded(t), told); i.Reductions != 7 || i.ReductionsLeft != 4000-7 {
		t.Errorf("it has %d reductions, %d left", i.Reductions, i.ReductionsLeft)
	}
	<-ref.Done()
}
