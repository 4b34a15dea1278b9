package workload_test

import (
	"errors"
	"testing"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestFloodGivesUp(t *testing.T) {
	failure := errors.New("full")
	f := workload.NewFlood(&suite.Run{N: 3, Size: 100})
	_, err := f.Run(func() error { return failure }, func() error { return nil })
	if !errors.Is(err, failure) {
		t.Errorf("error = %v, want that of the flood", err)
	}
}

func TestFloodCountsWhatIsHandled(t *testing.T) {
	r := &suite.Run{N: 5, Size: 50}
	f := workload.NewFlood(r)
	data, urgent := make(chan int, 200), make(chan int, 1)
	ended := make(chan struct{})
	quit := make(chan struct{})
	go func() {
		defer close(ended)
		for {
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
	n, err := f.Run(func() error { data <- 1; return nil }, func() error { urgent <- 1; return nil })
	if n != 5 || err != nil {
		t.Errorf("Run = %d, %v, want 5 urgent messages", n, err)
	}
	if len(data) > 0 {
		t.Errorf("%d messages of the flood are left", len(data))
	}
	close(quit)
	<-ended
}
