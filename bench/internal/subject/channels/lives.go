package channels

import (
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// idler is an actor that counts what it handles.
type idler struct {
	in    chan int
	ended chan struct{}
}

func newIdler(handled *atomic.Int64) idler {
	a := idler{make(chan int, 1), make(chan struct{})}
	go func() {
		for range a.in {
			handled.Add(1)
		}
		close(a.ended)
	}()
	return a
}

func spawn(r *suite.Run) (int64, error) {
	var sum int64
	err := r.Batches(func(k int) error {
		var (
			handled atomic.Int64
			all     sync.WaitGroup
			ended   sync.WaitGroup
			actors  = make([]chan int, k)
		)
		all.Add(k)
		r.Start()
		for i := range actors {
			in := make(chan int, 1)
			ended.Go(func() {
				for range in {
					handled.Add(1)
					all.Done()
				}
			})
			in <- 1
			actors[i] = in
		}
		all.Wait()
		r.Stop()
		for _, in := range actors {
			close(in)
		}
		ended.Wait()
		sum += handled.Load()
		return nil
	})
	return sum, err
}

func stop(r *suite.Run) (int64, error) {
	var ended atomic.Int64
	err := r.Batches(func(k int) error {
		var started sync.WaitGroup
		started.Add(k)
		actors := make([]idler, k)
		for i := range actors {
			a := idler{make(chan int, 1), make(chan struct{})}
			go func() {
				for range a.in {
					started.Done()
				}
				ended.Add(1)
				close(a.ended)
			}()
			a.in <- 1
			actors[i] = a
		}
		started.Wait()
		r.Start()
		for _, a := range actors {
			close(a.in)
			<-a.ended
		}
		r.Stop()
		return nil
	})
	return ended.Load(), err
}

func memory(r *suite.Run, used bool) (int64, error) {
	var handled atomic.Int64
	actors := make([]idler, r.N)
	err := r.InUse(func() error {
		for i := range actors {
			actors[i] = newIdler(&handled)
			if used {
				actors[i].in <- 1
			}
		}
		return nil
	})
	for _, a := range actors {
		if !used {
			a.in <- 1
		}
		close(a.in)
	}
	for _, a := range actors {
		<-a.ended
	}
	return handled.Load(), err
}

// memoryStrand is of goroutines that wait for the same channel.
func memoryStrand(r *suite.Run) (int64, error) {
	var woken atomic.Int64
	var begun, ended sync.WaitGroup
	wake := make(chan struct{})
	begun.Add(r.N)
	err := r.InUse(func() error {
		for range r.N {
			ended.Go(func() {
				begun.Done()
				<-wake
				woken.Add(1)
			})
		}
		begun.Wait()
		return nil
	})
	close(wake)
	ended.Wait()
	return woken.Load(), err
}

func skynet(r *suite.Run) (int64, error) {
	var sum int64
	r.Start()
	for range r.N {
		root := make(chan int, 1)
		go node(root, 0, r.Size)
		sum += int64(<-root)
	}
	r.Stop()
	return sum, nil
}

func node(parent chan<- int, number, leaves int) {
	if leaves == 1 {
		parent <- number
		return
	}
	answers, sum := make(chan int, workload.SkynetFanOut), 0
	share := leaves / workload.SkynetFanOut
	for i := range workload.SkynetFanOut {
		go node(answers, number+i*share, share)
	}
	for range workload.SkynetFanOut {
		sum += <-answers
	}
	parent <- sum
}
