package savina

import (
	"fmt"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

var radixSort = suite.Workload{
	Name: RadixSort, Family: suite.Actors, Baseline: channels, Unit: "ns/message", Size: 16, TinySize: 4, TinyN: 100,
	About: "numbers of 16 bits pass a pipeline of 16 actors, each of which lets those pass whose bit is 0, and then the others (Savina); " +
		"a last actor checks the order, and the result is the sum",
	Ops:  func(n, size int) int { return n * (size + 1) },
	Want: sumOfValues,
}

// Value returns the i-th number to be sorted, below 1<<bits.
func Value(i, bits int) int { return int(mix(uint64(i)) >> (64 - bits)) }

func sumOfValues(n, bits int) (sum int64) {
	for i := range n {
		sum += int64(Value(i, bits))
	}
	return sum
}

// mix is the finalizer of splitmix64 (Steele, Lea, Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Digit is the actor for one bit.
type Digit struct {
	bit  int
	left int
	ones []int
}

// NewDigit returns the actor for a bit of n numbers.
func NewDigit(bit, n int) Digit { return Digit{bit: bit, left: n} }

// Pass reports whether a number goes on at once; if not, it was kept.
func (d *Digit) Pass(v int) bool {
	d.left--
	if v>>d.bit&1 == 0 {
		return true
	}
	d.ones = append(d.ones, v)
	return false
}

// Rest returns the numbers that were kept, when the last of all has come.
func (d *Digit) Rest() []int {
	if d.left > 0 {
		return nil
	}
	return d.ones
}

// Order is the last actor, which checks.
type Order struct {
	left, last int
	sum        int64
	wrong      error
}

// NewOrder expects n numbers.
func NewOrder(n int) *Order { return &Order{left: n} }

// Take takes a number, and reports whether it was the last.
func (o *Order) Take(v int) bool {
	if v < o.last && o.wrong == nil {
		o.wrong = fmt.Errorf("not sorted: %d comes after %d", v, o.last)
	}
	o.last = v
	o.sum += int64(v)
	o.left--
	return o.left == 0
}

// Sum returns the sum of all numbers.
func (o *Order) Sum() (int64, error) { return o.sum, o.wrong }
