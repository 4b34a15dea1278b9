package savina

import (
	"math/bits"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

var queens = suite.Workload{
	Name: Queens, Family: suite.Actors, Baseline: channels, Unit: "ms", Per: time.Millisecond, Size: 12, TinySize: 6,
	About: "the ways to put 12 queens on a board of 12 by 12: 20 actors, which give the first 3 rows back " +
		"to a master as more work, and search the rest alone (Savina)",
	Want: func(n, size int) int64 { return int64(n) * Board{Size: size}.Result() },
}

// Workers is how many actors work for a Master.
const Workers = 20

// sharedRows is how many rows are work for others.
const sharedRows = 3

// Board has a queen in each of the first rows.
type Board struct {
	Size, row            int
	columns, left, right uint32 // The squares under attack in the next row.
}

// Shared reports whether the next row is work for others.
func (b Board) Shared() bool { return b.row < sharedRows }

// Parts calls yield with the boards that have one more queen.
func (b Board) Parts(yield func(Board) bool) {
	for free := (1<<b.Size - 1) &^ (b.columns | b.left | b.right); free != 0; free &= free - 1 {
		bit := uint32(1) << bits.TrailingZeros32(free)
		if !yield(Board{b.Size, b.row + 1, b.columns | bit, (b.left | bit) << 1, (b.right | bit) >> 1}) {
			return
		}
	}
}

// Result counts the ways to fill the board.
func (b Board) Result() (count int64) {
	if b.row == b.Size {
		return 1
	}
	for next := range b.Parts {
		count += next.Result()
	}
	return count
}

// Work is a piece of work for one of the workers of a Master: a Board or a Block.
type Work[W any] interface {
	// Shared reports whether the work is given back in parts, for others.
	Shared() bool
	Parts(yield func(W) bool)
	// Result does the work alone.
	Result() int64
}

// Master counts what was given out and has come back.
type Master struct {
	Result  int64 // The sum of all.
	pending int
	turn    int
}

// Assign returns which worker gets the next piece of work.
func (m *Master) Assign() int {
	m.pending++
	m.turn++
	return m.turn % Workers
}

// Finished notes the result of a piece of work, and reports whether all is done.
func (m *Master) Finished(result int64) bool {
	m.Result += result
	m.pending--
	return m.pending == 0
}
