package stateword_test

import (
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/kernel/stateword"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
)

// hold locks the word, and leaves the state that change returns.
func hold(l *stateword.Word, change func(state uint32) uint32) { l.Release(change(l.Acquire())) }

// A caller that holds the lock is alone, in whichever way it has locked, and no change of the state is lost that another
// caller makes without the lock.
func TestLockIsExclusive(t *testing.T) {
	const rounds = 50_000
	var l stateword.Word
	guarded := 0
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() {
			for range rounds {
				l.Lock()
				guarded++
				l.Unlock()
				hold(&l, func(state uint32) uint32 { guarded++; return state })
			}
		})
		all.Go(func() {
			bit := uint32(1) << i
			for range rounds {
				for s := l.Load(); !l.CompareAndSwap(s, s|bit); s = l.Load() {
				}
				if l.And(^bit)&bit == 0 {
					t.Errorf("bit %d was lost before it was cleared", i)
					return
				}
				if l.Or(bit)&bit != 0 {
					t.Errorf("bit %d was not cleared", i)
					return
				}
				hold(&l, func(state uint32) uint32 { return state &^ bit })
			}
		})
	}
	all.Wait()
	if guarded != 6*rounds || l.Load() != 0 {
		t.Errorf("guarded is %d in state %#x, want %d and 0", guarded, l.Load(), 6*rounds)
	}
}

// A change waits for the holder of the lock, and is made to the state that the holder has left.
func TestLockHoldsBackChanges(t *testing.T) {
	ctx := patience.Context(t)
	var l stateword.Word
	began, changed := make(chan bool), make(chan bool)
	hold(&l, func(state uint32) uint32 {
		go func() { began <- true; changed <- l.CompareAndSwap(0, 1) }()
		go func() { began <- true; l.Or(2); changed <- true }()
		<-began
		<-began
		for range 100 { // So that they come as far as they may.
			runtime.Gosched()
		}
		select {
		case <-changed:
			t.Error("the state was changed by another goroutine while the lock was held")
		default:
		}
		return 4
	})
	outcomes := map[bool]int{}
	for range 2 {
		select {
		case ok := <-changed:
			outcomes[ok]++
		case <-ctx.Done():
			t.Fatal("a change waits for a lock that is free")
		}
	}
	if outcomes[true] != 1 || l.Load() != 4|2 {
		t.Errorf("state is %#x after %v; want 6, by the Or alone", l.Load(), outcomes)
	}
}

// The methods of the atomic types are inlined, as they are in a package that uses them under their own names.
func TestAtomicsAreInlined(t *testing.T) {
	lane.Check(t)
	build := exec.CommandContext(t.Context(), "go", "build", "-gcflags=-m", ".")
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	for _, method := range []string{"CompareAndSwap", "Load", "Store"} {
		if want := "inlining call to atomic.(*Uint32)." + method; !strings.Contains(string(out), want) {
			t.Errorf("the compiler does not say %q, so each %s is a call", want, method)
		}
	}
}
