package hosts

import (
	"sync"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// Pool is a host of any number of actors: goroutines that start when there is something to do and none is idle, and end
// when they have been idle for long.
//
// As many as the limit says have a place. A goroutine whose handler waits for other actors gives its place up, since
// those may need one. It goes on when it has a place again, which it gets before what is queued.
type Pool struct {
	site  *Site
	limit int

	mu    sync.Mutex
	queue entries
	idle  []chan struct{} // The goroutines that wait for more. The one that came last is at the end.
	back  []chan struct{} // The goroutines that want their place back, in order.
	n     int             // How many goroutines have a place.
}

// keepIdle is how long a goroutine waits for more: long enough for a steady trickle. Picked out of thin air.
const keepIdle = time.Second

// NewPool returns a pool of up to limit goroutines, or of any number if limit is negative.
func NewPool(site *Site, limit int) *Pool { return &Pool{site: site, limit: limit} }

// Goroutines returns how many goroutines have a place.
func (b *Pool) Goroutines() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

// Submit implements [Host].
func (b *Pool) Submit(n *workers.Node, p workers.Priority) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue.push(entry{n, p})
	b.serveLocked()
}

// serveLocked has one more goroutine look at the queue. The caller holds mu.
func (b *Pool) serveLocked() {
	if last := len(b.idle) - 1; last >= 0 {
		b.idle[last] <- struct{}{} // It has room for the one token that it gets.
		b.idle = b.idle[:last]
		return
	}
	if b.limit < 0 || b.n < b.limit {
		b.n++
		b.site.goroutines.Add(1)
		go b.run()
	}
}

// Abandon implements [Host]. Another goroutine runs what comes next.
func (b *Pool) Abandon() {}

// End implements [Host].
func (b *Pool) End() {}

func (b *Pool) run() {
	h := b.site.scheduler.NewHost()
	h.SetTurn(b)
	h.Enter()
	defer b.site.goroutines.Done()
	defer func() { // Also if a handler has called Goexit.
		h.Leave()
		b.leave()
	}()
	wake := make(chan struct{}, 1)
	for {
		e, what := b.next(wake)
		switch {
		case what == toRun:
			h.Run(e.n, e.p)
		case what == toLeave || !b.await(wake):
			return
		}
	}
}

// step is what a goroutine does next.
type step uint8

const (
	toRun step = iota
	toWait
	toLeave // Another one needs its place.
)

// next takes the next entry. If there is none, the caller is among the idle.
func (b *Pool) next(wake chan struct{}) (entry, step) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.back) > 0 {
		return entry{}, toLeave
	}
	e, ok := b.queue.pop()
	if !ok {
		b.idle = append(b.idle, wake)
		return e, toWait
	}
	return e, toRun
}

// await waits for more. It returns false if nothing has come for long, or nothing can come.
func (b *Pool) await(wake chan struct{}) bool {
	timer := time.NewTimer(keepIdle)
	defer timer.Stop()
	select {
	case <-wake:
		return true
	case <-timer.C:
	case <-b.site.empty:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, other := range b.idle {
		if other == wake {
			b.idle = append(b.idle[:i], b.idle[i+1:]...)
			return false
		}
	}
	<-wake // It was chosen just now.
	return true
}

// leave gives up the place of a goroutine.
func (b *Pool) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n--
	switch {
	case len(b.back) > 0:
		b.n++
		b.back[0] <- struct{}{} // It has room for the one token that it gets.
		b.back = b.back[1:]
	case !b.queue.empty():
		b.serveLocked()
	}
}

var _ workers.Turn = (*Pool)(nil)

// GiveUp implements [workers.Turn]. It is called on a goroutine before its handler waits.
func (b *Pool) GiveUp() { b.leave() }

// TakeBack implements [workers.Turn]. It is called on the goroutine when the wait is over, and returns with a place.
func (b *Pool) TakeBack() {
	b.mu.Lock()
	if b.limit < 0 || b.n < b.limit {
		b.n++
		b.mu.Unlock()
		return
	}
	granted := make(chan struct{}, 1)
	b.back = append(b.back, granted)
	if len(b.idle) > 0 {
		b.serveLocked() // That one leaves, for this one.
	}
	b.mu.Unlock()
	<-granted
}
