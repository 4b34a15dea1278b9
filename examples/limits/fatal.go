package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/task"
)

// in runs a function in a handler, and waits for the end of the actor.
func in(w io.Writer, sys *actor.System, do func(ctx context.Context) error) error {
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], _ int) error {
		ctx.Stop()
		return do(ctx)
	}))
	if err != nil {
		return err
	}
	if err := ref.Send(context.Background(), 1); err != nil {
		return err
	}
	<-ref.Done()
	_, err = fmt.Fprintln(w, "the program goes on")
	return err
}

// lockThread waits in a handler with its thread locked. The handler can't step aside with its stack then.
func lockThread(w io.Writer, sys *actor.System) error {
	return in(w, sys, func(ctx context.Context) error {
		runtime.LockOSThread()
		return task.Sleep(ctx, time.Millisecond)
	})
}

// overflow calls itself without end. That is no panic, and nobody can recover from it.
func overflow(w io.Writer, sys *actor.System) error {
	debug.SetMaxStack(1 << 20) // So that it is soon over.
	return in(w, sys, func(context.Context) error {
		_ = deep(1)
		return nil
	})
}

func deep(n int) int {
	var room [64]int
	room[n%len(room)] = deep(n + 1) //nolint:staticcheck // That is the limit.
	return room[0]
}

// mapWrite has goroutines write to one map at the same time.
func mapWrite(w io.Writer, sys *actor.System) error {
	return in(w, sys, func(context.Context) error {
		shared := map[int]int{}
		for range 4 {
			go func() {
				for i := 0; ; i++ {
					shared[i%7] = i
				}
			}()
		}
		select {}
	})
}

// memory asks for more than there is: here, for more than the address space.
func memory(w io.Writer, sys *actor.System) error {
	return in(w, sys, func(context.Context) error {
		var all [][]byte
		for size := uint64(1) << 47; ; {
			all = append(all, make([]byte, size)) //nolint:staticcheck // Memory is all that it is for.
		}
	})
}

// heap shows that an actor may take any amount of memory: the limits of Troupe are about messages that wait.
func heap(w io.Writer, sys *actor.System) error {
	var kept [][]byte
	ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error {
		kept = append(kept, make([]byte, 16<<20))
		return nil
	}), actor.WithMailboxLimit(actor.MailboxLimit{Items: 10, Bytes: 1000}))
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := errors.Join(ref.Send(ctx, 1), ref.Send(ctx, 2), ref.Send(ctx, 3), ref.Drain(ctx), sys.Stop(ctx)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "an actor whose messages may take 1000 bytes keeps %d MiB\n", len(kept)*16)
	return err
}
