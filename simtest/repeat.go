package simtest

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// A failing schedule is offered for replay only after it was repeated, and each
// repetition had the same trace. Three times of four, a range over a map of three
// keys has the order in which they were added, so 20 repetitions are not enough. A
// slow program is repeated less often.
const (
	minRepeats = 5
	maxRepeats = 200
	repeatTime = time.Second / 2
	// leakyRepeats is how often a run is repeated that leaves its goroutines behind, since
	// nothing can end them.
	leakyRepeats = 20
)

// confirmed is a schedule that was repeated.
type confirmed struct {
	*outcome        // Of its first run.
	choices  []int  // The schedule.
	runs     int    // How often it was run.
	failed   int    // How many of those runs failed in the same way.
	differs  string // Where a run departs from the first one, or "".
}

// confirm runs a schedule several times, with traces, until one run departs from
// the first.
func (r *runner) confirm(seed uint64, choices []int, want string) *confirmed {
	c := &confirmed{outcome: r.once(&replayer{choices: choices}, seed, true), choices: choices, runs: 1}
	if c.stuck {
		return c
	}
	if c.fails(want) {
		c.failed++
	} else {
		c.differs = "the same schedule does not fail again"
		return c
	}
	most := maxRepeats
	if c.leaky {
		most = leakyRepeats
	}
	for begun := time.Now(); c.runs < most && (c.runs < minRepeats || time.Since(begun) < repeatTime); {
		again := r.once(&replayer{choices: choices}, seed, true)
		c.runs++
		if again.fails(want) {
			c.failed++
		}
		if c.differs = difference(c.outcome, again, c.runs); c.differs != "" {
			return c
		}
	}
	c.differs = r.outlived()
	return c
}

// outlived returns how the natural schedule now departs from what it was at the
// beginning of the search, or "": state that outlives the body may make each
// repetition fail, and none in a new process.
func (r *runner) outlived() string {
	if r.natural == nil {
		return ""
	}
	again := r.once(&replayer{}, r.cfg.Seed, r.natural.trace != nil)
	if d := difference(r.natural, again, 2); d != "" {
		return "but the oldest-work-first schedule, which was the first of the search, is another one when it is run again: " + d
	}
	return ""
}

// sample runs the i-th schedule again if Config.Repeat asks for that; o is its first run. It returns nil if all runs are the same.
func (r *runner) sample(i int, seed uint64, o *outcome) *Failure {
	if r.cfg.Repeat <= 0 || (i+1)%r.cfg.Repeat != 0 {
		return nil
	}
	a := r.once(&replayer{choices: o.choices()}, seed, true)
	b := r.once(&replayer{choices: o.choices()}, seed, true)
	differs := difference(a, b, 2)
	if differs == "" {
		differs = difference(o, a, 2)
	}
	if differs == "" {
		return nil
	}
	f := r.notTheSame(differs)
	f.When, f.Seed = fmt.Sprintf("to be the same again in schedule %d of %d, seed %d", i+1, r.cfg.Schedules, seed), seed
	return f
}

// fails reports whether the run has failed in the given way.
func (o *outcome) fails(want string) bool { return o.failed() && kind(o) == want }

// difference returns where the n-th run of a schedule departs from the first, or
// "".
func difference(first, again *outcome, n int) string {
	if again.stuck {
		return fmt.Sprintf("run %d does not end", n)
	}
	if where := parts(first.trace, again.trace, n); where != "" {
		return where
	}
	switch a, b := first.failed(), again.failed(); {
	case a && !b:
		return fmt.Sprintf("the same schedule does not fail again in run %d, though its trace is the same", n)
	case b && !a:
		return fmt.Sprintf("the same schedule fails in run %d: %s", n, again.failures[0])
	case a && kind(first) != kind(again):
		return fmt.Sprintf("run 1 fails with %q, run %d with %q", kind(first), n, kind(again))
	case a:
		return "" // Differences after a failure do not count.
	}
	for i := range max(len(first.made), len(again.made)) {
		if i >= len(first.made) || i >= len(again.made) || first.made[i] != again.made[i] {
			return fmt.Sprintf("from decision %d on, run %d has others to make than run 1", i+1, n)
		}
	}
	return ""
}

// parts returns where the n-th trace of a schedule departs from the first, or "".
// Lines after the failure, as the body clears up, do not count.
func parts(first, again *trace, n int) string {
	if first == nil || again == nil {
		return ""
	}
	as, bs := upToFailure(first.lines()), upToFailure(again.lines())
	for i := range max(len(as), len(bs)) {
		x, y := "(the end)", "(the end)"
		if i < len(as) {
			x = strings.TrimSpace(as[i])
		}
		if i < len(bs) {
			y = strings.TrimSpace(bs[i])
		}
		if x != y && withoutAddresses(x) != withoutAddresses(y) {
			return fmt.Sprintf("their traces part in line %d, which is\n    %s\nin run 1, and\n    %s\nin run %d", i+1, x, y, n)
		}
	}
	return ""
}

// addresses matches what differs in two stacks of the same program.
var addresses = regexp.MustCompile(`0x[0-9a-f]+|goroutine [0-9]+|synctest bubble [0-9]+`)

// withoutAddresses makes two texts equal that differ only in where memory lies,
// or in the numbers of goroutines.
func withoutAddresses(text string) string { return addresses.ReplaceAllString(text, "*") }
