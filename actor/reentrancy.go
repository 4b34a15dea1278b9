package actor

import (
	"errors"
	"fmt"
)

// Reentrancy says what an actor handles while one of its handlers waits by means
// of this module: for an answer, for room in a lane, for an actor's end, for a
// task, or for a time to pass. Only one handler runs at a time, whatever it is.
type Reentrancy uint8

// The kinds of reentrancy.
const (
	// NoReentrancy: nothing. The next message is handled when the handler has
	// returned. It is the default.
	NoReentrancy Reentrancy = iota
	// CallChainReentrancy: what belongs to the call chain in which the handler
	// waits. That are asks which were made, directly or by way of others, by a
	// handler that was asked by the one that waits, and the ask itself if it is
	// sent back. All other messages wait.
	CallChainReentrancy
	// FullReentrancy: all messages, in their order.
	FullReentrancy

	numReentrancies = 3
)

// String returns the kind's name in lower case.
func (r Reentrancy) String() string {
	if r < numReentrancies {
		return [numReentrancies]string{"none", "call chain", "full"}[r]
	}
	return fmt.Sprintf("Reentrancy(%d)", uint8(r))
}

// WithReentrancy sets what the actor handles while its handlers wait. Defaults to
// NoReentrancy. The page docs/reference/waiting.md says what that means to the actor's
// code.
//
// Spawn returns an error if the actor has a [Backend] besides, where handlers that
// wait hold their goroutine. A wait of such an actor costs about a microsecond
// more; others pay nothing.
func WithReentrancy(r Reentrancy) Option {
	return func(o *options) error {
		if r >= numReentrancies {
			return fmt.Errorf("actor: unknown reentrancy %d; use NoReentrancy, CallChainReentrancy or FullReentrancy", r)
		}
		o.reentrancy, o.choseReentrancy = r, true
		return nil
	}
}

// defaultMaxSuspended bounds the memory of an actor that waits for something
// slow: a suspended handler has a stack of some KB. Picked out of thin air.
const defaultMaxSuspended = 1000

// WithMaxSuspended sets how many handlers of a reentrant actor may wait at the same
// time. With as many, it handles no further messages until one of them goes on.
// Defaults to 1000. Spawn returns an error without WithReentrancy, where there would
// be nothing to bound; beside NoReentrancy, which somebody may choose from several,
// it does nothing.
func WithMaxSuspended(n int) Option {
	return func(o *options) error {
		if n < 1 || n > maxCapacity {
			return fmt.Errorf("actor: at most %d suspended handlers; it must be 1 to %d", n, maxCapacity)
		}
		o.maxSuspended, o.boundsSuspended = n, true
		return nil
	}
}

// settleReentrancy checks the options against each other.
func (o *options) settleReentrancy() error {
	if o.reentrancy != NoReentrancy && (o.backend != OnScheduler || o.host != nil) {
		return errors.New("actor: a reentrant actor has to run on the scheduler; leave out its backend, or WithReentrancy")
	}
	if o.boundsSuspended && !o.choseReentrancy {
		return fmt.Errorf("actor: WithMaxSuspended(%d) bounds the handlers of a reentrant actor; add WithReentrancy, or leave it out", o.maxSuspended)
	}
	return nil
}
