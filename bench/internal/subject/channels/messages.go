package channels

import (
	"math/rand/v2"
	"sync"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

func pingPong(r *suite.Run) (int64, error) {
	a, b := make(chan int, capacity), make(chan int, capacity)
	done := make(chan int64, 2)
	player := func(in <-chan int, out chan<- int) {
		var handled int64
		for left := range in {
			handled++
			if left == 0 {
				close(out)
				break
			}
			if out <- left - 1; left == 1 {
				break
			}
		}
		done <- handled
	}
	go player(a, b)
	go player(b, a)
	r.Start()
	a <- r.N - 1
	handled := <-done + <-done
	r.Stop()
	return handled, nil
}

func tell(r *suite.Run, producers int) (int64, error) {
	in, done := make(chan int, capacity), make(chan int64)
	go func() {
		var sum int64
		for range r.N {
			sum += int64(<-in)
		}
		done <- sum
	}()
	share := r.N / producers
	r.Start()
	for p := range producers {
		produce := func() {
			for i := range share {
				in <- p*share + i
			}
		}
		if producers == 1 {
			produce()
		} else {
			go produce()
		}
	}
	sum := <-done
	r.Stop()
	return sum, nil
}

type question struct {
	of    int
	reply chan int
}

func answerer() chan question {
	in := make(chan question, capacity)
	go func() {
		for q := range in {
			q.reply <- q.of + 1
		}
	}()
	return in
}

func askAll(n int, server chan<- question) int64 {
	var sum int64
	reply := make(chan int, 1)
	for i := range n {
		server <- question{i, reply}
		sum += int64(<-reply)
	}
	return sum
}

func askOutside(r *suite.Run) (int64, error) {
	server := answerer()
	defer close(server)
	r.Start()
	sum := askAll(r.N, server)
	r.Stop()
	return sum, nil
}

func askInside(r *suite.Run) (int64, error) {
	server := answerer()
	defer close(server)
	asker, done := make(chan int, capacity), make(chan int64)
	go func() { done <- askAll(<-asker, server) }()
	r.Start()
	asker <- r.N
	sum := <-done
	r.Stop()
	return sum, nil
}

func ring(r *suite.Run) (int64, error) {
	places := make([]chan int, r.Size)
	for i := range places {
		places[i] = make(chan int, 1)
	}
	counts := make([]int64, r.Size)
	var ended sync.WaitGroup
	done := make(chan struct{})
	for i, in := range places {
		next := places[(i+1)%r.Size]
		ended.Go(func() {
			for left := range in {
				if counts[i]++; left == 0 {
					close(done)
				} else {
					next <- left - 1
				}
			}
		})
	}
	r.Start()
	places[0] <- r.N - 1
	<-done
	r.Stop()
	for _, in := range places {
		close(in)
	}
	ended.Wait()
	return total(counts), nil
}

func total(counts []int64) (sum int64) {
	for _, c := range counts {
		sum += c
	}
	return sum
}

type mail struct {
	from int // Whom to answer, or -1 in an answer.
}

func big(r *suite.Run) (int64, error) {
	actors := make([]chan mail, r.Size)
	for i := range actors {
		actors[i] = make(chan mail, workload.BigOutstanding)
	}
	pings := r.N / 2 / r.Size
	pongs := make([]int64, r.Size)
	var finished, ended sync.WaitGroup
	for i, in := range actors {
		finished.Add(1)
		ended.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			ping := func() { actors[random.IntN(r.Size)] <- mail{from: i} }
			for m := range in {
				if m.from >= 0 {
					actors[m.from] <- mail{from: -1}
				} else if pongs[i]++; pongs[i] <= int64(pings) {
					ping()
				} else {
					finished.Done()
				}
			}
		})
	}
	r.Start()
	for _, in := range actors {
		in <- mail{from: -1} // The first answer, to nothing, starts the actor.
	}
	finished.Wait()
	r.Stop()
	for _, in := range actors {
		close(in)
	}
	ended.Wait()
	return 2 * (total(pongs) - int64(r.Size)), nil
}
