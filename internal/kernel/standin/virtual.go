package standin

import "context"

// Seat is one virtual actor, as its stand-in sees it: an actor with an id, which is made when a message comes and may
// be gone in between. While it is there, it is an ordinary actor, its activation. Stand-ins of one id share one seat.
type Seat interface {
	// ID returns the id.
	ID() string
	// Find returns the activation, and begins one if there is none, or none any more. It does not wait. The activation may
	// be closed, and about to end: then the caller waits for its end, and calls Find again. An error says why there is none.
	Find(ctx context.Context) (Activation, error)
	// Order tells the activation to stop, if there is one, as Carrier.Order does.
	Order(ctx context.Context, o Order) error
}

// Seats has the seats of one kind of virtual actors.
type Seats interface {
	// Seat returns the seat for an id, of any bytes. For one that is refused it is a seat that says so.
	Seat(id string) Seat
}

// Kind is what a system knows of one kind of virtual actors. Its methods are safe for concurrent use.
type Kind interface {
	// Lead makes ref, a *actor.Ref[M], lead to the virtual actor with an id. Equal ids have equal refs.
	Lead(ref any, id string) error
	// Ended says that there are no activations any more: the stand-ins of the kind have stopped, for that reason. The name of the kind is free.
	Ended(reason error)
}

// Activation is an actor of this system, as the carrier of a virtual actor sees it. Its methods are safe for concurrent use.
type Activation interface {
	// Number returns the number of the actor's PID.
	Number() uint64
	// Ended reports whether the actor has ended, with its children and tasks.
	Ended() bool
	// Err returns why the actor has ended, as Ref.Err does.
	Err() error
	// Seen returns a number that changes with each message that the actor is sent, and whether it has messages to handle.
	Seen() (count uint64, busy bool)
	// CloseIfEmpty has the actor accept no messages any more, unless some wait. It reports whether it has done so.
	CloseIfEmpty() bool
	// Drain has the actor accept no messages from now on, and stop when it has handled those that it has. It does not wait.
	Drain()
	// Await waits for the end of the actor, and changes nothing if ctx ends first.
	Await(ctx context.Context) error
	// Obey does what an order says, and waits as Carrier.Order does.
	Obey(ctx context.Context, o Order) error
}

// Package actor sets these when the program starts.
var (
	// Virtual enters a kind of virtual actors by its name, in a system, an *actor.System, that has joined a carrier. If the
	// kind is not known, the name is not entered: refs of it that are read are not bound.
	Virtual func(system any, kind string, known bool, seats Seats) (Kind, error)
	// SeatOf returns the seat of a virtual actor, by its actor.Ref[M].
	SeatOf func(ref any) (Seat, error)
	// ActivationOf returns the actor of an actor.Ref[M] of this system.
	ActivationOf func(ref any) (Activation, error)
)
