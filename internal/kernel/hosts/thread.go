package hosts

import (
	"runtime"
	"sync"

	"github.com/troupe-go/troupe/internal/workers"
)

// Thread is the host of one actor that has an OS thread to itself. Its goroutine starts with the first entry and ends
// with the actor. A goroutine that has lost the actor to a kill ends when the handler returns, and another one has begun
// meanwhile. So one at a time is present at most.
type Thread struct {
	site *Site

	mu      sync.Mutex
	queue   entries
	present *presence // The goroutine that takes from the queue, or nil.
	over    bool
}

// presence is one goroutine of a Thread.
type presence struct {
	wake chan struct{} // Holds a token when there is something to look at.
}

// NewThread returns a host that has no thread yet.
func NewThread(site *Site) *Thread { return &Thread{site: site} }

// Submit implements [Host].
func (t *Thread) Submit(n *workers.Node, p workers.Priority) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	t.queue.push(entry{n, p})
	t.serveLocked()
}

// serveLocked has a goroutine look at the queue. The caller holds mu.
func (t *Thread) serveLocked() {
	if t.present == nil {
		t.present = &presence{wake: make(chan struct{}, 1)}
		t.site.goroutines.Add(1)
		go t.run(t.present)
	}
	t.present.poke()
}

func (r *presence) poke() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Abandon implements [Host]. The handler may have returned in the meantime, and then another goroutine may be present,
// at work or idle: it ends, too, as soon as it is idle.
func (t *Thread) Abandon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.present != nil {
		t.present.poke()
	}
	t.present = nil
	t.goOnLocked()
}

// goOnLocked has a goroutine come for what is left, as the next entry may have been submitted before the present
// goroutine was lost. The caller holds mu.
func (t *Thread) goOnLocked() {
	if !t.over && !t.queue.empty() {
		t.serveLocked()
	}
}

// End implements [Host].
func (t *Thread) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if t.present != nil {
		t.present.poke()
	}
}

func (t *Thread) run(r *presence) {
	runtime.LockOSThread() // Not unlocked: what C code has left on the thread goes with it.
	h := t.site.scheduler.NewHost()
	h.Enter()
	defer t.site.goroutines.Done()
	defer t.leave(r, h)
	for {
		e, more := t.next(r)
		switch {
		case !more:
			return
		case e.n == nil:
			<-r.wake
		default:
			h.Run(e.n, e.p)
		}
	}
}

// next takes the next entry, which is zero if there is none. It returns false if the goroutine shall end.
func (t *Thread) next(r *presence) (e entry, more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || t.present != r {
		return entry{}, false
	}
	e, _ = t.queue.pop()
	return e, true
}

// leave ends a goroutine, also if a handler has called Goexit. Then another goes on in its place.
func (t *Thread) leave(r *presence, h *workers.Host) {
	h.Leave()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.present != r {
		return
	}
	t.present = nil
	t.goOnLocked()
}
