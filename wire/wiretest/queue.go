package wiretest

import (
	"context"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
)

// maxUnderWay is how many messages for one lane of one actor may be under way, as sessions have it.
const maxUnderWay = 256

// queue has what is under way in one direction: in order for each key, and independent of others.
type queue struct {
	mu     sync.Mutex
	keys   map[any]*pending
	number uint64              // Of the latest that was entered.
	open   map[uint64]struct{} // The numbers of those that have not arrived.
	exits  []exit              // Letters that wait for earlier ones.
	ended  error
	idle   sync.WaitGroup // The goroutines.
}

// pending is what is under way for one key.
type pending struct {
	jobs    []func()  // The first is being done.
	running bool      // A goroutine does them.
	waiting []*waiter // Senders, in the order in which they came.
}

type waiter struct{ workers.Waiter }

// exit is called when all that was entered before has arrived.
type exit struct {
	after uint64
	tell  func()
}

func newQueue() *queue { return &queue{keys: map[any]*pending{}, open: map[uint64]struct{}{}} }

// enter adds a job behind those with the same key. If there are as many as may be, and limited is set, it waits until
// ctx ends, or, if wait is not set, returns ErrFull.
func (q *queue) enter(ctx context.Context, key any, limited, wait bool, job func()) error {
	w := &waiter{}
	armed := false
	defer func() {
		if armed {
			w.Disarm()
		}
	}()
	for {
		q.mu.Lock()
		p := q.keys[key]
		if err := q.ended; err != nil {
			if p != nil {
				p.leave(w)
			}
			q.mu.Unlock()
			return err
		}
		if p == nil {
			p = &pending{}
			q.keys[key] = p
		}
		first := len(p.waiting) == 0 || p.waiting[0] == w
		if !limited || len(p.jobs) < maxUnderWay && first {
			p.leave(w)
			q.add(key, p, job)
			q.mu.Unlock()
			return nil
		}
		if !wait {
			q.mu.Unlock()
			return actor.ErrFull
		}
		if !armed {
			w.Arm(ctx, nil)
			armed = true
			p.waiting = append(p.waiting, w)
		}
		q.mu.Unlock()
		if !w.Wait(ctx) {
			q.mu.Lock()
			p.leave(w)
			p.wake()
			q.mu.Unlock()
			return context.Cause(ctx)
		}
	}
}

// underWay returns how many jobs there are for a key, also of senders that wait.
func (q *queue) underWay(key any) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.keys[key]
	if p == nil {
		return 0
	}
	return len(p.jobs) + len(p.waiting)
}

// add adds a job. The caller holds mu.
func (q *queue) add(key any, p *pending, job func()) {
	q.number++
	number := q.number
	q.open[number] = struct{}{}
	p.jobs = append(p.jobs, func() {
		job()
		q.arrived(number)
	})
	p.wake()
	if !p.running {
		p.running = true
		q.idle.Add(1)
		go q.run(key, p)
	}
}

// arrived takes note that a job is done, and tells of the ends that waited for it.
func (q *queue) arrived(number uint64) {
	q.mu.Lock()
	delete(q.open, number)
	due := q.dueLocked()
	q.mu.Unlock()
	for _, e := range due {
		e.tell()
	}
}

// dueLocked takes out the exits before which all has arrived. The caller holds mu.
func (q *queue) dueLocked() (due []exit) {
	q.exits = slices.DeleteFunc(q.exits, func(e exit) bool {
		for n := range q.open {
			if n <= e.after {
				return false
			}
		}
		due = append(due, e)
		return true
	})
	return due
}

// behind calls tell when all has arrived that was entered before.
func (q *queue) behind(tell func()) {
	q.mu.Lock()
	q.exits = append(q.exits, exit{q.number, tell})
	due := q.dueLocked()
	q.mu.Unlock()
	for _, e := range due {
		e.tell()
	}
}

// end refuses further jobs, and wakes the senders that wait. Letters under way arrive, unless they are dropped by then.
func (q *queue) end(reason error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended != nil {
		return
	}
	q.ended = reason
	for _, p := range q.keys {
		for _, w := range p.waiting {
			w.Wake(nil, workers.Low)
		}
	}
}

func (p *pending) leave(w *waiter) {
	p.waiting = slices.DeleteFunc(p.waiting, func(other *waiter) bool { return other == w })
}

// wake wakes the first sender that waits, if there is room.
func (p *pending) wake() {
	if len(p.waiting) > 0 && len(p.jobs) < maxUnderWay {
		p.waiting[0].Wake(nil, workers.Low)
	}
}

// run does the jobs of a key until there are none.
func (q *queue) run(key any, p *pending) {
	defer q.idle.Done()
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(p.jobs) > 0 {
		job := p.jobs[0]
		q.mu.Unlock()
		job()
		q.mu.Lock()
		p.jobs = p.jobs[1:]
		p.wake()
	}
	if p.running = false; len(p.waiting) == 0 {
		delete(q.keys, key)
	}
}
