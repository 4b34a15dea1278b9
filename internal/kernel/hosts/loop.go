package hosts

import (
	// Without these imports, the compiler does not inline the methods of the types in xatomic, but calls them.
	_ "sync"
	_ "sync/atomic"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Loop is a host of any number of actors: they run nowhere but in Run, which an event loop calls. W is the type of an
// actor.
type Loop[W any] struct {
	host *workers.Host
	ring func()

	mu    xatomic.Mutex
	queue entries
	// rung is set by the first caller of Submit, who then rings. Run clears it together with the look at the queue that
	// finds it empty, just before it returns. Both hold mu. So whatever comes after that look rings, and whatever came
	// before has been handled. If Run returns while there is more, rung stays set, since the loop is about to come again.
	rung bool
	busy bool // Run is at work.

	// holder is the actor whose handler waits, and so holds up the loop, or has done so last. That handler's goroutine
	// writes it before its wait is known, and the search for rings reads it.
	holder xatomic.Pointer[W]
}

// NewLoop returns a loop whose Run will be called after ring, at the latest. Ring must neither wait nor panic, and may
// be called on any goroutine.
func NewLoop[W any](s *workers.Scheduler, ring func()) *Loop[W] {
	return &Loop[W]{host: s.NewHost(), ring: ring}
}

// Submit implements [Host]. It rings once for a batch of entries, and not while Run is at work.
func (l *Loop[W]) Submit(n *workers.Node, p workers.Priority) {
	l.mu.Lock()
	l.queue.push(entry{n, p})
	ring := !l.rung && !l.busy
	l.rung = true
	l.mu.Unlock()
	if ring {
		l.ring()
	}
}

// Abandon implements [Host].
func (l *Loop[W]) Abandon() {}

// End implements [Host].
func (l *Loop[W]) End() {}

// Hold notes that the handler of w is about to wait, on the goroutine of the loop.
func (l *Loop[W]) Hold(w *W) { l.holder.Store(w) }

// HeldFor returns the actor that holds up w, which lives in the loop, or nil if it is w itself or none. It may have
// ceased to wait.
func (l *Loop[W]) HeldFor(w *W) *W {
	if h := l.holder.Load(); h != w {
		return h
	}
	return nil
}

// Run runs entries until none is left or over returns true, but at least one if there is one. It reports whether there
// is more. It returns false for ok, and runs nothing, if another call is at work.
func (l *Loop[W]) Run(over func() bool) (more, ok bool) {
	l.mu.Lock()
	if l.busy {
		l.mu.Unlock()
		return false, false
	}
	l.busy, l.rung = true, true
	l.mu.Unlock()
	l.host.Enter()
	defer l.stop()
	for {
		e, ok := l.next()
		if !ok {
			return false, true
		}
		l.runOne(e)
		if over() {
			return l.pause(), true
		}
	}
}

// next takes an entry. If there is none, the next Submit rings.
func (l *Loop[W]) next() (entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.queue.pop()
	if !ok {
		l.rung = false
		l.leaveLocked()
	}
	return e, ok
}

// pause ends a Run whose time is over, and reports whether there is more.
func (l *Loop[W]) pause() (more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaveLocked()
	if l.queue.empty() {
		l.rung = false
		return false
	}
	return true
}

func (l *Loop[W]) leaveLocked() {
	if l.busy {
		l.host.Leave()
		l.busy = false
		l.holder.Store(nil)
	}
}

// stop ends a Run that a Goexit has ended, and rings for what is left.
func (l *Loop[W]) stop() {
	l.mu.Lock()
	left := l.busy
	if left {
		l.leaveLocked()
		l.rung = !l.queue.empty()
		left = l.rung
	}
	l.mu.Unlock()
	if left {
		l.ring()
	}
}

// Vanished is the value of the panic by which a run that has lost its actor gets back to the loop. A Goexit would end
// the goroutine of the loop.
type Vanished struct{}

// runOne runs one entry.
func (l *Loop[W]) runOne(e entry) {
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(Vanished); !ok {
				panic(v)
			}
		}
	}()
	l.host.Run(e.n, e.p)
}
