package wire

import "errors"

var (
	// ErrNotRegistered is returned for a message or a context value whose type has no name here, or whose name the
	// other side does not have.
	ErrNotRegistered = errors.New("wire: the type is not registered")
	// ErrLayout is returned for a message of a type that both sides have registered, but not alike: its fields, its
	// codec or its version differ.
	ErrLayout = errors.New("wire: the other side has another layout")
	// ErrLimit is returned for what exceeds one of the [Limits], on either side.
	ErrLimit = errors.New("wire: a limit is exceeded")
	// ErrEncode is returned for a value that its codec or its methods can't encode.
	ErrEncode = errors.New("wire: the value can't be encoded")
	// ErrUnreachable is why messages, asks and monitors of actors on another node end when that node does not answer, or has
	// ended the connection. It may live, and a later message may reach it. [actor.ErrStopped] says instead that an actor has ended.
	ErrUnreachable = errors.New("wire: the other node is unreachable")
	// ErrUnconfirmed is the reason of dead letters that the other node has not acknowledged. They may have arrived.
	ErrUnconfirmed = errors.New("wire: the message was not acknowledged, and may have arrived")
	// ErrData is returned for bytes that were not written by this package, or were changed since.
	ErrData = errors.New("wire: bad data")
)
