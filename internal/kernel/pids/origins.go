package pids

import (
	"math/bits"
	"slices"
	"sync"
	"weak"

	"github.com/troupe-go/troupe/internal/sim"
)

// Origins keeps the IDs of systems apart that run in this process at the same time: each system has an origin of its
// own, the number from which it counts the generations of its slots. The first origin is 0 and the others are as far
// apart as can be: 1/2 of all numbers, 1/4, 3/4 and so on. The origin of a system that has stopped is used again, so IDs
// are short where one system runs at a time.
//
// IDs are part of the trace of a simulation, so the systems of each simulation have origins of their own. The zero
// Origins is ready to use, and safe for concurrent use.
type Origins struct {
	mu    sync.Mutex
	taken map[simulation][]bool // By their order.
}

// simulation is the engine of a simulation, or nil outside of one.
type simulation = weak.Pointer[sim.Engine]

// Take returns the first free origin of the caller's simulation, or of the world outside of simulations. Free ends its
// use.
func (o *Origins) Take() (origin uint32, free func()) {
	in := weak.Make(sim.Current())
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.taken == nil {
		o.taken = map[simulation][]bool{}
	}
	taken := o.taken[in]
	i := slices.Index(taken, false)
	if i < 0 {
		i = len(taken)
		taken = append(taken, false)
	}
	taken[i] = true
	o.taken[in] = taken
	return bits.Reverse32(uint32(i)), func() { o.free(in, i) }
}

func (o *Origins) free(in simulation, i int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.taken[in]
	taken[i] = false
	if !slices.Contains(taken, true) {
		delete(o.taken, in)
	}
}
