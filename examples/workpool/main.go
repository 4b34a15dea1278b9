// Command workpool types on a screen while a pool of four is flooded with work. The screen is an actor on a thread of its own;
// the pool takes an urgent task before all that wait.
//
//	go run ./examples/workpool
//	100 keys: half of them within 31µs, the slowest took 1.4ms
//	pool of 4: 1005 tasks done; the urgent one was sent last and began as number 5
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

// key is a keystroke. The answer is what stands on the screen.
type key struct {
	letter byte
	shown  actor.Reply[int]
}

// screen shows keystrokes.
type screen struct{ text []byte }

// Receive shows one key.
func (s *screen) Receive(ctx *actor.Context[key], k key) error {
	s.text = append(s.text, k.letter)
	return k.shown.Send(ctx, len(s.text))
}

const (
	workers = 4
	keys    = 100
	tasks   = 1000
	rounds  = 20_000 // Of the loop that is a task.
)

// work is a task: some computing, or one that waits until the flood is there.
type work struct {
	first  bool // It keeps a worker busy, until all others wait.
	urgent bool
}

// result says what became of it.
type result struct {
	took   []time.Duration // Of the keys, sorted.
	done   int64           // Tasks.
	urgent int64           // As which of the tasks the urgent one began.
}

func main() {
	r, err := play(context.Background())
	if err == nil {
		err = r.print(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (r *result) print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%d keys: half of them within %v, the slowest took %v\npool of %d: %d tasks done; the urgent one was sent last and began as number %d\n",
		len(r.took), r.took[len(r.took)/2].Round(time.Microsecond), r.took[len(r.took)-1].Round(time.Microsecond), workers, r.done, r.urgent)
	return err
}

// play floods the pool and types.
func play(ctx context.Context) (r *result, err error) {
	sys, err := actor.NewSystem(actor.Config{Name: "workpool"})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sys.Stop(context.WithoutCancel(ctx))) }()
	ref, err := actor.Spawn(sys, &screen{}, actor.WithName("screen"), actor.WithBackend(actor.OnOwnThread))
	if err != nil {
		return nil, err
	}
	var number, sum atomic.Int64
	begun, flooded, urgent := make(chan struct{}, workers), make(chan struct{}, 1), make(chan int64, 1)
	pool, err := router.NewPool(sys, router.PoolConfig[work, int64]{
		Name: "pool", Workers: workers, Capacity: tasks + workers,
		Do: func(_ context.Context, t work) (int64, error) {
			n := number.Add(1)
			if t.urgent {
				urgent <- n
				return n, nil
			}
			if t.first {
				begun <- struct{}{}
				<-flooded
			}
			for i := range int64(rounds) {
				sum.Store(i)
			}
			return n, nil
		},
	})
	if err != nil {
		return nil, err
	}
	release := sync.OnceFunc(func() { close(flooded) })
	defer release()
	for i := range workers + tasks {
		if err := pool.Send(ctx, work{first: i < workers}); err != nil {
			return nil, err
		}
	}
	for range workers { // Now all workers of the pool are busy, and the thousand wait.
		select {
		case <-begun:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if err := pool.On(actor.Control).Send(ctx, work{urgent: true}); err != nil {
		return nil, err
	}
	r = &result{}
	flooded <- struct{}{} // One worker is free. The others stay busy until the urgent task has begun.
	select {
	case r.urgent = <-urgent:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	release()
	for i := range keys {
		start := time.Now()
		if _, err := actor.Ask(ctx, ref, func(r actor.Reply[int]) key { return key{byte('a' + i%26), r} }); err != nil {
			return nil, err
		}
		r.took = append(r.took, time.Since(start))
	}
	slices.Sort(r.took)
	if err := pool.Drain(ctx); err != nil {
		return nil, err
	}
	r.done = int64(pool.Stats().Done)
	return r, nil
}
