package actor

// Wakeful is implemented by an actor that can be woken: by a timer of its own, or by
// somebody who has left it something to look at. Woken runs like a handler of the
// actor, one at a time, and also while the actor is suspended. So it is for a
// [Parent], whose decisions about its children go on meanwhile. An error ends the
// actor, as one from Receive does.
type Wakeful[M any] interface {
	Woken(ctx *Context[M]) error
}

// Wake has the actor's Woken hook run, before all messages that wait, once for each
// call. It does not wait for that. A wake does nothing to an actor that is no
// [Wakeful], or is about to stop, or is held by its parent. Wake returns
// [ErrStalePID] if the actor has stopped. It is safe for concurrent use.
func (s *System) Wake(id PID) error {
	return s.postTo(id, "wake", sysMessage{kind: sysSignal, signal: wake})
}

// wake is the signal of all wakes.
var wake = &signal{alarm: true}
