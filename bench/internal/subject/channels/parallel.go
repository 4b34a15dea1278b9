package channels

import (
	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

func radixSort(r *suite.Run) (int64, error) {
	first := make(chan int, capacity)
	in := first
	for bit := range r.Size {
		out := make(chan int, capacity)
		go sortDigit(savina.NewDigit(bit, r.N), in, out)
		in = out
	}
	r.Start()
	go func() {
		for i := range r.N {
			first <- savina.Value(i, r.Size)
		}
	}()
	order := savina.NewOrder(r.N)
	for !order.Take(<-in) {
		continue
	}
	r.Stop()
	close(first)
	return order.Sum()
}

// sortDigit passes the numbers on, and the end of them.
func sortDigit(d savina.Digit, in <-chan int, out chan<- int) {
	for v := range in {
		if d.Pass(v) {
			out <- v
		}
		for _, v := range d.Rest() {
			out <- v
		}
	}
	close(out)
}

func sieve(r *suite.Run) (int64, error) {
	var sum int64
	r.Start()
	for range r.N {
		first, result := make(chan int, capacity), make(chan int, 1)
		go link(savina.NewFilter(r.Size), first, result)
		err := savina.Candidates(r.Size, func(v int) error { first <- v; return nil })
		if err != nil {
			return sum, err
		}
		sum += int64(<-result)
	}
	r.Stop()
	return sum, nil
}

func link(f savina.Filter, in <-chan int, result chan<- int) {
	var next chan int
	for v := range in {
		switch {
		case v == savina.LastNumber && next == nil:
			result <- f.Count()
			return
		case v == savina.LastNumber:
			next <- v
			return
		case f.Pass(v):
			if next == nil {
				next = make(chan int, capacity)
				go link(f.Next(), next, result)
			}
			next <- v
		}
	}
}

// The messages of the tree: a visit goes down, and sums come up.
type branch struct {
	visit chan struct{}
	up    chan int64
}

func cobweb(r *suite.Run) (int64, error) {
	var sum int64
	r.Start()
	for range r.N {
		grown, root := make(chan int64, 1), branch{make(chan struct{}, 1), make(chan int64, 1)}
		go grow(savina.Root(r.Size), root, grown)
		<-grown
		root.visit <- struct{}{}
		sum += <-root.up
	}
	r.Stop()
	return sum, nil
}

// grow is the life of a node: its subtree grows, is visited, and ends.
func grow(n savina.Node, self branch, grown chan<- int64) {
	var (
		children  []branch
		below, up chan int64
	)
	for child := range n.Children {
		if children == nil {
			below, up = make(chan int64, 10), make(chan int64, 10)
		}
		b := branch{make(chan struct{}, 1), up}
		children = append(children, b)
		go grow(child, b, below)
	}
	for range children {
		<-below
	}
	grown <- 0
	<-self.visit
	sum := n.Work()
	for _, c := range children {
		c.visit <- struct{}{}
	}
	for range children {
		sum += <-up
	}
	self.up <- sum
}

// finding is a board that was given back, or the number of solutions.
type finding struct {
	board     savina.Board
	more      bool
	solutions int64
}

func queens(r *suite.Run) (int64, error) {
	var sum int64
	boards, found := make([]chan savina.Board, savina.Workers), make(chan finding, capacity)
	for i := range boards {
		boards[i] = make(chan savina.Board, capacity)
		go searchQueens(boards[i], found)
		defer close(boards[i])
	}
	r.Start()
	for range r.N {
		m := &savina.Master{}
		boards[m.Assign()] <- savina.Board{Size: r.Size}
		for done := false; !done; {
			if f := <-found; f.more {
				boards[m.Assign()] <- f.board
			} else {
				done = m.Finished(f.solutions)
			}
		}
		sum += m.Result
	}
	r.Stop()
	return sum, nil
}

func searchQueens(in <-chan savina.Board, found chan<- finding) {
	for b := range in {
		if !b.Shared() {
			found <- finding{solutions: b.Result()}
			continue
		}
		for next := range b.Parts {
			found <- finding{board: next, more: true}
		}
		found <- finding{}
	}
}
