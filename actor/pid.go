package actor

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// PID identifies an actor within its system for as long as the system runs.
// It is a slot of the process table and the slot's generation: slots are used
// again, PIDs are not. The zero PID is nobody's.
type PID struct {
	slot uint32
	gen  uint32
}

// ParsePID returns the PID that String or MarshalText has written, with or
// without the brackets.
func ParsePID(text string) (PID, error) {
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "<"), ">")
	slot, gen, _ := strings.Cut(inner, ".")
	a, errSlot := strconv.ParseUint(slot, 10, 32)
	b, errGen := strconv.ParseUint(gen, 10, 32)
	if errSlot != nil || errGen != nil {
		return PID{}, fmt.Errorf("actor: %.40q is no PID; one looks like <12.1>, or 12.1", text)
	}
	return PID{uint32(a), uint32(b)}, nil
}

// PIDFromNumber returns the PID with the given [PID.Number].
func PIDFromNumber(n uint64) PID { return PID{uint32(n >> 32), uint32(n)} }

// Number returns the PID as a number, which is 0 for nobody's.
func (p PID) Number() uint64 { return uint64(p.slot)<<32 | uint64(p.gen) }

// MarshalText writes the PID without brackets, as in 12.1, and nobody's as
// nothing. So it is short in JSON and needs no escape in an address.
func (p PID) MarshalText() ([]byte, error) {
	if p == (PID{}) {
		return nil, nil
	}
	return fmt.Appendf(nil, "%d.%d", p.slot, p.gen), nil
}

// UnmarshalText reads what MarshalText has written.
func (p *PID) UnmarshalText(text []byte) (err error) {
	if *p = (PID{}); len(text) == 0 {
		return nil
	}
	*p, err = ParsePID(string(text))
	return err
}

// Compare orders PIDs by their places in the process table, as in
// [System.Infos]. It returns -1, 0 or 1.
func (p PID) Compare(other PID) int { return cmp.Compare(p.Number(), other.Number()) }

// String returns the PID as "<slot.generation>".
func (p PID) String() string { return fmt.Sprintf("<%d.%d>", p.slot, p.gen) }

// table is the process table: a slab that grows chunk by chunk and is read
// without a lock.
type table struct {
	// chunks is replaced by a longer copy when it grows; a chunk never moves.
	// Written under mu.
	chunks atomic.Pointer[[]*chunk]
	live   atomic.Int64

	mu   sync.Mutex
	free []uint32
	used uint32 // Slots that were ever handed out.
}

// chunkSize is the number of slots per chunk: 16 KB.
const chunkSize = 1024

type chunk [chunkSize]slot

// slot is one place of the process table. Proc is set and cleared under the
// table's mutex and read without; gen is guarded by it.
type slot struct {
	proc atomic.Pointer[proc]
	gen  uint32
}

func newTable() *table {
	t := &table{}
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

// add enters p and gives it its PID.
func (t *table) add(p *proc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var i uint32
	if last := len(t.free) - 1; last >= 0 {
		i = t.free[last]
		t.free = t.free[:last]
	} else {
		i = t.used
		t.used++
		if i%chunkSize == 0 {
			old := *t.chunks.Load()
			chunks := append(old[:len(old):len(old)], new(chunk))
			t.chunks.Store(&chunks)
		}
	}
	s := t.at(i)
	s.gen++
	p.pid = PID{slot: i, gen: s.gen}
	s.proc.Store(p)
	t.live.Add(1)
}

// remove ends the life of p's PID.
func (t *table) remove(p *proc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.at(p.pid.slot)
	s.proc.Store(nil)
	t.live.Add(-1)
	if s.gen < math.MaxUint32 { // Else its generations are used up.
		t.free = append(t.free, p.pid.slot)
	}
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
