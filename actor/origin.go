package actor

import (
	"math/bits"
	"slices"
	"sync"
	"weak"

	"github.com/troupe-go/troupe/internal/sim"
)

// origins keeps the PIDs of systems apart that run in this process at the same time: each system
// has an origin of its own, the number from which it counts the generations of its slots.
// The first origin is 0 and the others are as far apart as can be: 1/2 of all numbers, 1/4, 3/4
// and so on. The origin of a system that has stopped is used again, so PIDs are short where one
// system runs at a time.
//
// PIDs are part of the trace of a simulation, so its systems have origins of their own.
var origins = originPool{taken: map[simulation][]bool{}}

type originPool struct {
	mu    sync.Mutex
	taken map[simulation][]bool // By their order.
}

// simulation is the engine of one, or nil for what is not simulated.
type simulation = weak.Pointer[sim.Engine]

func currentSimulation() simulation { return weak.Make(sim.Current()) }

// take returns the first origin that is free.
func (o *originPool) take(in simulation) uint32 {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.taken[in]
	i := slices.Index(taken, false)
	if i < 0 {
		i = len(taken)
		taken = append(taken, false)
	}
	taken[i] = true
	o.taken[in] = taken
	return bits.Reverse32(uint32(i))
}

func (o *originPool) free(in simulation, origin uint32) {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.taken[in]
	taken[bits.Reverse32(origin)] = false
	if !slices.Contains(taken, true) {
		delete(o.taken, in)
	}
}
