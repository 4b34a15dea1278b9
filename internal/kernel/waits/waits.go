// Package waits finds rings in a graph of waits, such as actors whose handlers wait for each other.
//
//	if ring := waits.FindRing[edge, *node, *wait](first); ring != nil {
//		return fmt.Errorf("a wait for oneself, by way of %v", ring)
//	}
//
// A [Node] has handlers. A handler that waits has an [Edge] to the node that has to act next, or several if it waits for
// several asks at once. The package knows nothing of messages, lanes and states: nodes and edges answer its questions.
//
// # When a wait is stuck
//
// A wait is stuck if it can't end before the first one does, at which the search begins. It ends when the handlers go on
// that have to act for it. They depend on where its message is:
//
//   - Handled by a handler that waits in its turn: that one. See Edge.HandledIn.
//   - Let in beside the handlers, and not handled yet: nobody, since it is not held up. See Edge.LetIn.
//   - In the lanes of a node, or about to be: the node tells by its [Rule] if one stuck handler is enough, or all have to
//     be stuck, or the node goes on anyway.
//
// A wait for a node's start or end is one for all of its handlers.
//
// A node that lives in an event loop does nothing while a handler of another one waits there. So it is held up by that as
// well; see Node.Holder.
//
// A handler that waits for several asks can't go on if one of them is stuck, if it waits for all. Else it can't go on if
// those that are not stuck, and may yet be answered, are fewer than it needs; see Edge.Spare.
package waits

// Rule says how the handlers of a node that wait hold up a message in its lanes.
type Rule int

const (
	// AnyStuck holds a message up if one of the handlers is stuck: the node waits for all of them to return.
	AnyStuck Rule = iota
	// AllStuck holds a message up if all of the handlers are stuck: the node goes on when any of them returns.
	AllStuck
	// NoneStuck holds no message up: the node has room for one more handler.
	NoneStuck
)

// Node is what a search asks a node, which is of type N.
type Node[E, N any] interface {
	comparable

	// Branches reports whether several handlers of the node may wait at the same time.
	Branches() bool
	// Rule says how waiting handlers, of this number, hold up a message.
	Rule(waiting int) Rule
	// Holder returns the node whose handler keeps this one from running, or the zero value.
	Holder() N
	// EdgesFor returns the edges of the node, for a search that begins at first. The edges of one handler lie side by
	// side. It may leave out edges that can't be stuck.
	EdgesFor(first *E) []E
}

// Edge is what a search asks a wait of type W as it was at one moment, which is of type E. Two edges are equal if nothing
// of the wait has changed.
type Edge[E, N, W any] interface {
	comparable

	// Wait returns the wait and its round. The wait is the zero value if it has not begun.
	Wait() (w W, round uint64)
	// From returns the node that waits.
	From() N
	// To returns the node that has to act.
	To() N
	// IsCurrent reports whether the wait is still as the edge says.
	IsCurrent() bool
	// ForMessage reports whether a message has to be handled for the wait to end. Else it is for a start or an end.
	ForMessage() bool
	// HandledIn reports whether the message is being handled by the handler that waits in the other edge.
	HandledIn(waiting E) bool
	// LetIn reports whether the message was let in beside the handlers that wait.
	LetIn() bool
	// IsOneOfSeveral reports whether the handler waits for this ask and for others at once.
	IsOneOfSeveral() bool
	// SameHandler reports whether both are waits for asks that one handler waits for at once.
	SameHandler(other E) bool
	// Spare returns how many asks of the handler may be stuck before it can't go on. It returns false if it can do
	// without none.
	Spare() (n int, ok bool)
}
