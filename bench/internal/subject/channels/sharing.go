package channels

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

type request struct {
	savina.Request
	reply chan int
}

func dictionary(r *suite.Run) (int64, error) {
	in := make(chan request, capacity)
	go func() {
		d := map[int]int{}
		for q := range in {
			q.reply <- q.Do(d)
		}
	}()
	defer close(in)
	var ended sync.WaitGroup
	rights := make([]int64, r.Size)
	r.Start()
	for i := range r.Size {
		ended.Go(func() {
			c, reply := savina.NewClient(i), make(chan int, 1)
			for range r.N / r.Size {
				in <- request{c.Next(), reply}
				c.Check(<-reply)
			}
			rights[i] = c.Right
		})
	}
	ended.Wait()
	r.Stop()
	return total(rights), nil
}

func boundedBuffer(r *suite.Run) (int64, error) {
	buffer := make(chan int, savina.BufferSize)
	sums := make([]int64, r.Size)
	var producers, consumers sync.WaitGroup
	r.Start()
	share := r.N / r.Size
	for i := range r.Size {
		producers.Go(func() {
			for k := range share {
				item := i*share + k
				savina.Craft(item)
				buffer <- item
			}
		})
		consumers.Go(func() {
			for item := range buffer {
				savina.Craft(item)
				sums[i] += int64(item)
			}
		})
	}
	producers.Wait()
	close(buffer)
	consumers.Wait()
	r.Stop()
	return total(sums), nil
}

type wish struct {
	who  int
	done bool
	got  chan bool
}

func philosophers(r *suite.Run) (int64, error) {
	in, closed := make(chan wish, capacity), make(chan struct{})
	table := savina.NewTable(r.Size)
	go func() {
		defer close(closed)
		for w := range in {
			if w.done {
				table.Put(w.who)
			} else {
				w.got <- table.Take(w.who)
			}
		}
	}()
	var ended sync.WaitGroup
	r.Start()
	for i := range r.Size {
		ended.Go(func() {
			got := make(chan bool, 1)
			for range r.N / r.Size {
				for hungry := true; hungry; {
					in <- wish{who: i, got: got}
					hungry = !<-got
				}
				in <- wish{who: i, done: true}
			}
		})
	}
	ended.Wait()
	close(in)
	<-closed
	r.Stop()
	return table.Meals()
}

func sleepingBarber(r *suite.Run) (int64, error) {
	var haircuts atomic.Int64
	err := r.Batches(func(k int) error {
		chairs := make(chan chan bool, savina.Chairs(r.Size))
		var customers sync.WaitGroup
		r.Start()
		go func() {
			for done := range chairs {
				done <- savina.Cut()
			}
		}()
		for range k {
			customers.Go(func() {
				done := make(chan bool, 1)
				for !enter(chairs, done) {
					runtime.Gosched()
				}
				if <-done {
					haircuts.Add(1)
				}
			})
		}
		customers.Wait()
		r.Stop()
		close(chairs)
		return nil
	})
	return haircuts.Load(), err
}

func enter(chairs chan<- chan bool, done chan bool) bool {
	select {
	case chairs <- done:
		return true
	default:
		return false
	}
}

type money struct {
	amount int
	to     int       // Of a debit.
	credit chan bool // Confirms a credit; nil in a debit.
}

func bank(r *suite.Run) (int64, error) {
	accounts, balances := make([]chan money, r.Size), make([]int, r.Size)
	confirmed := make(chan bool, capacity)
	for i := range accounts {
		accounts[i] = make(chan money, capacity)
	}
	var ended sync.WaitGroup
	for i, in := range accounts {
		ended.Go(func() {
			credited := make(chan bool, 1)
			for m := range in {
				if m.credit != nil {
					balances[i] += m.amount
					m.credit <- true
					continue
				}
				balances[i] -= m.amount
				accounts[m.to] <- money{amount: m.amount, credit: credited}
				confirmed <- <-credited
			}
		})
	}
	teller := savina.NewTeller(r.N, r.Size)
	r.Start()
	for done := false; !done; {
		for x, ok := teller.Next(); ok; x, ok = teller.Next() {
			accounts[x.From] <- money{amount: x.Amount, to: x.To}
		}
		<-confirmed
		done = teller.Confirm()
	}
	r.Stop()
	for _, in := range accounts {
		close(in)
	}
	ended.Wait()
	return teller.Done, savina.CheckBalances(r.N, balances)
}
