//go:build modelcheck

package deque_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/internal/deque"
	"github.com/troupe-go/troupe/internal/modelcheck"
)

// ends is what the threads of a model took, and checks that each element was
// taken once or is left, and the oldest first by each thief.
type ends struct {
	d      *deque.Deque[int]
	values [8]int
	pushed int
	taken  [8]int // By element, how often.
}

func newEnds(capacity int) *ends {
	e := &ends{d: deque.New[int](capacity)}
	for i := range e.values {
		e.values[i] = i
	}
	return e
}

func (e *ends) push() {
	if e.d.Push(&e.values[e.pushed]) {
		e.pushed++
	}
}

func (e *ends) took(x *int) {
	if x != nil {
		e.taken[*x]++
	}
}

func (e *ends) pop()  { e.took(e.d.Pop()) }
func (e *ends) take() { e.took(e.d.Take()) }

// steal tries a number of times, and checks that what it gets is ever younger.
func (e *ends) steal(times int) func() {
	return func() {
		last := -1
		for range times {
			x, _ := e.d.Steal()
			if x == nil {
				continue
			}
			if *x <= last {
				panic(fmt.Sprintf("a thief got %d after %d", *x, last))
			}
			last = *x
			e.took(x)
		}
	}
}

func (e *ends) check() error {
	for x := e.d.Take(); x != nil; x = e.d.Take() {
		e.took(x)
	}
	for i := range e.pushed {
		if e.taken[i] != 1 {
			return fmt.Errorf("element %d was taken %d times", i, e.taken[i])
		}
	}
	return nil
}

// models are small programs for an owner and one or two thieves.
var models = []struct {
	name     string
	capacity int
	before   int // Elements that are pushed at first.
	owner    func(e *ends)
	thieves  []int // How often each of them tries.
}{
	{"pop the last", 2, 1, func(e *ends) { e.pop() }, []int{1, 1}},
	{"pop of two", 2, 2, func(e *ends) { e.pop(); e.pop() }, []int{1, 1}},
	{"pop of two, greedy thief", 2, 2, func(e *ends) { e.pop(); e.pop() }, []int{2}},
	{"push and pop", 2, 0, func(e *ends) { e.push(); e.pop(); e.push(); e.pop() }, []int{2}},
	{"push pop push", 2, 1, func(e *ends) { e.push(); e.pop(); e.push() }, []int{2}},
	{"take the oldest", 2, 2, func(e *ends) { e.take(); e.take() }, []int{1, 1}},
	{"both ends", 4, 2, func(e *ends) { e.push(); e.take(); e.pop() }, []int{2}},
	{"round the ring", 1, 1, func(e *ends) { e.push(); e.push(); e.push() }, []int{2}},
	{"round the ring of two", 2, 2, func(e *ends) { e.push(); e.push(); e.pop() }, []int{2, 1}},
	{"sweep", 2, 2, func(e *ends) { e.d.Sweep(); e.push(); e.d.Sweep(); e.push() }, []int{2}},
}

func TestModel(t *testing.T) {
	table := modelcheck.NewTable(t, "deque")
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) {
			table.Explore(t, m.name, modelcheck.Config{}, func(p *modelcheck.Program) {
				e := newEnds(m.capacity)
				for range m.before {
					e.push()
				}
				p.Go("owner", func() { m.owner(e) })
				for i, times := range m.thieves {
					p.Go(fmt.Sprintf("thief %d", i), e.steal(times))
				}
				p.Finally(e.check)
			})
		})
	}
}
