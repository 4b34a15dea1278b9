package savina

import (
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

var sieve = suite.Workload{
	Name: Sieve, Family: suite.Actors, Baseline: channels, Unit: "ms", Per: time.Millisecond, Size: 50_000, TinySize: 1000,
	About: "the primes below 50,000: numbers pass a chain of actors, each of which keeps 500 primes and starts the next (Savina)",
	Want:  func(n, size int) int64 { return int64(n) * primesBelow(size) },
}

func primesBelow(limit int) (count int64) {
	composite := make([]bool, limit)
	for i := 2; i < limit; i++ {
		if composite[i] {
			continue
		}
		count++
		for j := i * i; j < limit; j += i {
			composite[j] = true
		}
	}
	return count
}

// LastNumber follows the last candidate.
const LastNumber = 0

// Candidates calls send with what begins the chain: 2, the odd numbers, and
// LastNumber, until send fails.
func Candidates(limit int, send func(v int) error) error {
	if err := send(2); err != nil {
		return err
	}
	for v := 3; v < limit; v += 2 {
		if err := send(v); err != nil {
			return err
		}
	}
	return send(LastNumber)
}

// Filter is a link of the chain.
type Filter struct {
	primes []int
	below  int // How many primes the links before have.
}

// NewFilter returns the first link for a limit, which keeps a hundredth as many
// primes at most.
func NewFilter(limit int) Filter { return Filter{primes: make([]int, 0, limit/100)} }

// Next returns the link after f.
func (f *Filter) Next() Filter {
	return Filter{primes: make([]int, 0, cap(f.primes)), below: f.Count()}
}

// Count returns how many primes there are up to this link.
func (f *Filter) Count() int { return f.below + len(f.primes) }

// Pass reports whether v has to go on. It may be a multiple, or else be kept.
func (f *Filter) Pass(v int) bool {
	for _, p := range f.primes {
		if v%p == 0 {
			return false
		}
	}
	if len(f.primes) < cap(f.primes) {
		f.primes = append(f.primes, v)
		return false
	}
	return true
}
