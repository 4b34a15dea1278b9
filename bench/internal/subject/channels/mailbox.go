package channels

import (
	"sync"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// mailbox is an unbounded queue with a goroutine that handles what comes.
type mailbox[M any] struct {
	mu      sync.Mutex
	queue   []M
	closed  bool
	waiting bool
	wake    chan struct{}
}

// startMailbox starts a goroutine that handles what is sent until the mailbox is closed.
func startMailbox[M any](handle func(M)) *mailbox[M] {
	b := &mailbox[M]{wake: make(chan struct{}, 1)}
	go b.run(handle)
	return b
}

func (b *mailbox[M]) run(handle func(M)) {
	var batch []M
	for {
		b.mu.Lock()
		batch, b.queue = b.queue, batch[:0]
		closed := b.closed
		b.waiting = len(batch) == 0
		b.mu.Unlock()
		switch {
		case len(batch) > 0:
			for _, m := range batch {
				handle(m)
			}
			clear(batch)
		case closed:
			return
		default:
			<-b.wake
		}
	}
}

func (b *mailbox[M]) send(m M) {
	b.mu.Lock()
	b.queue = append(b.queue, m)
	wakes := b.waiting
	b.waiting = false
	b.mu.Unlock()
	if wakes {
		b.wake <- struct{}{}
	}
}

func (b *mailbox[M]) close() {
	b.mu.Lock()
	b.closed = true
	wakes := b.waiting
	b.waiting = false
	b.mu.Unlock()
	if wakes {
		b.wake <- struct{}{}
	}
}

// part is a block that was given back, or the result of one that was computed.
type part struct {
	block  savina.Block
	more   bool
	result int64
}

func matrixProduct(r *suite.Run) (sum int64, err error) {
	var (
		m        savina.Master
		master   *mailbox[part]
		workers  = make([]*mailbox[savina.Block], savina.Workers)
		whole    = savina.NewFactors(r).Whole()
		finished = make(chan struct{})
	)
	master = startMailbox(func(p part) {
		if p.more {
			workers[m.Assign()].send(p.block)
			return
		}
		if m.Finished(p.result) {
			finished <- struct{}{}
		}
	})
	defer master.close()
	for i := range workers {
		workers[i] = startMailbox(func(b savina.Block) {
			if !b.Shared() {
				master.send(part{result: b.Result()})
				return
			}
			for next := range b.Parts {
				master.send(part{block: next, more: true})
			}
			master.send(part{})
		})
		defer workers[i].close()
	}
	r.Start()
	for range r.N {
		m = savina.Master{}
		workers[m.Assign()].send(whole)
		<-finished
		sum += m.Result
	}
	r.Stop()
	return sum, nil
}

func countingAll(r *suite.Run) (sum int64, err error) {
	r.Start()
	for range r.N {
		sum += countAll(r.Size)
	}
	r.Stop()
	return sum, nil
}

func countAll(size int) int64 {
	result := make(chan int64)
	var n int64
	counter := startMailbox(func(m int) {
		if m == savina.LastNumber {
			result <- n
			return
		}
		n++
	})
	defer counter.close()
	go func() {
		for range size {
			counter.send(1)
		}
		counter.send(savina.LastNumber)
	}()
	return <-result
}
