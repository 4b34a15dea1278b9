package router

import "fmt"

// Strategy says which routee gets a message.
type Strategy uint8

// The strategies. Their cost comes on top of the send; see the package's benchmarks. One
// sender's messages to one routee on one lane always arrive in the order in which they were
// sent; what is said about order here is about messages that might come to different
// routees.
const (
	// RoundRobin takes the routees in turn. It costs an atomic addition, which
	// all senders share. No order.
	RoundRobin Strategy = iota
	// Random takes any, each with the same probability. No order.
	Random
	// SmallestMailbox looks at all routees and takes the one with the smallest
	// backlog, see [actor.Ref.Backlog]; among equals in turn. While each routee has
	// a backlog of 8 or more, one look serves also for the next messages, half as
	// many as the smallest has, but at most 16, each for the one that has least
	// then; what the router sends is counted meanwhile, so that a stuck routee gets
	// no more than before, but one that becomes idle may be passed over so many
	// times. A look costs about 10 ns for each routee, unless one is found that has
	// nothing to do. Of those that send at the same time, each may have chosen
	// before the others' messages have come. No order.
	SmallestMailbox
	// LeastOfTwo looks at two routees, taken at random, and takes the one with
	// the smaller backlog; one that has nothing to do need not be compared. Its
	// cost does not depend on their number, and the
	// longest backlog exceeds the mean by O(log log n) only, where Random has
	// O(log n / log log n): Mitzenmacher, The Power of Two Choices in Randomized
	// Load Balancing, 2001. No order.
	LeastOfTwo
	// ConsistentHash takes the routee that the message's key belongs to, see
	// Config.Key. Keys are spread over 8192 slots, and the slots over a ring of
	// routees, none of which gets more than 1.25 times its share. When one of n
	// routees leaves, its keys go to the others, and few others move; when one
	// comes, it gets 1/n of them. A key's messages keep their order, as long as
	// the key stays where it is.
	ConsistentHash
	// BoundedHash is ConsistentHash, except that a routee whose backlog exceeds
	// Config.LoadFactor times the mean is passed over in favour of the next on the
	// ring, so that a popular key can't drown one. That bound is of Mirrokni,
	// Thorup and Zadimoghaddam, Consistent Hashing with Bounded Loads, SODA 2018.
	// It costs about 10 ns, and, while the key's routee has a backlog, a look at
	// others, until they have so much that it may. While the mean is 8 or more, one
	// look serves also for the next messages, half as many as the mean, but at most
	// 16; what the router sends is counted meanwhile. So a routee exceeds its bound
	// by 16 at most, and only if the others have handled much since; with several
	// that send at the same time, also by one for each that has chosen it
	// meanwhile. No order.
	BoundedHash
	// Broadcast gives a copy of the message to every routee. Messages are copied
	// by value: what they point to is shared.
	Broadcast

	numStrategies
)

var strategyNames = [numStrategies]string{
	"round robin", "random", "smallest mailbox", "least of two", "consistent hash", "bounded hash", "broadcast",
}

// String returns the strategy's name in lower case.
func (s Strategy) String() string {
	if s < numStrategies {
		return strategyNames[s]
	}
	return fmt.Sprintf("Strategy(%d)", uint8(s))
}

// hashes reports whether the strategy goes by the key.
func (s Strategy) hashes() bool { return s == ConsistentHash || s == BoundedHash }

// EmptyPolicy says what a router without routees does.
type EmptyPolicy uint8

const (
	// FailWhenEmpty makes sends and asks return [ErrNoRoutees].
	FailWhenEmpty EmptyPolicy = iota
	// WaitWhenEmpty makes them wait for a routee until their context ends.
	// TrySend never waits.
	WaitWhenEmpty

	numEmptyPolicies
)

// FullPolicy says what a router does when the chosen routee's lane is full.
type FullPolicy uint8

const (
	// TryOthers offers the message to the other routees, in turn; if all are full,
	// Send waits for the one that was chosen first. [ConsistentHash], whose order
	// it would break, waits for the chosen one nevertheless. [Broadcast] gives the
	// message to all that have room before it waits for the others.
	TryOthers FullPolicy = iota
	// WaitForChosen waits for the chosen one.
	WaitForChosen

	numFullPolicies
)
