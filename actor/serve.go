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

// errNotReturned is what a Probe is told of a handler that has not returned.
var errNotReturned = errors.New("actor: the handler has not returned, but panicked, or called runtime.Goexit")

// receiveServed is Receive of the message of an ask, which some Probe wants to know
// of: end tells it of the end.
func (x *Context[M]) receiveServed(c *Context[M], m M, end func(error)) (err error) {
	err = errNotReturned
	defer func() { end(err) }()
	err = x.actor.Receive(c, m)
	return err
}

// serve tells the probes, if the message is that of an ask with a context, which is
// seen through v, and somebody wants to know of it. Else it returns nil. End is to
// be called when the handler has returned.
func (a *activation) serve(v *view, which Lane) (end func(error)) {
	if v == nil || v.errand == noErrand || a.probes == nil || !a.probes.serving {
		return nil
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
	return func(err error) {
		for i := len(ends) - 1; i >= 0; i-- {
			o.contain(nil, func(*Probe) { ends[i](err) })
		}
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
