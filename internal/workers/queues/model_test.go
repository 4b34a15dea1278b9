//go:build modelcheck

package queues_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/internal/deque"
	"github.com/troupe-go/troupe/internal/modelcheck"
	"github.com/troupe-go/troupe/internal/workers/queues"
	"github.com/troupe-go/troupe/internal/xatomic"
)

func newPieces(n int) []*piece {
	pieces := make([]*piece, n)
	for i := range pieces {
		pieces[i] = &piece{}
	}
	return pieces
}

// note counts the piece that a taker was given.
func note(p *piece) {
	if p != nil {
		p.ran++
	}
}

func once(pieces []*piece) func() error {
	return func() error {
		for i, p := range pieces {
			if p.ran != 1 {
				return fmt.Errorf("piece %d ran %d times", i, p.ran)
			}
		}
		return nil
	}
}

// sharing has submitters of the given numbers of pieces, and takers that trust
// the mask: they look for nothing that it does not show. They take up to batch
// pieces at once to their own queue.
func sharing(takers, batch int, each ...int) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		q := new(queues.Shared[piece])
		total := 0
		for _, n := range each {
			total += n
		}
		pieces := newPieces(total)
		left := total
		took := func(n *piece) {
			note(n)
			if left--; left == 0 {
				q.End()
			}
		}
		for i := range takers {
			local := deque.New[piece](2)
			prog.Go(fmt.Sprintf("taker %d", i), func() {
				for q.Await() != 0 {
					n := q.Take(queues.Normal, local, batch)
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
					if !q.Submit(piece, queues.Normal) {
						panic("refused")
					}
				}
			})
		}
		prog.Finally(once(pieces))
		prog.Finally(func() error {
			if q.Has(queues.Normal) {
				return errors.New("the mask shows what is not there")
			}
			return nil
		})
	}
}

// closing has submitters, and a stopper that closes the queues and then takes
// the work in them: accepted work has to be there by then.
func closing(each ...int) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		q := new(queues.Shared[piece])
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
					accepted[j] = q.Submit(pieces[j], queues.Normal)
				}
			})
		}
		prog.Go("stopper", func() {
			q.Close()
			for q.Has(queues.Normal) {
				note(q.Take(queues.Normal, nil, 0))
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
	q := new(queues.Shared[piece])
	pieces := newPieces(3)
	var urgent xatomic.Bool
	prog.Go("taker", func() {
		for left := len(pieces); left > 0; {
			q.Await()
			sure := urgent.Load() && pieces[0].ran == 0
			for _, p := range []queues.Priority{queues.Critical, queues.Normal} {
				if !q.Has(p) {
					continue
				}
				if sure && p == queues.Normal {
					panic("normal work was taken while critical work waited")
				}
				note(q.Take(p, nil, 0))
				left--
				break
			}
		}
	})
	prog.Go("submitter 0", func() {
		q.Submit(pieces[0], queues.Critical)
		urgent.Store(true)
	})
	prog.Go("submitter 1", func() {
		q.Submit(pieces[1], queues.Normal)
		q.Submit(pieces[2], queues.Normal)
	})
	prog.Finally(once(pieces))
}

var models = []struct {
	name  string
	cfg   modelcheck.Config
	build func(*modelcheck.Program)
}{
	{"one taker", modelcheck.Config{}, sharing(1, 0, 2, 1)},
	{"two takers", modelcheck.Config{Preemptions: 2}, sharing(2, 0, 1, 1)},
	{"a batch", modelcheck.Config{}, sharing(1, 3, 4)},
	{"a batch, two takers", modelcheck.Config{Preemptions: 2}, sharing(2, 2, 4)},
	{"close", modelcheck.Config{}, closing(2, 1)},
	{"priorities", modelcheck.Config{}, mixing},
}

func TestModel(t *testing.T) {
	table := modelcheck.NewTable(t, "queues")
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) { table.Explore(t, m.name, m.cfg, m.build) })
	}
}
