//go:build modelcheck

package sched_test

import (
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/internal/modelcheck"
	"github.com/troupe-go/troupe/internal/xatomic"
	"github.com/troupe-go/troupe/sched"
)

// sharing has submitters of the given numbers of pieces and takers that trust
// the mask: what it doesn't show they never look for. They take up to batch
// pieces at once to their own queue.
func sharing(takers, batch int, each ...int) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		q := sched.NewModelInjector()
		total := 0
		for _, n := range each {
			total += n
		}
		pieces := newPieces(total)
		left := total
		took := func(n *sched.Node) {
			note(pieces, n)
			if left--; left == 0 {
				q.End()
			}
		}
		for i := range takers {
			local := sched.NewLocal(2)
			prog.Go(fmt.Sprintf("taker %d", i), func() {
				for q.Await() {
					n := q.Take(sched.Normal, local, batch)
					if n == nil {
						if takers == 1 {
							panic("the mask shows what is not there")
						}
						continue
					}
					for took(n); local.Len() > 0; {
						took(local.Take())
					}
				}
			})
		}
		first := 0
		for i, n := range each {
			mine := pieces[first : first+n]
			first += n
			prog.Go(fmt.Sprintf("submitter %d", i), func() {
				for _, piece := range mine {
					if !q.Submit(&piece.node, sched.Normal) {
						panic("refused")
					}
				}
			})
		}
		prog.Finally(once(pieces))
		prog.Finally(func() error {
			if q.Shows(sched.Normal) {
				return errors.New("the mask shows what is not there")
			}
			return nil
		})
	}
}

// closing has submitters, and somebody who closes the injector and then takes
// what is in it: what was accepted has to be there by then.
func closing(each ...int) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		q := sched.NewModelInjector()
		total := 0
		for _, n := range each {
			total += n
		}
		pieces := newPieces(total)
		accepted := make([]bool, total)
		first := 0
		for i, n := range each {
			from := first
			first += n
			prog.Go(fmt.Sprintf("submitter %d", i), func() {
				for j := from; j < from+n; j++ {
					accepted[j] = q.Submit(&pieces[j].node, sched.Normal)
				}
			})
		}
		prog.Go("stopper", func() {
			q.Close()
			for q.Shows(sched.Normal) {
				note(pieces, q.Take(sched.Normal, nil, 0))
			}
		})
		prog.Finally(func() error {
			for i, p := range pieces {
				if accepted[i] != (p.ran == 1) {
					return fmt.Errorf("piece %d ran %d times; accepted: %t", i, p.ran, accepted[i])
				}
			}
			return nil
		})
	}
}

// mixing has submitters of different priorities and a taker that takes the most
// urgent that the mask shows.
func mixing(prog *modelcheck.Program) {
	q := sched.NewModelInjector()
	pieces := newPieces(3)
	var urgent xatomic.Bool
	prog.Go("taker", func() {
		for left := len(pieces); left > 0; {
			q.Await()
			sure := urgent.Load() && pieces[0].ran == 0
			for _, p := range []sched.Priority{sched.Critical, sched.Normal} {
				if !q.Shows(p) {
					continue
				}
				if sure && p == sched.Normal {
					panic("normal work was taken while critical work waited")
				}
				note(pieces, q.Take(p, nil, 0))
				left--
				break
			}
		}
	})
	prog.Go("submitter 0", func() {
		q.Submit(&pieces[0].node, sched.Critical)
		urgent.Store(true)
	})
	prog.Go("submitter 1", func() {
		q.Submit(&pieces[1].node, sched.Normal)
		q.Submit(&pieces[2].node, sched.Normal)
	})
	prog.Finally(once(pieces))
}
