package topology_test

import (
	"runtime"
	"testing"

	"github.com/troupe-go/troupe/internal/topology"
)

func TestLocal(t *testing.T) {
	m := topology.Local()
	if len(m.CPUs) != runtime.NumCPU() {
		t.Errorf("%d processors, the runtime knows %d", len(m.CPUs), runtime.NumCPU())
	}
	if !topology.CanPin {
		if topology.Here() != -1 || topology.Pin(0) == nil {
			t.Error("a processor is known where none can be")
		}
		return
	}
	if _, ok := m.Find(topology.Here()); !ok {
		t.Errorf("the test runs on processor %d, which is none of %v", topology.Here(), m.CPUs)
	}
}

// TestPin binds threads of its own, which end with their goroutines.
func TestPin(t *testing.T) {
	if !topology.CanPin {
		t.Skip("threads can't be bound here")
	}
	for _, c := range topology.Local().CPUs {
		where := make(chan int)
		go func() {
			runtime.LockOSThread()
			if err := topology.Pin(c.ID); err != nil {
				t.Error(err)
			}
			for range 100 {
				runtime.Gosched()
			}
			where <- topology.Here()
		}()
		if got := <-where; got != c.ID {
			t.Errorf("a thread that is bound to processor %d runs on %d", c.ID, got)
		}
	}
	failed := make(chan error)
	go func() {
		runtime.LockOSThread()
		failed <- topology.Pin(topology.MaxCPU - 1)
	}()
	if err := <-failed; err == nil {
		t.Error("a thread was bound to a processor that does not exist")
	}
}

func BenchmarkHere(b *testing.B) {
	for b.Loop() {
		topology.Here()
	}
}
