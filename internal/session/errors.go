package session

import "errors"

var (
	// ErrFull is returned by TrySend when the target or the lane has no credit left.
	ErrFull = errors.New("session: the target or the lane is full")
	// ErrUnreachable is why a session ends when nothing was heard or acknowledged for Config.Unreachable.
	// The other node may live; where membership says that it does not, the error is the one given to Lost.
	ErrUnreachable = errors.New("session: the other node is unreachable")
	// ErrUnconfirmed is wrapped by the errors that Config.Unconfirmed gets: the message may have arrived.
	ErrUnconfirmed = errors.New("session: the message was not acknowledged, and may have arrived")
	// ErrProtocol is why a session ends when the other side sends what no session sends.
	ErrProtocol = errors.New("session: the other side breaks the protocol")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("session: closed")
	// ErrPeerClosed is why a session ends when the other side has closed or restarted it.
	ErrPeerClosed = errors.New("session: the other side has ended the session")
	// ErrTooLarge is returned for a message that takes more than Config.MaxMessage.
	ErrTooLarge = errors.New("session: the message is too large")
	// ErrMessage is returned for a message whose fields do not fit its kind.
	ErrMessage = errors.New("session: bad message")
)
