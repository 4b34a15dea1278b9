package actor

// GracefulStopper is implemented by an actor that takes its end into its own hands, such
// as one that stops its children in an order. When it is asked to stop, to
// drain, or recalled by its parent, Leave is called instead, once in an
// incarnation and like a handler. The actor goes on to handle messages until it
// calls [Context.Stop], or fails; nobody but a kill makes it end earlier. An
// error ends the actor, as one from Receive does.
//
// Before its Started hook has returned, and after its incarnation has ended, a
// GracefulStopper stops like any actor.
type GracefulStopper[M any] interface {
	Leave(ctx *Context[M]) error
}

// farewell says whether an incarnation was asked to leave.
type farewell uint8

const (
	staying        farewell = iota
	leavingForNow           // It was recalled, and may be restarted.
	leavingForGood          // It was asked to stop.
)

// takesLeave lets the actor leave by itself, if it does.
func (a *activation) takesLeave(how farewell) bool {
	x := a.ctx.Load()
	if a.phase.Load() != alive || !x.has(onLeave) {
		return false
	}
	first := a.leaving == staying
	a.leaving = max(a.leaving, how)
	if first {
		if _, err := a.callHook(x, occasion{hook: onLeave}); err != nil {
			a.fail(err)
		}
	}
	return true
}
