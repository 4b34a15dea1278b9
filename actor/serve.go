package actor

import (
	"context"
	"errors"
)

// Serving says which message is about to be handled.
type Serving struct {
	Subject
	Lane    Lane
	Message string // The type of the actor's messages.
}

// errNotReturned is the error that a Probe gets for a handler that has not returned.
var errNotReturned = errors.New("actor: the handler has not returned, but panicked, or called runtime.Goexit")

// serve tells the probes, if the message belongs to an ask with a context, seen
// through v, and somebody wants to know of it. The end is told by endServing.
func (a *activation) serve(v *view, which Lane) {
	if v == nil || v.errand == noErrand || a.probes == nil || !a.probes.serving {
		return
	}
	s := Serving{a.subject(), which, a.impl.messageType().String()}
	var values context.Context = served{background, v.errand}
	var ends []func(error)
	o := a.probes
	o.tell(func(p *Probe) {
		if p.Serving == nil {
			return
		}
		next, end := p.Serving(values, s)
		if next != nil {
			values, v.values = next, next
		}
		if end != nil {
			ends = append(ends, end)
		}
	})
	a.served = func(err error) {
		for i := len(ends) - 1; i >= 0; i-- {
			o.contain(nil, func(*Probe) { ends[i](err) })
		}
	}
}

// endServing is called when the handler has returned with err, or has left otherwise.
func (a *activation) endServing(err error) {
	if end := a.served; end != nil {
		a.served = nil
		end(err)
	}
}

// served is a context with the values of an errand. It is not the view, which would
// look for its values in itself.
type served struct {
	context.Context
	errand *errand
}

func (s served) Value(key any) any {
	if key == causeKey {
		return nil // It has no end.
	}
	return s.errand.value(key)
}
