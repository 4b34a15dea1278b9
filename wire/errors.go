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
	// ErrData is returned for bytes that were not written by this package, or were changed since.
	ErrData = errors.New("wire: bad data")
)
