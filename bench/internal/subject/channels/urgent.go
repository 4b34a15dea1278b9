package channels

import (
	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

func urgentFlood(r *suite.Run) (int64, error) {
	f := workload.NewFlood(r)
	data, urgent := make(chan int, workload.FloodCapacity), make(chan int, capacity)
	quit := make(chan struct{})
	go func() {
		for {
			select {
			case <-urgent:
				f.Urgent()
				continue
			default:
			}
			select {
			case <-urgent:
				f.Urgent()
			case <-data:
				f.Data()
			case <-quit:
				return
			}
		}
	}()
	defer close(quit)
	return f.Run(
		func() error { data <- 1; return nil },
		func() error { urgent <- 1; return nil },
	)
}

func urgentBusy(r *suite.Run) (int64, error) {
	b := workload.NewBusy(r)
	urgent := make(chan int, capacity)
	go func() {
		for range urgent {
			b.Urgent()
		}
	}()
	defer close(urgent)
	return b.Run(
		func(int) error {
			in := make(chan int, 1)
			in <- 1
			go func() {
				for range in {
					if !b.Work() {
						return
					}
					in <- 1
				}
			}()
			return nil
		},
		func() error { urgent <- 1; return nil },
	)
}
