//go:build yielding && !modelcheck

package xatomic_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// Between two operations another goroutine may come first, also on one processor:
// an update by a load and a store is lost now and then.
func TestOthersComeBetweenTwoOperations(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const each = 5000
	var n xatomic.Int64
	var mu xatomic.Mutex
	var locked xatomic.Int64
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for range each {
				n.Store(n.Load() + 1)
				mu.Lock()
				locked.Store(locked.Load() + 1)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if n.Load() > 2*each*99/100 {
		t.Errorf("of %d updates %d were lost", 2*each, 2*each-n.Load())
	}
	if locked.Load() != 2*each {
		t.Errorf("%d updates were lost in spite of the mutex", 2*each-locked.Load())
	}
}
