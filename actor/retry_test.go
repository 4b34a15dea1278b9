package actor_test

import (
	"errors"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// Messages that always fail cost as many restarts as they may, also where the bursts of
// their lanes have the actor go from one to the other: what an actor with readers handles
// counts for the burst also if it fails.
func TestRetriesOfSeveralLanes(t *testing.T) {
	ctx := guarded(t)
	letters := make(chan actor.DeadLetter, 16)
	sys := newSystem(t, actor.Config{OnDeadLetter: func(d actor.DeadLetter) { letters <- d }})
	tries := [4]int{}
	begun, release := make(chan struct{}), make(chan struct{})
	opts := []actor.Option{actor.WithRetry(2), actor.WithReadOnly(func(int) bool { return false })}
	for _, lane := range lanes {
		opts = append(opts, actor.WithBurst(lane, 1))
	}
	_, child := restarting(t, sys, func() actor.Actor[int] {
		return actor.Func(func(_ *actor.Context[int], m int) error {
			if m == 3 {
				close(begun)
				<-release
				return nil
			}
			tries[m]++
			return errOdd
		})
	}, restart, opts...)
	send(t, ctx, child, 3)
	receive(t, ctx, begun)
	for m, lane := range lanes {
		send(t, ctx, child.On(lane), m)
	}
	close(release)
	for range lanes {
		receive(t, ctx, letters)
	}
	if want := [4]int{3, 3, 3}; tries != want {
		t.Errorf("the messages were tried %v times, want %v", tries, want)
	}
}

// Each of the handlers of a reentrant actor may fail, and none of their messages is lost.
func TestRetriesOfAReentrantActor(t *testing.T) {
	const n = 3
	ctx := guarded(t)
	letters := make(chan actor.DeadLetter, 16)
	sys := newSystem(t, actor.Config{OnDeadLetter: func(d actor.DeadLetter) {
		if _, ok := d.Message.(int); ok {
			letters <- d
		}
	}})
	o := newAnswerer(t, sys)
	tries := [n]int{}
	_, child := restarting(t, sys, func() actor.Actor[int] {
		return actor.Func(func(c *actor.Context[int], m int) error {
			tries[m]++
			_, _ = o.ask(c, m) // It fails where the incarnation ends.
			return errOdd
		})
	}, restart, actor.WithReentrancy(actor.FullReentrancy), actor.WithRetry(2))
	for m := range n {
		send(t, ctx, child, m)
	}
	for range 3 {
		var last question
		for range n {
			last = o.next(t, ctx)
		}
		suspendedIn(t, ctx, child, n)
		wantNoErr(t, last.reply.Send(ctx, 1))
	}
	for range n {
		receive(t, ctx, letters)
	}
	if want := [n]int{3, 3, 3}; tries != want {
		t.Errorf("the messages were tried %v times, want %v", tries, want)
	}
}

// A message that was put aside once counts its tries on.
func TestRetriesOfAStashedMessage(t *testing.T) {
	ctx := guarded(t)
	letters := make(chan actor.DeadLetter, 16)
	sys := newSystem(t, actor.Config{OnDeadLetter: func(d actor.DeadLetter) { letters <- d }})
	tries := 0
	_, child := restarting(t, sys, func() actor.Actor[int] {
		stashed := false
		return actor.Func(func(c *actor.Context[int], m int) error {
			if m == 2 {
				_, err := c.Unstash()
				return err
			}
			if !stashed {
				stashed = true
				return c.Stash(m)
			}
			tries++
			return errOdd
		})
	}, restart, actor.WithRetry(2))
	send(t, ctx, child, 1)
	for range 3 {
		send(t, ctx, child, 2)
	}
	receive(t, ctx, letters)
	if tries != 3 {
		t.Errorf("the message was tried %d times, want 3", tries)
	}
}

// A handler that has waited while its actor began to stop can't put its message aside:
// nobody would come to that any more.
func TestStashAfterAStop(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	stashed := make(chan error, 1)
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		_, err := o.ask(c, m)
		wantNoErr(t, err)
		stashed <- c.Stash(m)
		return nil
	}, actor.WithReentrancy(actor.FullReentrancy))
	send(t, ctx, ref, 1)
	q := o.next(t, ctx)
	suspendedIn(t, ctx, ref, 1)
	stopped := make(chan error, 1)
	go func() { stopped <- ref.Stop(ctx) }()
	until(t, ctx, func() bool { i, err := ref.Info(); return err == nil && i.State == actor.Stopping })
	wantNoErr(t, q.reply.Send(ctx, 1))
	wantErr(t, receive(t, ctx, stashed), actor.ErrStopped)
	wantNoErr(t, receive(t, ctx, stopped))
}

// A message that is put back takes the place of a message that was handled in the end. It does
// not take over the tries of that message.
func TestTriesOfAMessageThatIsPutBack(t *testing.T) {
	ctx := guarded(t)
	letters := make(chan actor.DeadLetter, 16)
	sys := newSystem(t, actor.Config{OnDeadLetter: func(d actor.DeadLetter) { letters <- d }})
	tries := [3]int{}
	_, child := restarting(t, sys, func() actor.Actor[int] {
		return actor.Func(func(c *actor.Context[int], m int) error {
			tries[m]++
			switch {
			case m == 2 && tries[2] == 1: // Puts back what it has put aside, which comes next.
				return errors.Join(c.Stash(m), second(c.Unstash()))
			case m == 1 && tries[1] == 3:
				return nil
			}
			return errOdd
		})
	}, restart, actor.WithRetry(2))
	send(t, ctx, child, 1, 2)
	receive(t, ctx, letters)
	if want := [3]int{1: 3, 2: 4}; tries != want {
		t.Errorf("the messages were tried %v times, want %v", tries, want)
	}
}

func second[T any](_ T, err error) error { return err }
