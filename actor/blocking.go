package actor

import (
	"sync"
	"time"

	"github.com/troupe-go/troupe/sched"
)

// blocking is the host of all actors of a system that run OnBlocking: goroutines
// that are started when there is something to do and none is idle, up to a
// limit, and that leave when they have been idle for long.
type blocking struct {
	sys   *System
	limit int

	mu    sync.Mutex
	queue entries
	idle  []chan struct{} // Of those that wait, the one that came last at the end.
	n     int             // How many goroutines there are.
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
	h.Enter()
	defer b.sys.hosts.Done()
	defer func() { // Also if a handler has called Goexit.
		h.Leave()
		b.leave()
	}()
	wake := make(chan struct{}, 1)
	for {
		e, ok := b.next(wake)
		switch {
		case ok:
			h.Run(e.n, e.p)
		case !b.await(wake):
			return
		}
	}
}

// next takes the next entry. If there is none, the caller is among the idle.
func (b *blocking) next(wake chan struct{}) (entry, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.queue.pop()
	if !ok {
		b.idle = append(b.idle, wake)
	}
	return e, ok
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

// leave ends a goroutine.
func (b *blocking) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n--
	if !b.queue.empty() {
		b.serveLocked()
	}
}
