package actor

import (
	"errors"
	"fmt"
)

// sharedReads is the reentrancy of an actor with readers.
const sharedReads = numReentrancies

// WithReadOnly has the actor handle messages for which reads returns true at the
// same time as each other, on several workers, and never together with others:
// those wait for the reads before them, and reads for those before them. So
// messages of one sender still seem to be handled in their order.
//
// The handler of such a message must not change the actor's state, and so can't
// call [Context.Become], Unbecome, Stash or Unstash, which return [ErrReadOnly].
// It may ask, send, spawn, and set timers. When it fails, the incarnation ends as
// soon as the other readers have returned; [WithRetry] is not for it. A kill fences
// off all readers at once.
//
// Reads is called for each message, in its turn, and again where that had to wait. It
// must not wait; a panic or a Goexit in it is one of the handler. Spawn returns an error
// if the actor takes messages of another type, is reentrant, or has a [Backend] besides.
// A read costs about 2 us more than a message otherwise does, so it is worth it for
// handlers that take tens of microseconds, or wait.
func WithReadOnly[M any](reads func(m M) bool) Option {
	return func(o *options) error {
		if reads == nil {
			return errors.New("actor: WithReadOnly was given a nil function")
		}
		o.reads = newReads(reads)
		return nil
	}
}

// WithMaxReaders sets how many messages the actor of [WithReadOnly] handles at the
// same time. Defaults to the number of workers of the scheduler. More are useful if
// the handlers wait. Spawn returns an error without WithReadOnly.
func WithMaxReaders(n int) Option {
	return func(o *options) error {
		if n < 1 || n > maxCapacity {
			return fmt.Errorf("actor: at most %d readers; it must be 1 to %d", n, maxCapacity)
		}
		o.maxReaders = n
		return nil
	}
}

// settleReads checks the options of an actor with readers.
func (o *options) settleReads(s *System, c cellular) error {
	switch {
	case o.reads == nil && o.maxReaders != 0:
		return fmt.Errorf("actor: WithMaxReaders(%d) bounds the readers of an actor; add WithReadOnly, or leave it out", o.maxReaders)
	case o.reads == nil:
		return nil
	case o.reads.message != c.messageType():
		return fmt.Errorf("actor: WithReadOnly has a func(%v) bool, but the actor takes messages of type %v", o.reads.message, c.messageType())
	case o.reentrancy != NoReentrancy:
		return fmt.Errorf("actor: WithReadOnly together with reentrancy %v; leave one of them out", o.reentrancy)
	case o.backend != OnScheduler || o.host != nil:
		return errors.New("actor: an actor with readers has to run on the scheduler; leave out its backend, or WithReadOnly")
	}
	o.reentrancy, o.maxSuspended = sharedReads, o.maxReaders
	if o.maxReaders == 0 {
		o.maxSuspended = s.scheduler.Workers()
	}
	return nil
}
