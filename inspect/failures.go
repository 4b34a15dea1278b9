package inspect

import (
	"container/list"
	"slices"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Failure is one end of an actor, or of one of its incarnations, that was a
// failure or a kill.
type Failure struct {
	Time  time.Time `json:"time"`
	Exit  string    `json:"exit"` // "failed" or "killed".
	Error string    `json:"error"`
	Stack string    `json:"stack,omitempty"` // Of a panic.
}

// failuresPerActor is how many failures are kept of one actor: enough to see
// whether they are always the same.
const failuresPerActor = 4

// failures keeps the last failures of those actors that have failed last.
type failures struct {
	limit int

	mu    sync.Mutex
	byPID map[actor.PID]*list.Element
	order list.List // Of *failed, the one that has failed last in front.
}

type failed struct {
	pid  actor.PID
	last []Failure // The oldest first.
}

func (f *failures) add(id actor.PID, failure Failure) {
	if f.limit < 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	at, known := f.byPID[id]
	if !known {
		if f.byPID == nil {
			f.byPID = map[actor.PID]*list.Element{}
		}
		if f.order.Len() == f.limit {
			delete(f.byPID, f.order.Remove(f.order.Back()).(*failed).pid)
		}
		at = f.order.PushFront(&failed{pid: id})
		f.byPID[id] = at
	}
	f.order.MoveToFront(at)
	e := at.Value.(*failed)
	if e.last = append(e.last, failure); len(e.last) > failuresPerActor {
		e.last = slices.Delete(e.last, 0, 1)
	}
}

func (f *failures) of(id actor.PID) []Failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, known := f.byPID[id]
	if !known {
		return nil
	}
	return slices.Clone(at.Value.(*failed).last)
}
