// Package alarms wakes sleepers at times that they have chosen.
package alarms

import (
	"sync"
	"sync/atomic"
	"time"
)

// Alarms has the alarms of all sleepers, apart for each worker, so that workers do not meet at one mutex.
//
// A timer of package time for each sleeper would be dearer. To start one goes so deep that the stack of the work, which is
// about to wait for long, grows from 2 KB to 4, and that takes 1.5 us. Each also costs three allocations, and a goroutine
// when its time has come. Here there is one timer for the earliest alarm of a worker.
//
// An alarm that is not needed any more stays where it is, since moving the others up would cost more than all the rest.
// Its number tells it from the present alarm, and once half of the alarms are void, all of those are swept out together.
type Alarms struct {
	epoch time.Time
	heaps []apart
}

// apart keeps the heap of one worker off the cache lines of the next.
type apart struct {
	heap
	_ [64]byte
}

// Sleeper is woken by an alarm. It has one alarm at a time.
type Sleeper interface {
	// Alarm returns the sleeper's number of alarms: always the same.
	Alarm() *Number
	// Wake is called when the time has come, from any goroutine.
	Wake()
}

// Number counts the alarms of a sleeper: it is odd while one is set. Its high bits say in which heap that is. The sleeper
// writes it, and a heap that rings.
type Number struct{ n atomic.Uint64 }

// numberBits is how many bits of a number count. Those above are the heap.
const numberBits = 48

// New returns the alarms of that number of workers. Their times count from the epoch.
func New(workers int, epoch time.Time) Alarms {
	a := Alarms{epoch, make([]apart, workers)}
	for i := range a.heaps {
		a.heaps[i].epoch = epoch
	}
	return a
}

// Set has s woken at a given time, instead of an alarm that was set before. The sleeper calls it, on the given worker, or
// on none, which is -1.
func (a *Alarms) Set(worker int, at time.Time, s Sleeper) {
	number := s.Alarm()
	a.Stop(number)
	in := max(worker, 0) % min(len(a.heaps), 1<<(64-numberBits))
	n := (number.n.Load()+1)&(1<<numberBits-1) | uint64(in)<<numberBits
	number.n.Store(n) // Nobody else does while none is set.
	a.heaps[in].add(alarm{at: at.Sub(a.epoch), sleeper: s, number: n})
}

// Stop ends the sleeper's alarm. A call of Wake may come all the same, if its time has come.
func (a *Alarms) Stop(number *Number) {
	n := number.n.Load()
	if n&1 == 0 || !number.n.CompareAndSwap(n, n+1) {
		return // There is none, or it has rung.
	}
	if h := &a.heaps[n>>numberBits]; 2*h.void.Add(1) > h.size.Load() {
		h.sweep()
	}
}

// Close gives the system's timers back. Alarms that are set later still ring.
func (a *Alarms) Close() {
	for i := range a.heaps {
		h := &a.heaps[i]
		h.mu.Lock()
		h.system.close()
		h.mu.Unlock()
	}
}

// Len returns how many alarms there are, the ones included that are not needed and still in a heap.
func (a *Alarms) Len() (n int) {
	for i := range a.heaps {
		n += int(a.heaps[i].size.Load())
	}
	return n
}

// heap has the alarms that were set on one worker.
type heap struct {
	void atomic.Int64 // How many are not needed, or a few more.
	size atomic.Int64 // How many there are. Written under mu.

	mu     sync.Mutex
	queue  []alarm // A heap with four below each, the earliest first.
	timer  *time.Timer
	system systemTimer
	set    time.Duration // The time that the timer is set for, while armed.
	armed  bool
	epoch  time.Time
}

// alarm is the time at which a sleeper is to be woken.
type alarm struct {
	at      time.Duration // Since the epoch.
	sleeper Sleeper
	number  uint64 // The sleeper's number while this alarm is needed: odd.
}

func (a alarm) needed() bool { return a.sleeper.Alarm().n.Load() == a.number }

// end reports whether the alarm was needed until now.
func (a alarm) end() bool { return a.sleeper.Alarm().n.CompareAndSwap(a.number, a.number+1) }

const (
	// branching is how many are below each in the heap: four of them share two cache lines.
	branching = 4
	// kept is for how many alarms an empty heap keeps room: 32 KB.
	kept = 1024
)

func (h *heap) add(one alarm) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue = append(h.queue, one)
	h.rise(len(h.queue) - 1)
	h.size.Store(int64(len(h.queue)))
	if !h.armed || one.at < h.set {
		h.reset()
	}
}

// reset sets the timer for the earliest that is needed. The caller holds mu.
func (h *heap) reset() {
	for len(h.queue) > 0 && !h.queue[0].needed() {
		h.pop()
		h.void.Add(-1)
	}
	if len(h.queue) == 0 {
		h.armed = false
		if cap(h.queue) > kept {
			h.queue = nil
		}
		if h.timer != nil {
			h.timer.Stop() // It may be hours away, and keeps the heap.
		}
		return
	}
	h.set, h.armed = h.queue[0].at, true
	left := h.set - time.Since(h.epoch)
	if h.timer == nil {
		h.timer = time.AfterFunc(left, h.ring)
	} else {
		h.timer.Reset(left)
	}
	h.system.set(left)
}

// ring wakes the sleepers whose time has come.
func (h *heap) ring() {
	var due []Sleeper
	h.mu.Lock()
	now := time.Since(h.epoch)
	for len(h.queue) > 0 && h.queue[0].at <= now {
		if one := h.pop(); one.end() {
			due = append(due, one.sleeper)
		} else {
			h.void.Add(-1)
		}
	}
	h.reset()
	h.mu.Unlock()
	for _, s := range due {
		s.Wake()
	}
}

// sweep takes out the alarms that are not needed, unless another caller has done so.
func (h *heap) sweep() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for 2*h.void.Load() > int64(len(h.queue)) && h.sweepLocked() { // Again for those that were stopped meanwhile, and saw the old size.
	}
}

// sweepLocked reports whether there were any. The caller holds mu.
func (h *heap) sweepLocked() bool {
	before := len(h.queue)
	left := h.queue[:0]
	for _, one := range h.queue {
		if one.needed() {
			left = append(left, one)
		}
	}
	h.void.Add(int64(len(left) - len(h.queue)))
	clear(h.queue[len(left):])
	h.queue = left
	for i := len(left)/branching + 1; i >= 0; i-- {
		h.sink(i)
	}
	h.size.Store(int64(len(h.queue)))
	if len(left) == 0 || h.queue[0].at != h.set {
		h.reset()
	}
	return len(left) < before
}

// pop takes out the earliest. The caller holds mu.
func (h *heap) pop() alarm {
	first, last := h.queue[0], len(h.queue)-1
	h.queue[0] = h.queue[last]
	h.queue[last] = alarm{}
	h.queue = h.queue[:last]
	h.size.Store(int64(last))
	h.sink(0)
	return first
}

// rise moves the alarm at i up to its place in the heap.
func (h *heap) rise(i int) {
	one := h.queue[i]
	for i > 0 {
		above := (i - 1) / branching
		if h.queue[above].at <= one.at {
			break
		}
		h.queue[i] = h.queue[above]
		i = above
	}
	h.queue[i] = one
}

// sink moves the alarm at i, if there is one, down to its place in the heap.
func (h *heap) sink(i int) {
	if i >= len(h.queue) {
		return
	}
	one := h.queue[i]
	for {
		below := branching*i + 1
		if below >= len(h.queue) {
			break
		}
		least := below
		for j := below + 1; j < min(below+branching, len(h.queue)); j++ {
			if h.queue[j].at < h.queue[least].at {
				least = j
			}
		}
		if one.at <= h.queue[least].at {
			break
		}
		h.queue[i] = h.queue[least]
		i = least
	}
	h.queue[i] = one
}
