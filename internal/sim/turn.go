package sim

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/internal/gid"
)

// Turn lets a goroutine outside that is known to the simulation, as the body is,
// wait its turn like work, if so decided: what it does next then comes after some
// steps of others. Elsewhere it does nothing.
func (e *Engine) Turn() {
	e.comeBack()
	if m := current(); m.engine != e || m.work || e.Over() || !e.chooser.Delay() {
		return
	}
	e.await(theBody)
}

// Guest is a goroutine outside, such as a timer's, that the simulation knows by name.
type Guest struct {
	name   string
	number uint64
}

// NewGuest returns a guest with a name of what and a number. Guests of the same moment
// are in the order of these calls, which the work of the simulation makes, or its body.
func (e *Engine) NewGuest(what string) *Guest {
	n := e.guests.Add(1)
	return &Guest{fmt.Sprintf("%s %d", what, n), n}
}

// Await has the calling goroutine wait its turn, like work. If other work
// becomes due in the same moment, the schedule decides the order, not chance.
func (e *Engine) Await(g *Guest) {
	if !e.Over() {
		e.await(g)
	}
}

func (e *Engine) await(who any) {
	t := &turn{ch: make(chan struct{})}
	e.Arrive(Entry{Host: outside{}, Work: who, turn: t})
	select {
	case <-t.ch:
	case <-e.ended:
	}
}

// turn is how a goroutine outside waits for its turn.
type turn struct {
	ch   chan struct{}
	step *step // That was away; nil for others.
}

// outside is the host of goroutines that wait for their turn.
type outside struct{}

// theBody is what a chooser knows the body by. There is one.
var theBody = &Guest{name: "the body"}

func (outside) Step(any, uint8)                 {}
func (outside) Name(work any) string            { return work.(*Guest).name }
func (outside) Deadline() (time.Duration, bool) { return 0, false }
func (outside) Settle() bool                    { return false }
func (outside) Expire()                         {}
func (outside) Waits() []string                 { return nil }
func (outside) Close() []string                 { return nil }
func (outside) Blocked(Returns) (any, gid.ID)   { return nil, 0 }
func (outside) Back(any)                        {}
func (outside) Where(any) string                { return "" }

// Order puts guests in the order of their creation.
func (outside) Order(work any) (kind string, number uint64) { return "guest", work.(*Guest).number }
