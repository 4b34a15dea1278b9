// Package pids has the process table: it gives each process an ID that no other process has or had, and finds a
// process by its ID.
package pids

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// ID is a slot of a process table and the slot's generation. Slots are used again, IDs are not. No process has the zero
// ID.
type ID struct{ Slot, Gen uint32 }

// Table is the process table of a system: a slab that grows chunk by chunk and is read without a lock.
//
// Each worker has a magazine of free slots, so that processes which begin and end on workers need no lock, and write to
// no place that another worker writes to: with one mutex and one list for all, 30% of the time of a tree of actors on
// two processors went there. Magazines are filled from the common list and emptied into it by half, so that it does not
// matter where a process ends. A goroutine that is no worker takes slots from the list, and says so if there are none;
// the next worker that has some brings them.
//
// All methods are safe for concurrent use, but a worker's number is for that worker alone.
type Table[P any] struct {
	// chunks is replaced by a longer copy when it grows; a chunk never moves. Written under mu.
	chunks atomic.Pointer[[]*chunk[P]]
	// hungry says that the list had no slot for a goroutine from outside. Written under mu, read by workers that have
	// one.
	hungry    atomic.Bool
	origin    uint32     // Generations are counted from here, see origins.
	magazines []magazine // By the numbers of the workers; spare workers have none.
	_         [64]byte   // All goroutines read the fields above.

	mu   sync.Mutex
	free []uint32
	used uint32 // Slots that were ever handed out.
	// How many IDs were taken and removed from outside. Written under mu.
	born, ended xatomic.Count
}

// magazineSize is how many free slots a worker keeps at most. A worker
// moves half of them under one lock, which makes the price of the lock one part in 32.
// So few slots are not missed elsewhere.
const magazineSize = 64

// magazine has the free slots of a worker. It belongs to whatever runs there.
type magazine struct {
	slots [magazineSize]uint32
	n     int
	// How many IDs were taken and removed on the worker. Read by everyone.
	born, ended xatomic.Count
	_           [64]byte // Other workers write to the next.
}

// chunkSize is the number of slots per chunk: 16 KB.
const chunkSize = 1024

type chunk[P any] [chunkSize]slot[P]

// slot is one place of the table. The caller that has taken it out of the free ones writes it, until it is there again.
type slot[P any] struct {
	process atomic.Pointer[P]
	gen     uint32
}

// Outside is the number of a goroutine that is no worker.
const Outside = -1

// New returns a table for a system with so many workers. Its IDs are its own as long as no other table in this process has
// the same origin; see [Origins].
func New[P any](workers int, origin uint32) *Table[P] {
	t := &Table[P]{origin: origin, magazines: make([]magazine, workers)}
	t.chunks.Store(&[]*chunk[P]{})
	return t
}

// Origin returns what New got.
func (t *Table[P]) Origin() uint32 { return t.origin }

func (t *Table[P]) at(i uint32) *slot[P] {
	chunks := *t.chunks.Load()
	if int(i/chunkSize) >= len(chunks) {
		return nil
	}
	return &chunks[i/chunkSize][i%chunkSize]
}

// magazineOf returns the magazine of the calling worker, or nil: spare workers, and all that is outside, have none.
func (t *Table[P]) magazineOf(worker int) *magazine {
	if worker >= 0 && worker < len(t.magazines) {
		return &t.magazines[worker]
	}
	return nil
}

// Take returns a fresh ID, on a worker or [Outside]. It counts as live from now on. The caller enters its process next.
func (t *Table[P]) Take(worker int) ID {
	m := t.magazineOf(worker)
	if m == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.born.Store(t.born.Load() + 1)
		return t.fresh(t.takeLocked(true))
	}
	if m.n == 0 {
		t.supply(m)
	}
	m.n--
	m.born.Store(m.born.Load() + 1)
	return t.fresh(m.slots[m.n])
}

// fresh returns the next ID of a slot that the caller has taken.
func (t *Table[P]) fresh(i uint32) ID {
	s := t.at(i)
	if invariants.Enabled {
		invariants.Check(s.process.Load() == nil, "slot %d is taken twice", i)
	}
	s.gen++
	return ID{i, t.origin + s.gen}
}

// Enter makes p findable by the ID that Take has returned.
func (t *Table[P]) Enter(id ID, p *P) { t.at(id.Slot).process.Store(p) }

// Remove ends the life of an ID, on a worker or [Outside].
func (t *Table[P]) Remove(worker int, id ID) {
	i := id.Slot
	t.at(i).process.Store(nil)
	reusable := id.Gen < math.MaxUint32 // Else its generations are used up.
	m := t.magazineOf(worker)
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
func (t *Table[P]) takeLocked(outside bool) (i uint32) {
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
		chunks := append(old[:len(old):len(old)], new(chunk[P]))
		t.chunks.Store(&chunks)
	}
	return i
}

// supply fills half of an empty magazine. The lowest slot is used first.
func (t *Table[P]) supply(m *magazine) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for m.n = magazineSize / 2; m.n > 0; m.n-- {
		m.slots[m.n-1] = t.takeLocked(false)
	}
	m.n = magazineSize / 2
}

// collect moves slots of a magazine into the common list until the magazine has so many.
func (t *Table[P]) collect(m *magazine, keep int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, m.slots[keep:m.n]...)
	m.n = keep
	if t.hungry.Load() {
		t.hungry.Store(false)
	}
}

// Live returns how many IDs are taken. One that is taken or removed meanwhile may count or not: since the ends are read
// first, none counts for less than nothing.
func (t *Table[P]) Live() int {
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

// Used returns how many slots were ever used.
func (t *Table[P]) Used() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return int(t.used)
}

// At returns the process that has a slot now, or nil. The caller looks whether it has the ID that is looked for.
func (t *Table[P]) At(slot uint32) *P {
	if s := t.at(slot); s != nil {
		return s.process.Load()
	}
	return nil
}

// atOnce is how many slots From looks at until it lets other goroutines run: 40 us for snapshots. Go would take the
// processor away only after 10 ms, and an actor whose worker, or asker, has become ready on it would wait for so long.
const atOnce = 256

// From calls f for the processes that are there, from the given slot on, until f returns false. It does not miss a process
// that is there during the whole call.
func (t *Table[P]) From(slot int, f func(*P) bool) {
	chunks := *t.chunks.Load()
	for n := slot; n < len(chunks)*chunkSize; n++ {
		if n%atOnce == atOnce-1 {
			runtime.Gosched()
		}
		if p := chunks[n/chunkSize][n%chunkSize].process.Load(); p != nil && !f(p) {
			return
		}
	}
}
