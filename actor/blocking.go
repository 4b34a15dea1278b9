package actor

import (
	"sync"
	"time"

	"github.com/troupe-go/troupe/sched"
)

// blocking is the host of all actors of a system that run OnBlocking: goroutines
// that are started when there is something to do and none is idle, and that leave when
// they have been idle for long.
//
// As many as the limit says have a place. One whose handler waits for other actors gives
// its place up, since it may be for what needs one, and goes on when it has one again:
// before what is queued.
type blocking struct {
	sys   *System
	limit int

	mu    sync.Mutex
	queue entries
	idle  []chan struct{} // Of those that wait for more, the one that came last at the end.
	back  []chan struct{} // Of those that want their place back, in order.
	n     int             // How many goroutines have a place.
}

const (
	// defaultMaxBlocking is tokio's, which is "somewhat arbitrary" there.
	defaultMaxBlocking = 512
	// keepBlocking is how long a goroutine waits for more: long enough for a
	// steady trickle. Picked out of thin air.
	keepBlocking = time.Second
)

func (b *blocking) submit(n *sched.Node, p sched.Priority) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue.push(entry{n, p})
	b.serveLocked()
}

// serveLocked has one more goroutine look at the queue. The caller holds mu.
func (b *blocking) serveLocked() {
	if last := len(b.idle) - 1; last >= 0 {
		b.idle[last] <- struct{}{} // It has room for the one token that it gets.
		b.idle = b.idle[:last]
		return
	}
	if b.limit < 0 || b.n < b.limit {
		b.n++
		b.sys.hosts.Add(1)
		go b.run()
	}
}

func (b *blocking) abandon() {}
func (b *blocking) end()     {}

func (b *blocking) run() {
	h := b.sys.scheduler.NewHost()
	h.SetTurn(b)
	h.Enter()
	defer b.sys.hosts.Done()
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

// blockingStep is what a goroutine does next.
type blockingStep uint8

const (
	toRun blockingStep = iota
	toWait
	toLeave // Another one needs its place.
)

// next takes the next entry. If there is none, the caller is among the idle.
func (b *blocking) next(wake chan struct{}) (entry, blockingStep) {
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

// await waits for more. It returns false if none has come for long, or none
// will.
func (b *blocking) await(wake chan struct{}) bool {
	timer := time.NewTimer(keepBlocking)
	defer timer.Stop()
	select {
	case <-wake:
		return true
	case <-timer.C:
	case <-b.sys.empty:
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

// leave gives up the place of a goroutine that ends.
func (b *blocking) leave() {
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

var _ sched.Turn = (*blocking)(nil)

// GiveUp is called on a goroutine before its handler waits.
func (b *blocking) GiveUp() { b.leave() }

// TakeBack is called there when the wait is over, and returns with a place.
func (b *blocking) TakeBack() {
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
