package actor

import (
	"iter"
	"reflect"
	"sync"
	"time"
	"unsafe"
)

// Asked reports whether a system message waits for the actor, whose activation sees
// it before the next message.
func Asked[M any](r Ref[M]) bool {
	p := &r.cell.proc
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mu.Load()&pendingSystem != 0 && (p.first != sysNone || p.rare != nil && len(p.rare.mail) > 0)
}

// SendersWaiting returns how many senders wait for room in the lane of r.
func SendersWaiting[M any](r Ref[M]) int {
	r.cell.proc.mu.Lock()
	defer r.cell.proc.mu.Unlock()
	l := r.cell.proc.lanes[r.lane].Load()
	if l == nil {
		return 0
	}
	return int(l.waiting.Len())
}

// Idle reports whether no activation of the actor runs or is to come.
func Idle[M any](r Ref[M]) bool { return r.cell.proc.mu.Load()&^termBits == 0 }

// Quiet reports whether no activation of the actor runs or is to come, while
// messages may wait for a decision of its parent.
func Quiet[M any](r Ref[M]) bool {
	return r.cell.proc.mu.Load()&(running|queuedNormal|queuedUrgent) == 0
}

// BufferBytes returns the size of the buffers of an idle actor's lane.
func BufferBytes[M any](r Ref[M]) int {
	r.cell.proc.mu.Lock()
	defer r.cell.proc.mu.Unlock()
	l := r.cell.proc.lanes[r.lane].Load()
	if b, ok := l.contents.(*boxes); ok {
		return (cap(b.in) + cap(b.out)) * int(unsafe.Sizeof(unsafe.Pointer(nil)))
	}
	b := l.contents.(*buffers[M])
	return (cap(b.in) + cap(b.out)) * int(unsafe.Sizeof(*new(M)))
}

// WithGeneration returns id with another generation.
func WithGeneration(id PID, gen uint32) PID { return PID{slot: id.slot, gen: gen} }

// SameSlot reports whether two PIDs have the same place in the process table.
func SameSlot(a, b PID) bool { return a.slot == b.slot }

// Timers returns how many timers the actor has.
func Timers[M any](r Ref[M]) (n int) {
	r.cell.proc.mu.Lock()
	defer r.cell.proc.mu.Unlock()
	if r.cell.proc.rare == nil {
		return 0
	}
	for t := r.cell.proc.rare.timers; t != nil; t = t.next {
		n++
	}
	return n
}

// Stashed returns how many messages the actor has stashed.
func Stashed[M any](r Ref[M]) int { return r.cell.proc.ctx.Load().typed.(*Context[M]).Stashed() }

// IsAsk reports whether a Reply that belongs to an ask lies in m.
func IsAsk[M any](m M) bool {
	return messageTypeOf(reflect.TypeFor[M]()).FirstReply(unsafe.Pointer(&m)) != nil
}

// KindOf returns the kind of an actor.
func KindOf[M any](a Actor[M]) string {
	k, _ := kindOf(a)
	return k.name
}

// Waits reports whether a handler of the actor waits for another actor.
func Waits[M any](r Ref[M]) bool { return r.cell.proc.mayWait(nil) }

// Returning returns how many handlers of the actor wait for their turn.
func Returning[M any](r Ref[M]) int {
	r.cell.proc.mu.Lock()
	defer r.cell.proc.mu.Unlock()
	return len(r.cell.proc.rare.turns.queue)
}

// Watchers returns how many functions wait for the end of the actor's present
// incarnation. Package context keeps them to itself, so it looks there.
func Watchers[M any](r Ref[M]) int {
	l := r.cell.proc.ctx.Load().life.Load()
	if l == nil {
		return 0
	}
	v := reflect.ValueOf(l.ctx).Elem()
	mu := (*sync.Mutex)(unsafe.Pointer(v.FieldByName("mu").UnsafeAddr()))
	mu.Lock()
	defer mu.Unlock()
	return v.FieldByName("children").Len()
}

// Layout returns where fields are, in bytes from the beginning of an actor's cell,
// and of the buffers of a lane.
func Layout[M any]() (cellAt, buffersAt map[string]uintptr) {
	var c cell[M]
	var b buffers[M]
	var padded paddedBuffers[M]
	at := unsafe.Offsetof(b.lane)
	return map[string]uintptr{
			"alert":      unsafe.Offsetof(c.proc.alert),
			"reentrancy": unsafe.Offsetof(c.proc.reentrancy),
			"mu":         unsafe.Offsetof(c.proc.mu),
			"rare":       unsafe.Offsetof(c.proc.rare),
			"p":          unsafe.Offsetof(c.first) + unsafe.Offsetof(c.first.p),
			"actor":      unsafe.Offsetof(c.first) + unsafe.Offsetof(c.first.actor),
			"size":       unsafe.Sizeof(pocketedCell[M]{}),
		}, map[string]uintptr{
			"out":      unsafe.Offsetof(b.out),
			"slid":     at + unsafe.Offsetof(b.lane.slid),
			"contents": at + unsafe.Offsetof(b.lane.contents),
			"tight":    at + unsafe.Offsetof(b.lane.tight),
			"behind":   at + unsafe.Offsetof(b.lane.behind),
			"in":       unsafe.Offsetof(b.in),
			"size":     unsafe.Sizeof(padded),
		}
}

// SlotsUsed returns how many slots of the process table were ever used.
func SlotsUsed(s *System) int { return s.table.Used() }

// BlockingGoroutines returns how many goroutines there are for actors OnBlocking.
func BlockingGoroutines(s *System) int {
	return s.blocking.Goroutines()
}

// Closed reports whether the actor takes no messages any more.
func Closed[M any](r Ref[M]) bool {
	r.cell.proc.mu.Lock()
	defer r.cell.proc.mu.Unlock()
	return r.cell.proc.closed
}

// RestartSlowly is Restart of a child, and calls between when the parent has counted the child as one that begins and the child
// does not know yet.
func RestartSlowly[M any](c *Context[M], child PID, between func()) error {
	p, err := c.childOf(child)
	if err != nil {
		return err
	}
	does, err := c.rouse(p)
	between()
	if does {
		p.post(nil, sysMessage{kind: sysRestart})
		c.p.roused(nil, p)
	}
	return err
}

// Barred reports whether the actor takes no children any more, as its incarnation ends.
func Barred[M any](r Ref[M]) bool {
	r.cell.proc.mu.Lock()
	defer r.cell.proc.mu.Unlock()
	return r.cell.proc.barred
}

// Drains reports whether the actor has come to its drain, or to its end.
func Drains[M any](r Ref[M]) bool { return r.cell.proc.phase.Load() >= draining }

// HasLane reports whether the lane of r has been made.
func HasLane[M any](r Ref[M]) bool { return r.cell.proc.lanes[r.lane].Load() != nil }

// ReplyPools is where the pools of reply slots are found by the type of the answer.
type ReplyPools struct{ replyPools }

func (p *ReplyPools) Find(t reflect.Type) any            { return p.find(t) }
func (p *ReplyPools) Enter(t reflect.Type, pool any) any { return p.enter(t, pool) }

// Dues are the timers of an owner that wait for their time.
type Dues struct {
	dues   dues
	timers map[int]*timer
}

// NewDues returns empty ones.
func NewDues() *Dues { return &Dues{timers: map[int]*timer{}} }

func (d *Dues) Add(number, at int) {
	t := &timer{number: uint64(number)}
	d.timers[number] = t
	d.dues.add(t, time.Duration(at))
}

func (d *Dues) Remove(number int) { d.dues.remove(d.timers[number]) }

// Until returns the numbers of the timers that are due at the given time.
func (d *Dues) Until(at int) iter.Seq[int] {
	now := time.Duration(at)
	return func(yield func(int) bool) {
		for t := d.dues.next(now); t != nil && yield(int(t.number)); t = d.dues.next(now) {
		}
	}
}

// SweepsAsks reports whether the limit of asks has a sweep to come.
func SweepsAsks(s *System) bool { return s.asks.awake.Load() }

// Keys returns of how many timers t knows, over or not.
func Keys[K comparable, M any](t *KeyedTimers[K, M]) int { return len(t.timers) }

// StandIns returns how many stand-ins a system knows.
func StandIns(s *System) int {
	h := s.abroad.Load()
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.byPID)
}

// IsLifted reports whether critical work waits for the actor.
func IsLifted[M any](r Ref[M]) bool { return r.cell.proc.isLifted() }
