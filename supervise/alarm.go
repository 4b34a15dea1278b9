package supervise

import (
	"container/heap"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
)

// alarm is a call that the supervisor makes to itself later.
type alarm struct {
	at    time.Time
	ring  func(ctx *actor.Context[command])
	index int // In the heap; -1 if it is not there.
}

// alarms are all alarms of a supervisor. They share one timer: a timer for each
// start of a child would take longer than the start. The timer wakes the supervisor,
// and sends no message: those wait while the supervisor is suspended.
type alarms struct {
	heap  alarmHeap
	timer atomic.Pointer[time.Timer] // Nil if it is not set. Written by the supervisor, and by quiet.
	next  time.Time                  // For when the timer is set; zero if it is not.
}

// set adds an alarm.
func (a *alarms) set(ctx *actor.Context[command], d time.Duration, ring func(ctx *actor.Context[command])) *alarm {
	one := &alarm{at: time.Now().Add(d), ring: ring}
	heap.Push(&a.heap, one)
	a.arm(ctx)
	return one
}

// cancel removes an alarm, which may be nil or have rung. The timer stays: it
// then wakes the supervisor for nothing, once.
func (a *alarms) cancel(one *alarm) {
	if one != nil && one.index >= 0 {
		heap.Remove(&a.heap, one.index)
	}
}

// arm sets the timer for the earliest alarm.
func (a *alarms) arm(ctx *actor.Context[command]) {
	if len(a.heap) == 0 {
		return
	}
	at := a.heap[0].at
	if !a.next.IsZero() && !at.Before(a.next) {
		return
	}
	a.quiet()
	sys, id := ctx.System(), ctx.PID()
	guest := (*workers.Scheduler)(sys.Scheduler()).NewGuest("alarm of " + ctx.Path())
	a.timer.Store(time.AfterFunc(max(0, time.Until(at)), func() {
		guest.AwaitTurn()
		_ = sys.Wake(id) // Else it has stopped.
	}))
	a.next = at
}

// quiet stops the timer. It may be called by others than the supervisor when that has
// ended.
func (a *alarms) quiet() {
	if t := a.timer.Swap(nil); t != nil {
		t.Stop()
	}
}

// ring calls what is due.
func (a *alarms) ring(ctx *actor.Context[command]) {
	if now := time.Now(); !a.next.IsZero() && !a.next.After(now) {
		a.next = time.Time{}
		for len(a.heap) > 0 && !a.heap[0].at.After(now) {
			one := heap.Pop(&a.heap).(*alarm)
			one.ring(ctx)
		}
	}
	a.arm(ctx)
}

// alarmHeap is a [heap.Interface], the earliest first.
type alarmHeap []*alarm

func (h alarmHeap) Len() int           { return len(h) }
func (h alarmHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h alarmHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push is for package heap.
func (h *alarmHeap) Push(x any) {
	one := x.(*alarm)
	one.index = len(*h)
	*h = append(*h, one)
}

// Pop is for package heap.
func (h *alarmHeap) Pop() any {
	last := len(*h) - 1
	one := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	one.index = -1
	return one
}
