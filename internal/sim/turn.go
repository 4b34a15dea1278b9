package sim

import "time"

// Turn lets a goroutine outside that is known to the simulation, as the body is,
// wait its turn like work, if so decided: what it does next then comes after some
// steps of others. Elsewhere it does nothing.
func (e *Engine) Turn() {
	if m := current(); m.engine != e || m.work || e.Over() || !e.chooser.Delay() {
		return
	}
	t := &turn{make(chan struct{})}
	e.Arrive(Entry{Host: outside{}, Work: theBody, turn: t})
	select {
	case <-t.ch:
	case <-e.ended:
	}
}

// turn is how a goroutine outside waits for its turn.
type turn struct{ ch chan struct{} }

// outside is the host of goroutines that wait for their turn.
type outside struct{}

// theBody is what a chooser knows such a goroutine by. There is one.
var theBody = new(int)

func (outside) Step(any, uint8)                 {}
func (outside) Name(any) string                 { return "the body" }
func (outside) Deadline() (time.Duration, bool) { return 0, false }
func (outside) Settle() bool                    { return false }
func (outside) Expire()                         {}
func (outside) Waits() []string                 { return nil }
func (outside) Close() []string                 { return nil }
