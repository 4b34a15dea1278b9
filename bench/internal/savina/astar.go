package savina

import (
	"container/heap"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

var aStar = suite.Workload{
	Name: AStar, Family: suite.Actors, Baseline: channels, Unit: "ms", Per: time.Millisecond, Size: 40, TinySize: 6,
	About: "a guided search through a grid of 40 by 40 by 40 places: 20 actors with unbounded mailboxes, which search 1,024 places " +
		"each and give the rest back to a master (Savina; it goes on until all places were reached)",
	Want: func(n, size int) int64 { return int64(n) * int64(size) * int64(size) * int64(size) },
}

// expansions is how many places a worker searches before it gives back the rest.
const expansions = 1024

// The nodes: a master, and behind it its workers.
const searchMaster = 0

// Place is a place of the grid from which the search goes on, or how many places a worker has searched.
type Place struct {
	At       int
	Searched int64
	Over     bool // The worker has searched all that it was given, but for what it gave back.
}

// grid has, for each place, whether the search has been there.
type grid struct {
	size    int
	reached []atomic.Bool
}

// claim reports whether the search comes to a place first.
func (g *grid) claim(at int) bool { return !g.reached[at].Swap(true) }

// neighbours calls yield with the up to six places beside one.
func (g *grid) neighbours(at int, yield func(next int)) {
	for step, n := 1, g.size; step < n*n*n; step *= n {
		if at/step%n > 0 {
			yield(at - step)
		}
		if at/step%n < n-1 {
			yield(at + step)
		}
	}
}

// distance guides the search: how far it is to the last corner.
func (g *grid) distance(at int) (sum int) {
	for range 3 {
		sum += (g.size - 1 - at%g.size) * (g.size - 1 - at%g.size)
		at /= g.size
	}
	return sum
}

// frontier is a heap of places, the nearest first.
type frontier struct {
	grid *grid
	all  []int
}

func (f *frontier) Len() int           { return len(f.all) }
func (f *frontier) Less(i, k int) bool { return f.grid.distance(f.all[i]) < f.grid.distance(f.all[k]) }
func (f *frontier) Swap(i, k int)      { f.all[i], f.all[k] = f.all[k], f.all[i] }
func (f *frontier) Push(x any)         { f.all = append(f.all, x.(int)) } //nolint:forcetypeassert // Only places are pushed.

func (f *frontier) Pop() any {
	last := f.all[len(f.all)-1]
	f.all = f.all[:len(f.all)-1]
	return last
}

// search goes on from a place, and returns how many places it has searched. It gives back those that it has reached
// and not searched.
func (g *grid) search(from int, giveBack func(at int)) (searched int64) {
	f := &frontier{grid: g, all: []int{from}}
	for ; f.Len() > 0 && searched < expansions; searched++ {
		at := heap.Pop(f).(int) //nolint:forcetypeassert // Only places are pushed.
		g.neighbours(at, func(next int) {
			if g.claim(next) {
				heap.Push(f, next)
			}
		})
	}
	for _, at := range f.all {
		giveBack(at)
	}
	return searched
}

// NewAStar returns the program for a grid.
func NewAStar(r *suite.Run) *Network[Place] { return newAStar(r.Size) }

func newAStar(size int) *Network[Place] {
	g := &grid{size: size, reached: make([]atomic.Bool, size*size*size)}
	var m Master
	net := &Network[Place]{Nodes: 1 + Workers, Done: make(chan int64, 1)}
	net.Feed = func(send func(to int, p Place)) {
		g.claim(0)
		send(searchMaster, Place{})
	}
	net.Handle = func(node int, p Place, send func(to int, p Place)) {
		switch {
		case node != searchMaster:
			n := g.search(p.At, func(at int) { send(searchMaster, Place{At: at}) })
			send(searchMaster, Place{Searched: n, Over: true})
		case !p.Over:
			send(1+m.Assign(), p)
		case m.Finished(p.Searched):
			net.Done <- m.Result
		}
	}
	return net
}
