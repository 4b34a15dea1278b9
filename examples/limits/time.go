package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// latency sends an urgent message to an actor whose handler runs. It is handled when that has returned, and not before.
func latency(w io.Writer, sys *actor.System) error {
	ctx := context.Background()
	begun, end := make(chan struct{}), make(chan struct{})
	handled := make(chan string, 3)
	ref, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[string], m string) error {
		if m == "long" {
			close(begun)
			<-end
		}
		handled <- m
		return nil
	}))
	if err != nil {
		return err
	}
	if err := ref.Send(ctx, "long"); err != nil {
		return err
	}
	<-begun
	if err := errors.Join(ref.Send(ctx, "data"), ref.On(actor.Control).Send(ctx, "urgent")); err != nil {
		return err
	}
	fmt.Fprintln(w, "handled while the long one runs:", len(handled)) //nolint:errcheck // It goes to the terminal.
	close(end)
	fmt.Fprintln(w, "then:", <-handled, <-handled, <-handled) //nolint:errcheck // The same.
	return sys.Stop(ctx)
}

// syscallHolds blocks handlers in reads of pipes. Each holds its worker, for which there is a spare.
func syscallHolds(w io.Writer, sys *actor.System) error {
	ctx := context.Background()
	const readers = 4
	var ends []*os.File
	begun := make(chan struct{}, readers)
	for range readers {
		r, end, err := os.Pipe()
		if err != nil {
			return err
		}
		ends = append(ends, end)
		_ = r.Fd() // From now on a read is a system call that blocks.
		ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error {
			begun <- struct{}{}
			_, err := r.Read(make([]byte, 1)) // Until the other end is closed.
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}))
		if err != nil {
			return err
		}
		if err := ref.Send(ctx, 1); err != nil {
			return err
		}
	}
	for range readers { // The last of them have begun on spare workers, as there are two workers.
		<-begun
	}
	threads := pprof.Lookup("threadcreate").Count()
	fmt.Fprintf(w, "%d handlers are blocked, with 2 workers; a thread for each: %v\n", readers, threads >= readers) //nolint:errcheck // It goes to the terminal.
	for _, end := range ends {
		if err := end.Close(); err != nil {
			return err
		}
	}
	return sys.Stop(ctx)
}

// loop kills an actor whose handler never returns. The actor has ended, and its goroutine goes on.
func loop(w io.Writer, sys *actor.System) error {
	ctx := context.Background()
	begun := make(chan struct{})
	ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error {
		close(begun)
		for { //nolint:staticcheck // It is the point of this.
		}
	}))
	if err != nil {
		return err
	}
	if err := ref.Send(ctx, 1); err != nil {
		return err
	}
	<-begun
	if err := ref.Kill(); err != nil {
		return err
	}
	<-ref.Done()
	all := make([]byte, 1<<20)
	stacks := string(all[:runtime.Stack(all, true)])
	fmt.Fprintln(w, "the actor has ended:", ref.Err())                                      //nolint:errcheck // It goes to the terminal.
	fmt.Fprintln(w, "its handler still runs:", strings.Contains(stacks, "main.loop.func1")) //nolint:errcheck // The same.
	return nil
}

// noPreempt runs the program again with asynchronous preemption switched off, and a handler that never returns. A garbage
// collection there waits for ever.
func noPreempt(w io.Writer, sys *actor.System) error {
	const key = "TROUPE_LIMITS_CHILD"
	if os.Getenv(key) == "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		child := exec.Command(self, "nopreempt")
		child.Env = append(os.Environ(), key+"=1", "GODEBUG=asyncpreemptoff=1")
		out, err := child.StdoutPipe()
		if err != nil {
			return err
		}
		if err := child.Start(); err != nil {
			return err
		}
		lines := bufio.NewScanner(out)
		lines.Scan()
		fmt.Fprintln(w, lines.Text()) //nolint:errcheck // It goes to the terminal.
		kill := time.AfterFunc(time.Second, func() { _ = child.Process.Kill() })
		lines.Scan()                                                            // To the end of the program.
		fmt.Fprintln(w, "a second later it was collected:", lines.Text() != "") //nolint:errcheck // The same.
		kill.Stop()
		_ = child.Wait()
		return nil
	}
	begun := make(chan struct{})
	ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error {
		close(begun)
		for { //nolint:staticcheck // It is the point of this.
		}
	}))
	if err != nil {
		return err
	}
	if err := ref.Send(context.Background(), 1); err != nil {
		return err
	}
	<-begun
	fmt.Fprintln(w, "the garbage is collected") //nolint:errcheck // It goes to the terminal.
	runtime.GC()
	fmt.Fprintln(w, "it was collected") //nolint:errcheck // The same.
	return nil
}
