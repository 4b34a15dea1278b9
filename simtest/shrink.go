package simtest

import (
	"strings"
	"time"
	"unicode"
)

// The limits of the search for a simpler schedule.
const (
	shrinkRuns = 400
	shrinkTime = 3 * time.Second
)

// shrink looks for a schedule that fails in the same way with fewer choices
// other than the natural ones: it makes ever smaller ranges of choices natural,
// and keeps what still fails. It is the idea of delta debugging (Zeller and
// Hildebrandt, Simplifying and Isolating Failure-Inducing Input, TSE 2002).
func (r *runner) shrink(seed uint64, choices []int, failed *outcome) []int {
	want := kind(failed)
	deadline := time.Now().Add(shrinkTime)
	runs := 0
	try := func(candidate []int) bool {
		if runs++; runs > shrinkRuns || time.Now().After(deadline) {
			return false
		}
		o := r.once(&replayer{choices: candidate}, seed, false)
		return o.failed() && !o.stuck && kind(o) == want
	}
	best := choices
	if try(nil) {
		return nil
	}
	for size := max(1, len(best)/2); size > 0; size /= 2 {
		for from := 0; from < len(best); from += size {
			to := min(len(best), from+size)
			if natural(best[from:to]) {
				continue
			}
			candidate := append([]int(nil), best...)
			clear(candidate[from:to])
			if try(candidate) {
				best = candidate
			}
		}
	}
	return best
}

func natural(choices []int) bool {
	for _, c := range choices {
		if c != 0 {
			return false
		}
	}
	return true
}

// kind is what is the same in two failures of the same cause: the first line,
// without its numbers.
func kind(o *outcome) string {
	line, _, _ := strings.Cut(o.failures[0], "\n")
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, line)
}
