package channels

import (
	"github.com/troupe-go/troupe/bench/internal/beside"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// besides starts the flooded goroutine, and returns how to send to it and to end it.
func besides(b *beside.Driver) (data, urgent func() error, end func()) {
	flood, urgents := make(chan int, beside.Capacity), make(chan int, capacity)
	quit := make(chan struct{})
	go func() {
		for {
			select {
			case <-urgents:
				b.Urgent()
				continue
			default:
			}
			select {
			case <-urgents:
				b.Urgent()
			case <-flood:
				b.Data()
			case <-quit:
				return
			}
		}
	}()
	return func() error { flood <- 1; return nil }, func() error { urgents <- 1; return nil }, func() { close(quit) }
}

func besideTicks(r *suite.Run) (int64, error) {
	b := beside.New(r)
	data, urgent, end := besides(b)
	defer end()
	return b.Ticks(data, urgent)
}

func besideHalt(r *suite.Run) (int64, error) {
	b := beside.New(r)
	data, _, end := besides(b)
	defer end()
	return b.Halt(data, func(n int) (stop func() error, err error) {
		actors := make([]idler, n)
		for i := range actors {
			a := idler{make(chan int, 1), make(chan struct{})}
			go func() {
				for range a.in {
				}
				close(a.ended)
			}()
			actors[i] = a
		}
		return func() error {
			for _, a := range actors {
				close(a.in)
			}
			for _, a := range actors {
				<-a.ended
			}
			return nil
		}, nil
	})
}

func besideHTTP(r *suite.Run) (int64, error) {
	b := beside.New(r)
	return b.HTTP(func(int) error {
		in := make(chan int, 1)
		in <- 1
		go func() {
			for range in {
				if !b.Compute() {
					return
				}
				in <- 1
			}
		}()
		return nil
	})
}
