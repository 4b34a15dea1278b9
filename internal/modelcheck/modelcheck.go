// Package modelcheck runs a small concurrent program under every schedule, or
// under many random ones, and reports the first that breaks it.
//
// A program is a few threads that share memory through the types of package
// xatomic, in a build with the tag modelcheck. There, each atomic operation is
// preceded by a [Point], at which the thread stops. The explorer runs all
// threads as coroutines on one goroutine and chooses at each step which of them
// does its operation. A schedule is the list of these choices; the program must
// depend on nothing else.
//
// # Algorithm
//
// The exploration is stateless (Godefroid, Model Checking for Programming
// Languages using VeriSoft, POPL 1997): it walks the tree of choices depth
// first and runs the program again for each path. Sleep sets (Godefroid, 1996)
// leave out schedules that differ from an explored one only in the order of
// independent operations, those on different addresses or two reads; so each
// class of equivalent schedules runs once. With a bound on preemptions (Musuvathi
// and Qadeer, Iterative Context Bounding, PLDI 2007) a larger program can be
// searched in part: most faults need two or three. The bound and sleep sets do
// not go together, so a bounded search does without.
//
// # What it sees
//
// All interleavings of atomic operations. For them that is all there is: the
// memory model of Go makes its atomics sequentially consistent, so there is no
// order of them that no interleaving shows, on arm64 either.
//
// # What it does not see
//
// Ordinary accesses. Those between two points are done together with the first
// of the two, in the order of the source; that one of them is torn or reordered,
// as the compiler and the processor may do where there is a data race, is not
// explored. A program without data races has nothing of that kind, and whether
// it has any is for the race detector to say: the same code runs under it in
// the stress tests. Nor do sleep sets know of ordinary accesses; a model in which
// an unprotected one matters is explored with a bound on preemptions.
//
// It does not explore waits by other means than package xatomic, the time, or a
// program with more threads or more steps than its model has.
package modelcheck

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"runtime/debug"
	"strings"
)

// Config bounds an exploration. The zero value explores every schedule.
type Config struct {
	// Preemptions bounds how often a schedule takes the turn from a thread that
	// could go on. Defaults to 0, no bound; -1 means none.
	Preemptions int
	// Random is how many random schedules are run, instead of all. Defaults to 0.
	Random int
	// Seed chooses the random schedules.
	Seed uint64
	// MaxSchedules ends an exploration that has run so many. Defaults to
	// 5,000,000; the report then is not complete.
	MaxSchedules int
	// MaxSteps is how long one schedule may be before it counts as a livelock.
	// Defaults to 1,000.
	MaxSteps int
}

// Report says how much was explored.
type Report struct {
	Schedules int
	Pruned    int  // Of these, ended early as equivalent to an earlier one.
	Complete  bool // Nothing was left out but what Config asked to.
}

// Failure is a schedule that breaks the program.
type Failure struct {
	Err   error
	Trace []string // A line for each step.
}

// Error returns what broke and the schedule.
func (f *Failure) Error() string {
	return fmt.Sprintf("modelcheck: %v, after\n\t%s", f.Err, strings.Join(f.Trace, "\n\t"))
}

// Unwrap returns what broke.
func (f *Failure) Unwrap() error { return f.Err }

// Explore runs the program that build sets up, until a schedule breaks it: a
// thread panics, no thread can go on, a schedule is too long, or the program's
// final check fails. That is then returned as a [*Failure]. Build is called for
// each schedule and must always set up the same program. Explore must not run
// at the same time as another one.
func Explore(cfg Config, build func(p *Program)) (Report, error) {
	if cfg.MaxSchedules == 0 {
		cfg.MaxSchedules = 5_000_000
	}
	if cfg.MaxSteps == 0 {
		cfg.MaxSteps = 1_000
	}
	// Each schedule builds the whole program again, and almost no memory lives long.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	x := &explorer{cfg: cfg, build: build}
	if cfg.Random > 0 {
		x.random = rand.New(rand.NewPCG(cfg.Seed, 0))
	}
	return x.run()
}

// explorer walks the tree of choices. Path is the way to the present leaf.
type explorer struct {
	cfg    Config
	build  func(p *Program)
	random *rand.Rand
	path   []*node
	report Report
}

// node is a state in which the explorer chose a thread.
type node struct {
	ops     []Op // The next operation of each thread.
	enabled threads
	last    int // The thread that ran before, if it could go on; else -1.
	chosen  int
	tried   threads // Were chosen here before, and need not be chosen again.
	asleep  threads // Were explored above, and commute with all operations since.
	spent   int     // Preemptions before this choice.
}

// threads is a set of threads.
type threads uint32

func (s threads) has(t int) bool { return s>>t&1 != 0 }

func (x *explorer) run() (Report, error) {
	for {
		err := x.schedule()
		x.report.Schedules++
		switch {
		case err != nil:
			return x.report, x.explain(err)
		case x.random != nil:
			x.path = nil
			if x.report.Schedules >= x.cfg.Random {
				return x.report, nil
			}
		case !x.backtrack():
			x.report.Complete = true
			return x.report, nil
		case x.report.Schedules >= x.cfg.MaxSchedules:
			return x.report, nil
		}
	}
}

// schedule runs the program once, along the path and on from its end.
func (x *explorer) schedule() error {
	p := newProgram(x.build)
	defer p.abort()
	for depth := 0; ; depth++ {
		enabled := p.enabled()
		if enabled == 0 {
			return p.finish()
		}
		if depth >= x.cfg.MaxSteps {
			return fmt.Errorf("livelock: %d steps and no end", depth)
		}
		if depth == len(x.path) {
			n := x.extend(p, enabled)
			if n == nil {
				x.report.Pruned++
				return nil
			}
			x.path = append(x.path, n)
		}
		n := x.path[depth]
		if !n.same(p, enabled) {
			return errChance
		}
		if err := p.step(n.chosen); err != nil {
			return err
		}
	}
}

// errChance is returned when the same choices lead to another state.
var errChance = errors.New("the program depends on something else than its schedule, such as time, chance or the order of a map")

// same reports whether the program is where it was when n was made, as far as
// can be told: addresses differ from run to run.
func (n *node) same(p *Program, enabled threads) bool {
	for i, t := range p.threads {
		if !t.done && t.op.Kind != n.ops[i].Kind {
			return false
		}
	}
	return enabled == n.enabled
}

// extend makes the node after the end of the path. It returns nil if
// everything from here on has been explored elsewhere.
func (x *explorer) extend(p *Program, enabled threads) *node {
	n := &node{ops: p.next(), enabled: enabled, last: -1}
	if len(x.path) > 0 {
		n.inherit(x.path[len(x.path)-1])
	}
	if x.random != nil {
		n.chosen = x.pick(enabled)
		return n
	}
	if !x.choose(n) {
		return nil
	}
	return n
}

// inherit takes over what sleeps, and counts preemptions.
func (n *node) inherit(parent *node) {
	if n.enabled.has(parent.chosen) {
		n.last = parent.chosen
	}
	n.spent = parent.spent
	if parent.preempts(parent.chosen) {
		n.spent++
	}
	for t, op := range parent.ops {
		if (parent.asleep | parent.tried).has(t) && t != parent.chosen && op.independent(parent.ops[parent.chosen]) {
			n.asleep |= 1 << t
		}
	}
}

// preempts reports whether to choose t takes the turn from another thread.
func (n *node) preempts(t int) bool { return n.last >= 0 && n.last != t }

// choose picks the next thread to try at n, first the one that ran before. It
// returns false if there is none.
func (x *explorer) choose(n *node) bool {
	left := n.enabled &^ n.tried
	switch {
	case x.cfg.Preemptions == 0:
		left &^= n.asleep
	case n.last >= 0 && n.spent >= max(0, x.cfg.Preemptions):
		left &= 1 << n.last
	}
	if left == 0 {
		return false
	}
	if n.chosen = bits.TrailingZeros32(uint32(left)); n.last >= 0 && left.has(n.last) {
		n.chosen = n.last
	}
	return true
}

func (x *explorer) pick(from threads) int {
	for range x.random.IntN(bits.OnesCount32(uint32(from))) {
		from &= from - 1
	}
	return bits.TrailingZeros32(uint32(from))
}

// backtrack goes to the deepest node of the path where another thread can be
// tried. It returns false when there is none.
func (x *explorer) backtrack() bool {
	for len(x.path) > 0 {
		n := x.path[len(x.path)-1]
		n.tried |= 1 << n.chosen
		if x.choose(n) {
			return true
		}
		x.path = x.path[:len(x.path)-1]
	}
	return false
}

// explain runs the failing schedule again and notes what each step did.
func (x *explorer) explain(err error) error {
	p := newProgram(x.build)
	p.tracing = true
	defer p.abort()
	for _, n := range x.path {
		if p.step(n.chosen) != nil {
			break
		}
	}
	return &Failure{Err: err, Trace: p.trace}
}
