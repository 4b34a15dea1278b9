package savina

import (
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

var matrix = suite.Workload{
	Name: MatrixProduct, Family: suite.Actors, Baseline: channels, Unit: "ms", Per: time.Millisecond, Size: 512, TinySize: 64,
	About: "the product of two matrices of 512 by 512: 20 actors, which give eight parts back to a master as more work " +
		"until a block has 32 rows, in unbounded mailboxes (Savina)",
	Want: func(n, size int) int64 { return int64(n) * newFactors(size).sum() },
}

// leaf is how many rows a block has that is not split further.
const leaf = 32

// Factors are two square matrices, and their product as far as it is known.
type Factors struct {
	size    int
	a, b    []int32
	product []atomic.Int64
}

func newFactors(size int) *Factors {
	f := &Factors{size: size, a: make([]int32, size*size), b: make([]int32, size*size), product: make([]atomic.Int64, size*size)}
	numbers := random(size)
	for i := range f.a {
		f.a[i], f.b[i] = numbers.Int32N(100), numbers.Int32N(100)
	}
	return f
}

// NewFactors returns the factors of a run.
func NewFactors(r *suite.Run) *Factors { return newFactors(r.Size) }

// sum returns the sum of the elements of the product, from sums of columns and rows.
func (f *Factors) sum() (sum int64) {
	for k := range f.size {
		var column, row int64
		for i := range f.size {
			column += int64(f.a[i*f.size+k])
			row += int64(f.b[k*f.size+i])
		}
		sum += column * row
	}
	return sum
}

// Block is one block of the first factor, times one of the second.
type Block struct {
	factors            *Factors
	size               int
	row, inner, column int // Where the block of the first factor begins, and the other's column.
}

// Whole returns the product of all.
func (f *Factors) Whole() Block { return Block{factors: f, size: f.size} }

// Shared reports whether the product is split.
func (b Block) Shared() bool { return b.size > leaf }

// Parts calls yield with the eight parts of the product.
func (b Block) Parts(yield func(Block) bool) {
	half := b.size / 2
	for i := range 8 {
		if !yield(Block{b.factors, half, b.row + i&1*half, b.inner + i>>1&1*half, b.column + i>>2*half}) {
			return
		}
	}
}

// Result adds the block to the product, and returns the sum of its elements.
func (b Block) Result() (sum int64) {
	f := b.factors
	var tile [leaf][leaf]int64
	for i := range b.size {
		for k := range b.size {
			x := int64(f.a[(b.row+i)*f.size+b.inner+k])
			for j, y := range f.b[(b.inner+k)*f.size+b.column:][:b.size] {
				tile[i][j] += x * int64(y)
			}
		}
	}
	for i := range b.size {
		for j := range b.size {
			f.product[(b.row+i)*f.size+b.column+j].Add(tile[i][j])
			sum += tile[i][j]
		}
	}
	return sum
}
