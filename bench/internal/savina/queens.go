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
	Want: func(n, size int) int64 { return int64(n) * Board{Size: size}.Solutions() },
}

// QueensWorkers is how many actors search.
const QueensWorkers = 20

// sharedRows is how many rows are work for others.
const sharedRows = 3

// Board has a queen in each of the first rows.
type Board struct {
	Size, row            int
	columns, left, right uint32 // What is attacked in the next row.
}

// Shared reports whether the next row is work for others.
func (b Board) Shared() bool { return b.row < sharedRows }

// Next calls yield with the boards that have one more queen.
func (b Board) Next(yield func(Board) bool) {
	for free := (1<<b.Size - 1) &^ (b.columns | b.left | b.right); free != 0; free &= free - 1 {
		bit := uint32(1) << bits.TrailingZeros32(free)
		if !yield(Board{b.Size, b.row + 1, b.columns | bit, (b.left | bit) << 1, (b.right | bit) >> 1}) {
			return
		}
	}
}

// Solutions counts the ways to fill the board.
func (b Board) Solutions() (count int64) {
	if b.row == b.Size {
		return 1
	}
	for next := range b.Next {
		count += next.Solutions()
	}
	return count
}

// Master counts what was given out and has come back.
type Master struct {
	Solutions int64
	pending   int
	turn      int
}

// Assign returns which worker gets the next board.
func (m *Master) Assign() int {
	m.pending++
	m.turn++
	return m.turn % QueensWorkers
}

// Finished notes what has come of a board, and reports whether all is done.
func (m *Master) Finished(solutions int64) bool {
	m.Solutions += solutions
	m.pending--
	return m.pending == 0
}
