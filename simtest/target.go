package simtest

import "time"

// Target tells the search how far this run is from what it looks for, such as two events
// in the same moment: the less, the nearer, and below 0 counts as 0. Of several calls in
// a run the least distance counts. Every other schedule is then a variation of the nearest
// one so far: one of its delays is longer or shorter, see [Sim.Delay]. So the search
// finds a window of a microsecond in a second, which chance does not. It does nothing in
// an exhaustive search.
//
//	s.Target(released.Sub(expired).Abs())
//
// The idea comes from targeted property-based testing (Löscher and Sagonas, ISSTA 2017).
func (s *Sim) Target(distance time.Duration) {
	distance = max(0, distance)
	if s.target == nil || distance < *s.target {
		s.target = &distance
	}
}

// climb looks for the neighbours of the run that has come nearest to its target. It goes
// through the delays of that, and makes each longer and shorter by a step, as long as
// that leads nearer. When no delay does, it halves the step (a compass search).
type climb struct {
	nearest *outcome
	halved  int // How often the step was halved: it began with half of the longest delay.
	at      int // The delay that is next, twice: once longer, once shorter.
}

// candidate returns the choices of the next neighbour.
func (c *climb) candidate() []int {
	choices := c.nearest.choices()
	delays := c.nearest.delays()
	if len(delays) == 0 {
		return choices
	}
	if c.at >= 2*len(delays) {
		c.at, c.halved = 0, c.halved+1
	}
	i := delays[c.at/2]
	of := c.nearest.made[i].of
	step := of >> (c.halved + 1)
	if step == 0 {
		c.at, c.halved, step = 0, 0, of>>1 // It is at a peak that is not the target.
	}
	if c.at%2 == 1 {
		step = -step
	}
	choices[i] = min(max(0, choices[i]+step), of-1)
	return choices
}

// saw takes note of a run, which is a candidate or was chosen otherwise.
func (c *climb) saw(o *outcome, candidate bool) {
	switch {
	case o.target != nil && (c.nearest == nil || *o.target < *c.nearest.target):
		if c.nearest = o; !candidate {
			c.at, c.halved = 0, 0
		}
	case candidate:
		c.at++
	}
}

// delays returns the places of the choices that are lengths of delays.
func (o *outcome) delays() (places []int) {
	for i, d := range o.made {
		if d.of > fine {
			places = append(places, i)
		}
	}
	return places
}
