package engine

import (
	"context"
	"errors"
)

// MaxFrame is the length in bytes of the largest frame that a [Bus] carries: 64 KiB.
const MaxFrame = 64 << 10

// Errors of a [Bus].
var (
	// ErrFrameTooLong is returned by Publish for a frame longer than [MaxFrame].
	ErrFrameTooLong = errors.New("engine: the frame is longer than 65,536 bytes; split it")
	// ErrClosed is returned by every call after Close.
	ErrClosed = errors.New("engine: the engine is closed")
)

// An Engine gives a program its three parts. All nodes that share an engine see the same
// tables and logs.
//
// All methods may be called by several goroutines.
type Engine interface {
	// Bus returns the bus of this node.
	Bus() Bus
	// Table opens a table, and makes it if there is none. See [CheckName] for its name.
	Table(ctx context.Context, name string) (Table, error)
	// Log opens a log, and makes it if there is none. A log that exists with another
	// configuration is [ErrExists]. See [CheckName] for its name.
	Log(ctx context.Context, name string, c LogConfig) (Log, error)
	// Close ends the use of the engine on this node. Calls that wait return [ErrClosed],
	// and so do later ones. Close may be called again.
	Close() error
}

// Class selects one of the two connections of a node. A frame of one class never waits
// behind frames of the other.
type Class uint8

// The classes.
const (
	Urgent Class = iota // control messages, acknowledgements, credits
	Bulk                // everything else
)

// String returns "urgent" or "bulk".
func (c Class) String() string {
	if c == Urgent {
		return "urgent"
	}
	return "bulk"
}

// A Bus carries frames between nodes as a network does: each arrives at most once, and
// those from one publisher, of one class, on one subject, arrive in the order in which they
// were published, unless the engine loses some. A program that must know what has arrived
// numbers its frames and acknowledges them.
//
// All methods may be called by several goroutines.
type Bus interface {
	// Publish gives a frame to the engine, which sends it to each subscriber of the
	// subject, on this node and on others. A subject consists of one or more words joined
	// by dots; a word consists of the letters a to z and A to Z, digits, '-' and '_'.
	//
	// Publish returns when the engine has taken the frame, which says nothing about its
	// arrival. It waits while the window of the class is full, until ctx ends. The frame is
	// not kept after the return. Publish returns the cause of ctx, [ErrFrameTooLong],
	// [ErrClosed], or an error for a subject that is not well formed.
	Publish(ctx context.Context, class Class, subject string, frame []byte) error

	// Subscribe calls deliver for each frame that arrives under the subject and class, one
	// call at a time. deliver must return soon, and must not keep the frame. While it runs,
	// the engine keeps a bounded number of further frames and drops the others. The
	// subscription ends when it, or the engine, is closed.
	Subscribe(class Class, subject string, deliver func(frame []byte)) (Subscription, error)

	// Reachable returns nil while the engine has a connection to the other nodes, or to
	// itself where it runs alone. Otherwise it returns an error that says since when, and
	// why. It reports what was observed last and waits for nothing.
	Reachable() error
}

// A Subscription is what [Bus.Subscribe] returns.
type Subscription interface {
	// Close ends the subscription. When Close has returned, no call of deliver runs and
	// none begins. It must not be called by deliver.
	Close() error
	// Dropped returns how many frames the engine has dropped because deliver was slow.
	Dropped() uint64
}
