package simtest

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// The limits of the search for a simpler schedule.
const (
	shrinkRuns = 3000
	shrinkTime = 3 * time.Second
)

// shrinker looks for a schedule that fails in the same way with fewer choices
// other than the natural ones.
type shrinker struct {
	*runner
	seed     uint64
	want     string // The kind of the failure.
	deadline time.Time
	runs     int
	best     []int
}

func (r *runner) shrink(seed uint64, choices []int, failed *outcome) []int {
	s := &shrinker{runner: r, seed: seed, want: kind(failed), deadline: time.Now().Add(shrinkTime), best: choices}
	if s.try(nil) {
		return s.best
	}
	s.clearRanges()
	if deviations(s.best) > 1 {
		s.tryOne()
	}
	s.lessen()
	return s.best
}

// try takes the candidate as the best if it fails in the same way.
func (s *shrinker) try(candidate []int) bool {
	s.runs++
	if s.spent() {
		return false
	}
	o := s.once(&replayer{choices: candidate}, s.seed, false)
	if !o.failed() || o.stuck || kind(o) != s.want {
		return false
	}
	s.best = candidate
	return true
}

// spent reports whether it has to be enough.
func (s *shrinker) spent() bool { return s.runs > shrinkRuns || time.Now().After(s.deadline) }

// clearRanges makes ever smaller ranges of choices natural, and keeps what still
// fails. It is the idea of delta debugging (Zeller and Hildebrandt, Simplifying
// and Isolating Failure-Inducing Input, TSE 2002).
func (s *shrinker) clearRanges() {
	for size := max(1, len(s.best)/2); size > 0; size /= 2 {
		for from := 0; from < len(s.best); from += size {
			to := min(len(s.best), from+size)
			if s.spent() {
				return
			}
			if deviations(s.best[from:to]) == 0 {
				continue
			}
			candidate := slices.Clone(s.best)
			clear(candidate[from:to])
			s.try(candidate)
		}
	}
}

// tryOne tries the schedules with a single choice that is not the natural one:
// many faults need no more, though the schedule that was found took a detour.
func (s *shrinker) tryOne() {
	natural := s.once(&replayer{}, s.seed, false)
	for at, d := range natural.made {
		for choice := 0; ; {
			var more bool
			if choice, more = (decision{choice, d.of}).after(); !more {
				break
			}
			candidate := make([]int, at+1)
			candidate[at] = choice
			if s.try(candidate) || s.spent() {
				return
			}
		}
	}
}

// lessen makes choices smaller where the failure stays: the delays shorter that it needs, and
// the work older that is taken first. Of a range in which some fail and some don't, it
// finds an end, as a bisection does.
func (s *shrinker) lessen() {
	for at := range s.best {
		if at >= len(s.best) {
			return
		}
		for good, bad := s.best[at], 0; good-bad > 1 && !s.spent(); {
			candidate := slices.Clone(s.best)
			candidate[at] = bad + (good-bad)/2
			if s.try(candidate) {
				good = candidate[at]
			} else {
				bad = candidate[at]
			}
		}
	}
}

// deviations counts the choices other than the natural ones.
func deviations(choices []int) (n int) {
	for _, c := range choices {
		if c != 0 {
			n++
		}
	}
	return n
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
