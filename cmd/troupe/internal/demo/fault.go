package demo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
)

// A point is a place where a tokenizer may be made to panic.
type point uint8

const (
	beforeCounting point = iota
	whileCounting
	betweenSends
	beforeReply
	points
	nowhere = points
)

var pointNames = [points]string{"before counting", "while counting", "between two sends", "before the reply"}

// faults decides which attempts at which files fail, and where.
type faults struct {
	rate     float64
	seed     uint64
	injected atomic.Int64 // Written by tokenizers, read for the report.
}

// A fault is what is going to happen to one attempt at one file.
type fault struct {
	from  *faults
	where point
	when  float64 // How far into the counting or the sending, from 0 to below 1.
	file  uint32
}

// plan depends on nothing but its arguments and the seed, so that a run can be repeated however it is scheduled.
func (f *faults) plan(file uint32, attempt int) fault {
	if f.rate == 0 {
		return fault{where: nowhere}
	}
	dice := rand.New(rand.NewPCG(f.seed, uint64(file)<<32|uint64(attempt)))
	if dice.Float64() >= f.rate {
		return fault{where: nowhere}
	}
	return fault{from: f, where: point(dice.IntN(int(points))), when: dice.Float64(), file: file}
}

// attemptsAt returns how often a file is tried before it is given up: until injected faults no longer explain that it
// fails, since by chance that would happen in one of 10^18 files.
func attemptsAt(rate float64) int {
	const atLeast, decades = 1000, 18
	if rate == 0 {
		return atLeast
	}
	return max(atLeast, int(math.Ceil(-decades/math.Log10(rate))))
}

// strike panics if the fault is planned for this point.
func (f fault) strike(here point) {
	if f.where == here {
		f.from.injected.Add(1)
		panic(fmt.Sprintf("demo: injected fault: file %d, %s", f.file, pointNames[here]))
	}
}

// at returns the step of n, numbered from zero, at which the fault is to strike here, or -1.
func (f fault) at(here point, n int) int {
	if f.where != here {
		return -1
	}
	return int(f.when * float64(n))
}
