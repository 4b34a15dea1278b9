package channels

import (
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

type count struct {
	reply chan int64 // Nil in an increment.
}

func counting(r *suite.Run) (int64, error) {
	counter, result := make(chan count, capacity), make(chan int64)
	go func() {
		var n int64
		for m := range counter {
			if m.reply == nil {
				n++
				continue
			}
			m.reply <- n
		}
	}()
	defer close(counter)
	r.Start()
	go func() {
		for range r.N {
			counter <- count{}
		}
		counter <- count{reply: result}
	}()
	n := <-result
	r.Stop()
	return n, nil
}

func throughput(r *suite.Run) (int64, error) {
	actors, counts := make([]chan float64, r.Size), make([]int64, r.Size)
	var ended sync.WaitGroup
	for i := range actors {
		in := make(chan float64, capacity)
		actors[i] = in
		ended.Go(func() {
			for x := range in {
				if savina.Sine(x) {
					counts[i]++
				}
			}
		})
	}
	r.Start()
	for i := range r.N {
		actors[i%r.Size] <- savina.Theta
	}
	for _, in := range actors {
		close(in)
	}
	ended.Wait()
	r.Stop()
	return total(counts), nil
}

func creation(r *suite.Run) (int64, error) {
	var handled atomic.Int64
	err := r.Batches(func(k int) error {
		var ended sync.WaitGroup
		r.Start()
		for range k {
			in := make(chan float64, 1)
			ended.Go(func() {
				if savina.Sine(<-in) {
					handled.Add(1)
				}
			})
			in <- savina.Theta
		}
		ended.Wait()
		r.Stop()
		return nil
	})
	return handled.Load(), err
}

type arrival struct {
	colour savina.Colour
	met    chan savina.Colour
}

func chameneos(r *suite.Run) (int64, error) {
	mall, quit := make(chan arrival, capacity), make(chan struct{})
	remembered := make([]int64, r.Size)
	var ended sync.WaitGroup
	for i := range r.Size {
		ended.Go(func() {
			colour, met := savina.ColourOf(i), make(chan savina.Colour, 1)
			for {
				mall <- arrival{colour, met}
				select {
				case other := <-met:
					colour = colour.Meet(other)
					remembered[i]++
				case <-quit:
					return
				}
			}
		})
	}
	r.Start()
	for range r.N {
		a, b := <-mall, <-mall
		a.met <- b.colour
		b.met <- a.colour
	}
	r.Stop()
	// Each comes once more after its last meeting. When all are here, none has a
	// meeting before it.
	for range r.Size {
		<-mall
	}
	close(quit)
	ended.Wait()
	return total(remembered), nil
}
