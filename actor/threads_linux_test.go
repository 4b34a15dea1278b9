package actor_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/troupe-go/troupe/actor"
)

// TestActorsShareThreads: a hundred actors run on several threads of the system,
// and on far fewer than there are actors.
func TestActorsShareThreads(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("with one processor, threads take turns")
	}
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 2})
	threads := map[int]bool{}
	for len(threads) < 2 && ctx.Err() == nil { // Go may move goroutines to one thread meanwhile.
		runHundred(t, ctx, sys, threads)
	}
	if n := len(threads); n < 2 || n > 25 {
		t.Errorf("100 actors ran on %d threads", n)
	}
}

// runHundred has 100 actors note their threads. Two of them wait for each other
// without leaving their threads.
func runHundred(t *testing.T, ctx context.Context, sys *actor.System, threads map[int]bool) {
	var mu sync.Mutex
	var met atomic.Int32
	var all sync.WaitGroup
	const actors, meeting = 100, 2
	all.Add(actors)
	for i := range actors {
		ref := spawn(t, sys, func(ctx *actor.Context[int], m int) error {
			defer all.Done()
			defer ctx.Stop()
			if m < meeting {
				met.Add(1)
			}
			for m < meeting && met.Load() < meeting && ctx.Err() == nil {
			}
			id := unix.Gettid() // Before the lock, which may have it go on elsewhere.
			mu.Lock()
			defer mu.Unlock()
			threads[id] = true
			return nil
		})
		send(t, ctx, ref, i)
	}
	all.Wait()
}
