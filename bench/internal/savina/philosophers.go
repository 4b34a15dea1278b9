package savina

import (
	"fmt"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

var philosophers = suite.Workload{
	Name: Philosophers, Family: suite.Actors, Baseline: channels, Unit: "ns/meal", Size: 20, TinySize: 4, Step: 20,
	About: "20 dining philosophers ask one actor for their two forks, and again if they are refused (Savina); the result is the meals",
}

// Table has a fork between each two philosophers.
type Table struct {
	taken []bool
	meals int64
}

// NewTable returns a table for n philosophers.
func NewTable(n int) *Table { return &Table{taken: make([]bool, n)} }

// Take gives philosopher i both forks, or none.
func (t *Table) Take(i int) bool {
	left, right := &t.taken[i], &t.taken[(i+1)%len(t.taken)]
	if *left || *right {
		return false
	}
	*left, *right = true, true
	return true
}

// Put takes the forks back after philosopher i has eaten.
func (t *Table) Put(i int) {
	t.meals++
	t.taken[i], t.taken[(i+1)%len(t.taken)] = false, false
}

// Meals returns how many were eaten.
func (t *Table) Meals() (int64, error) {
	for i, taken := range t.taken {
		if taken {
			return t.meals, fmt.Errorf("fork %d was not put back", i)
		}
	}
	return t.meals, nil
}
