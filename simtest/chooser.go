package simtest

import (
	"math/rand/v2"

	"github.com/troupe-go/troupe/internal/sim"
)

// decisions is a schedule as the choices that were made, each with the number of
// alternatives. Choice 0 is the natural one: the oldest work first, and no
// interruption. So a schedule with few others is one that is easy to follow.
type decisions []decision

type decision struct{ chosen, of int }

// recorder makes the choices of another chooser and takes note of them.
type recorder struct {
	inner sim.Chooser
	made  decisions
}

func (r *recorder) Next(ready []sim.Entry) int {
	if len(ready) == 1 {
		r.inner.Next(ready)
		return 0
	}
	i := r.inner.Next(ready)
	r.made = append(r.made, decision{i, len(ready)})
	return i
}

func (r *recorder) Interleave() bool {
	return r.note(r.inner.Interleave())
}

func (r *recorder) Delay() bool { return r.note(r.inner.Delay()) }

func (r *recorder) Pick(of int) int {
	i := r.inner.Pick(of)
	r.made = append(r.made, decision{i, of})
	return i
}

// note takes note of a decision about an interruption.
func (r *recorder) note(yes bool) bool {
	d := decision{0, 2}
	if yes {
		d.chosen = 1
	}
	r.made = append(r.made, d)
	return yes
}

// randomWalk decides by chance.
type randomWalk struct {
	random    *rand.Rand
	interrupt float64 // How likely the running work is interrupted at a point.
}

func newRandomWalk(random *rand.Rand) *randomWalk {
	likely := []float64{0, 0.05, 0.3}
	return &randomWalk{random, likely[random.IntN(len(likely))]}
}

func (c *randomWalk) Next(ready []sim.Entry) int { return c.random.IntN(len(ready)) }
func (c *randomWalk) Interleave() bool           { return c.random.Float64() < c.interrupt }
func (c *randomWalk) Delay() bool                { return c.random.Float64() < c.interrupt }
func (c *randomWalk) Pick(of int) int            { return c.random.IntN(of) }

// pct is the scheduler of Burckhardt and others, with work instead of threads. It is unfair
// by design: an actor that has the highest priority and polls for the work of another one
// polls for ever. So after several times the expected number of decisions the rest is by
// chance, which is fair.
type pct struct {
	random   *rand.Rand
	priority map[any]float64 // Of each piece of work that was ever seen.
	changes  map[int]bool    // The decisions at which the running work's priority falls.
	at       int
	end      int // After this decision, chance decides.
	lowest   float64
	running  any
}

// fairAfter is by how much a run may be longer than expected before it is not PCT's
// any more.
const fairAfter = 10

// newPCT has depth-1 changes within the first so many decisions.
func newPCT(random *rand.Rand, depth, length int) *pct {
	c := &pct{random: random, priority: map[any]float64{}, changes: map[int]bool{}, end: fairAfter * (length + fairAfter)}
	for range depth - 1 {
		c.changes[random.IntN(max(1, length))] = true
	}
	return c
}

func (c *pct) of(work any) float64 {
	p, ok := c.priority[work]
	if !ok {
		p = 1 + c.random.Float64()
		c.priority[work] = p
	}
	return p
}

func (c *pct) Next(ready []sim.Entry) int {
	c.pass()
	if c.at > c.end {
		return c.random.IntN(len(ready))
	}
	best := 0
	for i := range ready {
		if c.of(ready[i].Work) > c.of(ready[best].Work) {
			best = i
		}
	}
	c.running = ready[best].Work
	return best
}

// Interleave interrupts the running work where its priority falls.
func (c *pct) Interleave() bool { return c.pass() || c.at > c.end && c.random.IntN(2) == 0 }

// Delay lets the body have a priority like all others.
func (c *pct) Delay() bool { return true }

func (c *pct) Pick(of int) int { return c.random.IntN(of) }

// pass goes by one decision, and reports whether the priority falls there.
func (c *pct) pass() bool {
	c.at++
	if !c.changes[c.at-1] {
		return false
	}
	c.lowest--
	c.priority[c.running] = c.lowest
	return true
}

// replayer makes given choices, and the natural ones after those.
type replayer struct {
	choices []int
	at      int
	wrap    bool // The choices are arbitrary numbers.
}

func (c *replayer) next(of int) int {
	if c.at >= len(c.choices) {
		return 0
	}
	c.at++
	chosen := c.choices[c.at-1]
	switch {
	case c.wrap && of > fine:
		return chosen * (of / fine) // All that a byte can say.
	case c.wrap:
		return chosen % of
	}
	return min(chosen, of-1)
}

func (c *replayer) Next(ready []sim.Entry) int {
	if len(ready) == 1 {
		return 0
	}
	return c.next(len(ready))
}

func (c *replayer) Interleave() bool { return c.next(2) == 1 }
func (c *replayer) Delay() bool      { return c.next(2) == 1 }
func (c *replayer) Pick(of int) int  { return c.next(of) }

// fine is the number of alternatives beyond which they are the degrees of one thing, as
// the lengths of a delay are, and not all of them are tried.
const fine = 256

// after returns the alternative that comes after the chosen one in an exhaustive search:
// of something fine, after none of it comes half of it, and then all.
func (d decision) after() (next int, more bool) {
	switch last := d.of - 1; {
	case d.chosen >= last:
		return 0, false
	case d.of <= fine:
		return d.chosen + 1, true
	case d.chosen < last/2:
		return last / 2, true
	default:
		return last, true
	}
}

// advance turns the choices of a schedule into the choices of the next schedule in
// the order of an exhaustive search. It returns false after the last.
func advance(made decisions) (choices []int, more bool) {
	for last := len(made) - 1; last >= 0; last-- {
		next, more := made[last].after()
		if !more {
			continue
		}
		for _, d := range made[:last] {
			choices = append(choices, d.chosen)
		}
		return append(choices, next), true
	}
	return nil, false
}
