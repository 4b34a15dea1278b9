package sched

import (
	"sync"
	"sync/atomic"
	"time"
)

// alarms resume fibers at times that their work has chosen.
//
// Why not a timer of package time for each: starting one goes so deep that the
// stack of the work, which is about to wait for long, grows from 2 KB to 4, and
// that takes 1.5 us. And each costs three allocations, and a goroutine when its time
// has come. Here there is one timer for the earliest of all.
//
// An alarm that is not needed any more stays where it is, as moving the others up
// would cost more than all the rest. It is told by its number, and once half of the
// alarms are such, all of them are swept out together.
type alarms struct {
	void atomic.Int64 // How many are not needed, or a few more.
	size atomic.Int64 // How many there are. Written under mu.

	mu     sync.Mutex
	queue  []alarm // A heap with four below each, the earliest first.
	timer  *time.Timer
	prompt prompt
	set    time.Duration // What the timer is set for, while armed.
	armed  bool
	epoch  time.Time
}

// alarm is the time at which a fiber is to be resumed.
type alarm struct {
	at     time.Duration // Since the epoch.
	f      *Fiber
	number uint64 // What f.alarm is while this one is needed: odd.
}

func (a alarm) needed() bool { return a.f.alarm.Load() == a.number }

// end reports whether the alarm was needed until now.
func (a alarm) end() bool { return a.f.alarm.CompareAndSwap(a.number, a.number+1) }

// alarmBits is how many bits of a number count. Those above are the place of the
// alarm among those of all workers.
const alarmBits = 48

// branching is how many are below each in the heap: four of them share two cache
// lines.
const branching = 4

// alarmsKept is for how many alarms there stays room when there are none: 32 KB.
const alarmsKept = 1024

// SetAlarm has the fiber resumed at a given time, with the priority of its work,
// in place of an alarm that was set before. Work that waits until then, or for
// something else at the same time, sets it, waits in a loop that looks at the clock,
// and at the end calls StopAlarm. It must be called from the fiber's goroutine. With
// StopAlarm it costs about 200 ns and no memory.
func (f *Fiber) SetAlarm(at time.Time) {
	f.StopAlarm()
	in := max(f.w.id, 0) % min(len(f.s.alarms), 1<<(64-alarmBits)) // The worker's own, lest all meet at one mutex.
	n := (f.alarm.Load()+1)&(1<<alarmBits-1) | uint64(in)<<alarmBits
	f.alarm.Store(n) // Nobody else does while none is set.
	f.alarmsOf(n).add(alarm{at: at.Sub(f.s.epoch), f: f, number: n})
}

// StopAlarm ends what SetAlarm has begun. A resume may come all the same, if its
// time has come.
func (f *Fiber) StopAlarm() {
	n := f.alarm.Load()
	if n&1 == 0 || !f.alarm.CompareAndSwap(n, n+1) {
		return // There is none, or it has rung.
	}
	if a := f.alarmsOf(n); 2*a.void.Add(1) > a.size.Load() {
		a.sweep()
	}
}

// alarmsOf returns those among which the alarm with the number is.
func (f *Fiber) alarmsOf(number uint64) *alarms { return &f.s.alarms[number>>alarmBits].alarms }

// apart keeps those of one worker off the cache lines of the next.
type apart struct {
	alarms
	_ [64]byte
}

func newAlarms(workers int, epoch time.Time) []apart {
	all := make([]apart, workers)
	for i := range all {
		all[i].epoch = epoch
	}
	return all
}

func (a *alarms) add(one alarm) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue = append(a.queue, one)
	a.rise(len(a.queue) - 1)
	a.size.Store(int64(len(a.queue)))
	if !a.armed || one.at < a.set {
		a.reset()
	}
}

// reset sets the timer for the earliest that is needed. The caller holds mu.
func (a *alarms) reset() {
	for len(a.queue) > 0 && !a.queue[0].needed() {
		a.pop()
		a.void.Add(-1)
	}
	if len(a.queue) == 0 {
		a.armed = false
		if cap(a.queue) > alarmsKept {
			a.queue = nil
		}
		if a.timer != nil {
			a.timer.Stop() // It may be hours away, and keeps the scheduler.
		}
		return
	}
	a.set, a.armed = a.queue[0].at, true
	left := a.set - time.Since(a.epoch)
	if a.timer == nil {
		a.timer = time.AfterFunc(left, a.ring)
	} else {
		a.timer.Reset(left)
	}
	a.prompt.set(left)
}

// closeAlarms lets go of what the alarms have of the system. Those that are set later
// still ring.
func (s *Scheduler) closeAlarms() {
	for i := range s.alarms {
		a := &s.alarms[i].alarms
		a.mu.Lock()
		a.prompt.close()
		a.mu.Unlock()
	}
}

// ring resumes the fibers whose time has come.
func (a *alarms) ring() {
	var due []*Fiber
	a.mu.Lock()
	now := time.Since(a.epoch)
	for len(a.queue) > 0 && a.queue[0].at <= now {
		if one := a.pop(); one.end() {
			due = append(due, one.f)
		} else {
			a.void.Add(-1)
		}
	}
	a.reset()
	a.mu.Unlock()
	for _, f := range due {
		f.Resume(nil, Low) // That is: with its own.
	}
}

// sweep takes out what is not needed, unless somebody else has done so.
func (a *alarms) sweep() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for 2*a.void.Load() > int64(len(a.queue)) && a.sweepLocked() { // Again for those that were stopped meanwhile, and saw the old size.
	}
}

// sweepLocked reports whether there were any. The caller holds mu.
func (a *alarms) sweepLocked() bool {
	before := len(a.queue)
	kept := a.queue[:0]
	for _, one := range a.queue {
		if one.needed() {
			kept = append(kept, one)
		}
	}
	a.void.Add(int64(len(kept) - len(a.queue)))
	clear(a.queue[len(kept):])
	a.queue = kept
	for i := len(kept)/branching + 1; i >= 0; i-- {
		a.sink(i)
	}
	a.size.Store(int64(len(a.queue)))
	if len(kept) == 0 || a.queue[0].at != a.set {
		a.reset()
	}
	return len(kept) < before
}

// pop takes out the earliest. The caller holds mu.
func (a *alarms) pop() alarm {
	first, last := a.queue[0], len(a.queue)-1
	a.queue[0] = a.queue[last]
	a.queue[last] = alarm{}
	a.queue = a.queue[:last]
	a.size.Store(int64(last))
	a.sink(0)
	return first
}

// rise moves the alarm at i up to its place in the heap.
func (a *alarms) rise(i int) {
	one := a.queue[i]
	for i > 0 {
		above := (i - 1) / branching
		if a.queue[above].at <= one.at {
			break
		}
		a.queue[i] = a.queue[above]
		i = above
	}
	a.queue[i] = one
}

// sink moves the alarm at i, if there is one, down to its place in the heap.
func (a *alarms) sink(i int) {
	if i >= len(a.queue) {
		return
	}
	one := a.queue[i]
	for {
		below := branching*i + 1
		if below >= len(a.queue) {
			break
		}
		least := below
		for j := below + 1; j < min(below+branching, len(a.queue)); j++ {
			if a.queue[j].at < a.queue[least].at {
				least = j
			}
		}
		if one.at <= a.queue[least].at {
			break
		}
		a.queue[i] = a.queue[least]
		i = least
	}
	a.queue[i] = one
}
