//go:build modelcheck

package workers_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/internal/modelcheck"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// piece is work that is only counted.
type piece struct {
	node workers.Node
	ran  int
}

func (p *piece) Run(*workers.Fiber, workers.Priority) {}

func newPieces(n int) []*piece {
	pieces := make([]*piece, n)
	for i := range pieces {
		pieces[i] = &piece{}
		pieces[i].node.Init(pieces[i])
	}
	return pieces
}

// note counts the piece that a worker was given.
func note(pieces []*piece, n *workers.Node) {
	for _, p := range pieces {
		if n == &p.node {
			p.ran++
		}
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

// scattering is parking with two workers, to one of which each piece is handed.
func scattering(submitters, each int) func(*modelcheck.Program) {
	return parkingOf(workers.NewScatteringModel, 2, submitters, each, workers.Normal)
}

// balancing has a worker with two pieces in its own queue, one of which is about
// to be handed over to the other one while the scheduler stops.
func balancing(prog *modelcheck.Program) {
	const width = 2
	s := workers.NewModel(width)
	pieces := newPieces(2)
	for _, p := range pieces {
		s.Worker(0).Push(&p.node, workers.Normal)
	}
	for i := range width {
		prog.Go(fmt.Sprintf("worker %d", i), func() {
			for n := s.Worker(i).Next(); n != nil; n = s.Worker(i).Next() {
				note(pieces, n)
			}
		})
	}
	prog.Go("monitor", s.RebalanceNow)
	prog.Go("stopper", func() { s.Settle() })
	prog.Finally(once(pieces))
}

// parking has workers that run until the scheduler settles, and submitters from
// outside, the last of which stops it. A lost wake-up shows as a deadlock: with
// something queued and all workers asleep, nothing settles.
func parking(width, submitters, each int, p workers.Priority) func(*modelcheck.Program) {
	return parkingOf(workers.NewModel, width, submitters, each, p)
}

func parkingOf(model func(int) *workers.Scheduler, width, submitters, each int, p workers.Priority) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		s := model(width)
		pieces := newPieces(submitters * each)
		for i := range width {
			prog.Go(fmt.Sprintf("worker %d", i), func() {
				for n := s.Worker(i).Next(); n != nil; n = s.Worker(i).Next() {
					note(pieces, n)
				}
			})
		}
		left := submitters
		for i := range submitters {
			prog.Go(fmt.Sprintf("submitter %d", i), func() {
				for _, piece := range pieces[i*each : (i+1)*each] {
					if err := s.Submit(&piece.node, p); err != nil {
						panic(err)
					}
				}
				if left--; left == 0 {
					s.Settle()
				}
			})
		}
		prog.Finally(once(pieces))
	}
}

// stopping has workers that leave when Stop settles, with one piece submitted
// before and one by its work.
func stopping(width int) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		s := workers.NewModel(width)
		pieces := newPieces(2)
		if err := s.Submit(&pieces[0].node, workers.Normal); err != nil {
			panic(err)
		}
		for i := range width {
			prog.Go(fmt.Sprintf("worker %d", i), func() {
				w := s.Worker(i)
				for n := w.Next(); n != nil; n = w.Next() {
					note(pieces, n)
					if n == &pieces[0].node {
						w.Push(&pieces[1].node, workers.Normal)
					}
				}
			})
		}
		prog.Go("stopper", func() { s.Settle() })
		prog.Finally(once(pieces))
	}
}

// suspension has work that waits for several events in turn, and one thread for
// each that makes it happen and then resumes the work.
func suspension(events int) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		s := workers.NewModel(1)
		f := workers.NewModelFiber(s)
		happened := make([]xatomic.Bool, events)
		queued := 0
		prog.Go("work", func() {
			for i := range happened {
				for !happened[i].Load() {
					if !f.ModelSuspend() {
						continue
					}
					// Now a worker has to come upon it in the queue.
					if n := s.Worker(0).Next(); n != f.ModelNode() {
						panic("somebody else was resumed")
					}
					queued++
				}
			}
		})
		for i := range happened {
			prog.Go(fmt.Sprintf("event %d", i), func() {
				happened[i].Store(true)
				f.Resume(nil, workers.Normal)
			})
		}
		prog.Finally(func() error {
			if s.Queued() != 0 {
				return errors.New("the fiber is queued though it runs")
			}
			return nil
		})
	}
}

// forker is work that forks some branches and joins them, newest first. As a
// model's thread has but one stack, it is written as its steps: whichever worker
// comes to its fiber goes on with it.
type forker struct {
	s        *workers.Scheduler
	fiber    *workers.Fiber
	branches []*workers.Branch
	ran      []int
	left     int  // Branches that are not joined.
	awaiting bool // The newest of them runs elsewhere.
}

// run goes on until the work is done or has to wait.
func (k *forker) run(w *workers.Worker) {
	for k.left > 0 {
		newest := k.branches[k.left-1]
		switch {
		case k.awaiting && newest.Ended():
			k.awaiting = false
			k.left--
		case k.awaiting:
			if k.fiber.ModelSuspend() {
				return
			}
		case w.TakeBack(newest.Node()):
			k.left--
			k.ran[k.left]++
		default:
			k.awaiting = true
			newest.Await(k.fiber)
		}
	}
	k.s.JobEnded()
}

// forking has works that fork on the first worker, each up to what then says,
// and that go on and join wherever they are come upon, while others steal.
func forking(width, branches int, then ...afterwards) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		s := workers.NewModel(width)
		var forkers []*forker
		for range then {
			k := &forker{s: s, fiber: workers.NewModelFiber(s), ran: make([]int, branches), left: branches}
			for i := range branches {
				k.branches = append(k.branches, workers.NewBranch(func() { k.ran[i]++ }))
			}
			forkers = append(forkers, k)
			s.JobBegun()
		}
		s.Settle()
		for i := range width {
			prog.Go(fmt.Sprintf("worker %d", i), func() {
				w := s.Worker(i)
				if i == 0 {
					for j, k := range forkers {
						k.begin(w, then[j])
					}
				}
				on := workers.NewModelFiber(s).On(w)
				for n := w.Next(); n != nil; n = w.Next() {
					for _, k := range forkers {
						k.take(n, w, on)
					}
				}
			})
		}
		prog.Finally(func() error {
			for _, k := range forkers {
				for i, ran := range k.ran {
					if ran != 1 {
						return fmt.Errorf("branch %d ran %d times", i, ran)
					}
				}
			}
			return nil
		})
	}
}

// The next step of a forker after its fork.
type afterwards uint8

const (
	goesOn afterwards = iota
	givesWay
	yields
)

// begin forks all branches.
func (k *forker) begin(w *workers.Worker, then afterwards) {
	for _, b := range k.branches {
		w.Fork(b.Node())
	}
	switch then {
	case goesOn:
		k.run(w)
	case givesWay:
		w.LeaveForks()
		w.PushNext(k.fiber.ModelNode())
	case yields:
		w.LeaveForks()
		w.Push(k.fiber.ModelNode(), workers.Normal)
	}
}

// take does what a worker does with n if n is of this work.
func (k *forker) take(n *workers.Node, w *workers.Worker, on *workers.Fiber) {
	if n == k.fiber.ModelNode() {
		k.run(w)
	}
	for _, b := range k.branches {
		if n == b.Node() {
			b.Run(on)
		}
	}
}

// placing has workers that run until the scheduler settles, and submitters, one
// for each of the first workers, that pin a piece to theirs; one more, if free, has
// a piece for anybody. The last of them stops the scheduler.
func placing(width, submitters int, free bool) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		s := workers.NewModel(width)
		pieces := newPieces(submitters)
		var strayed error
		for i := range width {
			prog.Go(fmt.Sprintf("worker %d", i), func() {
				for n := s.Worker(i).Next(); n != nil; n = s.Worker(i).Next() {
					note(pieces, n)
					if i < submitters && n != &pieces[i].node && !free {
						strayed = fmt.Errorf("worker %d runs what is pinned to another", i)
					}
				}
			})
		}
		left := submitters
		for i := range submitters {
			prog.Go(fmt.Sprintf("submitter %d", i), func() {
				at := workers.Pinned(i)
				if free && i == submitters-1 {
					at = workers.Place{}
				}
				if err := s.SubmitTo(&pieces[i].node, workers.Normal, at); err != nil {
					panic(err)
				}
				if left--; left == 0 {
					s.Settle()
				}
			})
		}
		prog.Finally(func() error {
			if n := s.Searching(); n > width {
				return fmt.Errorf("%d of %d workers count as searching", n, width)
			}
			return errors.Join(strayed, once(pieces)())
		})
	}
}

// leaving has a worker that leaves when Stop settles, with a piece that its work
// pins to itself, and one that a second worker's does.
func leaving(width int) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		s := workers.NewModel(width)
		pieces := newPieces(2)
		if err := s.SubmitTo(&pieces[0].node, workers.Normal, workers.Pinned(width-1)); err != nil {
			panic(err)
		}
		for i := range width {
			prog.Go(fmt.Sprintf("worker %d", i), func() {
				w := s.Worker(i)
				for n := w.Next(); n != nil; n = w.Next() {
					note(pieces, n)
					if n == &pieces[0].node {
						s.Deliver(&pieces[1].node, workers.Normal, workers.Pinned(0))
					}
				}
			})
		}
		prog.Go("stopper", func() { s.Settle() })
		prog.Finally(once(pieces))
	}
}

// reserving has a worker that is reserved for critical work and one that takes
// anything, and as many pieces of each priority as it says. If two are critical,
// each waits for the other, so they need both workers.
func reserving(critical, normal int) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		const width = 2
		s := workers.NewReservedModel(width, 1)
		pieces := newPieces(critical + normal)
		met := []xatomic.Signal{xatomic.NewSignal(), xatomic.NewSignal()}
		var strayed error
		for i := range width {
			prog.Go(fmt.Sprintf("worker %d", i), func() {
				for n := s.Worker(i).Next(); n != nil; n = s.Worker(i).Next() {
					note(pieces, n)
					for j := range pieces {
						switch {
						case n != &pieces[j].node:
						case j >= critical && i == 0:
							strayed = errors.New("the reserved worker runs normal work")
						case critical == 2 && j < critical:
							met[j].Send()
							met[1-j].Receive()
						}
					}
				}
			})
		}
		prog.Go("submitter", func() {
			for j := range pieces {
				p := workers.Critical
				if j >= critical {
					p = workers.Normal
				}
				if err := s.Submit(&pieces[j].node, p); err != nil {
					panic(err)
				}
			}
			s.Settle()
		})
		prog.Finally(func() error { return errors.Join(strayed, once(pieces)()) })
	}
}

var models = []struct {
	name  string
	cfg   modelcheck.Config
	build func(*modelcheck.Program)
}{
	{"park/one worker, one submitter", modelcheck.Config{}, parking(1, 1, 1, workers.Normal)},
	{"park/one worker, one submitter, two pieces", modelcheck.Config{Preemptions: 2}, parking(1, 1, 2, workers.Normal)},
	{"park/one worker, two submitters", modelcheck.Config{Preemptions: 2}, parking(1, 2, 1, workers.Critical)},
	{"park/two workers, one submitter", modelcheck.Config{Preemptions: 1}, parking(2, 1, 2, workers.Normal)},
	{"park/two workers, two submitters", modelcheck.Config{Random: 5_000}, parking(2, 2, 1, workers.Normal)},
	{"stop/one worker", modelcheck.Config{}, stopping(1)},
	{"stop/two workers", modelcheck.Config{Preemptions: 1}, stopping(2)},
	{"place/one worker, one submitter", modelcheck.Config{}, placing(1, 1, false)},
	{"place/two workers, one submitter", modelcheck.Config{Preemptions: 1}, placing(2, 1, false)},
	{"place/two workers, one pinned, one free", modelcheck.Config{Preemptions: 1}, placing(2, 2, true)},
	{"place/two workers, two submitters", modelcheck.Config{Random: 5_000}, placing(2, 2, false)},
	{"place/stop, one worker", modelcheck.Config{}, leaving(1)},
	{"place/stop, two workers", modelcheck.Config{Preemptions: 1}, leaving(2)},
	{"scatter/one submitter", modelcheck.Config{Preemptions: 1}, scattering(1, 2)},
	{"scatter/two submitters", modelcheck.Config{Random: 5_000}, scattering(2, 1)},
	{"balance/at a stop", modelcheck.Config{Preemptions: 1}, balancing},
	{"balance/at a stop, at random", modelcheck.Config{Random: 2_000}, balancing},
	{"reserve/normal work", modelcheck.Config{Preemptions: 1}, reserving(0, 1)},
	{"reserve/two critical", modelcheck.Config{Preemptions: 1}, reserving(2, 0)},
	{"reserve/one critical, two normal", modelcheck.Config{Preemptions: 1}, reserving(1, 2)},
	{"reserve/two critical, one normal", modelcheck.Config{Random: 5_000}, reserving(2, 1)},
	{"job/cancel", modelcheck.Config{}, deciding(false, 2, false)},
	{"job/steal and cancel", modelcheck.Config{}, deciding(true, 1, false)},
	{"job/time out", modelcheck.Config{}, deciding(false, 0, true)},
	{"job/all at once", modelcheck.Config{Preemptions: 2}, deciding(true, 1, true)},
	{"job/wait", modelcheck.Config{}, awaiting(1)},
	{"job/two wait", modelcheck.Config{Preemptions: 2}, awaiting(2)},
	{"job/wait and leave", modelcheck.Config{Preemptions: 2}, awaiting(1, "leave")},
	{"job/wait and cancel", modelcheck.Config{Preemptions: 2}, awaiting(1, "cancel")},
	{"job/wait and time out", modelcheck.Config{Preemptions: 2}, awaiting(1, "clock")},
	{"job/cancel and time out", modelcheck.Config{Preemptions: 1}, awaiting(1, "cancel", "clock")},
	{"lift/one waits", modelcheck.Config{}, lifting(1)},
	{"lift/one gives up", modelcheck.Config{Preemptions: 2}, lifting(1, "give up")},
	{"lift/two wait", modelcheck.Config{Preemptions: 2}, lifting(2)},
	{"lift/two wait and give up", modelcheck.Config{Preemptions: 1}, lifting(2, "give up")},
	{"lift/and cancel", modelcheck.Config{Preemptions: 2}, lifting(1, "cancel")},
	{"lift/give up and cancel", modelcheck.Config{Preemptions: 1}, lifting(1, "give up", "cancel")},
	{"room/two submitters", modelcheck.Config{Preemptions: 2}, crowding(1, 2, false)},
	{"room/three submitters", modelcheck.Config{Preemptions: 1}, crowding(1, 3, false)},
	{"room/one leaves", modelcheck.Config{Preemptions: 1}, crowding(1, 3, true)},
	{"stop/while a job comes", modelcheck.Config{Preemptions: 2}, submitting(1, 1)},
	{"suspend/one event", modelcheck.Config{}, suspension(1)},
	{"suspend/two events", modelcheck.Config{Preemptions: 2}, suspension(2)},
	{"fork/one branch", modelcheck.Config{Preemptions: 2}, forking(2, 1, goesOn)},
	{"fork/two branches", modelcheck.Config{Preemptions: 1}, forking(2, 2, goesOn)},
	{"fork/two works", modelcheck.Config{Preemptions: 1}, forking(2, 1, givesWay, yields)},
	{"fork/two works with two branches each", modelcheck.Config{Random: 5_000}, forking(2, 2, givesWay, yields)},
}

func TestModel(t *testing.T) {
	table := modelcheck.NewTable(t, "sched")
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) { table.Explore(t, m.name, m.cfg, m.build) })
	}
}
