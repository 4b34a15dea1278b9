//go:build unix && !race

package actor_test

import (
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
)

// TestTenThousandBlockedHandlers has the handlers of 10,000 actors block in every way that
// there is, with the default limit and a higher one. Control messages are handled
// meanwhile, and after enough kills all others too.
func TestTenThousandBlockedHandlers(t *testing.T) {
	lane.Check(t)
	for _, c := range []struct{ spares, limit int }{{0, 256}, {4000, 4000}} {
		ctx := guarded(t)
		sys := newSystem(t, actor.Config{Workers: 2, MaxSpares: c.spares, MaxGhosts: -1})
		answerer := spawn(t, sys, answer)
		crowd := newCrowd(t)
		var refs []actor.Ref[int]
		for i := range 10000 {
			ref := spawn(t, sys, crowd.block)
			send(t, ctx, ref, i)
			refs = append(refs, ref)
		}
		blocked := c.limit + 2
		for range blocked {
			receive(t, ctx, crowd.begun)
		}
		took := make([]time.Duration, 1000)
		for i := range took {
			began := time.Now()
			if n, err := actor.Ask(ctx, answerer.On(actor.Control), asking(i)); n != i+1 || err != nil {
				t.Fatalf("the Control message %d was answered with %d, %v", i, n, err)
			}
			took[i] = time.Since(began)
		}
		slices.Sort(took)
		t.Logf("MaxSpares %d: an urgent ask takes %v, P99 %v, at most %v", c.limit, took[500], took[990], took[999])
		for _, ref := range refs[:len(refs)-c.limit/2] {
			wantNoErr(t, ref.Kill())
		}
		if n, err := actor.Ask(ctx, answerer, asking(1)); n != 2 || err != nil {
			t.Errorf("after the kills, an ask was answered with %d, %v", n, err)
		}
		crowd.release()
		wantNoErr(t, sys.Stop(ctx))
	}
}

// crowd is what blocks handlers: a channel, a mutex, long sleeps, and system calls.
type crowd struct {
	begun   chan struct{}
	open    chan struct{}
	mutex   sync.Mutex
	pipe    [2]*os.File
	release func()
}

func newCrowd(t *testing.T) *crowd {
	c := &crowd{begun: make(chan struct{}, 10000), open: make(chan struct{})}
	var fds [2]int
	wantNoErr(t, syscall.Pipe(fds[:]))
	c.mutex.Lock()
	c.release = sync.OnceFunc(func() {
		close(c.open)
		c.mutex.Unlock()
		wantNoErr(t, syscall.Close(fds[1])) // All reads end.
	})
	c.pipe[0] = os.NewFile(uintptr(fds[0]), "pipe") // Blocking, as it is not opened by os.
	t.Cleanup(c.release)
	return c
}

func (c *crowd) block(_ *actor.Context[int], i int) error {
	c.begun <- struct{}{}
	switch i % 10 {
	case 0, 1:
		_, _ = syscall.Read(int(c.pipe[0].Fd()), make([]byte, 1))
	case 2, 3:
		c.mutex.Lock()
		c.mutex.Unlock()
	case 4:
		for end := false; !end; {
			select {
			case <-c.open:
				end = true
			default:
				time.Sleep(10 * time.Millisecond) //nolint:forbidigo // It is one of the ways to block.
			}
		}
	default:
		<-c.open
	}
	return nil
}
