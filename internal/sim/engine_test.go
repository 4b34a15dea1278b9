package sim_test

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/internal/gid"
	"github.com/troupe-go/troupe/internal/sim"
)

// host does nothing with its work but note it.
type host struct{ ran []string }

func (h *host) Step(work any, _ uint8)        { h.ran = append(h.ran, work.(string)) }
func (*host) Name(work any) string            { return work.(string) }
func (*host) Settle() bool                    { return false }
func (*host) Deadline() (time.Duration, bool) { return 0, false }
func (*host) Expire()                         {}
func (*host) Waits() []string                 { return nil }
func (*host) Close() []string                 { return nil }
func (*host) Back(any)                        {}
func (*host) Where(any) string                { return "" }
func (*host) Order(w any) (string, uint64)    { return w.(string), 0 }
func (*host) Blocked(sim.Returns) (any, gid.ID) {
	return nil, 0
}
func (h *host) entry(work string) sim.Entry { return sim.Entry{Host: h, Work: work} }
func (h *host) queue(e *sim.Engine, all ...string) {
	for _, work := range all {
		e.Arrive(h.entry(work))
	}
}

// inOrder chooses the eldest.
type inOrder struct{}

func (inOrder) Next([]sim.Entry) int { return 0 }
func (inOrder) Interleave() bool     { return false }
func (inOrder) Delay() bool          { return false }
func (inOrder) Pick(int) int         { return 0 }

// Two goroutines act in the same moment and resume the same work. The order is always the
// same, whichever of them resumed it: the goroutine that has something else to queue behind
// that work, or the other.
func TestOrderOfArrivalIsNoChance(t *testing.T) {
	var orders [][]string
	for _, otherResumes := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := &host{}
			e := sim.New(inOrder{}, synctest.Wait, 100, nil)
			resumed := make(chan struct{})
			if otherResumes {
				go func() {
					h.queue(e, "a (goes on)")
					close(resumed)
				}()
				<-resumed
				h.queue(e, "a")
			} else {
				h.queue(e, "a (goes on)", "a")
			}
			go func() {
				e.UntilIdle()
				e.Close()
			}()
			if err := e.Run(); err != nil {
				t.Fatal(err)
			}
			orders = append(orders, h.ran)
		})
	}
	if len(orders[0]) != 2 || !slices.Equal(orders[0], orders[1]) {
		t.Errorf("the orders are %q", orders)
	}
}

// Any goroutine may ask what the stepper is on, also one outside of the bubble.
func TestRunningFromOutside(t *testing.T) {
	h := &host{}
	var engine atomic.Pointer[sim.Engine]
	var over atomic.Bool
	var all sync.WaitGroup
	all.Go(func() {
		for !over.Load() {
			if e := engine.Load(); e != nil {
				if name := e.Running(); name != "" && name != "work" {
					t.Errorf("it runs %q", name)
				}
			}
			runtime.Gosched()
		}
	})
	synctest.Test(t, func(t *testing.T) {
		e := sim.New(inOrder{}, synctest.Wait, 1000, nil)
		engine.Store(e)
		for range 500 {
			h.queue(e, "work")
		}
		go func() {
			e.UntilIdle()
			e.Close()
		}()
		if err := e.Run(); err != nil {
			t.Error(err)
		}
	})
	over.Store(true)
	all.Wait()
	if len(h.ran) != 500 {
		t.Errorf("%d of 500 steps were made", len(h.ran))
	}
}
