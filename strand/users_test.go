//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package strand_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/strand"
)

// TestOneUserIsTheLast has calls begin and end while the descriptor is closed. One of
// all is told that it is the last, and closes it.
func TestOneUserIsTheLast(t *testing.T) {
	for round := range 5_000 {
		var u strand.Users
		var last atomic.Int64
		leave := func() {
			if u.Leave() {
				last.Add(1)
			}
		}
		var all sync.WaitGroup
		var begun atomic.Int64
		for range 2 {
			all.Go(func() {
				begun.Add(1)
				for range 300 {
					if u.Enter() {
						leave()
					}
				}
			})
		}
		all.Go(func() {
			for begun.Load() == 0 {
				runtime.Gosched()
			}
			if u.Close() {
				leave()
			}
		})
		all.Wait()
		if n := last.Load(); n != 1 {
			t.Fatalf("in round %d, %d were the last", round, n)
		}
	}
}
