package actor

import (
	"runtime"
	"sync"

	"github.com/troupe-go/troupe/sched"
)

// thread is the host of one actor that has an OS thread to itself. Its goroutine
// starts with the first activation and ends with the actor. One that has lost
// the actor to a kill ends when the handler returns, and another has begun
// meanwhile; so at most one at a time is present.
type thread struct {
	sys *System

	mu      sync.Mutex
	queue   entries
	present *threadRun // Who takes from the queue, or nil.
	over    bool
}

// threadRun is one goroutine of a thread.
type threadRun struct {
	wake chan struct{} // Holds a token when there is something to look at.
}

func (t *thread) submit(n *sched.Node, p sched.Priority) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	t.queue.push(entry{n, p})
	t.serveLocked()
}

// serveLocked has somebody look at the queue. The caller holds mu.
func (t *thread) serveLocked() {
	if t.present == nil {
		t.present = &threadRun{wake: make(chan struct{}, 1)}
		t.sys.hosts.Add(1)
		go t.run(t.present)
	}
	t.present.poke()
}

func (r *threadRun) poke() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// abandon is called when a kill has taken the actor from the goroutine that is present. The handler may have returned in
// the meantime, and then another goroutine may be present, at work or idle: it ends, too, as soon as it is idle.
func (t *thread) abandon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.present != nil {
		t.present.poke()
	}
	t.present = nil
	t.goOnLocked()
}

// goOnLocked has somebody come for what is left, as the next activation may have been
// submitted before the present one was lost. The caller holds mu.
func (t *thread) goOnLocked() {
	if !t.over && !t.queue.empty() {
		t.serveLocked()
	}
}

func (t *thread) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if t.present != nil {
		t.present.poke()
	}
}

func (t *thread) run(r *threadRun) {
	runtime.LockOSThread() // Not unlocked: what C code has left on the thread goes with it.
	h := t.sys.scheduler.NewHost()
	h.Enter()
	defer t.sys.hosts.Done()
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

// next takes the next entry, which is zero if there is none. It returns false if
// the goroutine shall end.
func (t *thread) next(r *threadRun) (e entry, more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || t.present != r {
		return entry{}, false
	}
	e, _ = t.queue.pop()
	return e, true
}

// leave ends a goroutine, also if a handler has called Goexit. Then another goes
// on in its place.
func (t *thread) leave(r *threadRun, h *sched.Host) {
	h.Leave()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.present != r {
		return
	}
	t.present = nil
	t.goOnLocked()
}
