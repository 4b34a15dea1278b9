package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// foreign has two handlers take two mutexes in opposite order. Each waits for the other for ever, and an ask to one of them
// ends by its time, not by a CycleError: Troupe does not know who holds a mutex.
func foreign(w io.Writer, sys *actor.System) error {
	ctx := context.Background()
	type lock struct {
		first, second *sync.Mutex
		done          actor.Reply[bool]
	}
	var a, b sync.Mutex
	held := make(chan struct{}, 2)
	meet := make(chan struct{})
	both := func(ctx *actor.Context[lock], m lock) error {
		m.first.Lock()
		held <- struct{}{}
		<-meet // So that it happens each time.
		m.second.Lock()
		return m.done.Send(ctx, true)
	}
	one, err := actor.Spawn(sys, actor.Func(both), actor.WithName("one"))
	if err != nil {
		return err
	}
	two, err := actor.Spawn(sys, actor.Func(both), actor.WithName("two"))
	if err != nil {
		return err
	}
	if err := errors.Join(one.Send(ctx, lock{first: &a, second: &b}), two.Send(ctx, lock{first: &b, second: &a})); err != nil {
		return err
	}
	<-held
	<-held
	close(meet)
	limit, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	_, err = actor.Ask(limit, one, func(r actor.Reply[bool]) lock { return lock{&a, &b, r} })
	_, err = fmt.Fprintf(w, "a ring was found: %v, the time was up: %v\n", errors.Is(err, actor.ErrCycle), errors.Is(err, context.DeadlineExceeded))
	return err
}
