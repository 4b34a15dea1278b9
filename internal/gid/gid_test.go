package gid_test

import (
	"iter"
	"runtime"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/gid"
)

func TestCurrentIsStableAndDistinct(t *testing.T) {
	const n = 64
	ids := make([]gid.ID, n)
	var alive, done sync.WaitGroup
	alive.Add(n)
	for i := range n {
		done.Go(func() {
			first := gid.Current()
			alive.Done()
			alive.Wait() // Everyone is alive now, so no descriptor is used twice.
			growStack(1 << 10)
			runtime.Gosched()
			if again := gid.Current(); again != first {
				t.Errorf("identity changed from %#x to %#x", first, again)
			}
			ids[i] = first
		})
	}
	done.Wait()
	seen := map[gid.ID]bool{gid.Current(): true}
	for _, id := range ids {
		if seen[id] {
			t.Fatalf("two living goroutines share identity %#x", id)
		}
		seen[id] = true
	}
}

func TestCoroutineHasItsOwnIdentity(t *testing.T) {
	next, stop := iter.Pull(func(yield func(gid.ID) bool) {
		for yield(gid.Current()) {
		}
	})
	defer stop()
	first, _ := next()
	if first == gid.Current() {
		t.Fatal("a coroutine has the identity of its caller")
	}
	moved := make(chan gid.ID)
	go func() {
		id, _ := next()
		moved <- id
	}()
	if got := <-moved; got != first {
		t.Fatalf("a coroutine resumed elsewhere changed identity from %#x to %#x", first, got)
	}
}

func growStack(depth int) byte {
	var frame [512]byte
	if depth == 0 {
		return frame[0]
	}
	return growStack(depth-1) + frame[depth%len(frame)]
}

func BenchmarkCurrent(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		gid.Current()
	}
}
