// Package standin is the seam between the kernel and what carries messages to actors of other nodes.
//
//	host, err := standin.Join(sys, standin.Node{Name: "a", Birth: 7}, carrier)
//	err = host.Bind(&ref, nil)                       // A ref that was decoded leads to a stand-in now.
//	err = host.Deliver(ctx, number, letter)          // A message has come for an actor of sys.
//
// A stand-in is an actor of a system by its ref, and takes no messages: what is sent to it goes to its [Carrier].
// The kernel, package actor, is the [Host] of a system. It calls the Carrier where its own actors send, ask, stop and
// watch stand-ins, and the carrier calls the Host for what comes from other nodes. This package has only the types of
// that, so that neither of the two imports the other, and actor exports nothing for it.
package standin

import (
	"context"
	"fmt"
	"reflect"
)

// Node is one life of a node.
type Node struct {
	Name  string
	Birth uint64 // Tells the lives of one node apart. It is not 0.
}

// String returns name and birth, as "a/7".
func (n Node) String() string { return fmt.Sprintf("%s/%d", n.Name, n.Birth) }

// Address is an actor of a node, by the Number of its PID there, or an ask of a node, by a number that the node has given it.
type Address struct {
	Node
	Number uint64
}

// String returns node and number, as "a/7:12".
func (a Address) String() string { return fmt.Sprintf("%v:%d", a.Node, a.Number) }

// Lane is an actor.Lane.
type Lane uint8

// Order is what an actor is told to do.
type Order uint8

// The orders.
const (
	Stop Order = 1 + iota
	Drain
	Kill
)

// String returns the order's name.
func (o Order) String() string {
	if o < Stop || o > Kill {
		return fmt.Sprintf("order %d", uint8(o))
	}
	return [...]string{"stop", "drain", "kill"}[o-Stop]
}

// Letter is a message on its way between nodes.
type Letter struct {
	Lane Lane
	// Message is a *M on the way out, and a *M or an M where it comes in. On the way out it is the sender's until Carry
	// returns, and must neither be changed nor be kept.
	Message any
	// Wait says that the caller waits for room. Otherwise a full lane is actor.ErrFull.
	Wait bool
	// Ask is the ask that the message belongs to, or nil.
	Ask *Ask
}

// Ask is what crosses with the message of an ask.
type Ask struct {
	To Address // The ask: the node that waits for the answer, and the number of the ask there.
	// Context has the deadline and the values, but for a nil one, of an ask that says nothing. Where a letter comes in, the
	// kernel ends the handling of the ask by Cancel, and the context need not end.
	Context context.Context
	// Chain has the asks that wait for this one, the outermost first: MaxChain at most.
	Chain []Address
}

// MaxChain is how many asks a chain has at most.
const MaxChain = 32

// StandIn is a stand-in, as its carrier sees it. It may be compared, and is kept only as long as it is watched or in use.
type StandIn interface {
	// Address returns which actor it stands for.
	Address() Address
	// MessageType returns the type of its messages.
	MessageType() reflect.Type
	// Exited makes the end of the actor known: to all that watch it, are linked to it or wait for it. Later calls do nothing.
	Exited(name string, reason error)
	// Parted says that nothing is known of the actor any more, for a reason: all that watch it or wait for it are told. The
	// actor may live, so the stand-in takes messages and can be watched again.
	Parted(reason error)
	// Lost makes a dead letter of a message, a *M or an M, that was carried and did not arrive, as far as is known.
	Lost(lane Lane, message any, reason error)
}

// Carrier carries the messages of stand-ins. Its methods are called on goroutines and fibers of the senders, also at the same
// time. Only Carry, with a letter that waits, and Order may wait, until their ctx ends.
type Carrier interface {
	// Route returns an actor.Ref[M] to the actor of this system that s stands for just now, or nil.
	Route(s StandIn) (ref any)
	// Carry sends a message. When it returns nil, the message has been encoded and accepted, and messages of one sender in
	// one lane to one stand-in keep their order. Else it was not sent.
	Carry(ctx context.Context, s StandIn, l Letter) error
	// Order tells the actor to stop. A Stop or Drain returns when the actor has ended, or with an error when ctx
	// ends; a Kill returns when it is under way.
	Order(ctx context.Context, s StandIn, o Order) error
	// Watch says that somebody begins to wait for the end of the actor, or that nobody does any more. The carrier calls
	// Exited when the actor has ended, also if it had ended before or is unknown.
	Watch(s StandIn, on bool)
	// Answer sends the answer to an ask of another node: value, or err if it is not nil. It returns an error if the value
	// can't be sent, and has then sent that error instead.
	Answer(to Address, value any, err error) error
	// Cancel says that the asker of an ask, whose message was carried to s, has left.
	Cancel(s StandIn, ask Address, cause error)
}

// Counter is implemented by a Carrier that knows how much its stand-ins have under way.
type Counter interface {
	// Backlog returns how many messages of this node the actor has not accepted yet. It must not wait.
	Backlog(s StandIn) int
}

// Host is a system that has joined a carrier. Its methods are safe for concurrent use.
type Host interface {
	// Node returns the system's own node.
	Node() Node
	// Bind binds what was decoded: v is a *actor.Ref[M] or a *actor.Reply[T] that UnmarshalBinary has filled in. A zero or
	// bound one stays as it is. Ask is the ask with which the message came, or nil. Replies of one message are bound before it
	// is delivered.
	Bind(v any, ask *Ask) error
	// Deliver gives a message to the actor with that PID number, as its Send or TrySend does. If the actor has ended, the
	// message is a dead letter of this system, and the error wraps actor.ErrStopped. An ask in a message that is
	// not delivered is answered, unless the error is actor.ErrFull.
	Deliver(ctx context.Context, number uint64, l Letter) error
	// Answered hands over the answer to the ask with that number. It returns actor.ErrReplied or
	// actor.ErrLateReply if the ask does not wait any more.
	Answered(number uint64, value any, err error) error
	// Cancel ends the handling of an ask of another node, whose asker has left.
	Cancel(ask Address, cause error)
	// Order does what the order says to the actor with that PID number, and waits as Carrier.Order says.
	Order(ctx context.Context, number uint64, o Order) error
	// Watch has told called once, when the actor with that PID number has ended: at once if it is none. Told must not
	// wait. Cancel ends that.
	Watch(number uint64, told func(name string, reason error)) (cancel func())
	// Lost makes a dead letter of a message that was carried to an actor and did not arrive, as far as is known, as
	// StandIn.Lost does, for a carrier that has not kept the stand-in.
	Lost(to Address, l Letter, reason error)
	// Ended says that a node is lost: its actors have ended, for that reason, and asks of this system that it was to answer
	// have no answer.
	Ended(n Node, reason error)
	// Leave ends all stand-ins, and all asks between this node and others, for a reason. The system is no node after that, and may
	// join a carrier again, under another birth.
	Leave(reason error)
	// Stopped returns a channel that is closed when the system has stopped.
	Stopped() <-chan struct{}
}

// Package actor sets these when the program starts.
var (
	// Join makes c the carrier of the stand-ins of a system, an *actor.System, which is the node self from now on.
	Join func(system any, self Node, c Carrier) (Host, error)
	// HostOf returns the host of a system, an *actor.System, that has joined a carrier.
	HostOf func(system any) (Host, error)
	// Of returns the address of an actor, by a *actor.Ref[M] or an actor.Ref[M], of this node or of another.
	Of func(ref any) (Address, error)
)
