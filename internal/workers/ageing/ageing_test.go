package ageing_test

import (
	"iter"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers/ageing"
	"github.com/troupe-go/troupe/internal/workers/parking"
	"github.com/troupe-go/troupe/internal/workers/queues"
)

// scheduler has the queues of two workers, and notes what it is told.
type scheduler struct {
	own       [2]queues.Own[piece]
	shared    queues.Shared[piece]
	lot       parking.Lot
	summoned  []queues.Priority
	delivered []int
}

type piece struct{ submitted queues.Priority }

func newScheduler() *scheduler {
	s := &scheduler{}
	for i := range s.own {
		s.own[i].Init(64, 64, 64)
	}
	s.lot.Form(2, [queues.Priorities]int{})
	return s
}

func (s *scheduler) Queues() iter.Seq2[int, *queues.Own[piece]] {
	return func(yield func(int, *queues.Own[piece]) bool) {
		for i := range s.own {
			if !yield(i, &s.own[i]) {
				return
			}
		}
	}
}

func (s *scheduler) Risen(p *piece, submitted queues.Priority) *piece {
	if p.submitted == queues.Critical { // It has not risen before.
		p.submitted = submitted
	}
	return p
}

func (s *scheduler) Summon(p queues.Priority)            { s.summoned = append(s.summoned, p) }
func (s *scheduler) Delivered(worker int, _ queues.Bond) { s.delivered = append(s.delivered, worker) }

func TestWorkRisesOnePriorityForEachAge(t *testing.T) {
	const age = 16 * time.Second
	s := newScheduler()
	a := ageing.New(age, &s.shared, &s.lot, s)
	if a.Every() != time.Second {
		t.Errorf("there is something to look at every %v", a.Every())
	}
	x := &piece{}
	s.own[1].Local[queues.Low].Push(x)
	at := queues.Low
	for now := time.Second; now < 70*time.Second; now += time.Second {
		a.Look(now)
		for p := queues.Critical; p < at; p++ {
			if s.shared.Len(p) == 1 {
				at = p
			}
		}
		// It rises after an age to an age and an eighth, each time.
		least, most := queues.Low-min(queues.Low, queues.Priority(now/age)), queues.Low-min(queues.Low, queues.Priority(now/(age+age/8)))
		if at < least || at > most {
			t.Fatalf("after %v it has priority %d, want %d to %d", now, at, least, most)
		}
	}
	if at != queues.Critical || x.submitted != queues.Low || a.Count() != 3 {
		t.Errorf("it has priority %d, was submitted with %d, and %d pieces have risen", at, x.submitted, a.Count())
	}
	if len(s.summoned) != 3 || s.summoned[2] != queues.Critical {
		t.Errorf("workers were summoned to %v", s.summoned)
	}
}

func TestWorkInAnInboxRisesThere(t *testing.T) {
	const age = 16 * time.Second
	s := newScheduler()
	a := ageing.New(age, &s.shared, &s.lot, s)
	s.own[1].Inbox.Push(&piece{}, queues.Low, queues.Pinned)
	for now := time.Second; now < 20*time.Second; now += time.Second {
		a.Look(now)
	}
	if a.Count() != 1 || len(s.delivered) != 1 || s.delivered[0] != 1 || s.shared.Mask() != 0 {
		t.Errorf("%d have risen, delivered at %v, in the shared queues: %b", a.Count(), s.delivered, s.shared.Mask())
	}
}

func TestNothingRisesWithoutAnAge(t *testing.T) {
	s := newScheduler()
	a := ageing.New(0, &s.shared, &s.lot, s)
	s.own[0].Local[queues.Low].Push(&piece{})
	for now := time.Hour; now < 100*time.Hour; now += time.Hour {
		a.Look(now)
	}
	if a.Count() != 0 || s.shared.Mask() != 0 {
		t.Errorf("%d have risen", a.Count())
	}
}
