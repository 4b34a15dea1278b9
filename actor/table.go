package actor

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/xatomic"
	"github.com/troupe-go/troupe/sched"
)

// table is the process table: a slab that grows chunk by chunk and is read
// without a lock.
//
// Each worker has a magazine of free slots, so that actors which are born and end
// in handlers need no lock, and write to no place that another worker writes to:
// with one mutex and one list for all, 30% of the time of a tree of actors on two
// processors went there. Magazines are filled from the common list and emptied
// into it by half, so that it does not matter where an actor ends. Whoever comes
// from outside the workers takes slots from the list, and says so if there are
// none; the next worker that has some brings them.
type table struct {
	// chunks is replaced by a longer copy when it grows; a chunk never moves.
	// Written under mu.
	chunks atomic.Pointer[[]*chunk]
	// hungry says that the list had no slot for somebody from outside. Written
	// under mu, read by workers that have one.
	hungry    atomic.Bool
	scheduler *sched.Scheduler
	origin    uint32     // Generations are counted from here, see origins.
	magazines []magazine // By the ids of the workers; spare workers have none.
	_         [64]byte   // What is above is read by everyone.

	mu   sync.Mutex
	free []uint32
	used uint32 // Slots that were ever handed out.
	// How many actors were entered and removed from outside. Written under mu.
	born, ended xatomic.Count
}

// magazineSize is how many free slots a worker keeps at most. Half of them make
// the price of the lock one part in 32, and those of other workers are not missed.
const magazineSize = 64

// magazine has the free slots of a worker. It belongs to whatever runs there.
type magazine struct {
	slots [magazineSize]uint32
	n     int
	// How many actors were entered and removed on the worker. Read by everyone.
	born, ended xatomic.Count
	_           [64]byte // Other workers write to the next.
}

// chunkSize is the number of slots per chunk: 16 KB.
const chunkSize = 1024

type chunk [chunkSize]slot

// slot is one place of the process table. It is written by who has taken it out of
// the free ones, until it is there again.
type slot struct {
	proc atomic.Pointer[proc]
	gen  uint32
}

func newTable(s *sched.Scheduler, origin uint32) *table {
	t := &table{scheduler: s, origin: origin, magazines: make([]magazine, s.Workers())}
	t.chunks.Store(&[]*chunk{})
	return t
}

func (t *table) at(i uint32) *slot {
	chunks := *t.chunks.Load()
	if int(i/chunkSize) >= len(chunks) {
		return nil
	}
	return &chunks[i/chunkSize][i%chunkSize]
}

// magazineOf returns that of the worker which f, the caller's fiber, is on, or nil.
func (t *table) magazineOf(f *sched.Fiber) *magazine {
	if f == nil || f.Scheduler() != t.scheduler {
		return nil
	}
	if id := f.Worker(); id >= 0 && id < len(t.magazines) { // A host's is -1.
		return &t.magazines[id]
	}
	return nil
}

// add enters p and gives it its PID. From is the fiber of the caller, if any.
func (t *table) add(from *sched.Fiber, p *proc) {
	m := t.magazineOf(from)
	if m == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.enter(p, t.takeLocked(true))
		t.born.Store(t.born.Load() + 1)
		return
	}
	if m.n == 0 {
		t.supply(m)
	}
	m.n--
	t.enter(p, m.slots[m.n])
	m.born.Store(m.born.Load() + 1)
}

// enter makes p that of a slot which the caller has taken.
func (t *table) enter(p *proc, i uint32) {
	s := t.at(i)
	if invariants.Enabled {
		invariants.Check(s.proc.Load() == nil, "slot %d is taken twice", i)
	}
	s.gen++
	p.pid = PID{slot: i, gen: t.origin + s.gen}
	s.proc.Store(p)
}

// remove ends the life of p's PID. From is the fiber of the caller, if any.
func (t *table) remove(from *sched.Fiber, p *proc) {
	i := p.pid.slot
	s := t.at(i)
	s.proc.Store(nil)
	reusable := p.pid.gen < math.MaxUint32 // Else its generations are used up.
	m := t.magazineOf(from)
	if m == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ended.Store(t.ended.Load() + 1)
		if reusable {
			t.free = append(t.free, i)
		}
		return
	}
	m.ended.Store(m.ended.Load() + 1)
	if !reusable {
		return
	}
	if m.n == magazineSize {
		t.collect(m, magazineSize/2)
	}
	m.slots[m.n] = i
	m.n++
	if t.hungry.Load() {
		t.collect(m, 0)
	}
}

// takeLocked takes a free slot, or one that was never used. The caller holds mu.
func (t *table) takeLocked(outside bool) (i uint32) {
	if last := len(t.free) - 1; last >= 0 {
		i = t.free[last]
		t.free = t.free[:last]
		return i
	}
	if outside && !t.hungry.Load() {
		t.hungry.Store(true)
	}
	i = t.used
	t.used++
	if i%chunkSize == 0 {
		old := *t.chunks.Load()
		chunks := append(old[:len(old):len(old)], new(chunk))
		t.chunks.Store(&chunks)
	}
	return i
}

// supply fills half of an empty magazine, so that the lowest slot is used first.
func (t *table) supply(m *magazine) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for m.n = magazineSize / 2; m.n > 0; m.n-- {
		m.slots[m.n-1] = t.takeLocked(false)
	}
	m.n = magazineSize / 2
}

// collect puts slots of a magazine into the common list, and leaves it so many.
func (t *table) collect(m *magazine, keep int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, m.slots[keep:m.n]...)
	m.n = keep
	if t.hungry.Load() {
		t.hungry.Store(false)
	}
}

// live returns how many actors there are. One that is born or ends meanwhile may
// count or not: since the ends are read first, none counts for less than nothing.
func (t *table) live() int {
	ended := t.ended.Load()
	for i := range t.magazines {
		ended += t.magazines[i].ended.Load()
	}
	born := t.born.Load()
	for i := range t.magazines {
		born += t.magazines[i].born.Load()
	}
	return int(born - ended)
}

// lookup returns the actor with the given PID, or nil.
func (t *table) lookup(id PID) *proc {
	s := t.at(id.slot)
	if s == nil {
		return nil
	}
	p := s.proc.Load()
	if p == nil || p.pid != id {
		return nil
	}
	return p
}

// atOnce is how many slots who goes through the table looks at until it lets
// other goroutines run: 40 us for snapshots. Go would take the processor away
// only after 10 ms, and an actor whose worker, or asker, has become ready on it
// would wait for so long.
const atOnce = 256

// after calls f for the actors that are there, from the slot after that of id
// on, until it returns false.
func (t *table) after(id PID, f func(*proc) bool) {
	first := int(id.slot)
	if id != (PID{}) {
		first++
	}
	chunks := *t.chunks.Load()
	for n := first; n < len(chunks)*chunkSize; n++ {
		if n%atOnce == atOnce-1 {
			runtime.Gosched()
		}
		if p := chunks[n/chunkSize][n%chunkSize].proc.Load(); p != nil && !f(p) {
			return
		}
	}
}

// all calls f for every actor that is there during the whole call.
func (t *table) all(f func(*proc)) {
	t.after(PID{}, func(p *proc) bool {
		f(p)
		return true
	})
}
